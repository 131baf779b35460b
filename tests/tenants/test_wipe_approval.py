"""Keys of orders, capabilities for them, and the second pair of eyes."""

import json

import pytest
from pytest_django import Settings

from tenants.access import Access
from tenants.audit import Actor, acting_as
from tenants.errors import (
    AnotherOrder,
    ApprovalNeeded,
    CapabilityDenied,
    NothingToApprove,
    RequestExpired,
    SameOperator,
)
from tenants.proof import derive_key, verify
from tenants.proof_errors import (
    SignatureWrong,
)
from tenants.services import (
    approve_wipe,
    cancel_order,
    order_wipe,
    release_retention,
    submit_order,
)
from tests.factories import TenantFactory
from tests.tenants.wiping import (
    access,
    job_of,
    make_tenant,
    newest_order,
    now,
    run_sql,
    signed,
    state_of,
    status_of,
    submit,
    work_off,
)

pytestmark = pytest.mark.django_db


def test_the_key_of_wipes_replaces_the_secret_key_and_former_keys_still_count(
    settings: Settings,
) -> None:
    tenant = TenantFactory.create()
    by_secret_key = signed(tenant)
    settings.ARCHIV_WIPE_KEY = "another secret"
    with pytest.raises(SignatureWrong):
        submit(tenant, by_secret_key)
    settings.SECRET_KEY_FALLBACKS = ["test-secret-key-0123456789"]
    submit(tenant, by_secret_key)
    cancel_order(access=access(tenant))
    placed = order_wipe(access=access(tenant))
    payload = job_of(placed.job_id or 0).payload
    fields = {key: value for key, value in payload.items() if key not in ("remove_tenant", "signature")}
    key = derive_key("another secret")
    verify([key], payload["signature"], tenant_id=tenant.id, now=now(), **fields)


def test_capabilities_are_asked_for_each_way_to_a_wipe() -> None:
    tenant = TenantFactory.create()
    reset = Access(tenant.id, frozenset({"tenants:reset"}))
    nothing = Access(tenant.id, frozenset())
    for call in (
        lambda: order_wipe(access=reset),
        lambda: submit_order(access=reset, text=json.dumps(signed(tenant))),
        lambda: order_wipe(access=nothing, action="reset"),
        lambda: submit_order(access=nothing, text="{}"),
        lambda: approve_wipe(access=nothing),
        lambda: cancel_order(access=nothing),
        lambda: release_retention(access=reset, reason="x"),
    ):
        with pytest.raises(CapabilityDenied):
            call()
    assert order_wipe(access=reset, action="reset").action == "reset"


@pytest.fixture
def two_operators(settings: Settings) -> None:
    settings.ARCHIV_WIPE_APPROVAL = True


@pytest.mark.usefixtures("two_operators")
def test_with_approval_a_second_operator_signs_what_the_first_requested() -> None:
    tenant = make_tenant(documents=1)
    before = state_of(tenant.id)
    with acting_as(Actor("command:anna")):
        requested = order_wipe(access=access(tenant), action="reset", final_status="active")
    assert (requested.state, requested.job_id) == ("requested", None)
    assert status_of(tenant) == "active"
    assert state_of(tenant.id).rows["jobs_job"] == before.rows["jobs_job"]
    with acting_as(Actor("command:anna")), pytest.raises(SameOperator, match="command:anna requested"):
        approve_wipe(access=access(tenant))
    with acting_as(Actor("user:ben")), pytest.raises(AnotherOrder, match="command:anna has requested"):
        order_wipe(access=access(tenant))
    with acting_as(Actor("user:ben")):
        approved = approve_wipe(access=access(tenant))
    assert (approved.state, approved.nonce) == ("accepted", requested.nonce)
    assert work_off() == ""
    done = newest_order(tenant)
    assert (done.state, done.ordered_by, done.approved_by) == ("done", "command:anna", "user:ben")
    assert status_of(tenant) == "active"


@pytest.mark.usefixtures("two_operators")
def test_a_request_older_than_an_hour_is_not_approved() -> None:
    tenant = TenantFactory.create()
    with pytest.raises(NothingToApprove):
        approve_wipe(access=access(tenant))
    order_wipe(access=access(tenant))
    run_sql("UPDATE tenants_wipeorder SET ordered_at = ordered_at - interval '3601 seconds'")
    with acting_as(Actor("user:ben")), pytest.raises(RequestExpired, match="more than an hour old"):
        approve_wipe(access=access(tenant))
    assert newest_order(tenant).state == "expired"
    assert status_of(tenant) == "active"
    assert order_wipe(access=access(tenant)).state == "requested"


@pytest.mark.usefixtures("two_operators")
def test_a_request_can_be_taken_back_and_an_order_from_elsewhere_is_no_way_around() -> None:
    tenant = TenantFactory.create()
    with pytest.raises(ApprovalNeeded):
        submit(tenant, signed(tenant))
    order_wipe(access=access(tenant))
    cancel_order(access=access(tenant))
    assert newest_order(tenant).state == "cancelled"
    with acting_as(Actor("user:ben")), pytest.raises(NothingToApprove):
        approve_wipe(access=access(tenant))
