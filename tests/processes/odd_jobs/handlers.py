"""Job types that only tests of faults need, in workers with the settings of these tests."""

import os
import time
from collections.abc import Callable

from jobs.models import ProbeEffect
from jobs.registry import JobContext, handler
from tests.processes.odd_jobs import breaking


def _write_effect(context: JobContext) -> None:
    job = context.job
    with context.finishing():
        ProbeEffect.objects.create(tenant_id=job.tenant_id, job_id=job.id, lease=job.lease)


@handler("probe-steps", timeout=60)
def run_steps(context: JobContext) -> None:
    """Go through everything that a handler may do with its lease; see `breaking`."""
    breaking.begin_steps()
    with context.checkpointing():
        ProbeEffect.objects.filter(job_id=context.job.id).exists()
    context.publish_progress(1, 2)
    _write_effect(context)


class _Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


_ODD_ERRORS: dict[str, Callable[[], BaseException]] = {
    "nul": lambda: RuntimeError("before\0after"),
    "surrogate": lambda: RuntimeError("before\ud800after"),
    "huge": lambda: RuntimeError("x" * 100_000_000),
    "unspeakable": _Unspeakable,
    "system exit": lambda: SystemExit(3),
    "interrupt": KeyboardInterrupt,
}


@handler("probe-odd-error", timeout=60, max_retries=0)
def raise_odd_error(context: JobContext) -> None:
    """Raise an error that is hard to write down."""
    make = _ODD_ERRORS[str(context.job.payload["error"])]
    raise make()


@handler("analyze-document", timeout=60)
def run_twin(context: JobContext) -> None:
    """Stand in for the analysis, whose app these workers do without: its jobs have twins."""
    _write_effect(context)


@handler("probe-closes", timeout=60)
def close_everything(context: JobContext) -> None:
    """Close the pipes to the dispatcher, and go on as if nothing were."""
    os.closerange(3, 1024)
    time.sleep(600)
