"""Ordering the wipe of a tenant: sign or submit an order, approve it, take it back."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.conf import settings
from django.db.models import Max, Min
from django.db.models.functions import Now

from jobs.clock import database_now
from jobs.models import Job, JobStatus
from jobs.services import RequeueReport, cancel_jobs, set_queue
from tenants.access import Access, requires
from tenants.audit import current_actor, record
from tenants.errors import (
    ApprovalNeeded,
    NothingToApprove,
    NothingToCancel,
    OrderUsed,
    RequestExpired,
    SameOperator,
    WipeForbidden,
    WipeUnderWay,
)
from tenants.models import Tenant, TenantStatus, User, WipeOrder, WipeState
from tenants.proof import DELETE, FINAL_STATUSES, NO_STATUS
from tenants.proof_errors import BadAction, BadFinalStatus
from tenants.scope import tenant_scope
from tenants.services.closing import bring_jobs_back, lock_tenant, set_jobs_aside
from tenants.services.wipe_orders import (
    JOB_TYPE,
    REQUEST_LIFE,
    PlacedOrder,
    accept_order,
    forbid_if_obstructed,
    insert_order,
    new_nonce,
    new_row,
    record_order,
    settle_live_order,
    sign_order,
    verify_order,
)
from tenants.wipe_payload import parse_order

_SET_ASIDE = "The tenant is to be wiped."


@requires("tenants:reset")
def order_wipe(*, access: Access, action: str = DELETE, final_status: str = "") -> PlacedOrder:
    """Close the tenant, sign an order and enqueue its job; or, where approval is wanted, record a request.

    A reset without `final_status` ends suspended. A delete needs `tenants:delete` besides. Raises
    `BadAction`, `BadFinalStatus`, `AnotherOrder`, `WipeForbidden`, `TenantNotFound`.
    """
    final_status = _check_outcome(access, action, final_status)
    with _recording_obstacles(access.tenant_id), tenant_scope(access.tenant_id):
        tenant = lock_tenant(access.tenant_id)
        settle_live_order(tenant.id)
        forbid_if_obstructed(tenant.id)
        row = new_row(tenant.id, nonce=new_nonce(), action=action, final_status=final_status)
        insert_order(row)
        if settings.ARCHIV_WIPE_APPROVAL:
            record_order("wipe.requested", row)
            return PlacedOrder(row.nonce, WipeState.REQUESTED, action, final_status)
        order = sign_order(tenant, action=action, final_status=final_status, nonce=row.nonce)
        job_id = accept_order(row, order, tenant)
    return _placed(row, job_id)


@requires("tenants:reset")
def approve_wipe(*, access: Access, nonce: str = "") -> PlacedOrder:
    """Sign and enqueue the wipe that another operator has requested within the last hour.

    With `nonce` only the request that has it: the one that was looked at. Raises `NothingToApprove`,
    `RequestExpired`, `SameOperator`, `WipeForbidden`, `TenantNotFound`.
    """
    expired = False
    with _recording_obstacles(access.tenant_id), tenant_scope(access.tenant_id):
        tenant = lock_tenant(access.tenant_id)
        row = WipeOrder.objects.filter(tenant_id=tenant.id, state=WipeState.REQUESTED).first()
        if row is None or (nonce and row.nonce != nonce):
            raise NothingToApprove
        if row.action == DELETE:
            access.require("tenants:delete")
        if row.ordered_by in _names_of_actor():
            raise SameOperator(
                "%(who)s requested this wipe: another operator has to approve it.", who=row.ordered_by
            )
        if database_now() - row.ordered_at > REQUEST_LIFE:
            expired = True
            WipeOrder.objects.filter(nonce=row.nonce).update(state=WipeState.EXPIRED, ended_at=Now())
        else:
            forbid_if_obstructed(tenant.id)
            row.approved_by = current_actor().name[:100]
            order = sign_order(tenant, action=row.action, final_status=row.final_status, nonce=row.nonce)
            job_id = accept_order(row, order, tenant)
    if expired:
        raise RequestExpired
    return _placed(row, job_id)


@requires("tenants:reset")
def submit_order(*, access: Access, text: str) -> PlacedOrder:
    """Accept an order that was signed elsewhere, as JSON: close the tenant and enqueue its job.

    Raises an `OrderRefused`, with nothing touched, `ApprovalNeeded` where one operator must not be enough,
    and `TenantNotFound`. A delete needs `tenants:delete` besides.
    """
    if settings.ARCHIV_WIPE_APPROVAL:
        raise ApprovalNeeded
    with _recording_obstacles(access.tenant_id), tenant_scope(access.tenant_id):
        tenant = lock_tenant(access.tenant_id)
        order = parse_order(text, tenant_id=tenant.id, tenant_name=tenant.name)
        if order.remove_tenant:
            access.require("tenants:delete")
        verify_order(order, tenant_id=tenant.id, tenant_name=tenant.name)
        if WipeOrder.objects.filter(nonce=order.nonce).exists():
            raise OrderUsed
        settle_live_order(tenant.id)
        forbid_if_obstructed(tenant.id)
        row = new_row(tenant.id, nonce=order.nonce, action=order.action, final_status=order.final_status)
        insert_order(row)
        job_id = accept_order(row, order, tenant)
    return _placed(row, job_id)


@requires("tenants:reset")
def cancel_order(*, access: Access, nonce: str = "") -> RequeueReport:
    """Take back what was ordered while nothing is authorised; the tenant is again what it was before.

    Cancels the order's job, opens the queue, and requeues what failed because the tenant was closed. With
    `nonce` only if the order that lives is the one that has it. Raises `WipeUnderWay`, `NothingToCancel`,
    `TenantNotFound`.
    """
    tenant_id = access.tenant_id
    with tenant_scope(tenant_id):
        tenant = lock_tenant(tenant_id)
        orders = WipeOrder.objects.filter(tenant_id=tenant_id)
        if orders.filter(state=WipeState.AUTHORISED).exists():
            raise WipeUnderWay
        if nonce and not orders.filter(nonce=nonce, state__in=WipeOrder.LIVE).exists():
            raise NothingToCancel
        closed = tenant.status == TenantStatus.DELETING
        since = _closed_since(tenant_id)
        cancelled = orders.filter(state__in=(WipeState.REQUESTED, WipeState.ACCEPTED)).update(
            state=WipeState.CANCELLED, ended_at=Now()
        )
        if not cancelled and not closed:
            raise NothingToCancel
        # Also those of orders that came by the queue alone.
        waiting = Job.objects.filter(
            tenant_id=tenant_id, type=JOB_TYPE, status__in=(JobStatus.QUEUED, JobStatus.PROCESSING)
        )
        cancel_jobs(job_ids=waiting.values_list("id", flat=True), by=current_actor().name)
        before = (tenant.status_before or TenantStatus.SUSPENDED) if closed else tenant.status
        if closed:
            Tenant.objects.filter(id=tenant_id).update(status=before, status_before="")
            set_queue(tenant_id=tenant_id, closed=before == TenantStatus.SUSPENDED)
        record("wipe.cancelled", tenant_id=tenant_id, object_type="tenant", object_id=tenant_id)
    if not closed or before == TenantStatus.SUSPENDED:
        return RequeueReport()  # a suspended tenant gets its jobs back when it is resumed
    return bring_jobs_back(tenant_id=tenant_id, since=since)


def _names_of_actor() -> set[str]:
    """Return the names under which whoever acts may have asked: an account here and one of the system.

    Accounts of the same name are taken for the same person: one who asked by a command approves nothing in
    the admin.
    """
    actor = current_actor().name[:100]
    try:
        account = uuid.UUID(actor.removeprefix("user:"))
    except ValueError:
        return {actor}
    names = User.objects.filter(pk=account).values_list("username", flat=True)
    return {actor, *(f"command:{name}"[:100] for name in names)}


def _check_outcome(access: Access, action: str, final_status: str) -> str:
    """Return the final status to be signed."""
    if action not in FINAL_STATUSES:
        raise BadAction
    if action == DELETE:
        access.require("tenants:delete")
    wanted = final_status or (NO_STATUS if action == DELETE else TenantStatus.SUSPENDED.value)
    if wanted not in FINAL_STATUSES[action]:
        raise BadFinalStatus
    return wanted


@contextmanager
def _recording_obstacles(tenant_id: uuid.UUID) -> Iterator[None]:
    """Leave an event in the audit trail when the papers of a tenant were not to go."""
    try:
        yield
    except WipeForbidden:
        with tenant_scope(tenant_id):
            record("wipe.forbidden", tenant_id=tenant_id, object_type="tenant", object_id=tenant_id)
        raise


def _placed(row: WipeOrder, job_id: int) -> PlacedOrder:
    """Set the tenant's other jobs aside, now that it is closed, and say what was placed."""
    aside = set_jobs_aside(tenant_id=row.tenant_id, message=_SET_ASIDE)
    return PlacedOrder(row.nonce, WipeState.ACCEPTED, row.action, row.final_status, job_id, aside)


def _closed_since(tenant_id: uuid.UUID) -> datetime | None:
    """Return when the tenant was closed for the orders that have not led to a wipe; None if nobody knows."""
    orders = WipeOrder.objects.filter(tenant_id=tenant_id)
    opened = orders.filter(state__in=(WipeState.CANCELLED, WipeState.DONE)).aggregate(at=Max("ended_at"))[
        "at"
    ]
    pending = orders.filter(accepted_at__isnull=False).exclude(
        state__in=(WipeState.CANCELLED, WipeState.DONE)
    )
    if opened is not None:
        pending = pending.filter(accepted_at__gt=opened)
    since: datetime | None = pending.aggregate(at=Min("accepted_at"))["at"]
    return since
