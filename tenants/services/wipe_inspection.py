"""Looking at what a wipe would take away, and at the orders there have been. Changes nothing."""

import json
import uuid
from contextlib import suppress
from dataclasses import dataclass

from jobs.models import Job, JobStatus
from tenants.access import Access, requires
from tenants.erasure import Amount, Obstacle, count_all, find_obstacles
from tenants.errors import OrderUsed, TenantNotFound
from tenants.models import Tenant, WipeOrder
from tenants.proof import DELETE, RESET
from tenants.scope import operator_scope, tenant_scope


@dataclass(frozen=True)
class Inspection:
    """What a wipe would take away, and what forbids it, at one moment. `order` is the newest one, if any."""

    tenant: Tenant
    amounts: tuple[Amount, ...]
    obstacles: tuple[Obstacle, ...]
    running_jobs: int
    order: WipeOrder | None


@requires("tenants:read")
def inspect_wipe(*, access: Access, action: str = DELETE) -> Inspection:
    """Return what a wipe of the tenant would mean; changes nothing. Raises `TenantNotFound`."""
    tenant_id = access.tenant_id
    with tenant_scope(tenant_id):
        tenant = Tenant.objects.filter(id=tenant_id).first()
        if tenant is None:
            raise TenantNotFound
        obstacles = tuple(find_obstacles(tenant_id))
        running = Job.objects.filter(tenant_id=tenant_id, status=JobStatus.PROCESSING).count()
    return Inspection(
        tenant=tenant,
        amounts=tuple(count_all(tenant_id, reset=action == RESET)),
        obstacles=obstacles,
        running_jobs=running,
        order=find_order(tenant_id),
    )


def find_order(tenant_id: uuid.UUID) -> WipeOrder | None:
    """Return the newest wipe order of a tenant, also of one that is gone."""
    with tenant_scope(tenant_id):
        return WipeOrder.objects.filter(tenant_id=tenant_id).order_by("-ordered_at").first()


def refuse_used_order(text: str) -> None:
    """Raise `OrderUsed` if the order with this nonce was carried out, so that its tenant may be gone.

    For an operator's command: looks at the orders of all tenants. What cannot be read was not used.
    """
    with suppress(ValueError, RecursionError), operator_scope():
        fields = json.loads(text)
        nonce = fields.get("nonce") if isinstance(fields, dict) else None
        if isinstance(nonce, str) and WipeOrder.objects.filter(nonce=nonce[:33]).exists():
            raise OrderUsed
