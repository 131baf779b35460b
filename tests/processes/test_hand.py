"""One job a child: a claim takes more than children are given, and what is over waits in hand."""

from collections.abc import Iterator

import pytest

from jobs.models import JobStatus
from tests.jobs.bench import Bench
from tests.processes.test_worker import enqueue_at_once, teach_that_probes_are_small
from tests.processes.workers import WorkerProcess

QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus


@pytest.fixture(scope="module")
def one_a_child(worker_environment: dict[str, str]) -> Iterator[WorkerProcess]:
    """A worker with two children, each of which is given one job at a time."""
    worker = WorkerProcess(("--slots", "2", "--batch", "1"), worker_environment)
    worker.wait_ready()
    yield worker
    worker.destroy()


def test_a_crash_touches_none_that_waits_in_hand(bench: Bench, one_a_child: WorkerProcess) -> None:
    teach_that_probes_are_small(bench, one_a_child)
    payloads: list[dict[str, object]] = [{"kill": "exit"} if n == 3 else {} for n in range(12)]
    ids = enqueue_at_once(bench, *payloads)
    bench.change(ids[3], max_retries=0)
    one_a_child.wait_for("job.failed", job=ids[3], kind="crash", status="failed", timeout=60)
    for job_id in (*ids[:3], *ids[4:]):
        one_a_child.wait_for("job.finished", job=job_id, timeout=60)
    outcomes = {job_id: [one.outcome for one in bench.attempts(job_id)] for job_id in ids}
    assert outcomes.pop(ids[3]) == ["crash"]
    assert {outcome for told in outcomes.values() for outcome in told} <= {"succeeded", "released"}


def test_what_waits_in_hand_behind_long_jobs_is_given_back_for_other_workers(
    bench: Bench, one_a_child: WorkerProcess
) -> None:
    teach_that_probes_are_small(bench, one_a_child)
    long: dict[str, object] = {"sleep": 600}
    ids = enqueue_at_once(bench, long, long, *[{}] * 6)
    for job_id in ids[:2]:
        one_a_child.wait_for("job.claimed", job=job_id, timeout=60)
    for _ in range(1200):
        if bench.statuses(*ids[2:]) == [QUEUED] * 6:
            break
        bench.run_sql("SELECT pg_sleep(0.05)")
    assert bench.statuses(*ids) == [PROCESSING] * 2 + [QUEUED] * 6
    assert {bench.job(job_id).retry_count for job_id in ids} == {0}
