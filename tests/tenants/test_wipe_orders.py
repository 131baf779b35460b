"""Orders are accepted or refused; a refused one touches nothing."""

import re
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections

from jobs.models import Job, TenantQueue
from jobs.services import cancel_jobs
from tenants.errors import (
    ActionMismatch,
    AnotherOrder,
    FieldsMissing,
    OrderRefused,
    OrderUsed,
    WrongTenant,
)
from tenants.models import AuditEvent, Tenant, WipeOrder
from tenants.names import InvalidTenantName
from tenants.proof import format_issued_at
from tenants.proof_errors import (
    BadFinalStatus,
    BadIssuedAt,
    BadNonce,
    IssuedAhead,
    IssuedOnNoDay,
    IssuedTooLongAgo,
    IssuedWithoutZone,
    SignatureDigits,
    SignatureLength,
    SignatureWrong,
    SignedForAnother,
)
from tenants.scope import tenant_scope
from tenants.services import (
    authorise_order,
    create_tenant,
    order_wipe,
    suspend_tenant,
)
from tests.factories import JobFactory, TenantFactory
from tests.tenants.wiping import (
    access,
    claim_wipe,
    enqueue,
    job_of,
    jobs_of,
    make_tenant,
    newest_order,
    now,
    refresh,
    run_sql,
    run_wipe,
    signed,
    state_of,
    status_of,
    submit,
    work_off,
)

pytestmark = pytest.mark.django_db


def test_a_name_with_the_separator_of_orders_is_refused_at_creation() -> None:
    with pytest.raises(InvalidTenantName, match=r"must not contain '\|'"):
        create_tenant(name="acme|delete|x")


def test_an_order_closes_the_tenant_and_sets_its_jobs_aside() -> None:
    tenant = TenantFactory.create()
    with tenant_scope(tenant.id):
        waiting = JobFactory.create(tenant_id=tenant.id).id
    placed = order_wipe(access=access(tenant))
    assert (placed.action, placed.final_status, placed.set_aside) == ("delete", "none", 1)
    found = refresh(tenant)
    assert found is not None
    assert (found.status, found.status_before) == ("deleting", "active")
    with tenant_scope(tenant.id):
        assert TenantQueue.objects.get(tenant_id=tenant.id).closed
    assert (job_of(waiting).status, job_of(waiting).failure_kind) == ("failed", "tenant_inactive")
    job = job_of(placed.job_id or 0)
    assert (job.type, job.lane, job.status) == ("delete-tenant", 0, "queued")
    assert set(job.payload) == {
        "remove_tenant",
        "tenant_name",
        "action",
        "nonce",
        "issued_at",
        "signature",
        "final_status",
    }
    assert work_off() == ""


def test_a_reset_without_a_final_status_is_signed_as_suspended() -> None:
    tenant = TenantFactory.create()
    placed = order_wipe(access=access(tenant), action="reset")
    assert job_of(placed.job_id or 0).payload["final_status"] == "suspended"
    with pytest.raises(BadFinalStatus):
        order_wipe(access=access(TenantFactory.create()), action="delete", final_status="active")


#: What is wrong with the order (changes are signed, unless the signature is given), and how it is refused.
REFUSALS: dict[str, tuple[dict[str, Any], dict[str, Any], type[OrderRefused], str]] = {
    "the signature of another tenant": ({"tenant_id": uuid.UUID(int=7)}, {},
                                        SignatureWrong, "another tenant"),
    "the name of another tenant": ({"tenant_name": "other"}, {}, WrongTenant, "names another tenant"),
    "another action": ({}, {"action": "reset", "remove_tenant": False, "final_status": "active"},
                       SignedForAnother, "for a delete, not for a reset that ends active"),
    "another final status": ({"action": "reset", "final_status": "suspended"}, {"final_status": "active"},
                             SignedForAnother, "ends suspended, not for a reset that ends active"),
    "another nonce": ({}, {"nonce": "f" * 32}, SignatureWrong, "another order"),
    "a malformed nonce": ({}, {"nonce": "F" * 32}, BadNonce, "32 lower-case"),
    "action and removal that differ": ({}, {"remove_tenant": False}, ActionMismatch, "contradicts itself"),
    "301 seconds": ({"issued_at": -301}, {}, OrderRefused, "issued 3[0-9][0-9] s ago"),
    "60 seconds ahead": ({"issued_at": 60}, {}, IssuedAhead, "s ahead of the database's clock"),
    "no zone": ({}, {"issued_at": "2026-11-29T10:00:00"}, IssuedWithoutZone, "names no zone"),
    "an offset": ({}, {"issued_at": "2026-11-29T10:00:00+00:00"}, BadIssuedAt, "to the character"),
    "a week date": ({}, {"issued_at": "2026-W48-7T10:00:00Z"}, BadIssuedAt, "to the character"),
    "a line break": ({}, {"issued_at": "2026-11-29T10:00:00Z\n"}, BadIssuedAt, "to the character"),
    "no date": ({}, {"issued_at": "2026-02-30T10:00:00Z"}, IssuedOnNoDay, "no such day"),
    "upper-case digits": ({"signature": "A" * 64}, {}, SignatureDigits, "lower-case hexadecimal"),
    "one digit short": ({"signature": "a" * 63}, {}, SignatureLength, "63 characters"),
    "a made-up signature": ({"signature": "a" * 64}, {}, SignatureWrong, "another key"),
}  # fmt: skip


def refused_order(tenant: Tenant, case: str) -> tuple[dict[str, Any], type[OrderRefused], str]:
    changes, edits, error, said = REFUSALS[case]
    changes = dict(changes)
    if "issued_at" in changes:
        moment = now() + timedelta(seconds=changes["issued_at"])
        changes["issued_at"] = format_issued_at(moment)
    return signed(tenant, **changes) | edits, error, said


def test_a_wrong_order_is_refused_when_submitted_and_nothing_is_touched() -> None:
    tenant = make_tenant(documents=1)
    before = state_of(tenant.id)
    for case in REFUSALS:
        order, error, said = refused_order(tenant, case)
        with pytest.raises(OrderRefused, match=said) as caught:
            submit(tenant, order)
        assert isinstance(caught.value, error), case
        assert state_of(tenant.id) == before, case


def test_a_wrong_order_is_refused_by_its_job_and_nothing_is_removed() -> None:
    tenant = make_tenant(documents=1)
    for case in REFUSALS:
        order, _, said = refused_order(tenant, case)
        job_id = enqueue(tenant, order)
        before = state_of(tenant.id)
        assert re.search(said, work_off()), case
        job = job_of(job_id)
        assert (job.status, job.failure_kind, job.retry_count) == ("failed", "gave_up", 0), case
        after = state_of(tenant.id)
        assert after.files == before.files
        changed = {table for table, rows in after.rows.items() if rows != before.rows[table]}
        assert changed == {"jobs_job", "jobs_jobattempt", "tenants_auditevent", "tenants_audithead"}, case
        with tenant_scope(tenant.id):
            assert AuditEvent.objects.latest("id").action == "wipe.refused"


def test_an_incomplete_payload_is_refused_by_its_job() -> None:
    tenant = TenantFactory.create()
    order = signed(tenant)
    del order["nonce"]
    enqueue(tenant, order)
    assert work_off() == "The order is not complete: nonce is missing."
    with pytest.raises(FieldsMissing, match="nonce is missing"):
        submit(TenantFactory.create(), order)


def test_an_order_signed_elsewhere_is_accepted_and_carried_out_once() -> None:
    tenant = make_tenant(documents=1)
    order = signed(tenant, action="reset", final_status="active")
    placed = submit(tenant, order)
    with pytest.raises(OrderUsed, match="used already"):
        submit(tenant, order)
    assert work_off() == ""
    assert status_of(tenant) == "active"
    with pytest.raises(OrderUsed, match="used already"):
        submit(tenant, order)
    assert newest_order(tenant).nonce == placed.nonce == order["nonce"]


def test_a_nonce_that_was_used_is_refused_by_the_next_job() -> None:
    tenant = make_tenant(documents=1)
    order = signed(tenant, action="reset", final_status="active")
    submit(tenant, order)
    assert work_off() == ""
    before = state_of(tenant.id)
    enqueue(tenant, order)
    assert work_off() == "The order was used already: each nonce works once. Sign a new one."
    assert state_of(tenant.id).rows["tenants_membership"] == before.rows["tenants_membership"]


def test_a_nonce_of_another_tenant_counts_as_used() -> None:
    acme, zeta = TenantFactory.create(), TenantFactory.create()
    nonce = uuid.uuid4().hex
    submit(acme, signed(acme, nonce=nonce))
    with pytest.raises(OrderUsed):
        submit(zeta, signed(zeta, nonce=nonce))
    assert status_of(zeta) == "active"


@pytest.mark.django_db(transaction=True)
def test_of_fifty_submissions_at_once_one_is_accepted_and_the_others_are_told() -> None:
    tenant = make_tenant(documents=1)
    order = signed(tenant)

    def attempt(_: int) -> str:
        try:
            submit(tenant, order)
        except OrderUsed as error:
            return str(error)
        else:
            return "accepted"
        finally:
            connections["default"].close()

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(attempt, range(50)))
    assert (
        sorted(answers, key=len)
        == ["accepted"] + ["The order was used already: each nonce works once. Sign a new one."] * 49
    )
    (job,) = jobs_of(tenant, type="delete-tenant")
    assert job.status == "queued"
    assert work_off() == ""
    assert refresh(tenant) is None


@pytest.mark.django_db(transaction=True)
def test_of_fifty_jobs_with_one_order_one_is_authorised_and_the_others_are_told() -> None:
    """All have been claimed and verified before the first of them goes on."""
    tenant = make_tenant(documents=1)
    order = signed(tenant, action="reset", final_status="active")
    for _ in range(50):
        enqueue(tenant, order)
    attempts = [claim_wipe() for _ in range(50)]

    def authorise(attempt: Any) -> str:
        try:
            found = authorise_order(tenant_id=attempt.tenant_id, job_id=attempt.id, payload=attempt.payload)
        except OrderUsed:
            return "used"
        else:
            return found.state
        finally:
            connections["default"].close()

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(authorise, attempts))
    assert sorted(answers) == ["authorised"] + ["used"] * 49
    winner = attempts[answers.index("authorised")]
    loser = attempts[answers.index("used")]
    assert run_wipe(loser) == "The order was used already: each nonce works once. Sign a new one."
    assert run_wipe(winner) == ""
    assert status_of(tenant) == "active"


def test_an_order_that_no_worker_began_in_time_expires_with_its_own_message() -> None:
    tenant = make_tenant(documents=1)
    placed = order_wipe(access=access(tenant))
    job = job_of(placed.job_id or 0)
    late = signed(tenant, nonce=placed.nonce, issued_at=format_issued_at(now() - timedelta(seconds=302)))
    with tenant_scope(tenant.id):
        Job.objects.filter(id=job.id).update(payload=late)
    said = work_off()
    assert said.startswith("The order came too late, and nothing was touched: The order was issued 30")
    assert said.endswith("sign a new one. Or take it back with --cancel.")
    assert newest_order(tenant).state == "expired"
    assert status_of(tenant) == "deleting"
    assert order_wipe(access=access(tenant), action="reset", final_status="active").job_id != job.id
    assert work_off() == ""
    assert status_of(tenant) == "active"


def test_a_second_order_beside_a_live_one_is_refused() -> None:
    tenant = TenantFactory.create()
    placed = order_wipe(access=access(tenant))
    with pytest.raises(AnotherOrder, match=f"job {placed.job_id} works on it"):
        order_wipe(access=access(tenant), action="reset")
    with pytest.raises(AnotherOrder, match="works on it"):
        submit(tenant, signed(tenant))
    enqueue(tenant, signed(tenant))
    attempts = [claim_wipe(), claim_wipe()]
    assert run_wipe(attempts[1]) == "There is another wipe order for this tenant."
    assert run_wipe(attempts[0]) == ""


def test_an_order_whose_job_was_cancelled_makes_room_for_a_new_one() -> None:
    tenant = TenantFactory.create()
    placed = order_wipe(access=access(tenant))
    with tenant_scope(tenant.id):
        cancel_jobs(job_ids=[placed.job_id or 0])
    again = order_wipe(access=access(tenant))
    with tenant_scope(tenant.id):
        states = dict(WipeOrder.objects.values_list("nonce", "state"))
    assert states == {placed.nonce: "expired", again.nonce: "accepted"}


def test_an_authorised_wipe_that_failed_is_requeued_and_not_signed_anew() -> None:
    tenant = make_tenant(documents=1)
    placed = order_wipe(access=access(tenant))
    claim_wipe()
    run_sql("UPDATE tenants_wipeorder SET state = 'authorised', phase = 'closing' WHERE state = 'accepted'")
    with tenant_scope(tenant.id):
        cancel_jobs(job_ids=[placed.job_id or 0])
    with pytest.raises(AnotherOrder, match=f"requeue its job {placed.job_id}"):
        order_wipe(access=access(tenant))


def test_a_suspended_tenant_can_be_wiped() -> None:
    tenant = make_tenant(documents=1)
    suspend_tenant(access=access(tenant))
    order_wipe(access=access(tenant))
    assert work_off() == ""
    assert refresh(tenant) is None


def test_an_order_that_is_too_old_says_so_when_submitted() -> None:
    tenant = TenantFactory.create()
    order = signed(tenant, issued_at=format_issued_at(now() - timedelta(seconds=302)))
    with pytest.raises(IssuedTooLongAgo):
        submit(tenant, order)
