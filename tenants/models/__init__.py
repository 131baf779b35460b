"""Users, tenants, what members may do, what was done. Written by `tenants.services` only."""

from tenants.models.audit import AuditEvent, AuditHead
from tenants.models.membership import ApiToken, CapabilitySet, Membership
from tenants.models.tenant import (
    Tenant,
    TenantRow,
    TenantStatus,
    User,
    default_languages,
    validate_tenant_name,
)
from tenants.models.wipe import WipeOrder, WipePhase, WipeState

__all__ = [
    "ApiToken",
    "AuditEvent",
    "AuditHead",
    "CapabilitySet",
    "Membership",
    "Tenant",
    "TenantRow",
    "TenantStatus",
    "User",
    "WipeOrder",
    "WipePhase",
    "WipeState",
    "default_languages",
    "validate_tenant_name",
]
