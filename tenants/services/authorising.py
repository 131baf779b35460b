"""Authorising a wipe: the first thing its job does, and for each nonce only once, ever."""

import uuid
from collections.abc import Mapping

from django.db import connections
from django.db.models.functions import Now

from tenants.audit import record
from tenants.errors import OrderExpired, OrderRefused, OrderUsed, TenantNotFound, WrongTenantStatus
from tenants.models import TenantStatus, WipeOrder, WipePhase, WipeState
from tenants.proof import parse_issued_at
from tenants.proof_errors import IssuedTooLongAgo
from tenants.scope import tenant_scope
from tenants.services.wipe_orders import (
    forbid_if_obstructed,
    insert_order,
    new_row,
    record_order,
    verify_order,
)
from tenants.wipe_payload import SignedOrder, read_order


def authorise_order(*, tenant_id: uuid.UUID, job_id: int, payload: Mapping[str, object]) -> WipeOrder:
    """Return the order that this job carries, authorised now or by an earlier attempt of the same job.

    Of all jobs with one nonce one is authorised, ever. Raises an `OrderRefused`, with nothing touched, and
    `WrongTenantStatus`, `TenantNotFound`.
    """
    with tenant_scope(tenant_id):
        name = _hold_closed_tenant(tenant_id)
        resumed = WipeOrder.objects.filter(
            tenant_id=tenant_id, job_id=job_id, state=WipeState.AUTHORISED
        ).first()
        if resumed is not None:
            return resumed
        order = read_order(payload, tenant_id=tenant_id, tenant_name=name)
        try:
            verify_order(order, tenant_id=tenant_id, tenant_name=name)
        except IssuedTooLongAgo as error:
            raise OrderExpired(
                f"The order came too late, and nothing was touched: {error} Or take it back with --cancel."
            ) from error
        forbid_if_obstructed(tenant_id)
        _authorise(order, tenant_id, job_id)
        row = WipeOrder.objects.get(nonce=order.nonce)
        record_order("wipe.authorised", row, job=job_id)
    return row


def refuse_order(*, tenant_id: uuid.UUID, job_id: int, reason: OrderRefused) -> None:
    """Write down that the order of a job was refused. Needs the transaction that fails the job."""
    state = WipeState.EXPIRED if isinstance(reason, OrderExpired) else WipeState.REFUSED
    orders = WipeOrder.objects.filter(tenant_id=tenant_id, job_id=job_id, state=WipeState.ACCEPTED)
    orders.update(state=state, ended_at=Now())
    details: dict[str, str | int] = {"job": job_id, "reason": type(reason).__name__}
    record("wipe.refused", tenant_id=tenant_id, object_type="job", object_id=job_id, details=details)


def _hold_closed_tenant(tenant_id: uuid.UUID) -> str:
    """Return the name of a tenant that stays closed until the transaction ends: nobody cancels meanwhile."""
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT name, status FROM tenants_tenant WHERE id = %s FOR SHARE", [tenant_id])
        row = cursor.fetchone()
    if row is None:
        raise TenantNotFound
    if row[1] != TenantStatus.DELETING:
        raise WrongTenantStatus(f"The tenant is {row[1]}: no wipe is ordered, or it was taken back.")
    return str(row[0])


def _authorise(order: SignedOrder, tenant_id: uuid.UUID, job_id: int) -> None:
    """Use the nonce up: by the row of its acceptance, if that was for this job, or by a new one."""
    marks = {"state": WipeState.AUTHORISED, "authorised_at": Now(), "phase": WipePhase.CLOSING}
    accepted = WipeOrder.objects.filter(
        nonce=order.nonce, tenant_id=tenant_id, job_id=job_id, state=WipeState.ACCEPTED
    )
    if accepted.update(**marks):
        return
    if WipeOrder.objects.filter(nonce=order.nonce).exists():
        raise OrderUsed
    row = new_row(tenant_id, nonce=order.nonce, action=order.action, final_status=order.final_status)
    row.job_id, row.issued_at = job_id, parse_issued_at(order.issued_at)
    insert_order(row)
    WipeOrder.objects.filter(nonce=order.nonce).update(**marks)
