"""Capability sets of a tenant's own. The sets that come with a tenant are fixed."""

import uuid
from collections.abc import Callable, Iterable

from django.db import IntegrityError, transaction

from tenants.access import Access, requires
from tenants.audit import record
from tenants.capabilities import check_capabilities
from tenants.errors import (
    CapabilitySetInUse,
    CapabilitySetNameTaken,
    CapabilitySetNotFound,
    SystemSetIsFixed,
)
from tenants.models import ApiToken, CapabilitySet, Membership
from tenants.scope import tenant_scope
from tenants.services.names import clean_name

MAX_NAME_LENGTH = 64


@requires("capability_sets:write")
def create_set(*, access: Access, name: str, capabilities: Iterable[str]) -> CapabilitySet:
    """Create a capability set. Nobody can put more into it than they hold.

    Raises `CapabilityDenied`, `UnknownCapability`, `CapabilitySetNameTaken`, `BadName`.
    """
    cleaned = clean_name(name, most=MAX_NAME_LENGTH, of="a capability set")
    wanted = check_capabilities(capabilities)
    access.require_all(frozenset(wanted))
    with tenant_scope(access.tenant_id):
        try:
            with transaction.atomic():
                created = CapabilitySet.objects.create(
                    tenant_id=access.tenant_id, name=cleaned, capabilities=wanted
                )
        except IntegrityError as error:
            raise CapabilitySetNameTaken(f"There is a capability set called {cleaned!r} already.") from error
        record(
            "capability_set.created",
            tenant_id=access.tenant_id,
            object_type="capability_set",
            object_id=created.id,
            details={"capabilities": wanted},
        )
    return created


@requires("capability_sets:write")
def change_set(
    *,
    access: Access,
    set_id: uuid.UUID,
    capabilities: Iterable[str],
    check: Callable[[CapabilitySet], None] | None = None,
) -> CapabilitySet:
    """Change what a set of the tenant's own contains; its members feel it at once.

    Whoever changes it must hold what they add and what they take away. `check` may refuse the set as it is,
    locked. Raises `CapabilitySetNotFound`,
    `SystemSetIsFixed`, `CapabilityDenied`, `UnknownCapability`.
    """
    wanted = check_capabilities(capabilities)
    with tenant_scope(access.tenant_id):
        found = _lock_own_set(access.tenant_id, set_id)
        if check is not None:
            check(found)
        access.require_all(frozenset(wanted) ^ frozenset(found.capabilities))
        before = found.capabilities
        found.capabilities = wanted
        found.save(update_fields=["capabilities"])
        record(
            "capability_set.changed",
            tenant_id=access.tenant_id,
            object_type="capability_set",
            object_id=found.id,
            details={"before": before, "after": wanted},
        )
    return found


@requires("capability_sets:write")
def delete_set(*, access: Access, set_id: uuid.UUID) -> None:
    """Delete a set of the tenant's own that no member and no token has.

    Raises `CapabilitySetNotFound`, `SystemSetIsFixed`, `CapabilitySetInUse`, `CapabilityDenied`.
    """
    with tenant_scope(access.tenant_id):
        found = _lock_own_set(access.tenant_id, set_id)
        members = Membership.objects.filter(tenant_id=access.tenant_id, capability_set=found).count()
        tokens = ApiToken.objects.filter(tenant_id=access.tenant_id, capability_set=found).count()
        if members or tokens:
            raise CapabilitySetInUse(
                f"The set {found.name!r} is in use by {members} members and {tokens} tokens:"
                " give them another one first."
            )
        found.delete()
        record(
            "capability_set.deleted",
            tenant_id=access.tenant_id,
            object_type="capability_set",
            object_id=set_id,
        )


def _lock_own_set(tenant_id: uuid.UUID, set_id: uuid.UUID) -> CapabilitySet:
    found = CapabilitySet.objects.select_for_update().filter(tenant_id=tenant_id, id=set_id).first()
    if found is None:
        raise CapabilitySetNotFound
    if found.is_system:
        raise SystemSetIsFixed
    return found
