"""Reading what belongs to a tenant, for whoever holds the capability."""

import uuid
from collections.abc import Sequence

from tenants.access import Access, requires
from tenants.errors import CapabilitySetNotFound, TenantNotFound
from tenants.models import ApiToken, AuditEvent, CapabilitySet, Membership, Tenant
from tenants.scope import tenant_scope


@requires("tenants:read")
def get_tenant(*, access: Access) -> Tenant:
    """Return the tenant itself. Raises `TenantNotFound`."""
    with tenant_scope(access.tenant_id):
        tenant = Tenant.objects.filter(id=access.tenant_id).first()
    if tenant is None:
        raise TenantNotFound
    return tenant


@requires("tenants:read")
def list_members(*, access: Access) -> Sequence[Membership]:
    """Return the members with their users and sets, oldest first."""
    with tenant_scope(access.tenant_id):
        rows = Membership.objects.filter(tenant_id=access.tenant_id)
        return list(rows.select_related("user", "capability_set").order_by("created_at", "id"))


@requires("capability_sets:read")
def list_sets(*, access: Access) -> Sequence[CapabilitySet]:
    """Return the capability sets, those that come with every tenant first."""
    with tenant_scope(access.tenant_id):
        rows = CapabilitySet.objects.filter(tenant_id=access.tenant_id)
        return list(rows.order_by("-is_system", "name"))


@requires("capability_sets:read")
def get_set(*, access: Access, set_id: uuid.UUID) -> CapabilitySet:
    """Return one capability set. Raises `CapabilitySetNotFound`."""
    with tenant_scope(access.tenant_id):
        found = CapabilitySet.objects.filter(tenant_id=access.tenant_id, id=set_id).first()
    if found is None:
        raise CapabilitySetNotFound
    return found


@requires("profile:read")
def list_tokens(*, access: Access) -> Sequence[ApiToken]:
    """Return the tokens of the caller, or, with `tenants:read`, of all members; newest first."""
    with tenant_scope(access.tenant_id):
        rows = ApiToken.objects.filter(tenant_id=access.tenant_id)
        if "tenants:read" not in access.capabilities:
            rows = rows.filter(created_by_id=access.user_id)
        return list(rows.select_related("capability_set").order_by("-created_at", "id")[:1000])


@requires("tenants:read")
def list_events(*, access: Access, before: int | None = None, limit: int = 50) -> Sequence[AuditEvent]:
    """Return events of the audit trail, newest first, those before number `before`."""
    with tenant_scope(access.tenant_id):
        rows = AuditEvent.objects.filter(tenant_id=access.tenant_id)
        if before is not None:
            rows = rows.filter(sequence__lt=before)
        return list(rows.order_by("-sequence")[:limit])
