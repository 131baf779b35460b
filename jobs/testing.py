"""For tests of applications: work off due jobs in this process, and wait for what other processes do.

`drain_jobs` runs the statements and the code of a worker and its children (claim, context, finish, fail), on
the connection `default`: also inside the transaction that a test rolls back, where it needs
`databases=["default", "queue"]`. See docs/jobs.md.
"""

import socket
import time
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.conf import settings

from jobs.engine.attempts import from_report, unknown_type
from jobs.engine.child import run_job
from jobs.engine.messages import Outcome, decode_batch, encode_batch
from jobs.engine.store import claims, ends, upkeep
from jobs.engine.store.base import Held, app_connection
from jobs.engine.store.claims import Claimed, Terms, Wanted
from jobs.engine.store.heads import due_heads
from jobs.errors import JobsError, UnknownJobType
from jobs.models import Job, JobStatus
from jobs.registry import autodiscover, get_job_type
from jobs.scope import all_rows

_Found = TypeVar("_Found")
_BOUND = 500
_PAUSE_SECONDS = 0.02
NAME = "drain"


class NeverHappened(JobsError):
    """What was waited for did not happen in time."""


class EndlessJobs(JobsError):
    """Jobs kept coming while due jobs were worked off."""


@dataclass(frozen=True)
class DrainedJob:
    """One attempt that was run: `status` queued means that the job runs again later."""

    id: int
    type: str
    status: JobStatus
    lease: int
    kind: str = ""
    error: str = ""


def drain_jobs(
    *,
    tenant_id: uuid.UUID | None = None,
    types: Collection[str] | None = None,
    templates: Mapping[str, socket.socket] | None = None,
    limit: int = 1000,
) -> list[DrainedJob]:
    """Run all due jobs here, one after the other, until none is left; returns each attempt in its order.

    Only those of a tenant or of some types, if given. `templates` are the request sockets of what handlers
    fork from; without one, a handler that needs it is tried again later. Pause, cap and closing hold as they
    do for a worker. Raises EndlessJobs after `limit` attempts.
    """
    autodiscover()
    terms = Terms(NAME, settings.ARCHIV_LEASE_SECONDS, tuple(types) if types is not None else None)
    done: list[DrainedJob] = []
    while claimed := _claim_next(terms, tenant_id):
        if len(done) == limit:
            with all_rows():
                ends.release(app_connection(), [Held(claimed.id, claimed.lease)])
            raise EndlessJobs(f"Jobs of type {claimed.type} are still due after {limit} attempts.")
        done.append(_work_off(claimed, dict(templates or {})))
    return done


def wait_for(condition: Callable[[], _Found], *, seconds: float = 30.0, what: str = "it") -> _Found:
    """Return what `condition` gives as soon as that is true. Raises NeverHappened after so many seconds."""
    until = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() >= until:
            raise NeverHappened(f"After {seconds:g} s {what} has not happened.")
        time.sleep(_PAUSE_SECONDS)
    return found


def wait_for_job(job_id: int, *, seconds: float = 30.0) -> Job:
    """Return a job as soon as a worker has ended it for good. Raises NeverHappened, saying how it stands."""
    ended = (JobStatus.SUCCEEDED, JobStatus.FAILED)

    def look() -> Job | None:
        with all_rows():
            return Job.objects.filter(id=job_id, status__in=ended).first()

    try:
        found = wait_for(look, seconds=seconds)
    except NeverHappened:
        with all_rows():
            job = Job.objects.filter(id=job_id).first()
        stands = f"is {job.status} {job.error_message}".strip() if job else "is not there"
        raise NeverHappened(f"After {seconds:g} s job {job_id} {stands}.") from None
    assert found is not None, "what was waited for is true"
    return found


def _claim_next(terms: Terms, tenant_id: uuid.UUID | None) -> Claimed | None:
    """Claim the job that has been due longest; None: there is none."""
    with all_rows():
        connection = app_connection()
        upkeep.stage(connection, limit=_BOUND)
        for job in claims.claim_urgent(connection, 1, terms):
            if tenant_id in (None, uuid.UUID(job.tenant_id)):
                return job
            ends.release(connection, [Held(job.id, job.lease)])
        heads, _ = due_heads(connection, after=None, bound=_BOUND)
        for head in sorted(heads, key=lambda head: head.row):
            if head.due_in > 0 or tenant_id not in (None, uuid.UUID(head.tenant_id)):
                continue
            wanted = [Wanted(head.tenant_id, head.lane, 1)]
            for job in claims.claim(connection, wanted, terms) or claims.claim_capped(
                connection, head.tenant_id, wanted, terms
            ):
                return job
    return None


def _work_off(claimed: Claimed, templates: dict[str, socket.socket]) -> DrainedJob:
    """Run one attempt as a child does, and end it as the dispatcher does."""
    try:
        get_job_type(claimed.type)
    except UnknownJobType as error:
        return _end(claimed, unknown_type(claimed, error))
    (running,) = decode_batch(encode_batch([claimed]))
    report = run_job(running, templates)
    if report.outcome is Outcome.FAILED:
        return _end(claimed, from_report(claimed, report, base=settings.ARCHIV_BACKOFF_BASE_SECONDS))
    if report.outcome is Outcome.DONE:
        with all_rows():
            ends.finish_batch(app_connection(), [running.held])
    return _as_it_stands(claimed)


def _end(claimed: Claimed, failure: ends.Failure) -> DrainedJob:
    with all_rows():
        ends.fail_batch(app_connection(), [failure])
    return _as_it_stands(claimed)


def _as_it_stands(claimed: Claimed) -> DrainedJob:
    with all_rows():
        row = Job.objects.filter(id=claimed.id).values_list("status", "failure_kind", "error_message").get()
    return DrainedJob(claimed.id, claimed.type, JobStatus(row[0]), claimed.lease, row[1], row[2])
