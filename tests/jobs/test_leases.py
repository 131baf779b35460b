"""Leases: renewed by heartbeats, taken away by the reaper, proved by checkpoints."""

import uuid

import pytest

from jobs.engine.store import ends, leases, upkeep
from jobs.engine.store.base import Held, app_connection
from jobs.engine.store.upkeep import Worker
from jobs.models import JobStatus, WorkerProcess
from jobs.scope import tenant_rows
from tests.jobs.bench import Bench, SimulatedWorker, held


@pytest.fixture
def tenant() -> uuid.UUID:
    return uuid.uuid4()


def reap(worker: SimulatedWorker, *, limit: int = 100) -> list[ends.Ended]:
    expired = ends.find_expired(worker.connection, after=None, limit=limit)
    ended = ends.reap(worker.connection, expired, backoff_base=0.001)
    return [one for one in ended if one.is_written]


def test_a_heartbeat_renews_every_lease_of_the_worker(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker(lease=30)
    ids = bench.enqueue(tenant, 3)
    jobs = worker.claim(tenant)
    before = [bench.job(job_id).lease_expires_at for job_id in ids]
    beat = leases.beat(worker.connection, held(*jobs), seconds=60)
    assert (beat.lost, beat.skipped) == (frozenset(), frozenset())
    after = [bench.job(job_id).lease_expires_at for job_id in ids]
    assert all(
        old and new and (new - old).total_seconds() >= 29 for old, new in zip(before, after, strict=True)
    )


def test_a_heartbeat_tells_lost_leases_from_rows_that_are_being_finished(
    bench: Bench, tenant: uuid.UUID
) -> None:
    worker, other = bench.worker("a"), bench.worker("b")
    bench.enqueue(tenant, 3)
    finishing, stale, kept = worker.claim(tenant)
    ends.release(worker.connection, held(stale))
    with other.connection.transaction():
        ends.finish_batch(other.connection, held(finishing))
        beat = leases.beat(worker.connection, held(finishing, stale, kept), seconds=60)
    assert beat.skipped == set(held(finishing))
    assert beat.lost == set(held(stale))


def test_a_heartbeat_does_not_renew_what_it_does_not_hold(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    bench.enqueue(tenant)
    job = worker.claim_one(tenant)
    before = bench.job(job.id).lease_expires_at
    leases.beat(worker.connection, [Held(job.id, job.lease + 1)], seconds=900)
    assert bench.job(job.id).lease_expires_at == before


def test_what_a_dead_worker_held_runs_again_and_costs_an_attempt(bench: Bench, tenant: uuid.UUID) -> None:
    dead, alive = bench.worker("dead"), bench.worker("alive")
    (job_id,) = bench.enqueue(tenant)
    dead.claim_one(tenant)
    assert reap(alive) == []
    bench.end_lease(job_id)
    (ended,) = reap(alive)
    assert (ended.id, ended.status) == (job_id, "queued")
    job = bench.job(job_id)
    assert (job.retry_count, job.failure_kind) == (1, "lease_expired")
    assert "dead" in job.error_message
    assert [(one.outcome, one.worker) for one in bench.attempts(job_id)] == [("lease_expired", "dead")]


def test_a_job_that_always_kills_its_worker_fails_at_last(bench: Bench, tenant: uuid.UUID) -> None:
    worker = bench.worker()
    (job_id,) = bench.enqueue(tenant)
    bench.change(job_id, max_retries=1)
    for expected in (JobStatus.QUEUED, JobStatus.FAILED):
        bench.change(job_id, next_attempt_at="statement_timestamp() - interval '1 second'")
        worker.claim_one(tenant)
        bench.end_lease(job_id)
        reap(worker)
        assert bench.statuses(job_id) == [expected]
    assert bench.job(job_id).failure_kind == "lease_expired"


def test_a_lease_renewed_since_it_was_seen_is_not_reaped(bench: Bench, tenant: uuid.UUID) -> None:
    worker, reaper = bench.worker("a"), bench.worker("b")
    bench.enqueue(tenant)
    job = worker.claim_one(tenant)
    bench.end_lease(job.id)
    seen = ends.find_expired(reaper.connection, after=None, limit=10)
    leases.beat(worker.connection, held(job), seconds=60)
    assert ends.reap(reaper.connection, seen, backoff_base=1.0) == []
    assert bench.statuses(job.id) == [JobStatus.PROCESSING]


def test_a_job_claimed_again_since_it_was_seen_is_not_reaped(bench: Bench, tenant: uuid.UUID) -> None:
    worker, reaper = bench.worker("a"), bench.worker("b")
    bench.enqueue(tenant)
    job = worker.claim_one(tenant)
    bench.end_lease(job.id)
    seen = ends.find_expired(reaper.connection, after=None, limit=10)
    ends.release(worker.connection, held(job))
    worker.claim_one(tenant)
    bench.end_lease(job.id)
    assert ends.reap(reaper.connection, seen, backoff_base=1.0) == []


def test_a_job_that_is_being_finished_is_not_reaped_however_late(bench: Bench, tenant: uuid.UUID) -> None:
    worker, reaper = bench.worker("a"), bench.worker("b")
    bench.enqueue(tenant)
    job = worker.claim_one(tenant)
    bench.end_lease(job.id)
    with worker.connection.transaction():
        ends.finish_batch(worker.connection, held(job))
        assert reap(reaper) == []
    assert bench.statuses(job.id) == [JobStatus.SUCCEEDED]


def test_rows_that_cannot_be_reaped_do_not_shield_those_behind(bench: Bench) -> None:
    tenants = sorted(bench.tenant() for _ in range(2))
    worker = bench.worker()
    bad, good = bench.enqueue(tenants[0], 5), bench.enqueue(tenants[1])
    for tenant in tenants:
        worker.claim(tenant)
    bench.run_sql(
        """
        CREATE FUNCTION refuse_reaping() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'no'; END $$;
        CREATE TRIGGER refuse_reaping BEFORE UPDATE ON jobs_job FOR EACH ROW
        WHEN (new.status = 'queued' AND new.type = 'bad') EXECUTE FUNCTION refuse_reaping()
        """
    )
    try:
        for job_id in bad:
            bench.change(job_id, type="'bad'")
        for job_id in [*bad, *good]:
            bench.end_lease(job_id)
        assert [one.id for one in reap(worker)] == good
        seen = ends.find_expired(worker.connection, after=None, limit=3)
        rest = ends.find_expired(worker.connection, after=seen[-1], limit=3)
        assert [job.id for job in seen + rest] == bad
    finally:
        bench.run_sql("DROP TRIGGER refuse_reaping ON jobs_job; DROP FUNCTION refuse_reaping()")


def test_a_checkpoint_proves_the_lease_in_its_tenants_scope(bench: Bench, tenant: uuid.UUID) -> None:
    bench.enqueue(tenant)
    job = bench.worker().claim_one(tenant)
    with tenant_rows(tenant):
        assert leases.checkpoint(app_connection(), Held(job.id, job.lease))
        assert not leases.checkpoint(app_connection(), Held(job.id, job.lease + 1))
    with tenant_rows(uuid.uuid4()):
        assert not leases.checkpoint(app_connection(), Held(job.id, job.lease))


def test_progress_is_written_under_the_lease_only(bench: Bench, tenant: uuid.UUID) -> None:
    bench.enqueue(tenant)
    job = bench.worker().claim_one(tenant)
    with tenant_rows(tenant):
        assert leases.publish_progress(app_connection(), Held(job.id, job.lease), done=3, total=9)
        assert not leases.publish_progress(app_connection(), Held(job.id, 9), done=5, total=9)
    row = bench.job(job.id)
    assert (row.progress_done, row.progress_total) == (3, 9)


def test_a_worker_shows_itself_and_says_goodbye(bench: Bench) -> None:
    connection = bench.worker().connection
    worker = Worker("host:1:abc", "host", 1, 4, "1.0")
    upkeep.show_worker(connection, worker, state="running")
    upkeep.show_worker(connection, worker, state="stopping")
    row = WorkerProcess.objects.get()
    assert (row.name, row.slots, row.state) == ("host:1:abc", 4, "stopping")
    upkeep.remove_worker(connection, "host:1:abc")
    assert not WorkerProcess.objects.exists()


def test_workers_that_are_long_silent_are_forgotten(bench: Bench) -> None:
    connection = bench.worker().connection
    for name in ("silent", "alive"):
        upkeep.show_worker(connection, Worker(name, "host", 1, 1, ""), state="running")
    bench.run_sql("UPDATE jobs_workerprocess SET beat_at = now() - interval '1 hour' WHERE name = 'silent'")
    assert upkeep.forget_workers(connection, seconds=600) == 1
    assert [row.name for row in WorkerProcess.objects.all()] == ["alive"]
