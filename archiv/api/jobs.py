"""The tenant's jobs: what waits, runs and failed, and letting failed ones run again."""

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Path, Query, Schema
from pydantic import Field

from archiv.api.callers import access_of, caller_of
from archiv.api.errors import NoSuchThing, Refused
from archiv.api.routes import Routes
from archiv.api.types import Cursor, Limit, Page, read_cursor, write_cursor
from jobs.models import Job as JobRow
from jobs.models import JobAttempt, JobStatus
from jobs.numbers import MOST, read_number, show_number
from jobs.selectors import find_attempts, list_jobs, look_back
from jobs.services import cancel_jobs, requeue_jobs
from tenants.scope import tenant_scope

routes = Routes("jobs")
JobNumber = Annotated[int, Path(ge=1, le=MOST)]


class Job(Schema):
    """One piece of work. Its number says nothing of its place among others."""

    id: int
    type: str
    status: JobStatus
    document_id: uuid.UUID | None
    retry_count: int
    max_retries: int
    error: str
    failure_kind: str
    done: int
    of: int
    created_at: datetime
    next_attempt_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class Attempt(Schema):
    """One claim of a job and how it ended."""

    started_at: datetime
    ended_at: datetime | None
    outcome: str
    error: str


class JobWithAttempts(Job):
    """A job and its attempts, oldest first."""

    attempts: list[Attempt]


class JobPage(Page):
    """Some jobs, newest first."""

    jobs: list[Job]


class JobFilters(Schema):
    """Which jobs are wanted: those of a document, or those of a status."""

    status: Literal["queued", "processing", "failed", "succeeded", "all"] = Field(
        default="failed",
        description="For `succeeded` and `all` a call looks back over a bounded stretch: a page may be"
        " short or empty, and still have a `next`.",
    )
    document_id: uuid.UUID | None = Field(
        default=None, description="All jobs of this document; `status` is left aside then."
    )
    limit: Limit = 50
    cursor: Cursor | None = None


@routes.add("GET", "/jobs", capability="jobs:read", response=JobPage)
def list_of_jobs(request: HttpRequest, wanted: Query[JobFilters]) -> JobPage:
    """List jobs, newest first: those of a document, or those of a status."""
    access = access_of(request)
    kind = f"jobs.{wanted.status}.{wanted.document_id}"
    cursor = read_cursor(kind, wanted.cursor)
    before = read_number(access.tenant_id, cursor["id"]) if cursor else None

    def onwards(job_id: int) -> str:
        return write_cursor(kind, {"id": show_number(access.tenant_id, job_id)})

    if wanted.document_id is None and wanted.status in ("succeeded", "all"):
        status = None if wanted.status == "all" else wanted.status
        with tenant_scope(access.tenant_id):
            found = look_back(access.tenant_id, status=status, before=before, limit=wanted.limit)
        following = onwards(found.before) if found.before is not None else None
        return JobPage(jobs=[_show(access.tenant_id, row) for row in found.jobs], next=following)
    with tenant_scope(access.tenant_id):
        rows = list_jobs(
            access.tenant_id,
            status=wanted.status if wanted.document_id is None else None,
            document_id=wanted.document_id,
            before=before,
            limit=wanted.limit + 1,
        )
    shown = rows[: wanted.limit]
    following = onwards(shown[-1].pk) if len(rows) > wanted.limit else None
    return JobPage(jobs=[_show(access.tenant_id, row) for row in shown], next=following)


@routes.add("GET", "/jobs/{job_id}", capability="jobs:read", response=JobWithAttempts)
def get_job(request: HttpRequest, job_id: JobNumber) -> JobWithAttempts:
    """Return one job with its attempts."""
    access = access_of(request)
    known = read_number(access.tenant_id, job_id)
    with tenant_scope(access.tenant_id):
        row = JobRow.objects.filter(tenant_id=access.tenant_id, pk=known).first()
        attempts = find_attempts(access.tenant_id, known)
    if row is None:
        raise NoSuchThing
    return JobWithAttempts(
        **_show(access.tenant_id, row).model_dump(), attempts=[_show_attempt(one) for one in attempts]
    )


@routes.add("POST", "/jobs/{job_id}/requeue", capability="jobs:requeue", response=JobWithAttempts)
def requeue_job(request: HttpRequest, job_id: JobNumber) -> JobWithAttempts:
    """Let a failed job run again with all its retries. 409 if it has not failed."""
    access = access_of(request)
    access.require("jobs:read")
    with tenant_scope(access.tenant_id):
        report = requeue_jobs(job_ids=_own(access.tenant_id, job_id))
    _check(report.requeued, report.skipped)
    return get_job(request, job_id)


@routes.add("POST", "/jobs/{job_id}/cancel", capability="jobs:requeue", response=JobWithAttempts)
def cancel_job(request: HttpRequest, job_id: JobNumber) -> JobWithAttempts:
    """End a job that waits or runs; a running one is stopped within a heartbeat. 409 if it has ended."""
    access = access_of(request)
    access.require("jobs:read")
    with tenant_scope(access.tenant_id):
        report = cancel_jobs(job_ids=_own(access.tenant_id, job_id), by=caller_of(request).name)
    _check(report.cancelled, report.skipped)
    return get_job(request, job_id)


def _own(tenant_id: uuid.UUID, number: int) -> list[int]:
    """Return the id of the job in a list. Raises `NoSuchThing` if the tenant has no such job."""
    job_id = read_number(tenant_id, number)
    if not JobRow.objects.filter(tenant_id=tenant_id, pk=job_id).exists():
        raise NoSuchThing
    return [job_id]


def _check(changed: int, skipped: Mapping[str, int]) -> None:
    if not changed:
        raise Refused(f"Nothing was changed: the job is {', '.join(skipped) or 'not there'}.")


def _show(tenant_id: uuid.UUID, row: JobRow) -> Job:
    return Job(
        id=show_number(tenant_id, row.pk),
        type=row.type,
        status=JobStatus(row.status),
        document_id=row.document_id,
        retry_count=row.retry_count,
        max_retries=row.max_retries,
        error=row.error_message,
        failure_kind=row.failure_kind,
        done=row.progress_done,
        of=row.progress_total,
        created_at=row.created_at,
        next_attempt_at=row.next_attempt_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def _show_attempt(row: JobAttempt) -> Attempt:
    """Return an attempt without its traceback, which is for operators."""
    return Attempt(started_at=row.started_at, ended_at=row.ended_at, outcome=row.outcome, error=row.error)
