"""Reaping round after round: rows that cannot be reaped cost little, and shield nobody."""

import uuid
from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs

from jobs.engine.housekeeping import Housekeeping
from jobs.engine.options import WorkerOptions
from jobs.engine.store.upkeep import Worker
from jobs.engine.tally import Tally
from jobs.models import JobStatus
from jobs.scope import tenant_rows
from jobs.services import enqueue_analysis
from tests.jobs.bench import Bench

BAD, GOOD = uuid.UUID(int=1), uuid.UUID(int=2**128 - 1)
BAD_ROWS = 300


@pytest.fixture
def housekeeping() -> Housekeeping:
    worker = Worker("worker-a", "host", 1, 1, "test")
    return Housekeeping(
        WorkerOptions(worker, slots=1, lease=30.0, grace=1.0, poll=1.0, reaper=0.0, backoff_base=1.0), Tally()
    )


@pytest.fixture
def expired(bench: Bench) -> Iterator[int]:
    """A job whose lease has ended, behind hundreds that the database lets nobody reap."""
    bench.run_sql(
        """
        CREATE FUNCTION refuse_reaping() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'no'; END $$;
        CREATE TRIGGER refuse_reaping BEFORE UPDATE ON jobs_job FOR EACH ROW
        WHEN (new.type = 'bad') EXECUTE FUNCTION refuse_reaping()
        """
    )
    insert = """
        INSERT INTO jobs_job (tenant_id, type, payload, status, lease, started_at, lease_expires_at, worker)
        SELECT %s, %s, '{}', 'processing', 1, now(), now() - interval '1 minute', 'dead'
        FROM generate_series(1, %s)
    """
    bench.run_sql(insert, [BAD, "bad", BAD_ROWS])
    bench.run_sql(insert, [GOOD, "probe", 1])
    yield bench.jobs(tenant_id=GOOD)[0].id
    bench.run_sql("DROP TRIGGER refuse_reaping ON jobs_job; DROP FUNCTION refuse_reaping()")


def test_hundreds_of_rows_that_cannot_be_reaped_shield_nobody_and_are_left_alone(
    bench: Bench, housekeeping: Housekeeping, expired: int
) -> None:
    worker = bench.worker()
    rounds: list[int] = []
    for _ in range(2):
        with capture_logs() as told:
            for _ in range(BAD_ROWS // 100 + 1):  # batches of one round
                housekeeping.run(worker.connection)
        rounds.append([event["event"] for event in told].count("job.end_refused"))
        assert bench.statuses(expired) == [JobStatus.QUEUED]
    tried, again = rounds
    assert tried > 0
    assert tried + again <= BAD_ROWS, "what was refused is tried again at once"


def test_a_job_beside_a_twin_that_is_not_committed_yet_shields_no_other(
    bench: Bench, housekeeping: Housekeeping
) -> None:
    tenant, document, worker = bench.tenant(), uuid.uuid4(), bench.worker()

    def analyze() -> None:
        enqueue_analysis(tenant_id=tenant, document_id=document, document_version_id=uuid.uuid4())

    with tenant_rows(tenant):
        analyze()
    kept = worker.claim_one(tenant)
    bench.enqueue(tenant)
    other = worker.claim_one(tenant)
    for job in (kept, other):
        bench.end_lease(job.id)
    with tenant_rows(tenant):
        analyze()  # by a slow edit
        for _ in range(2):
            housekeeping.run(worker.connection)
    assert bench.statuses(kept.id, other.id) == [JobStatus.PROCESSING, JobStatus.QUEUED]
