"""What the first page shows, read from rows that workers keep ready. Needs an operator's scope."""

import uuid
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import F, Sum
from django.db.models.functions import Now, TruncHour
from django.urls import reverse

from archiv.backup.history import age_of_newest_backup
from archiv.dashboard.plots import Point
from archiv.dashboard.room import Filling, read_filling
from documents.gauges import look_at_disk
from documents.models import VaultCheck, VaultFinding
from jobs.display import name_actors, show_oldest
from jobs.figure_models import WAITING_COUNTED
from jobs.models import (
    DailyChore,
    Job,
    JobMinute,
    JobStatus,
    Lane,
    Operation,
    QueueSample,
    TenantHour,
    TenantQueue,
    WorkerProcess,
)
from tenants.models import Tenant, WipeOrder, WipeState

DAMAGED_SHOWN = 1000
TENANTS_SHOWN, OPERATIONS_SHOWN, RUNNING_SHOWN = 10, 10, 200
#: Where each kind of operation is shown.
_PAGES = {
    Operation.Verb.REQUEUE: "admin:jobs_failedjob_operation",
    Operation.Verb.CHANGE: "admin:documents_document_operation",
}


@dataclass(frozen=True)
class Sample:
    """The newest sample; `age` in seconds, `counts` are `{type: {status: jobs}}`."""

    at: datetime
    age: float
    counts: Mapping[str, Mapping[str, int]]
    approximate: bool
    oldest_due: float
    waiting: list[dict[str, Any]]
    lanes: Mapping[str, int]
    database_bytes: int
    horizon: float
    #: See `QueueSample.oldest_by_type`.
    oldest_by_type: Mapping[str, Any] | None = None

    @property
    def longest_waiting(self) -> str:
        """The id of the tenant whose due job has waited longest; empty where nobody waits."""
        longest = max(self.waiting, key=lambda entry: float(entry["oldest"]), default=None)
        return str(longest["tenant"]) if longest else ""

    def total(self, status: JobStatus) -> int:
        """Return the jobs of all types in a status."""
        return sum(by_status.get(status, 0) for by_status in self.counts.values())


@dataclass(frozen=True)
class Waiting:
    """A tenant with due jobs. Shares from 0 to 1: of worker time in this hour and the last, and by weight."""

    id: uuid.UUID
    name: str
    status: str
    waiting: int
    is_more: bool
    oldest: float
    share: float
    due_share: float
    paused: bool
    #: Whether the tenant is there, so that its queue can be paused.
    is_there: bool


@dataclass(frozen=True)
class Running:
    """One running job; `seconds` since it was begun."""

    id: int
    type: str
    tenant: str
    done: int
    of: int
    seconds: float


@dataclass(frozen=True)
class WorkerLine:
    """A worker, what it runs, and how long it has been silent (seconds)."""

    name: str
    host: str
    version: str
    state: str
    slots: int
    silent_for: float
    is_late: bool
    running: list[Running]


@dataclass(frozen=True)
class TypeLine:
    """What one type has waiting, running and failed, and how long it takes (seconds; None: unknown).

    `oldest` says in words how long its oldest due job has waited.
    """

    name: str
    queued: int
    oldest: str
    running: int
    failed: int
    mean: float | None


@dataclass(frozen=True)
class Machine:
    """Room and care. Sizes in bytes; None where the vault is no folder, or nothing was ever done."""

    vault_used: int | None
    vault_free: int | None
    vault_total: int | None
    backup_age: timedelta | None
    verified_age: timedelta | None
    damaged: int
    chores: list[DailyChore]
    #: None where there is too little to go by.
    filling: Filling | None = None


@dataclass(frozen=True)
class Ordered:
    """An operation, who ordered it, and where its page is."""

    operation: Operation
    person: str
    address: str


def read_sample() -> Sample | None:
    """Return the newest sample."""
    row = QueueSample.objects.annotate(age=Now() - F("sampled_at")).order_by("-sampled_at").first()
    if row is None:
        return None
    return Sample(
        at=row.sampled_at,
        age=max(0.0, row.age.total_seconds()),
        counts=row.counts,
        approximate=row.approximate,
        oldest_due=row.oldest_due_seconds,
        waiting=row.waiting,
        lanes={str(label): row.lanes.get(str(lane), 0) for lane, label in Lane.choices},
        database_bytes=row.database_bytes,
        horizon=row.horizon_seconds,
        oldest_by_type=row.oldest_by_type,
    )


_ENDED_SQL = """
    WITH bins AS (
        SELECT generate_series(
            date_bin(%(bin)s::interval, statement_timestamp() - %(span)s::interval, 'epoch'),
            date_bin(%(bin)s::interval, statement_timestamp(), 'epoch'), %(bin)s::interval) AS at
    ),
    sums AS (
        SELECT date_bin(%(bin)s::interval, minute, 'epoch') AS at, outcome, sum(attempts) AS attempts
        FROM jobs_jobminute WHERE minute >= (SELECT min(at) FROM bins) GROUP BY 1, 2
    )
    SELECT bins.at, coalesce(sum(attempts) FILTER (WHERE outcome = 'succeeded'), 0)::integer,
           coalesce(sum(attempts) FILTER (WHERE outcome = 'failed'), 0)::integer
    FROM bins LEFT JOIN sums USING (at) GROUP BY bins.at ORDER BY bins.at
"""


def read_ended(*, span: timedelta, bin: timedelta) -> tuple[list[Point], list[Point]]:
    """Return what succeeded and what failed for good in each part of a span that ends now."""
    with connection.cursor() as cursor:
        cursor.execute(_ENDED_SQL, {"span": f"{span.total_seconds()} s", "bin": f"{bin.total_seconds()} s"})
        rows = cursor.fetchall()
    return [Point(at, done) for at, done, _ in rows], [Point(at, failed) for at, _, failed in rows]


def name_longest(sample: Sample | None) -> str:
    """Return the name of the tenant whose oldest due job has waited longest; empty where nobody waits."""
    longest = sample.longest_waiting if sample else ""
    return str((Tenant.objects.filter(pk=longest).first() if longest else None) or "")


def read_waiting(sample: Sample | None) -> list[Waiting]:
    """Return the tenants with most due jobs, and whether they get their share."""
    entries = (sample.waiting if sample else [])[:TENANTS_SHOWN]
    ids = [uuid.UUID(entry["tenant"]) for entry in entries]
    tenants = Tenant.objects.in_bulk(ids)
    queues = TenantQueue.objects.in_bulk(ids)
    hours = TenantHour.objects.filter(hour__gte=TruncHour(Now()) - timedelta(hours=1))
    shown = hours.filter(tenant_id__in=ids).values_list("tenant_id").annotate(used=Sum("seconds"))
    used = dict(shown.values_list("tenant_id", "used"))
    weights = {key: queues[key].weight if key in queues else 1.0 for key in ids}
    all_used = hours.aggregate(all=Sum("seconds"))["all"] or 1.0
    all_weights = sum(weights.values()) or 1.0
    return [
        Waiting(
            id=key,
            name=str(tenants.get(key) or key),
            status=tenants[key].status if key in tenants else "",
            waiting=min(entry["waiting"], WAITING_COUNTED),
            is_more=entry["waiting"] > WAITING_COUNTED,
            oldest=float(entry["oldest"]),
            share=used.get(key, 0.0) / all_used,
            due_share=weights[key] / all_weights,
            paused=key in queues and queues[key].paused,
            is_there=key in tenants,
        )
        for key, entry in zip(ids, entries, strict=True)
    ]


def read_workers() -> list[WorkerLine]:
    """Return the workers with what each of them runs."""
    jobs = Job.objects.filter(status=JobStatus.PROCESSING).select_related("tenant")
    jobs = jobs.defer("payload", "error_message").annotate(age=Now() - F("started_at"))
    running: defaultdict[str, list[Running]] = defaultdict(list)
    for job in jobs.order_by("tenant_id", "id")[:RUNNING_SHOWN]:
        seconds = job.age.total_seconds() if job.age else 0.0
        tenant = str(job.tenant or job.tenant_id)
        running[job.worker].append(
            Running(job.pk, job.type, tenant, job.progress_done, job.progress_total, max(0.0, seconds))
        )
    rows = WorkerProcess.objects.annotate(silence=Now() - F("beat_at")).order_by("host", "started_at")
    return [
        WorkerLine(
            name=row.name,
            host=row.host,
            version=row.version,
            state=row.state,
            slots=row.slots,
            silent_for=max(0.0, row.silence.total_seconds()),
            is_late=row.silence.total_seconds() > settings.ARCHIV_LEASE_SECONDS,
            running=running[row.name],
        )
        for row in rows
    ]


def read_types(sample: Sample | None) -> list[TypeLine]:
    """Return what waits, runs and has failed by type, those with most waiting first."""
    recent = JobMinute.objects.filter(minute__gte=Now() - timedelta(hours=2))
    sums = recent.values_list("type").annotate(seconds=Sum("seconds"), attempts=Sum("attempts"))
    means = {name: seconds / attempts for name, seconds, attempts in sums if attempts}
    lines = [
        TypeLine(
            name,
            counts.get(JobStatus.QUEUED, 0),
            show_oldest(
                sample.oldest_by_type if sample else None, name, is_waiting=bool(counts.get(JobStatus.QUEUED))
            ),
            counts.get(JobStatus.PROCESSING, 0),
            counts.get(JobStatus.FAILED, 0),
            means.get(name),
        )
        for name, counts in (sample.counts if sample else {}).items()
    ]
    return sorted(lines, key=lambda line: (-line.queued, line.name))


def read_machine() -> Machine:
    """Return how much room there is, and when it was last cared for."""
    disk = look_at_disk()
    verified = VaultCheck.objects.annotate(age=Now() - F("ended_at")).order_by("-id").first()
    return Machine(
        vault_used=disk.used if disk else None,
        vault_free=disk.free if disk else None,
        vault_total=disk.total if disk else None,
        backup_age=age_of_newest_backup(),
        verified_age=verified.age if verified else None,
        damaged=len(VaultFinding.objects.filter(resolved_at=None).values_list("pk")[:DAMAGED_SHOWN]),
        chores=list(DailyChore.objects.order_by("name")),
        filling=read_filling(disk) if disk else None,
    )


def read_operations() -> list[Ordered]:
    """Return what was ordered last for many jobs or documents at once."""
    rows = list(Operation.objects.order_by("-created_at")[:OPERATIONS_SHOWN])
    names = name_actors([row.actor for row in rows])
    pages = [reverse(_PAGES[Operation.Verb(row.verb)], args=[row.pk]) for row in rows]
    return [Ordered(row, names[row.actor], page) for row, page in zip(rows, pages, strict=True)]


def read_standing_wipes() -> list[WipeOrder]:
    """Return wipes that have begun and whose job has failed: nobody works on them."""
    begun = {order.job_id: order for order in WipeOrder.objects.filter(state=WipeState.AUTHORISED)[:50]}
    failed = Job.objects.filter(id__in=[key for key in begun if key], status=JobStatus.FAILED)
    return [begun[key] for key in failed.values_list("id", flat=True)]


def read_paused(limit: int = 5) -> list[str]:
    """Return the names of some tenants whose queue is paused."""
    paused = TenantQueue.objects.filter(paused=True).order_by("tenant_id")
    return [str(name) for name in paused.values_list("tenant__name", flat=True)[:limit] if name]
