"""Orders are accepted, refused, approved and taken back; a refused one touches nothing."""

import json
import re
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connections
from django.db.models.functions import Now
from pytest_django import Settings

from documents.models import Document
from jobs.models import Job, TenantQueue
from jobs.services import cancel_jobs, enqueue_job
from tenants.access import Access, operator_access
from tenants.audit import Actor, acting_as
from tenants.audit_store import read_links
from tenants.errors import (
    ActionMismatch,
    AnotherOrder,
    ApprovalNeeded,
    CapabilityDenied,
    FieldsMissing,
    NothingToApprove,
    NothingToCancel,
    OrderRefused,
    OrderUsed,
    RequestExpired,
    SameOperator,
    TenantNotFound,
    TenantsError,
    WipeForbidden,
    WipeUnderWay,
    WrongTenant,
)
from tenants.models import AuditEvent, Tenant, WipeOrder
from tenants.names import InvalidTenantName
from tenants.proof import derive_key, format_issued_at, verify
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
from tenants.scope import operator_scope, tenant_scope
from tenants.services import (
    PlacedOrder,
    approve_wipe,
    authorise_order,
    cancel_order,
    create_tenant,
    order_wipe,
    release_retention,
    submit_order,
    suspend_tenant,
)
from tests.factories import DocumentFactory, JobFactory, TenantFactory
from tests.tenants.wiping import (
    claim_wipe,
    job_of,
    make_tenant,
    newest_order,
    now,
    refresh,
    run_sql,
    run_wipe,
    signed,
    state_of,
    work_off,
)

pytestmark = pytest.mark.django_db


def access(tenant: Tenant) -> Access:
    return operator_access(tenant.id)


def submit(tenant: Tenant, order: dict[str, Any]) -> PlacedOrder:
    return submit_order(access=access(tenant), text=json.dumps(order))


def enqueue(tenant: Tenant, order: dict[str, Any]) -> int:
    """Put an order into the queue past its acceptance, for a tenant that is closed already."""
    with tenant_scope(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(status="deleting")
        return enqueue_job(tenant_id=tenant.id, type="delete-tenant", payload=order)


def jobs_of(tenant: Tenant, **filters: Any) -> list[Job]:
    with operator_scope():
        return list(Job.objects.filter(tenant_id=tenant.id, **filters).order_by("id"))


def status_of(tenant: Tenant) -> str:
    found = refresh(tenant)
    assert found is not None
    return found.status


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
    "301 seconds": ({"issued_at": -301}, {}, OrderRefused, "issued 30[12] s ago"),
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


@pytest.mark.parametrize("status", ["active", "suspended", "creating"])
def test_an_order_taken_back_leaves_the_tenant_as_it_was(status: str) -> None:
    tenant = TenantFactory.create(status=status)
    with tenant_scope(tenant.id):
        before = JobFactory.create(
            tenant_id=tenant.id,
            status="failed",
            failure_kind="tenant_inactive",
            finished_at=Now() - timedelta(hours=1),
        ).id
        broken = JobFactory.create(tenant_id=tenant.id, status="failed", failure_kind="error").id
        waiting = [JobFactory.create(tenant_id=tenant.id).id for _ in range(3)]
    placed = order_wipe(access=access(tenant))
    report = cancel_order(access=access(tenant))
    found = refresh(tenant)
    assert found is not None
    assert (found.status, found.status_before) == (status, "")
    cancelled = job_of(placed.job_id or 0)
    assert (cancelled.status, cancelled.failure_kind) == ("failed", "cancelled")
    assert newest_order(tenant).state == "cancelled"
    with tenant_scope(tenant.id):
        assert TenantQueue.objects.get(tenant_id=tenant.id).closed == (status == "suspended")
    if status == "suspended":
        assert report.requeued == 0, "they come back when the tenant is resumed"
        assert {job_of(job).status for job in waiting} == {"failed"}
    else:
        assert report.requeued == 3
        assert {job_of(job).status for job in waiting} == {"queued"}
    assert {job_of(before).status, job_of(broken).status} == {"failed"}


def test_jobs_set_aside_by_an_expired_order_come_back_too() -> None:
    tenant = TenantFactory.create()
    with tenant_scope(tenant.id):
        waiting = JobFactory.create(tenant_id=tenant.id).id
    first = order_wipe(access=access(tenant))
    with tenant_scope(tenant.id):
        cancel_jobs(job_ids=[first.job_id or 0])
    order_wipe(access=access(tenant))
    assert cancel_order(access=access(tenant)).requeued == 1
    assert job_of(waiting).status == "queued"


def test_a_wipe_that_is_authorised_is_not_taken_back() -> None:
    tenant = make_tenant(documents=1)
    order_wipe(access=access(tenant))
    attempt = claim_wipe()
    run_sql("UPDATE tenants_wipeorder SET state = 'authorised', phase = 'files' WHERE state = 'accepted'")
    with pytest.raises(WipeUnderWay, match="goes on to its end"):
        cancel_order(access=access(tenant))
    run_sql("UPDATE tenants_wipeorder SET phase = 'closing' WHERE state = 'authorised'")
    assert run_wipe(attempt) == ""


def test_a_job_that_was_claimed_when_its_order_was_taken_back_removes_nothing() -> None:
    tenant = make_tenant(documents=1)
    order_wipe(access=access(tenant))
    attempt = claim_wipe()
    cancel_order(access=access(tenant))
    before = state_of(tenant.id)
    assert run_wipe(attempt) != ""
    assert state_of(tenant.id) == before


def test_there_is_nothing_to_take_back_from_a_tenant_that_is_open() -> None:
    with pytest.raises(NothingToCancel):
        cancel_order(access=access(TenantFactory.create()))
    with pytest.raises(TenantNotFound):
        cancel_order(access=operator_access(uuid.uuid4()))


def test_a_tenant_closed_for_an_order_that_came_by_the_queue_alone_is_opened_again() -> None:
    tenant = TenantFactory.create()
    job_id = enqueue(tenant, signed(tenant))
    cancel_order(access=access(tenant))
    assert status_of(tenant) == "suspended", "nobody knows what it was before: the safe side"
    assert job_of(job_id).failure_kind == "cancelled"


def test_a_document_under_legal_hold_stops_a_wipe_before_it_starts() -> None:
    tenant = make_tenant(documents=1)
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(legal_hold=True)
    release_retention(access=access(tenant), reason="handed over")
    before = state_of(tenant.id)
    calls: list[Callable[[], object]] = [
        lambda: order_wipe(access=access(tenant)),
        lambda: order_wipe(access=access(tenant), action="reset"),
        lambda: submit(tenant, signed(tenant)),
    ]
    for call in calls:
        with pytest.raises(WipeForbidden, match="1 document is under legal hold: it must be lifted first"):
            call()
    after = state_of(tenant.id)
    assert {table for table, rows in after.rows.items() if rows != before.rows[table]} == {
        "tenants_auditevent",
        "tenants_audithead",
    }
    assert [link.action for link in read_links()][-3:] == ["wipe.forbidden"] * 3


@pytest.mark.parametrize(("seconds", "forbidden"), [(1, True), (-1, False)])
def test_retention_ends_by_the_clock_of_the_database(seconds: int, forbidden: bool) -> None:
    tenant = make_tenant(documents=2)
    retain_until = Now() + timedelta(seconds=60 * seconds)
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(retain_until=retain_until)
    if forbidden:
        with pytest.raises(WipeForbidden, match="2 documents are to be kept, the last until 2"):
            order_wipe(access=access(tenant))
    else:
        order_wipe(access=access(tenant))


def test_the_last_day_of_retention_is_named_as_the_tenant_counts_days() -> None:
    tenant = make_tenant(documents=1)
    end_of_2090 = datetime(2091, 1, 1, tzinfo=ZoneInfo(tenant.timezone))
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(retain_until=end_of_2090)
    with pytest.raises(WipeForbidden, match="the last until 2090-12-31: wait"):
        order_wipe(access=access(tenant))


def test_a_released_retention_covers_what_was_there_and_is_told_in_the_report() -> None:
    tenant = make_tenant(documents=1)
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(retain_until=Now() + timedelta(days=900))
    with acting_as(Actor("command:anna", "host")):
        release_retention(access=access(tenant), reason="  handed over\n to the client ")
    with tenant_scope(tenant.id):
        DocumentFactory.create(tenant_id=tenant.id, retain_until=Now() + timedelta(days=900))
    with pytest.raises(WipeForbidden, match="1 document is to be kept"):
        order_wipe(access=access(tenant))
    with acting_as(Actor("command:anna", "host")):
        release_retention(access=access(tenant), reason="handed over to the client, the new one too")
    order_wipe(access=access(tenant))
    assert work_off() == ""
    released = newest_order(tenant).report["retention_released"]
    assert (released["by"], released["reason"]) == (
        "command:anna",
        "handed over to the client, the new one too",
    )
    assert "retention.released" in [link.action for link in read_links()]


@pytest.mark.parametrize("reason", ["", " \n ", "x" * 1001, "a\x00b"])
def test_retention_is_not_released_without_a_reason(reason: str) -> None:
    with pytest.raises(TenantsError, match="Say why"):
        release_retention(access=access(TenantFactory.create()), reason=reason)


def test_a_hold_that_comes_between_order_and_wipe_stops_it() -> None:
    tenant = make_tenant(documents=1)
    order_wipe(access=access(tenant))
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(legal_hold=True)
    before = state_of(tenant.id)
    assert "legal hold" in work_off()
    assert newest_order(tenant).state == "refused"
    assert state_of(tenant.id).rows["documents_document"] == before.rows["documents_document"]


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
