"""What operators see of the queue: no table of jobs is counted for it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connections
from django.db.models import ExpressionWrapper, F, FloatField, Func
from django.db.models.functions import Now

from jobs.models import Job, JobAttempt, JobStatus, QueueSample, WorkerProcess

RUNNING_SHOWN = 100
FAILED_SHOWN = 10
#: Jobs of all tenants that one step of a look back passes over, and steps at once.
WINDOW, WINDOWS = 20_000, 5


@dataclass(frozen=True)
class AnalysisProgress:
    """How far the newest analysis of a document is, in its own steps; and why it failed, if it did."""

    done: int = 0
    of: int = 0
    error: str = ""


def find_progress(tenant_id: UUID, document_id: UUID) -> AnalysisProgress:
    """Return how far the newest analysis of a document is. Needs the tenant's scope."""
    jobs = Job.objects.filter(tenant_id=tenant_id, document_id=document_id, type="analyze-document")
    job = jobs.order_by("-id").first()
    if job is None:
        return AnalysisProgress()
    return AnalysisProgress(
        job.progress_done, job.progress_total, job.error_message if job.status == JobStatus.FAILED else ""
    )


@dataclass(frozen=True)
class WorkerLine:
    """One worker; `running` of its slots, `silent_for` in seconds since its last heartbeat."""

    name: str
    state: str
    slots: int
    running: int
    version: str
    started_at: datetime
    silent_for: float


@dataclass(frozen=True)
class RunningLine:
    """One running job; `seconds` since it was claimed, `lease_left` until its lease ends.

    `is_renewed`: as much of the lease is left as heartbeats leave; else it is about to end.
    """

    id: int
    tenant: str
    type: str
    worker: str
    attempt: int
    seconds: float
    lease_left: float
    is_renewed: bool
    done: int
    of: int


@dataclass(frozen=True)
class FailedLine:
    """One failed job: when it failed for good, in what way, and why."""

    id: int
    tenant: str
    type: str
    document_id: UUID | None
    finished_at: datetime | None
    attempts: int
    kind: str
    error: str


@dataclass(frozen=True)
class QueueOverview:
    """The newest sample and its age in seconds, the workers, what runs where, and what failed last."""

    sampled_at: datetime | None
    sample_age: float
    counts: Mapping[str, Mapping[str, int]]
    approximate: bool
    oldest_due_seconds: float
    #: See `QueueSample.oldest_by_type`.
    oldest_by_type: Mapping[str, Any] | None
    workers: list[WorkerLine]
    running: list[RunningLine]
    failed: list[FailedLine]


class _Seconds(Func):
    """The seconds of an interval."""

    template = "extract(epoch FROM %(expressions)s)::double precision"
    output_field = FloatField()


def _seconds(start: str, end: str) -> _Seconds:
    moments = {"now": Now()}
    return _Seconds(ExpressionWrapper(moments.get(end, F(end)) - moments.get(start, F(start)), FloatField()))


def look_at_queue() -> QueueOverview:
    """Return what the open scope may see: of a tenant's scope, its jobs; of an operator's, all."""
    sample = QueueSample.objects.annotate(age=_seconds("sampled_at", "now")).order_by("-sampled_at").first()
    workers = WorkerProcess.objects.annotate(silent_for=_seconds("beat_at", "now")).order_by("started_at")
    running = (
        Job.objects.filter(status=JobStatus.PROCESSING)
        .select_related("tenant")
        .annotate(seconds=_seconds("started_at", "now"), lease_left=_seconds("now", "lease_expires_at"))
        .order_by("tenant_id", "id")[:RUNNING_SHOWN]
    )
    busy = Counter(Job.objects.filter(status=JobStatus.PROCESSING).values_list("worker", flat=True))
    failed = Job.objects.filter(status=JobStatus.FAILED).select_related("tenant")
    return QueueOverview(
        sampled_at=sample.sampled_at if sample else None,
        sample_age=sample.age if sample else 0.0,
        counts=sample.counts if sample else {},
        approximate=sample.approximate if sample else False,
        oldest_due_seconds=sample.oldest_due_seconds if sample else 0.0,
        oldest_by_type=sample.oldest_by_type if sample else None,
        workers=[
            WorkerLine(
                one.name, one.state, one.slots, busy[one.name], one.version, one.started_at, one.silent_for
            )
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
                is_renewed=job.lease_left >= settings.ARCHIV_LEASE_SECONDS / 2,
                done=job.progress_done,
                of=job.progress_total,
            )
            for job in running
        ],
        failed=[
            FailedLine(
                id=job.id,
                tenant=str(job.tenant or job.tenant_id),
                type=job.type,
                document_id=job.document_id,
                finished_at=job.finished_at,
                attempts=job.retry_count + 1,
                kind=job.failure_kind,
                error=job.error_message,
            )
            for job in failed.order_by("-finished_at", "-id")[:FAILED_SHOWN]
        ],
    )


def list_jobs(
    tenant_id: UUID,
    *,
    status: str | None,
    document_id: UUID | None,
    before: int | None,
    limit: int,
) -> list[Job]:
    """Return jobs of a tenant, newest first: those of a document, or of one status. Needs the scope.

    No index serves those that ended well, or of any status, without a document: see `look_back`.
    """
    rows = Job.objects.filter(tenant_id=tenant_id)
    if document_id is not None:
        rows = rows.filter(document_id=document_id)
    if status is not None:
        rows = rows.filter(status=status)
    if before is not None:
        rows = rows.filter(id__lt=before)
    return list(rows.order_by("-id")[:limit])


@dataclass(frozen=True)
class LookBack:
    """Jobs that were found, and the id below which the search goes on; None where it has come to an end."""

    jobs: list[Job]
    before: int | None


def look_back(tenant_id: UUID, *, status: str | None, before: int | None, limit: int) -> LookBack:
    """Return jobs of a tenant that ended well, or in any status, newest first. Needs the scope.

    No index serves them, so only a stretch of all jobs is looked through, in steps: few may be in it, or
    none, and more before it. It costs the same however many jobs there are.
    """
    if before is None:
        before = _newest_id() + 1
    rows: list[Job] = []
    for _ in range(WINDOWS):
        first = max(0, before - WINDOW)
        jobs = Job.objects.filter(tenant_id=tenant_id, id__gte=first, id__lt=before)
        if status is not None:
            jobs = jobs.filter(status=status)
        rows += jobs.order_by("-id")[: limit + 1 - len(rows)]
        if len(rows) > limit:
            return LookBack(rows[:limit], rows[limit - 1].pk)
        before = first
        if before <= 1:
            return LookBack(rows, None)
    return LookBack(rows, before)


def _newest_id() -> int:
    """Return the number of the newest job of all tenants; the newest of one tenant may lie far back."""
    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT pg_sequence_last_value(pg_get_serial_sequence('jobs_job', 'id')::regclass)")
        (newest,) = cursor.fetchone()
    return int(newest or 0)


def find_attempts(tenant_id: UUID, job_id: int) -> list[JobAttempt]:
    """Return the attempts of a job, oldest first. Needs the tenant's scope."""
    return list(JobAttempt.objects.filter(tenant_id=tenant_id, job_id=job_id).order_by("lease"))
