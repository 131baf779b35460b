"""Releasing the retention of a tenant as a whole: its papers were handed over."""

from django.db.models.functions import Now

from tenants.access import Access, requires
from tenants.audit import current_actor, record
from tenants.errors import TenantsError
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tenants.services.closing import lock_tenant

MAX_REASON_LENGTH = 1000


@requires("tenants:delete")
def release_retention(*, access: Access, reason: str) -> Tenant:
    """Let the tenant's papers of up to now go with a wipe before their retention ends; returns the tenant.

    A legal hold stays, papers that are stored later are kept, and nothing but a wipe is allowed by it. Called
    again it covers what has come meanwhile. Raises `TenantsError` for a reason that says nothing,
    `TenantNotFound`.
    """
    cleaned = " ".join(reason.split())
    if not cleaned or len(cleaned) > MAX_REASON_LENGTH or not cleaned.isprintable():
        raise TenantsError(
            "Say why the retention ends early, in 1 to %(most)d printable characters: to whom were the papers"
            " handed over, and when?",
            most=MAX_REASON_LENGTH,
        )
    with tenant_scope(access.tenant_id):
        tenant = lock_tenant(access.tenant_id)
        Tenant.objects.filter(id=tenant.id).update(
            retention_released_at=Now(),
            retention_released_by=current_actor().name[:100],
            retention_released_reason=cleaned,
        )
        tenant.refresh_from_db()
        record("retention.released", tenant_id=tenant.id, object_type="tenant", object_id=tenant.id)
    return tenant
