"""What all ways to a wipe order share: the key, the row of the order, and what its acceptance does."""

import secrets
import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from jobs.clock import database_now
from jobs.models import Job, JobStatus
from jobs.services import enqueue_job, set_queue
from tenants.audit import current_actor, record
from tenants.erasure import find_obstacles
from tenants.errors import AnotherOrder, OrderUsed, WipeForbidden
from tenants.models import Tenant, TenantStatus, WipeOrder, WipeState
from tenants.proof import DELETE, derive_key, format_issued_at, parse_issued_at, sign, verify
from tenants.wipe_payload import SignedOrder

JOB_TYPE = "delete-tenant"
#: For how long a request waits for its approval.
REQUEST_LIFE = timedelta(hours=1)


@dataclass(frozen=True)
class PlacedOrder:
    """What became of an order: accepted, with its job, or a request that waits for approval.

    `set_aside`: jobs of the tenant that would run again if the order were cancelled.
    """

    nonce: str
    state: str
    action: str
    final_status: str
    job_id: int | None = None
    set_aside: int = 0


def new_nonce() -> str:
    """Return 128 random bits as hexadecimal digits."""
    return secrets.token_hex(16)


def sign_order(tenant: Tenant, *, action: str, final_status: str, nonce: str) -> SignedOrder:
    """Return an order for a tenant, signed now with the first key."""
    issued_at = format_issued_at(database_now())
    signature = sign(
        _keys()[0],
        tenant_id=tenant.id,
        tenant_name=tenant.name,
        action=action,
        nonce=nonce,
        issued_at=issued_at,
        final_status=final_status,
    )
    return SignedOrder(action == DELETE, tenant.name, action, nonce, issued_at, signature, final_status)


def verify_order(order: SignedOrder, *, tenant_id: uuid.UUID, tenant_name: str) -> None:
    """Raise a `ProofError` unless the order was signed for this tenant, by its row, and is good now."""
    verify(
        _keys(),
        order.signature,
        tenant_id=tenant_id,
        tenant_name=tenant_name,
        action=order.action,
        nonce=order.nonce,
        issued_at=order.issued_at,
        final_status=order.final_status,
        now=database_now(),
    )


def _keys() -> list[bytes]:
    return [
        derive_key(secret)
        for secret in (settings.ARCHIV_WIPE_KEY or settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    ]


def forbid_if_obstructed(tenant_id: uuid.UUID) -> None:
    """Raise `WipeForbidden`, with all reasons, if the tenant's papers may not go. Needs its scope."""
    obstacles = find_obstacles(tenant_id)
    if obstacles:
        raise WipeForbidden([found.wording for found in obstacles])


def settle_live_order(tenant_id: uuid.UUID) -> None:
    """Make room for a new order: end one that nobody works on any more. Raises `AnotherOrder` if it lives.

    Needs the tenant's lock.
    """
    order = WipeOrder.objects.filter(tenant_id=tenant_id, state__in=WipeOrder.LIVE).first()
    if order is None:
        return
    if order.state == WipeState.REQUESTED:
        if database_now() - order.ordered_at <= REQUEST_LIFE:
            raise AnotherOrder(
                "%(who)s has requested a wipe of this tenant: approve or cancel that one.",
                who=order.ordered_by,
            )
    elif order.job_id is not None:
        job = Job.objects.filter(tenant_id=tenant_id, id=order.job_id).first()
        if job is not None and job.status in (JobStatus.QUEUED, JobStatus.PROCESSING):
            raise AnotherOrder(
                "There is a wipe order for this tenant already: job %(job)d works on it.", job=job.id
            )
        if job is not None and order.state == WipeState.AUTHORISED:
            raise AnotherOrder(
                "A wipe of this tenant was authorised and has not ended: requeue its job %(job)d.", job=job.id
            )
    WipeOrder.objects.filter(nonce=order.nonce).update(state=WipeState.EXPIRED, ended_at=Now())


def insert_order(order: WipeOrder) -> None:
    """Write a new order. Raises `OrderUsed` if its nonce was used, `AnotherOrder` if one lives."""
    try:
        with transaction.atomic():
            order.save(force_insert=True)
    except IntegrityError as error:
        if "tenants_wipeorder_live" in str(error):
            raise AnotherOrder from error
        if "tenants_wipeorder_pkey" in str(error):
            raise OrderUsed from error
        raise


def accept_order(row: WipeOrder, order: SignedOrder, tenant: Tenant) -> int:
    """Close the tenant and enqueue the job of a signed order, whose row is there; returns the job's id.

    Needs the tenant's lock.
    """
    if tenant.status != TenantStatus.DELETING:
        Tenant.objects.filter(id=tenant.id).update(status=TenantStatus.DELETING, status_before=tenant.status)
    set_queue(tenant_id=tenant.id, closed=True)
    job_id = enqueue_job(tenant_id=tenant.id, type=JOB_TYPE, payload=order.payload())
    WipeOrder.objects.filter(nonce=row.nonce).update(
        state=WipeState.ACCEPTED,
        issued_at=parse_issued_at(order.issued_at),
        accepted_at=Now(),
        approved_by=row.approved_by,
        job_id=job_id,
    )
    record_order("wipe.ordered", row, job=job_id)
    return job_id


def new_row(tenant_id: uuid.UUID, *, nonce: str, action: str, final_status: str) -> WipeOrder:
    """Return the row of a new order by whoever acts."""
    actor = current_actor()
    return WipeOrder(
        nonce=nonce,
        tenant_id=tenant_id,
        action=action,
        final_status=final_status,
        state=WipeState.REQUESTED,
        ordered_by=actor.name[:100],
        ordered_from=actor.origin[:100],
    )


def record_order(event: str, row: WipeOrder, **details: str | int) -> None:
    """Write an event about an order into the audit trail. The last statement of its transaction."""
    record(
        event,
        tenant_id=row.tenant_id,
        object_type="wipe_order",
        object_id=row.nonce,
        details={"action": row.action, "final_status": row.final_status, **details},
    )
