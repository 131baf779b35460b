"""What tests of faults ask of the queue, and how they put odd jobs into it."""

import time
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.jobs.bench import Bench


def enqueue_odd(bench: Bench, tenant: uuid.UUID, type: str, number: int = 1, **options: Any) -> list[int]:
    """Queue jobs of a type that only the workers of these tests know, with many retries unless told."""
    columns = {"max_retries": 100} | options.pop("columns", {})
    ids = bench.enqueue(tenant, number, delay_seconds=3600, **options)
    for job_id in ids:
        bench.change(job_id, type=f"'{type}'", lane=1, next_attempt_at="statement_timestamp()", **columns)
    return ids


def effects(bench: Bench) -> Counter[int]:
    """How many effects each job has had."""
    return Counter(row[0] for row in bench.run_sql("SELECT job_id FROM jobs_probeeffect"))


def outcomes(bench: Bench, job_id: int) -> list[str]:
    return [one.outcome for one in bench.attempts(job_id)]


def unended(bench: Bench) -> int:
    """How many jobs are queued or run."""
    (row,) = bench.run_sql("SELECT count(*) FROM jobs_job WHERE status IN ('queued', 'processing')")
    return int(row[0])


def wait_until(bench: Bench, condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for what no event of one worker tells: whoever did it."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, [(job.id, job.type, job.status, job.worker) for job in bench.jobs()]
        bench.run_sql("SELECT pg_sleep(0.05)")
