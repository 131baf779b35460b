"""What is done once a day about documents."""

from datetime import UTC, date, datetime, time

from django.conf import settings

from documents.services.vault_checks import enqueue_nightly_check
from jobs.chores import ChoreReport, daily_chore
from tenants.access import operator_access
from tenants.errors import TenantsError
from tenants.models import Tenant, TenantStatus
from tenants.scope import operator_scope


@daily_chore("check-vault")
def check_vault(day: date) -> ChoreReport:
    """Queue a look at the next share of each active tenant's files, behind all other work."""
    nights = settings.ARCHIV_CHECK_NIGHTS
    if not nights:
        return ChoreReport("Switched off by ARCHIV_CHECK_NIGHTS.")
    with operator_scope():
        active = Tenant.objects.filter(status=TenantStatus.ACTIVE).order_by("id")
        tenants = list(active.values_list("id", flat=True))
    since = datetime.combine(day, time(settings.ARCHIV_CHORES_HOUR), UTC)
    queued = left = 0
    for tenant_id in tenants:
        try:
            job_id = enqueue_nightly_check(access=operator_access(tenant_id), shares=nights, since=since)
        except TenantsError:  # it was closed or wiped meanwhile
            job_id = None
        queued += job_id is not None
        left += job_id is None
    return ChoreReport(f"Checks queued for {queued} tenants; {left} left alone.")
