"""The door to the queue for the wipe of a tenant: end what runs, count and remove jobs with their attempts.

All of it runs in the caller's transaction and in the scope of the tenant, as `archiv_app`.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connections

from jobs.context import RunningJob
from jobs.engine.store import erase
from jobs.engine.store.base import app_connection
from jobs.engine.store.erase import Rows
from jobs.errors import LeaseLost
from jobs.models import FailureKind, TenantQueue

__all__ = ["Rows", "Window", "count_jobs", "end_other_jobs", "erase_jobs", "erase_queue", "job_windows"]

#: Ids a statement: some ten milliseconds, if all of them are the tenant's.
_WINDOW = 10_000
#: The id of no job.
NOBODY = 0


@dataclass(frozen=True)
class Window:
    """The ids after `after` and up to `until`."""

    after: int
    until: int


def end_other_jobs(*, job: RunningJob, message: str) -> int:
    """End whatever else runs for the tenant of a running job, and raise the leases; returns how many.

    What those jobs do from now on does not count. Raises LeaseLost, and ends nothing, if the job has lost its
    own lease.
    """
    with connections["default"].wrap_database_errors:
        ended = erase.end_others(
            app_connection(),
            job.held,
            tenant_id=str(job.tenant_id),
            kind=FailureKind.TENANT_INACTIVE,
            message=message,
        )
    if ended is None:
        raise LeaseLost
    return ended


def job_windows() -> Iterator[Window]:
    """Return windows over the ids of all jobs there have been up to now."""
    with connections["default"].wrap_database_errors:
        end = erase.last_id(app_connection())
    for after in range(0, end, _WINDOW):
        yield Window(after, min(after + _WINDOW, end))


def count_jobs(*, tenant_id: uuid.UUID, window: Window, spare: int = NOBODY) -> Rows:
    """Count the tenant's jobs in a window, with their attempts; the job `spare` is left out."""
    with connections["default"].wrap_database_errors:
        return erase.count_window(
            app_connection(), tenant_id=str(tenant_id), after=window.after, until=window.until, spare=spare
        )


def erase_jobs(*, tenant_id: uuid.UUID, window: Window, spare: int = NOBODY) -> Rows:
    """Delete the tenant's jobs in a window with their attempts, whatever their status, but not `spare`."""
    with connections["default"].wrap_database_errors:
        return erase.erase_window(
            app_connection(), tenant_id=str(tenant_id), after=window.after, until=window.until, spare=spare
        )


def erase_queue(*, tenant_id: uuid.UUID) -> None:
    """Delete what is exceptional about the tenant's queue: it goes with the tenant."""
    TenantQueue.objects.filter(tenant_id=tenant_id).delete()
