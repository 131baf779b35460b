"""Operations: what an operator orders for all that a filter matches. Ordered here, run by workers.

It is bounded by the moment at which it was looked at: what fails later is not swept along. A requeue runs in
batches, each in a transaction of its own that also notes how far it came, so it can be stopped, and goes on
where a killed process left it. What higher apps order, such as a change of many documents, is done by jobs of
theirs: each looks whether the operation still runs, and notes its part as it finishes. Where some of them
fail for good, the operation ends once no other is left; requeueing one lets it run again (`jobs.services`).
"""

import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any, Self

from django.apps import apps
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext_noop

from jobs.acting import Actor, acting_as, current_actor
from jobs.clock import database_now
from jobs.errors import JobRefused
from jobs.models import Job, JobStatus, Operation
from jobs.scope import all_rows
from jobs.services import requeue_jobs

BATCH = 500
#: A preview counts so far, and says that there are more.
COUNTED = 10_000
#: Tenants that a preview names.
_NAMED = 20
_HELD_SECONDS = 60
#: No job of it is left that could go on; jobs say in their payload to which operation they belong.
_STALLED = """
    operation.state = 'running' AND operation.verb = 'change' AND NOT EXISTS (
        SELECT FROM jobs_job AS part
        WHERE part.type = 'change-documents' AND part.status IN ('queued', 'processing')
          AND part.payload ->> 'operation_id' = operation.id::text
    )
"""
#: The answer of `due_query`: whether any operation waits for a process.
_DUE_SQL = f"""
    SELECT EXISTS (
        SELECT FROM jobs_operation
        WHERE state = 'running' AND verb = 'requeue' AND lease_expires_at <= statement_timestamp()
    ) OR EXISTS (SELECT FROM jobs_operation AS operation WHERE {_STALLED})
"""
_END_SQL = f"""
    UPDATE jobs_operation AS operation SET state = 'ended', ended_at = statement_timestamp() WHERE {_STALLED}
"""
_TAKE_SQL = """
    UPDATE jobs_operation SET lease_expires_at = statement_timestamp() + make_interval(secs => %s)
    WHERE id = (
        SELECT id FROM jobs_operation
        WHERE state = 'running' AND verb = 'requeue' AND lease_expires_at <= statement_timestamp()
        ORDER BY created_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    )
    RETURNING id
"""


@dataclass(frozen=True)
class Wanted:
    """Which failed jobs are meant: all that match everything that is given."""

    fingerprint: str = ""
    tenant: str = ""
    type: str = ""
    kind: str = ""
    text: str = ""

    @classmethod
    def from_mapping(cls, given: Mapping[str, Any]) -> Self:
        """Return what a mapping says, such as the parameters of a page. Raises JobRefused for nonsense."""
        values = {name: str(given.get(name) or "")[:200] for name in cls.__dataclass_fields__}
        if values["tenant"]:
            try:
                values["tenant"] = str(uuid.UUID(values["tenant"]))
            except ValueError:
                raise JobRefused("This is no id of a tenant.") from None
        return cls(**values)

    @property
    def is_empty(self) -> bool:
        """Whether it would match every failed job there is."""
        return not any(asdict(self).values())

    def jobs(self, *, as_of: datetime | None = None) -> QuerySet[Job]:
        """Return the failed jobs that the open scope sees, up to a moment."""
        rows = Job.objects.filter(status=JobStatus.FAILED)
        exact = {
            "fingerprint": self.fingerprint,
            "tenant_id": self.tenant,
            "type": self.type,
            "failure_kind": self.kind,
        }
        rows = rows.filter(**{name: value for name, value in exact.items() if value})
        if self.text:
            rows = rows.filter(error_message__icontains=self.text)
        return rows if as_of is None else rows.filter(finished_at__lte=as_of)


@dataclass(frozen=True)
class Preview:
    """What an operation would do, as of a moment: nothing is changed by looking."""

    as_of: datetime
    jobs: int
    is_more: bool
    #: Jobs by tenant, most first, and those that would be left alone, by reason.
    tenants: list[tuple[str, str, int]] = field(default_factory=list)
    skipped: Mapping[str, int] = field(default_factory=dict)


INACTIVE = gettext_noop("the tenant is not active")


def preview_requeue(wanted: Wanted) -> Preview:
    """Count what a requeue would take, up to 10,000 jobs. Raises JobRefused for an empty filter."""
    _check(wanted)
    as_of = database_now()
    # The tenants' names are looked up afterwards: joined, they would be read for every single job.
    found = list(wanted.jobs(as_of=as_of).order_by().values_list("tenant_id", flat=True)[: COUNTED + 1])
    by_tenant = Counter(found[:COUNTED])
    # The model belongs to a higher app: named as the key of Job names it, not imported.
    tenants: Any = apps.get_model("tenants.Tenant").objects.in_bulk(list(by_tenant))
    inactive = sum(
        count for key, count in by_tenant.items() if key not in tenants or tenants[key].status != "active"
    )
    named = [(str(key), str(tenants.get(key) or key), count) for key, count in by_tenant.most_common(_NAMED)]
    skipped = {INACTIVE: inactive} if inactive else {}
    return Preview(as_of, by_tenant.total(), len(found) > COUNTED, named, skipped)


def order_requeue(*, id: uuid.UUID, wanted: Wanted, as_of: datetime, total: int) -> Operation:
    """Order a requeue of all that had failed up to `as_of`; the same id twice is one order.

    Raises JobRefused for an empty filter.
    """
    _check(wanted)
    operation, _ = open_operation(
        id=id, verb=Operation.Verb.REQUEUE, wanted=asdict(wanted), as_of=as_of, total=total
    )
    return operation


def open_operation(
    *, id: uuid.UUID, verb: Operation.Verb, wanted: Mapping[str, object], as_of: datetime, total: int
) -> tuple[Operation, bool]:
    """Write down what the acting person ordered; returns it, and whether it was not ordered before."""
    actor = current_actor()
    return Operation.objects.get_or_create(
        id=id,
        defaults={
            "verb": verb,
            "wanted": wanted,
            "as_of": as_of,
            "actor": actor.name,
            "origin": actor.origin,
            "total": total,
        },
    )


def find_open(*, id: uuid.UUID, verb: Operation.Verb) -> Operation | None:
    """Return an operation whose jobs are to do their parts; None for one that was stopped, or is gone."""
    # One that has ended as well: it may have in the moment in which this job was requeued.
    states = (Operation.State.RUNNING, Operation.State.ENDED)
    return Operation.objects.filter(id=id, verb=verb, state__in=states).first()


def note_part(*, id: uuid.UUID, done: int, skipped: Mapping[str, int]) -> None:
    """Count what a job did of an operation; what makes it whole ends it.

    Last in the transaction that finishes the job: whoever does another part waits for it to end.
    """
    operation = Operation.objects.select_for_update().filter(id=id).first()
    if operation is None:
        return
    operation.done += done
    operation.skipped = dict(Counter(operation.skipped) + Counter(skipped))
    fields = ["done", "skipped"]
    if operation.state != Operation.State.STOPPED and not operation.not_done:
        operation.state, operation.ended_at = Operation.State.DONE, Now()
        fields += ["state", "ended_at"]
    operation.save(update_fields=fields)


def stop_operation(*, id: uuid.UUID) -> bool:
    """Stop an operation after the batch that runs; False where it runs no more. What is done stays done."""
    running = Operation.objects.filter(id=id, state=Operation.State.RUNNING)
    return running.update(state=Operation.State.STOPPED, ended_at=Now()) == 1


def due_query() -> tuple[str, dict[str, Any]]:
    """Return the statement that tells whether any operation waits to be run."""
    return _DUE_SQL, {}


def run_operations() -> int:
    """Run the operations that nobody else runs, one after another; returns how many came to their end.

    Those of which no job is left that could go on end here, too.
    """
    with all_rows(), connection.cursor() as cursor:
        cursor.execute(_END_SQL)
        ended: int = cursor.rowcount
    while (operation_id := _take()) is not None:
        while _run_batch(operation_id):
            pass
        ended += 1
    return ended


def _take() -> uuid.UUID | None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_TAKE_SQL, [_HELD_SECONDS])
        row = cursor.fetchone()
    return row[0] if row else None


def _run_batch(operation_id: uuid.UUID) -> bool:
    """Requeue the next batch and note it, in one transaction; False at the end."""
    with all_rows():
        operation = Operation.objects.select_for_update().get(id=operation_id)
        if operation.state != Operation.State.RUNNING:
            return False
        wanted = Wanted.from_mapping(operation.wanted)
        rows = wanted.jobs(as_of=operation.as_of)
        if operation.after_finished_at is not None:
            after = Q(finished_at=operation.after_finished_at, id__gt=operation.after_id)
            rows = rows.filter(
                after | Q(finished_at__gt=operation.after_finished_at),
                finished_at__gte=operation.after_finished_at,
            )
        rows = rows.order_by("finished_at", "id")
        batch = list(rows.values_list("id", "finished_at", "tenant__status")[:BATCH])
        skipped = Counter(operation.skipped)
        if inactive := sum(status != "active" for _, _, status in batch):
            skipped[INACTIVE] += inactive
        with acting_as(Actor(operation.actor, operation.origin)):
            report = requeue_jobs(job_ids=[job_id for job_id, _, status in batch if status == "active"])
        skipped.update(report.skipped)
        is_last = len(batch) < BATCH
        changes: dict[str, Any] = {"done": F("done") + report.requeued, "skipped": dict(skipped)}
        if batch:
            changes |= {"after_id": batch[-1][0], "after_finished_at": batch[-1][1]}
        if is_last:
            changes |= {"state": Operation.State.DONE, "ended_at": Now()}
        else:
            changes |= {"lease_expires_at": Now() + timedelta(seconds=_HELD_SECONDS)}
        Operation.objects.filter(id=operation_id).update(**changes)
    return not is_last


def _check(wanted: Wanted) -> None:
    if wanted.is_empty:
        raise JobRefused("Say which failed jobs are meant: by cause, tenant, type, kind or text.")
