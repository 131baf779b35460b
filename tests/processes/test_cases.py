"""Faults that users of other queues have reported, one test each, with real workers."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from jobs.models import JobStatus
from jobs.scope import all_rows
from jobs.services import cancel_jobs, requeue_jobs
from jobs.text import MESSAGE_CHARACTERS
from tests.jobs.bench import Bench
from tests.processes.looking import effects, enqueue_odd, outcomes
from tests.processes.workers import WorkerProcess

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


def test_a_job_that_asks_for_more_memory_than_there_is_fails_with_the_reason(
    bench: Bench, odd_worker: WorkerProcess
) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"alloc_mb": 1 << 30})
    bench.change(job_id, max_retries=0)
    odd_worker.wait_for("job.failed", job=job_id, status="failed")
    assert "MemoryError" in bench.job(job_id).error_message
    (after,) = bench.enqueue(bench.tenant(), payload={"effect": 1})
    odd_worker.wait_for("job.finished", job=after)


@pytest.fixture(scope="module")
def odd_worker(worker_environment: dict[str, str]) -> Iterator[WorkerProcess]:
    """One worker for all errors: it must outlive each."""
    worker = WorkerProcess(("--slots", "1"), worker_environment)
    worker.wait_ready()
    yield worker
    worker.destroy()
