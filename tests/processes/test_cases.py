"""Faults that users of other queues have reported, one test each, with real workers."""

import os
import signal
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from jobs.models import JobStatus, Lane
from jobs.scope import all_rows, tenant_rows
from jobs.services import cancel_jobs, enqueue_analysis, requeue_jobs, set_queue
from jobs.text import MESSAGE_CHARACTERS
from tests.jobs.bench import Bench
from tests.processes.looking import effects, enqueue_odd, outcomes, unended, wait_until
from tests.processes.workers import PROJECT, WorkerProcess

pytestmark = pytest.mark.slow

Start = Callable[..., WorkerProcess]
QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus
LEASE = "2"


def test_who_was_frozen_while_a_job_was_cancelled_requeued_and_claimed_again_cannot_finish_it(
    bench: Bench, start: Start
) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"sleep": 1, "effect": 1})
    first = start("--slots", "1", "--lease", "30")
    first.wait_for("job.claimed", job=job_id)
    family = first.family()
    for pid in family:
        os.kill(pid, signal.SIGSTOP)
    with all_rows():
        cancel_jobs(job_ids=[job_id])
    with all_rows():
        assert requeue_jobs(job_ids=[job_id]).requeued == 1
    second = start("--slots", "1", "--lease", "30")
    second.wait_for("job.claimed", job=job_id, lease=2)
    for pid in reversed(family):
        os.kill(pid, signal.SIGCONT)
    first.wait_for("job.lease_lost", job=job_id, lease=1)
    second.wait_for("job.finished", job=job_id, lease=2)
    assert effects(bench) == Counter([job_id])
    assert outcomes(bench, job_id) == ["cancelled", "succeeded"]


@pytest.mark.parametrize("error", ["nul", "surrogate", "huge", "unspeakable", "system exit", "interrupt"])
def test_an_error_that_is_hard_to_write_down_is_recorded_all_the_same(
    bench: Bench, odd_worker: WorkerProcess, error: str
) -> None:
    (job_id,) = enqueue_odd(
        bench, bench.tenant(), "probe-odd-error", payload={"error": error}, columns={"max_retries": 0}
    )
    odd_worker.wait_for("job.failed", job=job_id, status="failed")
    job = bench.job(job_id)
    assert job.status == FAILED
    assert 0 < len(job.error_message) <= MESSAGE_CHARACTERS
    assert "\0" not in job.error_message
    (after,) = bench.enqueue(bench.tenant(), payload={"effect": 1})
    odd_worker.wait_for("job.finished", job=after)


@pytest.fixture(scope="module")
def odd_worker(worker_environment: dict[str, str]) -> Iterator[WorkerProcess]:
    """One worker for all errors: it must outlive each."""
    worker = WorkerProcess(("--slots", "1"), worker_environment)
    worker.wait_ready()
    yield worker
    worker.destroy()


@pytest.mark.parametrize("end", ["crash", "release"])
def test_a_running_analysis_that_ends_beside_a_queued_twin_is_superseded(
    bench: Bench, start: Start, end: str
) -> None:
    tenant, document = bench.tenant(), uuid.uuid4()
    first = analyze(bench, tenant, document)
    worker = start("--slots", "1", "--grace", "0", ARCHIV_FAILPOINT="job.started:stop:1")
    worker.wait_for("job.claimed", job=first)
    second = analyze(bench, tenant, document)
    if end == "crash":
        (child,) = worker.children()
        os.kill(child, signal.SIGKILL)
        worker.wait_for("job.failed", job=first, status="failed")
    else:
        worker.kill(signal.SIGTERM)
        assert worker.wait_exit() == 0
        worker = start("--slots", "1")
    worker.wait_for("job.finished", job=second)
    assert bench.job(first).failure_kind == "superseded"
    assert bench.statuses(first, second) == [FAILED, SUCCEEDED]
    assert effects(bench) == Counter([second])


def analyze(bench: Bench, tenant: uuid.UUID, document: uuid.UUID) -> int:
    with tenant_rows(tenant):
        return enqueue_analysis(tenant_id=tenant, document_id=document, document_version_id=document)


def test_two_workers_never_run_more_of_a_tenant_than_its_cap(bench: Bench, start: Start) -> None:
    tenant = bench.tenant()
    with tenant_rows(tenant):
        set_queue(tenant_id=tenant, max_running=2)
    ids = bench.enqueue(tenant, 24, payload={"sleep": 0.1, "effect": 1})
    workers = [start("--drain", "--slots", "3", ready=False) for _ in range(2)]
    assert [worker.wait_exit(90) for worker in workers] == [0, 0]
    assert effects(bench) == Counter(ids)
    together = """
        SELECT max(n) FROM (
            SELECT count(*) AS n FROM jobs_jobattempt AS one JOIN jobs_jobattempt AS other
            ON other.started_at <= one.started_at AND other.ended_at > one.started_at GROUP BY one.id
        ) AS at_once
    """
    assert bench.run_sql(together) == [(2,)]


def test_a_due_job_is_found_among_a_hundred_thousand_tenants_with_jobs_for_next_week(
    bench: Bench, start: Start
) -> None:
    bench.run_sql(
        """
        INSERT INTO jobs_job (tenant_id, type, payload, lane, next_attempt_at)
        SELECT gen_random_uuid(), 'probe', '{}', 3, statement_timestamp() + interval '7 days'
        FROM generate_series(1, 100000)
        """
    )
    worker = start("--slots", "1", ARCHIV_POLL_SECONDS=1)
    # Due from the start, and nobody is told.
    bench.run_sql("INSERT INTO jobs_job (tenant_id, type, payload) VALUES (gen_random_uuid(), 'probe', '{}')")
    assert worker.wait_for("job.claimed")["waited"] < 1 + 1


def test_workers_whose_clocks_are_ten_minutes_off_either_way_change_nothing(
    bench: Bench, start: Start
) -> None:
    tenant = bench.tenant()
    early, late = (
        start("--slots", "1", "--lease", LEASE, TEST_CLOCK_OFFSET=offset) for offset in (600, -600)
    )
    ids = bench.enqueue(tenant, 10, payload={"sleep": 0.2, "effect": 1})
    (long,) = bench.enqueue(tenant, payload={"sleep": 5, "effect": 1})
    (failing,) = bench.enqueue(tenant, payload={"fail": "always"})
    bench.change(failing, max_retries=2)
    wait_until(bench, lambda: not unended(bench))
    assert effects(bench) == Counter([*ids, long])
    assert {tuple(outcomes(bench, job_id)) for job_id in (*ids, long)} == {("succeeded",)}
    assert outcomes(bench, failing) == ["error"] * 3
    assert early.count("job.reaped") + late.count("job.reaped") == 0
    assert early.count("job.finished") * late.count("job.finished") > 0


def test_a_worker_whose_words_nobody_reads_any_more_works_on(
    bench: Bench, worker_environment: dict[str, str]
) -> None:
    worker = subprocess.Popen(
        [sys.executable, "manage.py", "runworker", "--slots", "1"],
        cwd=PROJECT,
        env=worker_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert worker.stdout is not None
    assert worker.stderr is not None
    try:
        assert worker.stdout.readline().startswith(b"ready")
        worker.stdout.close()
        worker.stderr.close()
        ids = bench.enqueue(bench.tenant(), 5, payload={"effect": 1})
        (failing,) = bench.enqueue(bench.tenant(), payload={"fail": "x", "kill": "exit"})
        bench.change(failing, max_retries=1)
        wait_until(bench, lambda: not unended(bench))
        assert worker.poll() is None
        worker.terminate()
        worker.wait(30)
    finally:
        worker.kill()
        worker.wait()
    assert effects(bench) == Counter(ids)
    assert bench.statuses(failing) == [FAILED]
    assert bench.run_sql("SELECT count(*) FROM jobs_workerprocess") == [(0,)]


def test_what_a_dead_worker_held_runs_again_within_its_lease_and_five_seconds(
    bench: Bench, start: Start
) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"sleep": 600})
    first = start("--slots", "1", "--lease", LEASE)
    first.wait_for("job.claimed", job=job_id)
    second = start("--slots", "1", "--lease", LEASE)
    ((before,),) = bench.run_sql("SELECT statement_timestamp()")
    first.kill()
    second.wait_for("job.claimed", job=job_id, lease=2, timeout=30)
    assert (bench.job(job_id).started_at - before).total_seconds() < float(LEASE) + 5


def test_a_job_whose_tenant_and_lane_are_gone_from_the_rules_ends_like_any_other(
    bench: Bench, start: Start
) -> None:
    tenant = bench.tenant()
    with tenant_rows(tenant):
        set_queue(tenant_id=tenant, max_running=1)
    (job_id,) = bench.enqueue(tenant, payload={"sleep": 1, "effect": 1}, lane=Lane.BULK)
    worker = start("--slots", "1")
    worker.wait_for("job.claimed", job=job_id)
    bench.run_sql("DELETE FROM jobs_tenantqueue")
    worker.wait_for("job.finished", job=job_id, lease=1)
