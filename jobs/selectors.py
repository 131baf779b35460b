"""What operators see of the queue: no table of jobs is counted for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import ExpressionWrapper, F, FloatField, Func
from django.db.models.functions import Now

from jobs.models import Job, JobStatus, QueueSample, WorkerProcess

RUNNING_SHOWN = 100


@dataclass(frozen=True)
class WorkerLine:
    """One worker; `silent_for` in seconds since its last heartbeat."""

    name: str
    state: str
    slots: int
    version: str
    started_at: datetime
    silent_for: float


@dataclass(frozen=True)
class RunningLine:
    """One running job; `seconds` since it was claimed, `lease_left` until its lease ends."""

    id: int
    tenant: str
    type: str
    worker: str
    attempt: int
    seconds: float
    lease_left: float
    done: int
    of: int


@dataclass(frozen=True)
class QueueOverview:
    """The newest sample, the workers, and what runs where since when."""

    sampled_at: datetime | None
    counts: Mapping[str, Mapping[str, int]]
    approximate: bool
    oldest_due_seconds: float
    workers: list[WorkerLine]
    running: list[RunningLine]


class _Seconds(Func):
    """The seconds of an interval."""

    template = "extract(epoch FROM %(expressions)s)::double precision"
    output_field = FloatField()


def _seconds(start: str, end: str) -> _Seconds:
    moments = {"now": Now()}
    return _Seconds(ExpressionWrapper(moments.get(end, F(end)) - moments.get(start, F(start)), FloatField()))


def look_at_queue() -> QueueOverview:
    """Return what the open scope may see: of a tenant's scope, its jobs; of an operator's, all."""
    sample = QueueSample.objects.order_by("-sampled_at").first()
    workers = WorkerProcess.objects.annotate(silent_for=_seconds("beat_at", "now")).order_by("started_at")
    running = (
        Job.objects.filter(status=JobStatus.PROCESSING)
        .select_related("tenant")
        .annotate(seconds=_seconds("started_at", "now"), lease_left=_seconds("now", "lease_expires_at"))
        .order_by("tenant_id", "id")[:RUNNING_SHOWN]
    )
    return QueueOverview(
        sampled_at=sample.sampled_at if sample else None,
        counts=sample.counts if sample else {},
        approximate=sample.approximate if sample else False,
        oldest_due_seconds=sample.oldest_due_seconds if sample else 0.0,
        workers=[
            WorkerLine(one.name, one.state, one.slots, one.version, one.started_at, one.silent_for)
            for one in workers
        ],
        running=[
            RunningLine(
                id=job.id,
                tenant=str(job.tenant or job.tenant_id),
                type=job.type,
                worker=job.worker,
                attempt=job.retry_count + 1,
                seconds=job.seconds,
                lease_left=job.lease_left,
                done=job.progress_done,
                of=job.progress_total,
            )
            for job in running
        ],
    )
