"""How attempts end: finish, fail, release. Each proves its lease."""

import uuid

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from jobs.engine.store import ends, operators
from jobs.engine.store.base import Held, app_connection
from jobs.engine.store.ends import Again
from jobs.models import FailureKind, JobStatus, Lane
from jobs.scope import all_rows, tenant_rows
from jobs.text import FIXED_MESSAGE, TRACEBACK_CHARACTERS, clean_text
from tests.jobs.bench import Bench, held

QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus


@pytest.fixture
def tenant() -> uuid.UUID:
    return uuid.uuid4()


def test_a_batch_is_finished_with_its_attempts(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    ids = bench.enqueue(tenant, 3)
    jobs = worker.claim(tenant)
    assert ends.finish_batch(worker.connection, held(*jobs)) == set(ids)
    assert bench.statuses(*ids) == [SUCCEEDED] * 3
    (attempt,) = bench.attempts(ids[0])
    assert (attempt.lease, attempt.outcome, attempt.worker) == (1, "succeeded", "worker-a")
    assert attempt.tenant_id == tenant
    job = bench.job(ids[0])
    assert job.finished_at is not None
    assert job.lease_expires_at is None


def test_a_batch_finishes_what_it_holds_and_nothing_else(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    ids = bench.enqueue(tenant, 3)
    jobs = worker.claim(tenant)
    wrong = [Held(jobs[0].id, 7), Held(jobs[1].id, 1), Held(10**15, 1)]
    assert ends.finish_batch(worker.connection, wrong) == {ids[1]}
    assert bench.statuses(*ids) == [PROCESSING, SUCCEEDED, PROCESSING]


def test_the_application_finishes_in_its_tenants_scope_only(bench: Bench, tenant: uuid.UUID) -> None:
    (job_id,) = bench.enqueue(tenant)
    job = bench.worker().claim_one(tenant)
    with tenant_rows(uuid.uuid4()):
        assert not ends.finish(app_connection(), Held(job_id, job.lease))
    with tenant_rows(tenant):
        assert ends.finish(app_connection(), Held(job_id, job.lease))
        assert not ends.finish(app_connection(), Held(job_id, job.lease))
        kept = (
            "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%INSERT INTO jobs_jobattempt%'"
        )
        assert app_connection().execute(kept).fetchone() == (1,)
    assert bench.statuses(job_id) == [SUCCEEDED]
    assert [attempt.outcome for attempt in bench.attempts(job_id)] == ["succeeded"]


def test_a_failed_attempt_runs_again_after_its_delay(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    (job_id,) = bench.enqueue(tenant)
    (ended,) = worker.fail(worker.claim_one(tenant), delay=1.0, fingerprint="f" * 64, traceback="there")
    job = bench.job(job_id)
    assert (ended.status, job.status, job.retry_count, job.lane) == ("queued", QUEUED, 1, Lane.NORMAL)
    assert (job.failure_kind, job.error_message, job.fingerprint) == ("error", "it broke", "f" * 64)
    assert (job.next_attempt_at - job.updated_at).total_seconds() == 1
    (attempt,) = bench.attempts(job_id)
    assert (attempt.outcome, attempt.error, attempt.traceback) == ("error", "it broke", "there")


def test_a_long_pause_is_spent_in_the_lane_of_what_is_due_later(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    (job_id,) = bench.enqueue(tenant)
    worker.fail(worker.claim_one(tenant), delay=3600.0)
    job = bench.job(job_id)
    assert (job.lane, job.home_lane) == (Lane.LATER, Lane.NORMAL)


def test_a_job_without_retries_left_fails_for_good(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    (job_id,) = bench.enqueue(tenant)
    for attempt in range(1, 7):
        (ended,) = worker.fail(worker.claim_one(tenant))
        assert ended.status == ("queued" if attempt <= 5 else "failed")
    job = bench.job(job_id)
    assert (job.status, job.retry_count, job.failure_kind) == (FAILED, 5, "error")
    assert job.finished_at is not None
    assert [one.lease for one in bench.attempts(job_id)] == [1, 2, 3, 4, 5, 6]


def test_giving_up_fails_at_once(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    (job_id,) = bench.enqueue(tenant)
    worker.fail(worker.claim_one(tenant), kind="gave_up", again=Again.NEVER)
    job = bench.job(job_id)
    assert (job.status, job.failure_kind, job.retry_count) == (FAILED, "gave_up", 0)


def test_an_outage_never_fails_a_job_for_good(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    (job_id,) = bench.enqueue(tenant)
    bench.change(job_id, retry_count=5)
    (ended,) = worker.fail(worker.claim_one(tenant), again=Again.ALWAYS)
    assert ended.status == "queued"
    assert bench.job(job_id).retry_count == 5


@pytest.mark.parametrize("retry_count", [31, 62, 63, 64, 1024, 2**31 - 1])
def test_huge_retry_counts_do_not_overflow(bench: Bench, tenant: uuid.UUID, retry_count: int) -> None:
    worker = bench.worker()
    (job_id,) = bench.enqueue(tenant)
    bench.change(job_id, retry_count=retry_count, max_retries=2**31 - 1)
    worker.fail(worker.claim_one(tenant), delay=3600.0, again=Again.ALWAYS)
    job = bench.job(job_id)
    assert job.status == QUEUED
    assert job.retry_count == min(retry_count + 1, 2**31 - 1)
    assert job.next_attempt_at > job.updated_at


def test_a_failure_without_the_lease_changes_nothing(bench: Bench, tenant: uuid.UUID) -> None:
    first, second = bench.worker("a"), bench.worker("b")
    (job_id,) = bench.enqueue(tenant)
    stale = first.claim_one(tenant)
    ends.release(first.connection, held(stale))
    second.claim_one(tenant)
    assert first.fail(stale) == []
    assert ends.release(first.connection, held(stale)) == []
    job = bench.job(job_id)
    assert (job.status, job.lease, job.worker) == (PROCESSING, 2, "b")


def test_claim_requeue_claim_and_then_the_first_finishes_is_refused(bench: Bench, tenant: uuid.UUID) -> None:
    first, second = bench.worker("a"), bench.worker("b")
    (job_id,) = bench.enqueue(tenant)
    stale = first.claim_one(tenant)
    with tenant_rows(tenant):
        operators.cancel(app_connection(), [job_id], message="by hand")
        operators.requeue(app_connection(), {job_id: 0.0})
    fresh = second.claim_one(tenant)
    assert ends.finish_batch(first.connection, held(stale)) == set()
    with tenant_rows(tenant):
        assert not ends.finish(app_connection(), Held(stale.id, stale.lease))
    assert ends.finish_batch(second.connection, held(fresh)) == {job_id}


def test_a_released_job_is_due_at_once_and_has_lost_no_retry(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    (job_id,) = bench.enqueue(tenant)
    worker.fail(worker.claim_one(tenant))
    ends.release(worker.connection, held(worker.claim_one(tenant)))
    job = bench.job(job_id)
    assert (job.status, job.retry_count, job.error_message) == (QUEUED, 1, "it broke")
    assert [one.outcome for one in bench.attempts(job_id)] == ["error", "released"]
    assert worker.claim_one(tenant).lease == 3


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@example(error="half \ud800 of it, \0 in it", traceback="\0\udfff")
@example(error="x" * 100_000, traceback="y" * 100_000)
@given(error=st.text(st.characters(), max_size=200), traceback=st.text(st.characters(), max_size=200))
def test_any_text_of_an_error_is_recorded(bench: Bench, error: str, traceback: str) -> None:
    tenant, worker = uuid.uuid4(), bench.worker()
    (job_id,) = bench.enqueue(tenant)
    worker.fail(worker.claim_one(tenant), error=error, traceback=traceback, again=Again.NEVER)
    assert (bench.job(job_id).status, bench.job(job_id).error_message) == (FAILED, clean_text(error))
    (attempt,) = bench.attempts(job_id)
    assert (attempt.error, attempt.traceback) == (
        clean_text(error),
        clean_text(traceback, TRACEBACK_CHARACTERS),
    )
    worker.connection.close()


def test_words_that_the_database_refuses_are_replaced_by_fixed_ones(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    (job_id,) = bench.enqueue(tenant)
    job = worker.claim_one(tenant)
    refuse = """
        CREATE FUNCTION refuse_words() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'no' ; END $$;
        CREATE TRIGGER refuse_words BEFORE UPDATE ON jobs_job FOR EACH ROW
        WHEN (new.error_message = 'unspeakable') EXECUTE FUNCTION refuse_words()
    """
    bench.run_sql(refuse)
    try:
        worker.fail(job, error="unspeakable", again=Again.NEVER)
    finally:
        bench.run_sql("DROP TRIGGER refuse_words ON jobs_job; DROP FUNCTION refuse_words()")
    assert (bench.job(job_id).status, bench.job(job_id).error_message) == (FAILED, FIXED_MESSAGE)


def test_what_became_of_a_job_is_read_back_by_its_lease(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    bench.enqueue(tenant, 2)
    done, running = worker.claim(tenant)
    ends.finish_batch(worker.connection, held(done))
    known = [*held(done, running), Held(done.id, 9)]
    assert ends.read_back(worker.connection, known) == {done.id: SUCCEEDED, running.id: PROCESSING}


def test_jobs_held_by_a_worker_are_found_by_its_name(bench: Bench, tenant: uuid.UUID) -> None:
    first, second = bench.worker("a"), bench.worker("b")
    bench.enqueue(tenant, 2)
    mine = first.claim(tenant, 1)
    second.claim(tenant, 1)
    assert ends.find_held_by(first.connection, "a") == set(held(*mine))


def test_every_kind_of_failure_fits_an_attempt() -> None:
    assert all(len(kind) <= 16 for kind in FailureKind.values)


def test_attempts_are_seen_by_their_tenant_only(bench: Bench, tenant: uuid.UUID) -> None:
    from jobs.models import JobAttempt

    worker = bench.worker()
    bench.enqueue(tenant)
    worker.fail(worker.claim_one(tenant))
    with tenant_rows(tenant):
        assert JobAttempt.objects.count() == 1
    with tenant_rows(uuid.uuid4()):
        assert JobAttempt.objects.count() == 0
    with all_rows():
        assert JobAttempt.objects.count() == 1
