"""What closing a tenant and opening it again have in common: the lock, and the jobs that wait meanwhile."""

import uuid
from collections import Counter
from datetime import datetime

from jobs.models import FailureKind
from jobs.services import RequeueReport, fail_queued_jobs, find_failed_jobs, requeue_jobs
from tenants.errors import TenantNotFound
from tenants.models import Tenant, TenantStatus
from tenants.scope import tenant_scope

#: Jobs requeued in one transaction.
_BATCH = 1000


def lock_tenant(tenant_id: uuid.UUID) -> Tenant:
    """Return the tenant, locked until the transaction ends. Needs its scope. Raises `TenantNotFound`."""
    tenant = Tenant.objects.select_for_update(no_key=True).filter(id=tenant_id).first()
    if tenant is None:
        raise TenantNotFound
    return tenant


def set_jobs_aside(*, tenant_id: uuid.UUID, message: str) -> int:
    """Fail what is queued for a closed tenant, a transaction a batch; returns how many jobs.

    `bring_jobs_back` lets exactly those run again. Stops where the tenant is opened, or gone, meanwhile.
    """
    failed = 0
    while True:
        with tenant_scope(tenant_id):
            if not _lock_closed(tenant_id):
                return failed
            batch = fail_queued_jobs(tenant_id=tenant_id, kind=FailureKind.TENANT_INACTIVE, message=message)
        if not batch:
            return failed
        failed += batch


def bring_jobs_back(*, tenant_id: uuid.UUID, since: datetime | None = None) -> RequeueReport:
    """Requeue the jobs that failed (at `since` or later) because the tenant was closed, spread over time.

    Stops where the tenant is closed again meanwhile: then they go on waiting.
    """
    requeued, skipped, seen = 0, Counter[str](), set[int]()
    while True:
        with tenant_scope(tenant_id):
            if _lock_closed(tenant_id):
                return RequeueReport(requeued, dict(skipped))
            waiting = find_failed_jobs(
                tenant_id=tenant_id,
                kind=FailureKind.TENANT_INACTIVE,
                since=since,
                limit=_BATCH + len(seen),
            )
            fresh = [job_id for job_id in waiting if job_id not in seen][:_BATCH]
            report = requeue_jobs(job_ids=fresh)
        if not fresh:
            return RequeueReport(requeued, dict(skipped))
        seen.update(fresh)
        requeued += report.requeued
        skipped.update(report.skipped)


def _lock_closed(tenant_id: uuid.UUID) -> bool:
    """Whether the tenant is closed, which stays so until the transaction ends. One that is gone is not."""
    tenants = Tenant.objects.select_for_update(no_key=True).filter(id=tenant_id)
    return tenants.values_list("status", flat=True).first() in (TenantStatus.SUSPENDED, TenantStatus.DELETING)
