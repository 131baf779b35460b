"""Members of a tenant: who they are and which capability set they have."""

import uuid

from django.db import IntegrityError, transaction

from tenants.access import Access, requires
from tenants.audit import record
from tenants.capabilities import OWNER
from tenants.errors import AlreadyMember, LastOwner, NotAMember, UserNotFound
from tenants.models import CapabilitySet, Membership, Tenant, User
from tenants.scope import tenant_scope
from tenants.selectors import get_capability_set


@requires("tenants:write")
def add_member(*, access: Access, user_id: uuid.UUID, capability_set: str = "user") -> Membership:
    """Make a user a member of the tenant, with one of its capability sets.

    Raises `CapabilityDenied` (also for a set that holds more than whoever grants it), `UserNotFound`,
    `CapabilitySetNotFound`, `AlreadyMember`.
    """
    with tenant_scope(access.tenant_id):
        granted = get_capability_set(access.tenant_id, capability_set)
        access.require_all(frozenset(granted.capabilities))
        # Last, so that nobody learns of an account without taking it in, which the trail notes.
        if not User.objects.filter(id=user_id).exists():
            raise UserNotFound
        try:
            with transaction.atomic():
                membership = Membership.objects.create(
                    tenant_id=access.tenant_id, user_id=user_id, capability_set=granted
                )
        except IntegrityError as error:
            raise AlreadyMember from error
        _record("member.added", access.tenant_id, user_id, granted)
    return membership


@requires("tenants:write")
def change_member(*, access: Access, user_id: uuid.UUID, capability_set: str) -> Membership:
    """Give a member another capability set.

    Nobody can grant, or take away, more than they hold. Raises `CapabilityDenied`, `NotAMember`,
    `CapabilitySetNotFound`, `LastOwner`.
    """
    with tenant_scope(access.tenant_id):
        membership = _lock_member(access.tenant_id, user_id)
        granted = get_capability_set(access.tenant_id, capability_set)
        access.require_all(frozenset(granted.capabilities))
        access.require_all(frozenset(membership.capability_set.capabilities))
        if granted.id != membership.capability_set_id:
            _keep_an_owner(membership)
        membership.capability_set = granted
        membership.save(update_fields=["capability_set"])
        _record("member.changed", access.tenant_id, user_id, granted)
    return membership


@requires("tenants:write")
def remove_member(*, access: Access, user_id: uuid.UUID) -> None:
    """End a membership; the member's tokens for this tenant stop to work with it.

    Raises `CapabilityDenied`, `NotAMember`, `LastOwner`.
    """
    with tenant_scope(access.tenant_id):
        membership = _lock_member(access.tenant_id, user_id)
        access.require_all(frozenset(membership.capability_set.capabilities))
        _keep_an_owner(membership)
        left = membership.capability_set
        membership.delete()
        _record("member.removed", access.tenant_id, user_id, left)


def _lock_member(tenant_id: uuid.UUID, user_id: uuid.UUID) -> Membership:
    """Lock the tenant, so that two last owners cannot remove each other, and return the membership."""
    Tenant.objects.select_for_update(no_key=True).get(id=tenant_id)
    membership = (
        Membership.objects.select_related("capability_set")
        .filter(tenant_id=tenant_id, user_id=user_id)
        .first()
    )
    if membership is None:
        raise NotAMember
    return membership


def _keep_an_owner(leaving: Membership) -> None:
    if leaving.capability_set.name != OWNER or not leaving.capability_set.is_system:
        return
    others = Membership.objects.filter(
        tenant_id=leaving.tenant_id, capability_set_id=leaving.capability_set_id, user__is_active=True
    ).exclude(id=leaving.id)
    if not others.exists():
        raise LastOwner


def _record(action: str, tenant_id: uuid.UUID, user_id: uuid.UUID, capability_set: CapabilitySet) -> None:
    record(
        action,
        tenant_id=tenant_id,
        object_type="user",
        object_id=user_id,
        details={"capability_set": str(capability_set.id)},
    )
