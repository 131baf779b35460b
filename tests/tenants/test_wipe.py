"""A wipe takes everything of one tenant, resumes where it stopped, and touches nothing of another."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from documents.models import DocumentVersion
from jobs.context import JobContext
from jobs.errors import LeaseLost
from jobs.models import Job, TenantQueue
from jobs.scope import all_rows
from tenants import erasure
from tenants.access import operator_access
from tenants.audit_store import read_links
from tenants.erasure_rows import TableRows
from tenants.models import Membership, Tenant, WipePhase
from tenants.scope import operator_scope, tenant_scope
from tenants.services import order_wipe, release_retention, wiping
from tests.factories import DocumentFactory, JobFactory
from tests.tenants.wiping import (
    SURVIVORS,
    claim,
    claim_wipe,
    job_of,
    make_tenant,
    newest_order,
    put_file,
    refresh,
    run_sql,
    run_wipe,
    state_of,
    tenant_tables,
    work_off,
)

pytestmark = pytest.mark.django_db

#: The tables that go with the tenant's own row, and not by an eraser.
WITH_THE_TENANT = {"tenants_tenant", "jobs_tenantqueue"}


def order(tenant: Tenant, action: str = "delete", final_status: str = "") -> int:
    placed = order_wipe(access=operator_access(tenant.id), action=action, final_status=final_status)
    assert placed.job_id is not None
    return placed.job_id


def test_every_table_with_a_tenant_has_an_eraser_or_is_known_to_stay() -> None:
    tenant = make_tenant()
    covered = {amount.kind for amount in erasure.count_all(tenant.id, reset=False)}
    assert set(tenant_tables()) <= covered | SURVIVORS | WITH_THE_TENANT


@pytest.mark.django_db(transaction=True)
def test_a_delete_takes_everything_of_one_tenant_and_nothing_of_another() -> None:
    acme, zeta = make_tenant(), make_tenant()
    before = state_of(zeta.id)
    assert all(before.rows[table] for table in set(tenant_tables()) - {"jobs_tenanthour"})
    assert (len(before.files), before.sessions) == (7, 1)
    job_id = order(acme)
    assert work_off() == ""
    after = state_of(acme.id)
    assert after.left() == {"jobs_job": 1, "jobs_jobattempt": 1}, "the job of the wipe stays"
    assert (after.files, after.sessions) == ({}, 0)
    assert job_of(job_id).status == "succeeded"
    assert state_of(zeta.id) == before


def test_the_report_says_what_was_there_and_who_ordered_it_when() -> None:
    acme = make_tenant(documents=4)
    order(acme)
    assert work_off() == ""
    done = newest_order(acme)
    found = done.report["found"]
    assert found["documents_document"] == {"count": 4}
    assert found["originals"] == {"count": 5, "bytes": 4 * len("original 0") + len("no row knows it")}
    assert found["assets"] == {"count": 4, "bytes": 4 * len("picture")}
    assert found["jobs_job"] == {"count": 6}, "all but the job of the wipe"
    assert (done.state, done.phase, done.ordered_by) == ("done", "", "system")
    assert done.done == done.total == sum(amount["count"] for amount in found.values())
    assert done.authorised_at is not None
    assert done.ended_at is not None
    assert done.ordered_at <= done.authorised_at <= done.ended_at
    events = [link for link in read_links() if link.tenant_id == str(acme.id)]
    told = [event.action for event in events if event.action.startswith("wipe.")]
    assert told == ["wipe.ordered", "wipe.authorised", "wipe.finished"]
    assert '"documents_document":4' in events[-1].details
    assert acme.name not in "".join(event.details for event in events), "the trail holds no names"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("final_status", "closed"), [("active", False), ("suspended", True)])
def test_a_reset_keeps_tenant_members_and_capability_sets(final_status: str, closed: bool) -> None:
    acme, zeta = make_tenant(), make_tenant()
    other = state_of(zeta.id)
    release_retention(access=operator_access(acme.id), reason="handed over")
    kept = {table: state_of(acme.id).rows[table] for table in ("tenants_membership", "tenants_capabilityset")}
    order(acme, "reset", final_status)
    assert work_off() == ""
    after = state_of(acme.id)
    assert set(after.left()) == {"tenants_tenant", "jobs_tenantqueue", "jobs_job", "jobs_jobattempt", *kept}
    assert {table: after.rows[table] for table in kept} == kept
    assert len(after.rows["jobs_job"]) == len(after.rows["jobs_jobattempt"]) == 1
    assert (after.files, after.sessions) == ({}, 0)
    tenant = refresh(acme)
    assert tenant is not None
    assert (tenant.status, tenant.status_before, tenant.name) == (final_status, "", acme.name)
    assert tenant.retention_released_at is None, "the papers of tomorrow were not handed over"
    with tenant_scope(acme.id):
        queue = TenantQueue.objects.get(tenant_id=acme.id)
    assert (queue.closed, queue.weight) == (closed, 2.0)
    assert state_of(zeta.id) == other


def test_operators_and_members_of_another_tenant_stay_signed_in() -> None:
    acme, zeta = make_tenant(), make_tenant()
    with operator_scope():
        member = Membership.objects.get(tenant_id=acme.id).user
        elsewhere = Membership.objects.get(tenant_id=zeta.id)
        Membership.objects.create(
            tenant_id=zeta.id, user=member, capability_set_id=elsewhere.capability_set_id
        )
    order(acme)
    assert work_off() == ""
    assert run_sql("SELECT count(*) FROM django_session") == [(2,)]
    order(zeta)
    member.is_staff = True
    member.save()
    assert work_off() == ""
    assert run_sql("SELECT count(*) FROM django_session") == [(1,)]


@contextmanager
def stopping_after(batches: int) -> Iterator[None]:
    """Break the attempt when its batch of this number is committed."""
    passed = 0
    original = erasure.Wipe.batch

    @contextmanager
    def counted(self: erasure.Wipe) -> Iterator[erasure.Tally]:
        nonlocal passed
        with original(self) as tally:
            yield tally
        passed += 1
        if passed == batches:
            raise Interrupted

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(erasure.Wipe, "batch", counted)
        yield


class Interrupted(RuntimeError):
    """As if somebody had pulled the plug."""


@pytest.mark.django_db(transaction=True)
def test_a_wipe_that_stops_after_any_batch_goes_on_without_a_new_signature() -> None:
    """The order is long too old when the wipe ends, and each attempt gets one batch further."""
    acme = make_tenant(documents=2)
    job_id = order(acme)
    attempts = 0
    while job_of(job_id).status != "succeeded":
        attempts += 1
        attempt = claim_wipe()
        with stopping_after(1 if attempts < 30 else 1000):
            run_wipe(attempt)
        run_sql("UPDATE tenants_wipeorder SET issued_at = issued_at - interval '1 hour'")
        run_sql("UPDATE jobs_job SET lane = home_lane, next_attempt_at = statement_timestamp()")
    assert attempts == 30, "the first 29 were interrupted"
    assert state_of(acme.id).left() == {"jobs_job": 1, "jobs_jobattempt": attempts}
    assert newest_order(acme).report["found"]["documents_document"] == {"count": 2}


@contextmanager
def doing_first(target: object, name: str, act: Callable[[], object]) -> Iterator[None]:
    """Do something just before the first call of a function, and not before those that it makes itself."""
    original = getattr(target, name)
    waiting = [act]

    def patched(*args: Any, **kwargs: Any) -> Any:
        if waiting:
            waiting.pop()()
        return original(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target, name, patched)
        yield


@pytest.mark.parametrize(
    ("target", "name"),
    [
        pytest.param(wiping, "tenant_scope", id="about to end what runs"),
        pytest.param(erasure.Wipe, "batch", id="with files listed and about to be removed"),
        pytest.param(TableRows, "erase", id="about to remove rows"),
        pytest.param(wiping, "count_all", id="about to count"),
    ],
)
def test_an_attempt_that_wakes_up_late_removes_nothing_that_came_after_the_reset(
    target: object, name: str
) -> None:
    acme = make_tenant()
    order(acme, "reset", "active")
    late = claim_wipe()
    new_path = ""

    def end_elsewhere() -> None:
        nonlocal new_path
        run_sql("UPDATE jobs_job SET status = 'queued' WHERE id = %s", [late.id])
        assert work_off() == ""
        with tenant_scope(acme.id):
            version = DocumentVersion(
                tenant_id=acme.id,
                document=DocumentFactory.create(tenant_id=acme.id),
                content_hash="0" * 64,
                size=1,
                media_type="text/plain",
                filename="new.txt",
            )
            version.save()
            JobFactory.create(tenant_id=acme.id, status="processing", lease=1)
        new_path = version.vault_path
        put_file(new_path, b"the same bytes again")

    with doing_first(target, name, end_elsewhere):
        assert run_wipe(late) == "lost"
    after = state_of(acme.id)
    assert after.files == {new_path: b"the same bytes again"}
    assert len(after.rows["documents_document"]) == len(after.rows["documents_documentversion"]) == 1
    with all_rows():
        assert Job.objects.filter(status="processing").count() == 1, "what runs for the new tenant goes on"


def test_what_runs_when_the_wipe_begins_can_change_nothing_any_more() -> None:
    acme = make_tenant()
    with tenant_scope(acme.id):
        running = claim(JobFactory.create(tenant_id=acme.id))
    order(acme)
    attempt = claim_wipe()
    with stopping_after(1):
        run_wipe(attempt)
    ended = job_of(running.id)
    assert (ended.status, ended.failure_kind, ended.lease) == ("failed", "tenant_inactive", 2)
    with pytest.raises(LeaseLost), JobContext(running, scope=tenant_scope, templates={}).finishing():
        pass


def test_files_that_come_late_are_found_by_the_second_listing() -> None:
    acme = make_tenant()
    order(acme)
    attempt = claim_wipe()
    late = f"{acme.id}/ff/{'f' * 64}-{uuid.uuid4()}"
    erase = erasure.erasers(reset=False, phase=WipePhase.JOBS)[0]
    original = type(erase).erase

    def with_a_late_file(self: Any, wipe: erasure.Wipe) -> int:
        put_file(late, b"late")
        return original(self, wipe)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(erase), "erase", with_a_late_file)
        assert run_wipe(attempt) == ""
    assert state_of(acme.id).files == {}
    assert newest_order(acme).report["late_files"] == 1


def test_a_row_that_comes_back_is_taken_by_the_next_attempt() -> None:
    acme = make_tenant()
    order(acme)
    attempt = claim_wipe()
    erase = erasure.erasers(reset=False, phase=WipePhase.JOBS)[0]
    original = type(erase).erase

    def with_a_late_row(self: Any, wipe: erasure.Wipe) -> int:
        with tenant_scope(acme.id):
            DocumentFactory.create(tenant_id=acme.id)
        return original(self, wipe)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(erase), "erase", with_a_late_row)
        assert "documents_document" in run_wipe(attempt)
    run_sql("UPDATE jobs_job SET lane = home_lane, next_attempt_at = statement_timestamp()")
    assert work_off() == ""
    assert state_of(acme.id).left() == {"jobs_job": 1, "jobs_jobattempt": 2}


def test_the_progress_is_published_while_the_wipe_is_at_work() -> None:
    acme = make_tenant()
    job_id = order(acme)
    attempt = claim_wipe()
    with stopping_after(8):
        run_wipe(attempt)
    half = newest_order(acme)
    assert (half.state, half.phase) == ("authorised", "rows")
    assert 0 < half.done < half.total
    job = job_of(job_id)
    assert (job.progress_total, job.progress_done > 0) == (half.total, True)
