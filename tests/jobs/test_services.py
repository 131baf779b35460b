"""The door of the queue: enqueue, requeue, cancel, rules of a tenant."""

import uuid
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connections, transaction
from pytest_django import Settings

from jobs.engine import hints
from jobs.engine.database import open_connection
from jobs.engine.store import ends
from jobs.errors import JobRefused, RetiredJobType, UnknownJobType
from jobs.models import JobStatus, Lane, TenantQueue
from jobs.scope import all_rows, tenant_rows
from jobs.services import (
    cancel_jobs,
    enqueue_job,
    enqueue_many,
    fail_queued_jobs,
    find_failed_jobs,
    requeue_jobs,
    set_queue,
)
from tests.jobs.bench import Bench, held

QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus


@pytest.fixture
def tenant() -> uuid.UUID:
    return uuid.uuid4()


def fail_for_good(bench: Bench, tenant: uuid.UUID, number: int = 1, **failure: object) -> list[int]:
    worker = bench.worker("failing")
    bench.enqueue(tenant, number)
    jobs = worker.claim(tenant, number)
    for job in jobs:
        worker.fail(job, again=ends.Again.NEVER, **failure)
    return [job.id for job in jobs]


# --- enqueue ---


def test_an_enqueued_job_is_due_by_the_databases_clock(
    bench: Bench, tenant: uuid.UUID, settings: Settings
) -> None:
    settings.ARCHIV_MAX_RETRIES = 3
    (job_id,) = bench.enqueue(tenant, payload={"a": ["ü", 1]}, document_id=tenant)
    job = bench.job(job_id)
    assert (job.status, job.lane, job.home_lane, job.max_retries) == (QUEUED, Lane.NORMAL, Lane.NORMAL, 3)
    assert (job.payload, job.document_id, job.lease) == ({"a": ["ü", 1]}, tenant, 0)
    assert job.next_attempt_at == job.created_at


def test_each_job_of_one_transaction_is_due_at_its_own_moment(bench: Bench, tenant: uuid.UUID) -> None:
    ids = bench.enqueue(tenant, 3)
    assert len({bench.job(job_id).next_attempt_at for job_id in ids}) == 3


@pytest.mark.parametrize(("delay", "lane"), [(0, Lane.NORMAL), (1.9, Lane.NORMAL), (2.1, Lane.LATER)])
def test_what_is_due_in_more_than_two_seconds_waits_in_a_lane_of_its_own(
    bench: Bench, tenant: uuid.UUID, delay: float, lane: Lane
) -> None:
    (job_id,) = bench.enqueue(tenant, delay_seconds=delay)
    job = bench.job(job_id)
    assert (job.lane, job.home_lane) == (lane, Lane.NORMAL)
    assert (job.next_attempt_at - job.created_at).total_seconds() == delay


@pytest.mark.parametrize("name", ["generate-thumbnails", "generate-ocr-text"])
def test_a_retired_type_is_refused_and_names_its_successor(
    bench: Bench, tenant: uuid.UUID, name: str
) -> None:
    with pytest.raises(RetiredJobType, match="analyze-document"):
        bench.enqueue(tenant, type=name)
    assert bench.jobs() == []


def test_an_unknown_type_is_refused(bench: Bench, tenant: uuid.UUID) -> None:
    with pytest.raises(UnknownJobType, match="'brew-coffee'"):
        bench.enqueue(tenant, type="brew-coffee")


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"a": "\0"}, "NUL"),
        ({"a": ["\\\0"]}, "NUL"),
        ({"a": "\ud800"}, "half a character"),
        ({"a": object()}, "no JSON"),
        ({"a": float("nan")}, "no JSON"),
        ({"a": "x" * 70_000}, "are allowed"),
    ],
)
def test_a_payload_that_cannot_be_stored_is_refused_with_a_reason(
    bench: Bench, tenant: uuid.UUID, payload: dict[str, object], words: str
) -> None:
    with pytest.raises(JobRefused, match=words):
        bench.enqueue(tenant, payload=payload)


def test_a_payload_with_the_letters_of_an_escape_is_stored(bench: Bench, tenant: uuid.UUID) -> None:
    (job_id,) = bench.enqueue(tenant, payload={"a": "\\u0000"})
    assert bench.job(job_id).payload == {"a": "\\u0000"}


@pytest.mark.parametrize(
    "wrong", [{"lane": Lane.LATER}, {"delay_seconds": -1}, {"delay_seconds": float("nan")}]
)
def test_lanes_and_delays_that_cannot_be_are_refused(
    bench: Bench, tenant: uuid.UUID, wrong: dict[str, Any]
) -> None:
    with pytest.raises(JobRefused):
        bench.enqueue(tenant, **wrong)


def test_enqueueing_for_another_tenant_is_refused_by_the_database(bench: Bench, tenant: uuid.UUID) -> None:
    with pytest.raises(Exception, match="row-level security"), tenant_rows(uuid.uuid4()):
        enqueue_job(tenant_id=tenant, type="probe", payload={})


def test_a_hint_names_the_tenant_once_the_job_is_there(
    bench: Bench, tenant: uuid.UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints, "QUIET_SECONDS", 0.0)
    with open_connection("test") as listener:
        listener.execute(f"LISTEN {hints.CHANNEL}")
        with tenant_rows(tenant):
            enqueue_job(tenant_id=tenant, type="probe", payload={})
            assert list(listener.notifies(timeout=0.01)) == []
        (notice,) = listener.notifies(timeout=5, stop_after=1)
    assert notice.payload == str(tenant)


def test_hints_of_a_process_are_few(bench: Bench, tenant: uuid.UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "_last", 0.0)
    with open_connection("test") as listener:
        listener.execute(f"LISTEN {hints.CHANNEL}")
        for _ in range(20):
            hints.send_hint(str(tenant))
        heard = list(listener.notifies(timeout=0.2))
    assert 1 <= len(heard) <= 10


def test_a_hint_that_cannot_be_sent_harms_nobody(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(hints, "CHANNEL", "x" * 100)
    hints.send_hint("whoever")
    connections["default"].close()


# --- requeue ---


def test_a_failed_job_runs_again_with_all_its_retries_and_its_history(
    bench: Bench, tenant: uuid.UUID
) -> None:
    (job_id,) = fail_for_good(bench, tenant)
    bench.change(job_id, retry_count=4)
    with tenant_rows(tenant):
        assert requeue_jobs(job_ids=[job_id]).requeued == 1
    job = bench.job(job_id)
    assert (job.status, job.retry_count, job.lease, job.finished_at) == (QUEUED, 0, 1, None)
    assert len(bench.attempts(job_id)) == 1
    assert bench.worker().claim_one(tenant).lease == 2


def test_only_failed_jobs_are_requeued_and_the_rest_is_counted_by_reason(
    bench: Bench, tenant: uuid.UUID
) -> None:
    failed = fail_for_good(bench, tenant)
    worker = bench.worker()
    bench.enqueue(tenant, 2)
    done, running = worker.claim(tenant)
    ends.finish_batch(worker.connection, held(done))
    waiting = bench.enqueue(tenant)
    with tenant_rows(tenant):
        report = requeue_jobs(job_ids=[*failed, done.id, running.id, *waiting, 10**15])
    assert report.requeued == 1
    assert report.skipped == {"succeeded": 1, "running": 1, "queued already": 1, "no such job": 1}
    assert bench.statuses(done.id, running.id) == [SUCCEEDED, PROCESSING]


@pytest.mark.parametrize("impossible", [0, -1, 2**63, 10**30])
def test_an_id_that_no_job_can_have_is_missing_like_any_other(
    bench: Bench, tenant: uuid.UUID, impossible: int
) -> None:
    (failed,) = fail_for_good(bench, tenant)
    with tenant_rows(tenant):
        assert cancel_jobs(job_ids=[impossible]).skipped == {"no such job": 1}
        report = requeue_jobs(job_ids=[impossible, failed])
    assert (report.requeued, report.skipped) == (1, {"no such job": 1})


def test_jobs_of_another_tenant_are_missing_to_a_tenant_and_not_to_an_operator(
    bench: Bench, tenant: uuid.UUID
) -> None:
    ids = fail_for_good(bench, tenant)
    with tenant_rows(uuid.uuid4()):
        assert requeue_jobs(job_ids=ids).skipped == {"no such job": 1}
    with all_rows():
        assert requeue_jobs(job_ids=ids).requeued == 1


def test_many_requeued_jobs_come_due_spread(bench: Bench, tenant: uuid.UUID) -> None:
    ids = fail_for_good(bench, tenant, 60)
    with tenant_rows(tenant):
        assert requeue_jobs(job_ids=ids, spread_seconds=600).requeued == 60
    dues = sorted((job.next_attempt_at - job.updated_at).total_seconds() for job in bench.jobs())
    assert dues[0] < 120
    assert dues[-1] > 480
    assert {job.lane for job in bench.jobs() if job.next_attempt_at > job.updated_at} >= {Lane.LATER}


def test_failed_jobs_are_found_by_what_they_have_in_common(bench: Bench, tenant: uuid.UUID) -> None:
    (odd,) = fail_for_good(bench, tenant, kind="limit", fingerprint="a" * 64)
    (other,) = fail_for_good(bench, uuid.uuid4())
    with all_rows():
        assert find_failed_jobs() == [other, odd]
        assert find_failed_jobs(tenant_id=tenant) == [odd]
        assert find_failed_jobs(kind="limit") == [odd]
        assert find_failed_jobs(fingerprint="a" * 64, type="probe") == [odd]
        assert find_failed_jobs(type="other") == []
        assert len(find_failed_jobs(limit=1)) == 1


# --- cancel ---


def test_queued_and_running_jobs_are_cancelled_and_ended_ones_are_not(
    bench: Bench, tenant: uuid.UUID
) -> None:
    worker = bench.worker()
    bench.enqueue(tenant, 2)
    done, running = worker.claim(tenant)
    ends.finish_batch(worker.connection, held(done))
    (waiting,) = bench.enqueue(tenant)
    with tenant_rows(tenant):
        report = cancel_jobs(job_ids=[waiting, running.id, done.id], by="Ada")
    assert (report.cancelled, report.skipped) == (2, {"succeeded": 1})
    for job_id in (waiting, running.id):
        job = bench.job(job_id)
        assert (job.status, job.failure_kind, job.error_message) == (FAILED, "cancelled", "Cancelled by Ada.")
    assert [one.outcome for one in bench.attempts(running.id)] == ["cancelled"]
    assert bench.attempts(waiting) == []


def test_what_a_cancelled_job_does_from_then_on_does_not_count(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    bench.enqueue(tenant)
    job = worker.claim_one(tenant)
    with tenant_rows(tenant):
        cancel_jobs(job_ids=[job.id])
    assert ends.finish_batch(worker.connection, held(job)) == set()
    assert worker.fail(job) == []
    assert bench.job(job.id).failure_kind == "cancelled"


# --- a tenant's queue ---


def test_the_queued_jobs_of_a_closed_tenant_fail_in_batches_but_urgent_ones_stay(
    bench: Bench, tenant: uuid.UUID
) -> None:
    bench.enqueue(tenant, 4)
    bench.enqueue(tenant, delay_seconds=3600)
    (urgent,) = bench.enqueue(tenant, lane=Lane.URGENT)
    other = bench.enqueue(uuid.uuid4())
    counts = []
    for _ in range(3):
        with tenant_rows(tenant):
            counts.append(fail_queued_jobs(tenant_id=tenant, kind="tenant_inactive", message="off", limit=3))
    assert counts == [3, 2, 0]
    assert bench.statuses(urgent, *other) == [QUEUED, QUEUED]
    assert {job.failure_kind for job in bench.jobs(status="failed")} == {"tenant_inactive"}


def test_rules_of_a_queue_change_one_by_one(bench: Bench, tenant: uuid.UUID) -> None:
    with tenant_rows(tenant):
        set_queue(tenant_id=tenant, weight=2.0, max_running=3)
        set_queue(tenant_id=tenant, paused=True)
        row = TenantQueue.objects.get(tenant_id=tenant)
        assert (row.weight, row.max_running, row.paused, row.closed) == (2.0, 3, True, False)
        set_queue(tenant_id=tenant, max_running=None)
        row.refresh_from_db()
        assert (row.weight, row.max_running) == (2.0, None)


@pytest.mark.parametrize("wrong", [{"weight": 0.0}, {"weight": 2000.0}, {"max_running": 0}])
def test_rules_that_cannot_be_are_refused(bench: Bench, tenant: uuid.UUID, wrong: dict[str, float]) -> None:
    with pytest.raises(ValidationError), tenant_rows(tenant), transaction.atomic():
        set_queue(tenant_id=tenant, **wrong)  # type: ignore[arg-type]


def test_many_jobs_are_queued_in_one_statement_in_the_order_given(bench: Bench) -> None:
    tenant = bench.tenant()
    with tenant_rows(tenant):
        ids = enqueue_many(tenant_id=tenant, type="probe", payloads=[{"n": n} for n in range(500)])
    assert ids == sorted(ids)
    jobs = bench.jobs(tenant_id=tenant)
    assert [job.payload for job in jobs] == [{"n": n} for n in range(500)]
    assert [job.id for job in bench.worker().claim(tenant, 500)] == ids


def test_many_jobs_with_one_bad_payload_queue_nothing(bench: Bench) -> None:
    tenant = bench.tenant()
    with pytest.raises(JobRefused), tenant_rows(tenant):
        enqueue_many(tenant_id=tenant, type="probe", payloads=[{}, {"n": float("nan")}])
    assert bench.jobs(tenant_id=tenant) == []


def test_many_jobs_of_another_tenant_are_refused_by_the_database(bench: Bench) -> None:
    with pytest.raises(DatabaseError), tenant_rows(bench.tenant()):
        enqueue_many(tenant_id=bench.tenant(), type="probe", payloads=[{}])
