"""What closing a tenant and opening it again have in common: the lock, and the jobs that wait meanwhile."""

import uuid
from datetime import datetime

from jobs.models import FailureKind
from jobs.services import RequeueReport, fail_queued_jobs, find_failed_jobs, requeue_jobs
from tenants.errors import TenantNotFound
from tenants.models import Tenant
from tenants.scope import tenant_scope


def lock_tenant(tenant_id: uuid.UUID) -> Tenant:
    """Return the tenant, locked until the transaction ends. Needs its scope. Raises `TenantNotFound`."""
    tenant = Tenant.objects.select_for_update(no_key=True).filter(id=tenant_id).first()
    if tenant is None:
        raise TenantNotFound
    return tenant


def set_jobs_aside(*, tenant_id: uuid.UUID, message: str) -> int:
    """Fail what is queued for a closed tenant, a transaction a batch; returns how many jobs.

    `bring_jobs_back` lets exactly those run again.
    """
    failed = 0
    while True:
        with tenant_scope(tenant_id):
            batch = fail_queued_jobs(tenant_id=tenant_id, kind=FailureKind.TENANT_INACTIVE, message=message)
        if not batch:
            return failed
        failed += batch


def bring_jobs_back(*, tenant_id: uuid.UUID, since: datetime | None = None) -> RequeueReport:
    """Requeue the jobs that failed (at `since` or later) because the tenant was closed, spread over time."""
    requeued, skipped = 0, dict[str, int]()
    while True:
        with tenant_scope(tenant_id):
            waiting = find_failed_jobs(tenant_id=tenant_id, kind=FailureKind.TENANT_INACTIVE, since=since)
            report = requeue_jobs(job_ids=waiting)
        requeued, skipped = requeued + report.requeued, dict(report.skipped)
        if not report.requeued:
            return RequeueReport(requeued, skipped)
