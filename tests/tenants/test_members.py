"""Members and capability sets: nobody grants more than they hold, and somebody stays in charge."""

import threading
import uuid
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import connections

from tenants.access import SERVICE_CAPABILITIES, Access, member_access, operator_access
from tenants.audit_store import read_links
from tenants.capabilities import CAPABILITIES, SYSTEM_SETS
from tenants.errors import (
    AlreadyMember,
    CapabilityDenied,
    CapabilitySetInUse,
    CapabilitySetNameTaken,
    CapabilitySetNotFound,
    LastOwner,
    NotAMember,
    SystemSetIsFixed,
    TenantsError,
    UnknownCapability,
    UserNotFound,
)
from tenants.models import CapabilitySet, Membership, Tenant
from tenants.scope import tenant_scope
from tenants.services import (
    add_member,
    approve_wipe,
    cancel_order,
    change_member,
    change_set,
    create_set,
    delete_set,
    inspect_wipe,
    mint_token,
    order_wipe,
    release_retention,
    remove_member,
    resume_tenant,
    revoke_token,
    submit_order,
    suspend_tenant,
)
from tenants.services.reading import (
    get_set,
    get_tenant,
    list_events,
    list_members,
    list_sets,
    list_tokens,
)
from tests.factories import TenantFactory, UserFactory

Join = Callable[[str], Access]


def gone(access: Access) -> Access:
    """The same capabilities in a tenant that does not exist."""
    return replace(access, tenant_id=uuid.uuid4())


#: Each guarded service with arguments that lead nowhere: only the question of the capability is asked of it.
CALLS: dict[str, Callable[[Access], object]] = {
    "suspend_tenant": lambda access: suspend_tenant(access=gone(access)),
    "resume_tenant": lambda access: resume_tenant(access=gone(access)),
    "add_member": lambda access: add_member(access=access, user_id=uuid.uuid4()),
    "change_member": lambda access: change_member(
        access=access, user_id=uuid.uuid4(), capability_set="owner"
    ),
    "remove_member": lambda access: remove_member(access=access, user_id=uuid.uuid4()),
    "create_set": lambda access: create_set(access=access, name="", capabilities=[]),
    "change_set": lambda access: change_set(access=access, set_id=uuid.uuid4(), capabilities=[]),
    "delete_set": lambda access: delete_set(access=access, set_id=uuid.uuid4()),
    "mint_token": lambda access: mint_token(access=access, name="", capability_set="owner"),
    "revoke_token": lambda access: revoke_token(access=access, token_id=uuid.uuid4()),
    "inspect_wipe": lambda access: inspect_wipe(access=gone(access)),
    "order_wipe": lambda access: order_wipe(access=gone(access)),
    "approve_wipe": lambda access: approve_wipe(access=gone(access)),
    "submit_order": lambda access: submit_order(access=gone(access), text=""),
    "cancel_order": lambda access: cancel_order(access=gone(access)),
    "get_tenant": lambda access: get_tenant(access=gone(access)),
    "list_members": lambda access: list_members(access=gone(access)),
    "list_sets": lambda access: list_sets(access=gone(access)),
    "get_set": lambda access: get_set(access=access, set_id=uuid.uuid4()),
    "list_tokens": lambda access: list_tokens(access=gone(access)),
    "list_events": lambda access: list_events(access=gone(access)),
    "release_retention": lambda access: release_retention(access=gone(access), reason="handed over"),
}


def guarded_services() -> dict[str, str]:
    return {
        name.rsplit(".", 1)[1]: needed
        for name, needed in SERVICE_CAPABILITIES.items()
        if name.startswith("tenants.")
    }


def test_every_guarded_service_stands_in_the_matrix() -> None:
    assert set(CALLS) == set(guarded_services())


@pytest.mark.parametrize("set_name", SYSTEM_SETS)
def test_each_set_may_call_just_the_services_it_holds_the_capability_for(
    set_name: str, tenant: Tenant, join: Join
) -> None:
    access = join(set_name)
    for service, needed in guarded_services().items():
        refusal = refused(lambda service=service: CALLS[service](access))  # type: ignore[misc]
        assert isinstance(refusal, CapabilityDenied) == (needed not in SYSTEM_SETS[set_name]), service
        if isinstance(refusal, CapabilityDenied):
            assert needed in str(refusal)


def refused(call: Callable[[], object]) -> TenantsError | None:
    """Return why a call was refused; what is only read may simply be empty in a tenant that is not there."""
    try:
        call()
    except TenantsError as error:
        return error
    return None


def test_an_owner_adds_changes_and_removes_a_member(tenant: Tenant, join: Join) -> None:
    owner, user = join("owner"), UserFactory.create()
    add_member(access=owner, user_id=user.id, capability_set="user")
    with pytest.raises(AlreadyMember):
        add_member(access=owner, user_id=user.id, capability_set="user")
    change_member(access=owner, user_id=user.id, capability_set="readonly")
    with tenant_scope(tenant.id):
        assert member_access(tenant.id, user.id).capabilities == set(SYSTEM_SETS["readonly"])
    remove_member(access=owner, user_id=user.id)
    with tenant_scope(tenant.id):
        assert member_access(tenant.id, user.id).capabilities == frozenset()
    with pytest.raises(NotAMember):
        remove_member(access=owner, user_id=user.id)
    assert [link.action for link in read_links()] == ["member.added", "member.changed", "member.removed"]


def test_what_does_not_exist_is_named(tenant: Tenant, join: Join) -> None:
    owner, user = join("owner"), UserFactory.create()
    with pytest.raises(UserNotFound):
        add_member(access=owner, user_id=uuid.uuid4())
    with pytest.raises(CapabilitySetNotFound, match="nosuch"):
        add_member(access=owner, user_id=user.id, capability_set="nosuch")


def test_nobody_grants_more_than_they_hold(tenant: Tenant, join: Join) -> None:
    some = Access(tenant.id, frozenset({"tenants:write", "capability_sets:write", "documents:read"}))
    with pytest.raises(CapabilityDenied, match="tenants:delete"):
        add_member(access=some, user_id=UserFactory.create().id, capability_set="owner")
    with pytest.raises(CapabilityDenied, match="documents:edit"):
        create_set(access=some, name="editors", capabilities=["documents:read", "documents:edit"])
    owner = join("owner")
    assert owner.user_id is not None
    with pytest.raises(CapabilityDenied):
        remove_member(access=some, user_id=owner.user_id)
    readers = create_set(access=some, name="readers", capabilities=["documents:read"])
    with pytest.raises(CapabilityDenied, match="tags:read"):
        change_set(access=some, set_id=readers.id, capabilities=["documents:read", "tags:read"])


def test_the_last_owner_stays(tenant: Tenant, join: Join) -> None:
    owner = join("owner")
    assert owner.user_id is not None
    with pytest.raises(LastOwner):
        remove_member(access=owner, user_id=owner.user_id)
    with pytest.raises(LastOwner):
        change_member(access=owner, user_id=owner.user_id, capability_set="user")
    change_member(access=owner, user_id=owner.user_id, capability_set="owner")
    join("owner")
    remove_member(access=owner, user_id=owner.user_id)


def test_two_last_owners_cannot_remove_each_other_at_once(tenant: Tenant, join: Join) -> None:
    owners = [join("owner"), join("owner")]
    barrier, refused = threading.Barrier(2), []

    def leave(access: Access) -> None:
        barrier.wait()
        try:
            assert access.user_id is not None
            remove_member(access=access, user_id=access.user_id)
        except LastOwner:
            refused.append(access)
        finally:
            connections["default"].close()

    threads = [threading.Thread(target=leave, args=(owner,)) for owner in owners]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with tenant_scope(tenant.id):
        assert Membership.objects.filter(tenant_id=tenant.id).count() == 1
    assert len(refused) == 1


def test_a_set_that_came_with_the_tenant_is_fixed(tenant: Tenant, join: Join) -> None:
    owner = join("owner")
    with tenant_scope(tenant.id):
        system = CapabilitySet.objects.get(tenant_id=tenant.id, name="readonly")
    with pytest.raises(SystemSetIsFixed):
        change_set(access=owner, set_id=system.id, capabilities=list(CAPABILITIES))
    with pytest.raises(SystemSetIsFixed):
        delete_set(access=owner, set_id=system.id)


def test_a_change_of_a_set_is_felt_at_once_and_a_set_in_use_stays(tenant: Tenant, join: Join) -> None:
    owner, user = join("owner"), UserFactory.create()
    own = create_set(access=owner, name=" The  scanners ", capabilities=["documents:upload"])
    assert own.name == "The scanners"
    add_member(access=owner, user_id=user.id, capability_set="The scanners")
    change_set(access=owner, set_id=own.id, capabilities=["documents:read"])
    with tenant_scope(tenant.id):
        assert member_access(tenant.id, user.id).capabilities == {"documents:read"}
    with pytest.raises(CapabilitySetInUse, match="1 members and 0 tokens"):
        delete_set(access=owner, set_id=own.id)
    remove_member(access=owner, user_id=user.id)
    delete_set(access=owner, set_id=own.id)
    with pytest.raises(CapabilitySetNotFound):
        delete_set(access=owner, set_id=own.id)


def test_bad_input_for_a_set_is_refused(tenant: Tenant) -> None:
    access = operator_access(tenant.id)
    for name in ("", "   ", "x" * 65, "a\x00b"):
        with pytest.raises(TenantsError):
            create_set(access=access, name=name, capabilities=[])
    with pytest.raises(UnknownCapability):
        create_set(access=access, name="a", capabilities=["documents:fly"])
    with pytest.raises(CapabilitySetNameTaken):
        create_set(access=access, name="owner", capabilities=[])


def test_the_set_of_another_tenant_does_not_exist(tenant: Tenant) -> None:
    stranger = operator_access(TenantFactory.create().id)
    own = create_set(access=operator_access(tenant.id), name="ours", capabilities=[])
    for call in (
        lambda: change_set(access=stranger, set_id=own.id, capabilities=[]),
        lambda: delete_set(access=stranger, set_id=own.id),
    ):
        with pytest.raises(CapabilitySetNotFound):
            call()
