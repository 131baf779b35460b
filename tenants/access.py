"""Who holds what in a tenant, and the one question asked before everything: may they?"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec, TypeVar

from tenants.capabilities import CAPABILITIES
from tenants.errors import CapabilityDenied
from tenants.models import Membership, TenantStatus

P = ParamSpec("P")
R = TypeVar("R")

#: Which capability each service asks for; `docs/capabilities.md` and the test of the matrix come from here.
SERVICE_CAPABILITIES: dict[str, str] = {}


@dataclass(frozen=True)
class Access:
    """What somebody may do in one tenant at this moment."""

    tenant_id: uuid.UUID
    capabilities: frozenset[str]
    user_id: uuid.UUID | None = None
    token_id: uuid.UUID | None = None

    def require(self, capability: str) -> None:
        """Raise `CapabilityDenied` unless `capability` is held."""
        if capability not in self.capabilities:
            raise CapabilityDenied(f"This needs the capability {capability!r}.")

    def require_all(self, capabilities: frozenset[str]) -> None:
        """Raise `CapabilityDenied` unless all of `capabilities` are held: nobody grants more than that."""
        missing = sorted(capabilities - self.capabilities)
        if missing:
            raise CapabilityDenied(f"Nobody can grant what they do not hold: {', '.join(missing)}.")


def operator_access(tenant_id: uuid.UUID) -> Access:
    """Return the access of an operator of the installation (admin site, commands): everything."""
    return Access(tenant_id=tenant_id, capabilities=frozenset(CAPABILITIES))


def member_access(tenant_id: uuid.UUID, user_id: uuid.UUID) -> Access:
    """Return what a user may do in a tenant; nothing if they are no member, or the tenant is not active.

    Needs the tenant's scope.
    """
    membership = (
        Membership.objects.select_related("capability_set")
        .filter(tenant_id=tenant_id, user_id=user_id, user__is_active=True)
        .filter(tenant__status=TenantStatus.ACTIVE)
        .first()
    )
    held = frozenset(membership.capability_set.capabilities) if membership else frozenset()
    return Access(tenant_id=tenant_id, capabilities=held, user_id=user_id)


def requires(capability: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a service begin only when its keyword argument `access` holds `capability`.

    The service raises `CapabilityDenied` before it has looked at anything else.
    """
    if capability not in CAPABILITIES:
        raise ValueError(f"{capability!r} is no capability.")

    def decorate(service: Callable[P, R]) -> Callable[P, R]:
        SERVICE_CAPABILITIES[f"{service.__module__}.{service.__name__}"] = capability

        @wraps(service)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            access = kwargs["access"]
            assert isinstance(access, Access)
            access.require(capability)
            return service(*args, **kwargs)

        return guarded

    return decorate
