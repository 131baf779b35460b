"""The door to the queue for other apps: enqueue, requeue, cancel, and the exceptions of a tenant's queue.

All of it runs in the caller's transaction and scope, as `archiv_app`.
"""

import json
import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from random import random
from typing import Literal

from django.conf import settings
from django.db import IntegrityError, connections, transaction
from psycopg import errors

from jobs.auditing import audit
from jobs.batches import batched
from jobs.contention import outlive_deadlocks
from jobs.engine import events, hints
from jobs.engine.store import enqueue, operators
from jobs.engine.store.base import app_connection
from jobs.errors import JobRefused
from jobs.models import Job, JobStatus, Lane, TenantQueue
from jobs.registry import get_job_type

PAYLOAD_BYTES = 64 * 1024
_BATCH, _INSERT_BATCH = 200, 5000
_LARGEST_ID = 2**63 - 1
# A NUL in the text of JSON, told apart from an escaped backslash before "u0000".
_ESCAPED_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
#: Requeued jobs come due spread over a second for each so many.
_REQUEUED_PER_SECOND = 20


def enqueue_job(
    *,
    tenant_id: uuid.UUID,
    type: str,
    payload: Mapping[str, object],
    document_id: uuid.UUID | None = None,
    lane: Lane | None = None,
    delay_seconds: float = 0.0,
) -> int:
    """Queue one job in the open transaction and return its id; a worker is woken after the commit.

    Raises RetiredJobType, UnknownJobType, or JobRefused for a payload that cannot be stored.
    """
    job = _new_job(tenant_id, type, payload, document_id, lane, delay_seconds)
    with connections["default"].wrap_database_errors:
        job_id = enqueue.insert_job(app_connection(), job)
    _tell_queued(job, [job_id])
    notify_after_commit(tenant_id, urgent=job.lane == Lane.URGENT)
    return job_id


def enqueue_many(
    *,
    tenant_id: uuid.UUID,
    type: str,
    payloads: Sequence[Mapping[str, object]],
    lane: Lane | None = None,
    delay_seconds: float = 0.0,
) -> list[int]:
    """Queue one job for each payload in the open transaction, in a few statements; returns ids in order.

    For jobs without a document. Raises what `enqueue_job` raises, and queues nothing then.
    """
    job = _new_job(tenant_id, type, {}, None, lane, delay_seconds)
    for payload in payloads:
        _check_payload(type, payload)
    ids: list[int] = []
    with connections["default"].wrap_database_errors:
        for start in range(0, len(payloads), _INSERT_BATCH):
            batch = payloads[start : start + _INSERT_BATCH]
            ids += enqueue.insert_jobs(app_connection(), job, batch)
    if ids:
        _tell_queued(job, ids)
        notify_after_commit(tenant_id, urgent=job.lane == Lane.URGENT)
    return ids


def enqueue_analysis(
    *,
    tenant_id: uuid.UUID,
    document_id: uuid.UUID,
    document_version_id: uuid.UUID,
    force: bool = False,
    only: Sequence[str] = (),
    lane: Lane | None = None,
) -> int:
    """Queue the analysis of a document, or join the one that is queued for it; returns that job's id.

    Call it before the document is touched: then the job that is joined has either not been claimed yet, and
    sees the change, or it has, and a new one is queued. Joined, it gets this version and the stronger force.
    `only` names parts of the analysis to be done again on what was read before; `force` does all of them.
    Several documents go to `enqueue_analyses`.
    """
    payload: dict[str, object] = {
        "document_id": str(document_id),
        "document_version_id": str(document_version_id),
        "force": force,
    }
    if only:
        payload["only"] = list(only)
    job = _new_job(tenant_id, "analyze-document", payload, document_id, lane, 0.0)
    with connections["default"].wrap_database_errors:
        job_id = enqueue.join_analysis(app_connection(), job)
    _tell_queued(job, [job_id])
    notify_after_commit(tenant_id)
    return job_id


def enqueue_analyses(
    *,
    tenant_id: uuid.UUID,
    versions: Mapping[uuid.UUID, uuid.UUID],
    force: bool = False,
    only: Sequence[str] = (),
    lane: Lane | None = None,
) -> list[int]:
    """Do `enqueue_analysis` for documents, each with its version to be read; ids in order of the documents.

    In that order whoever queues several meets another who does, and neither waits for ever.
    """
    return outlive_deadlocks(
        lambda: [
            enqueue_analysis(
                tenant_id=tenant_id,
                document_id=document_id,
                document_version_id=version_id,
                force=force,
                only=only,
                lane=lane,
            )
            for document_id, version_id in sorted(versions.items())
        ]
    )


def _tell_queued(job: enqueue.NewJob, ids: Iterable[int]) -> None:
    if events.tells_claims():
        made = [operators.Verdict(job_id, str(job.tenant_id), operators.DONE, job.type) for job_id in ids]
        _tell_after_commit(events.job_queued, made)


def _new_job(
    tenant_id: uuid.UUID,
    type_name: str,
    payload: Mapping[str, object],
    document_id: uuid.UUID | None,
    lane: Lane | None,
    delay_seconds: float,
) -> enqueue.NewJob:
    job_type = get_job_type(type_name)
    _check_payload(type_name, payload)
    if lane == Lane.LATER:
        raise JobRefused("Nothing is enqueued into the lane 'later': give a delay, and the job waits there.")
    if not 0 <= delay_seconds <= 10 * 365 * 86_400:
        raise JobRefused(f"A delay must lie between 0 and ten years in seconds, not {delay_seconds}.")
    return enqueue.NewJob(
        tenant_id=tenant_id,
        type=type_name,
        payload=payload,
        document_id=document_id,
        lane=job_type.lane if lane is None else lane,
        max_retries=settings.ARCHIV_MAX_RETRIES if job_type.max_retries is None else job_type.max_retries,
        delay_seconds=delay_seconds,
    )


def _check_payload(type_name: str, payload: Mapping[str, object]) -> None:
    """Refuse what the database could not store, with words that say why."""
    try:
        text = json.dumps(payload, ensure_ascii=False, allow_nan=False)
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise JobRefused(f"The payload of {type_name} has half a character in its text.") from error
    except (TypeError, ValueError) as error:
        raise JobRefused(f"The payload of {type_name} is no JSON: {error}.") from error
    if size > PAYLOAD_BYTES:
        raise JobRefused(f"The payload of {type_name} has {size} bytes; {PAYLOAD_BYTES} are allowed.")
    if _ESCAPED_NUL.search(text):
        raise JobRefused(f"The payload of {type_name} has a NUL in its text, which cannot be stored.")


def notify_after_commit(tenant_id: uuid.UUID, *, urgent: bool = False) -> None:
    """Have workers look for jobs of this tenant once the open transaction has committed: a hint, never the
    truth.
    """
    hint = hints.URGENT if urgent else str(tenant_id)
    transaction.on_commit(lambda: hints.send_hint(hint), robust=True)


@dataclass(frozen=True)
class RequeueReport:
    """How many jobs run again, and how many were left alone, by reason (words for people)."""

    requeued: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)


def requeue_jobs(*, job_ids: Iterable[int], spread_seconds: float | None = None) -> RequeueReport:
    """Let failed jobs run again with all their retries; whatever else is among them is skipped and counted.

    Many come due spread over `spread_seconds` (None: a second for each 20), so that nothing stampedes.
    """
    outcomes: Counter[str] = Counter()
    ids = _possible(job_ids, outcomes)
    spread = len(ids) / _REQUEUED_PER_SECOND if spread_seconds is None else spread_seconds
    if len(ids) <= _REQUEUED_PER_SECOND and spread_seconds is None:
        spread = 0.0
    done: list[operators.Verdict] = []
    for batch in batched(ids, _BATCH):
        verdicts = _requeue_batch({job_id: spread * random() for job_id in batch})  # noqa: S311  no secret
        outcomes.update(verdict.outcome for verdict in verdicts)
        done += [verdict for verdict in verdicts if verdict.outcome == operators.DONE]
    _tell_after_commit(events.job_requeued, done)
    for tenant_id in _audit("job.requeued", done):
        notify_after_commit(tenant_id)
    return RequeueReport(outcomes.pop(operators.DONE, 0), _in_words(outcomes))


def _requeue_batch(delays: Mapping[int, float]) -> list[operators.Verdict]:
    """Requeue in one statement; where a twin is in the way, one by one."""
    try:
        return outlive_deadlocks(partial(operators.requeue, app_connection(), delays))
    except IntegrityError as error:
        if not isinstance(error.__cause__, errors.UniqueViolation):
            raise
    if len(delays) == 1:
        (job_id,) = delays
        return [operators.Verdict(job_id, None, "twin")]
    return [verdict for job_id, delay in delays.items() for verdict in _requeue_batch({job_id: delay})]


def find_failed_jobs(
    *,
    tenant_id: uuid.UUID | None = None,
    type: str | None = None,
    kind: str | None = None,
    fingerprint: str | None = None,
    since: datetime | None = None,
    limit: int = 1000,
) -> list[int]:
    """Return the ids of jobs that failed (at `since` or later) and that the open scope sees, newest first."""
    rows = Job.objects.filter(status=JobStatus.FAILED)
    if since is not None:
        rows = rows.filter(finished_at__gte=since)
    wanted = {"tenant_id": tenant_id, "type": type, "failure_kind": kind, "fingerprint": fingerprint}
    rows = rows.filter(**{name: value for name, value in wanted.items() if value is not None})
    return list(rows.order_by("-finished_at", "-id").values_list("id", flat=True)[:limit])


@dataclass(frozen=True)
class CancelReport:
    """How many jobs were cancelled, and how many were left alone, by reason (words for people)."""

    cancelled: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)


def cancel_jobs(*, job_ids: Iterable[int], by: str = "an operator") -> CancelReport:
    """End queued and running jobs as failed, `cancelled`. A running one is stopped within a heartbeat."""
    outcomes: Counter[str] = Counter()
    done: list[operators.Verdict] = []
    for batch in batched(_possible(job_ids, outcomes), _BATCH):
        cancel = partial(operators.cancel, app_connection(), batch, message=f"Cancelled by {by}.")
        verdicts = outlive_deadlocks(cancel)
        outcomes.update(verdict.outcome for verdict in verdicts)
        done += [verdict for verdict in verdicts if verdict.outcome == operators.DONE]
    _tell_after_commit(events.job_cancelled, done)
    _audit("job.cancelled", done)
    return CancelReport(outcomes.pop(operators.DONE, 0), _in_words(outcomes))


def fail_queued_jobs(*, tenant_id: uuid.UUID, kind: str, message: str, limit: int = 500) -> int:
    """Fail at most `limit` queued jobs of a tenant in the open transaction; 0 means that none is left.

    For closing a tenant: call it again, each time in a transaction of its own.
    """
    fail = partial(operators.fail_queued, app_connection(), str(tenant_id), kind=kind)
    failed = outlive_deadlocks(partial(fail, message=message, limit=limit))
    _tell_after_commit(partial(events.job_set_aside, kind=kind, error=message), failed)
    return len(failed)


def set_queue(
    *,
    tenant_id: uuid.UUID,
    weight: float | None = None,
    max_running: int | Literal["unchanged"] | None = "unchanged",
    paused: bool | None = None,
    closed: bool | None = None,
) -> TenantQueue:
    """Change what is exceptional about a tenant's queue; workers follow within a second.

    `max_running` None takes the cap away. What is not given stays as it is. Raises ValidationError.
    """
    given = {"weight": weight, "paused": paused, "closed": closed}
    changes: dict[str, float | int | bool | None] = {
        name: value for name, value in given.items() if value is not None
    }
    if max_running != "unchanged":
        changes["max_running"] = max_running
    with transaction.atomic():
        TenantQueue.objects.get_or_create(tenant_id=tenant_id)
        queue = TenantQueue.objects.select_for_update().get(tenant_id=tenant_id)
        changes = {name: value for name, value in changes.items() if getattr(queue, name) != value}
        for name, value in changes.items():
            setattr(queue, name, value)
        queue.full_clean(exclude=["tenant"], validate_unique=False)
        if changes:
            queue.save(update_fields=list(changes))
            audit("queue.changed", tenant_id, **changes)
    notify_after_commit(tenant_id)
    return queue


def _possible(job_ids: Iterable[int], outcomes: Counter[str]) -> list[int]:
    """Return the ids in order, each once; what no job can have is counted as missing."""
    ids = sorted(set(job_ids))
    possible = [job_id for job_id in ids if 0 < job_id <= _LARGEST_ID]
    outcomes["missing"] += len(ids) - len(possible)
    return possible


def _audit(action: str, done: Iterable[operators.Verdict]) -> list[uuid.UUID]:
    """Append one event for each tenant whose jobs were touched, and return these tenants in order."""
    touched: dict[uuid.UUID, list[int]] = {}
    for verdict in done:
        if verdict.tenant_id is not None:
            touched.setdefault(uuid.UUID(verdict.tenant_id), []).append(verdict.id)
    for tenant_id, ids in sorted(touched.items()):
        audit(action, tenant_id, jobs=len(ids), first=min(ids), last=max(ids))
    return sorted(touched)


def _tell_after_commit(tell: Callable[[events.JobLabel], None], done: Iterable[operators.Verdict]) -> None:
    """Tell the log of each job that was changed, once that is committed."""
    labels = [events.JobLabel(one.id, one.tenant_id or "", one.type, one.lease, one.worker) for one in done]

    def tell_all() -> None:
        for label in labels:
            tell(label)

    transaction.on_commit(tell_all, robust=True)


def _in_words(outcomes: Mapping[str, int]) -> dict[str, int]:
    return {operators.REASONS[outcome]: count for outcome, count in outcomes.items() if count}
