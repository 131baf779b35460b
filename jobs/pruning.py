"""Pruning finished jobs: what the command and the daily chore call."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db import connections

from jobs.engine.store import erase, prune
from jobs.engine.store.base import app_connection
from jobs.errors import JobRefused
from jobs.scope import all_rows

#: How long jobs are kept after they ended, unless the caller says otherwise.
KEEP_SUCCEEDED, KEEP_FAILED = timedelta(days=30), timedelta(days=180)
_LONGEST = timedelta(days=100 * 366)
_WINDOW = 2000


@dataclass(frozen=True)
class PruneReport:
    """How many jobs went, by how they had ended, and how many attempts went with them."""

    succeeded: int = 0
    failed: int = 0
    attempts: int = 0

    def __add__(self, other: "PruneReport") -> "PruneReport":
        return PruneReport(
            self.succeeded + other.succeeded, self.failed + other.failed, self.attempts + other.attempts
        )


def prune_jobs(
    *,
    keep_succeeded: timedelta = KEEP_SUCCEEDED,
    keep_failed: timedelta = KEEP_FAILED,
    remove: bool = True,
    tell: Callable[[int, int], None] | None = None,
) -> PruneReport:
    """Remove all tenants' jobs that ended longer ago, in short transactions; `remove` false counts them.

    The jobs of wipes stay, and failed analyses of which there is no newer one: by them a document says that
    it was not read. `tell` hears the ids looked at, of how many. Raises JobRefused for a time below 0 or
    beyond a century.
    """
    for kept in (keep_succeeded, keep_failed):
        if not timedelta(0) <= kept <= _LONGEST:
            raise JobRefused(f"Jobs are kept for 0 to {_LONGEST.days} days, not for {kept.days}.")
    with all_rows():
        end = erase.last_id(app_connection())
    report, after = PruneReport(), 0
    while True:
        with all_rows(), connections["default"].wrap_database_errors:
            window = prune.prune_window(
                app_connection(),
                after=after,
                limit=_WINDOW,
                succeeded_seconds=keep_succeeded.total_seconds(),
                failed_seconds=keep_failed.total_seconds(),
                remove=remove,
            )
        report += PruneReport(window.succeeded, window.failed, window.attempts)
        after = end if window.last_id is None else window.last_id
        if tell is not None:
            tell(min(after, end), end)
        if window.last_id is None:
            return report
