"""Housekeeping: reap what dead workers hold, forget workers that are gone, start what runs beside it.

Each in its time.
"""

import time

from jobs import chores, operations
from jobs.engine import counters, events
from jobs.engine.errands import Errand
from jobs.engine.events import JobLabel
from jobs.engine.options import WorkerOptions
from jobs.engine.store import ends, upkeep
from jobs.engine.store.base import Connection
from jobs.engine.store.ends import Expired
from jobs.engine.tally import Tally
from jobs.models import JobMinute, JobStatus

_REAP_BATCH = 100
# What cannot be reaped is left alone for a while: what the database refuses, what a transaction keeps.
_REFUSED_SECONDS, _KEPT_SECONDS = 300.0, 5.0
_OPERATIONS_SECONDS = 1.0
_FORGET_SECONDS, _FORGET_LEASES = 5.0, 20


class Housekeeping:
    """What any worker does for all of them; each task says when it is due again (monotonic seconds)."""

    def __init__(self, options: WorkerOptions, tally: Tally) -> None:
        self._options = options
        self._tally = tally
        self._reap_at = 0.0
        self._after: Expired | None = None
        #: Jobs that could not be reaped, and when that is tried again (monotonic seconds).
        self._left_alone: dict[int, float] = {}
        self._forget_at = 0.0
        name = options.worker.name
        self._errands = (
            Errand("run_chores", chores.due_query(), worker=name, pause=options.chores),
            Errand("run_operations", operations.due_query(), worker=name, pause=_OPERATIONS_SECONDS),
        )

    @property
    def next_at(self) -> float:
        """When something is due."""
        return min(self._reap_at, self._forget_at, *(one.next_at for one in self._errands))

    def hold_back(self, seconds: float) -> None:
        """Reap nothing for a while: after an outage of the database everybody must renew first."""
        self._reap_at = time.monotonic() + seconds

    def run(self, connection: Connection) -> list[str]:
        """Do what is due; returns tenants whose jobs may run again."""
        now = time.monotonic()
        tenants: list[str] = []
        if now >= self._reap_at:
            tenants = self._reap(connection)
            self._reap_at = now if self._after is not None else now + self._options.reaper
        if now >= self._forget_at:
            upkeep.forget_workers(connection, seconds=_FORGET_LEASES * self._options.lease)
            self._forget_at = now + _FORGET_SECONDS
        for errand in self._errands:
            if now >= errand.next_at:
                errand.run(connection)
        return tenants

    def stop_errands(self) -> None:
        """End what processes of this worker run beside it."""
        for errand in self._errands:
            errand.stop()

    def _reap(self, connection: Connection) -> list[str]:
        """Reap one batch, and go on behind it next time, so that rows that cannot be reaped shield nobody."""
        expired = ends.find_expired(connection, after=self._after, limit=_REAP_BATCH)
        self._after = expired[-1] if len(expired) == _REAP_BATCH else None
        now = time.monotonic()
        tried = [job for job in expired if self._left_alone.get(job.id, 0.0) <= now]
        ended = {one.id: one for one in ends.reap(connection, tried, backoff_base=self._options.backoff_base)}
        reaped = [job for job in tried if job.id in ended and ended[job.id].is_written]
        for job in reaped:
            counters.REAPED.labels(job.type).inc()
            runs_again = ended[job.id].status == JobStatus.QUEUED
            outcome = JobMinute.Outcome.RETRIED if runs_again else JobMinute.Outcome.FAILED
            self._tally.count(job.tenant_id, job.type, outcome, 0.0)
            label = JobLabel(job.id, job.tenant_id, job.type, job.lease, job.worker)
            events.job_reaped(label, status=ended[job.id].status)
        for one in ended.values():
            if not one.is_written:
                pause = _REFUSED_SECONDS if one.status == ends.REFUSED else _KEPT_SECONDS
                self._left_alone[one.id] = now + pause
        if self._after is None:  # the end of a round
            self._left_alone = {job: until for job, until in self._left_alone.items() if until > now}
        return [job.tenant_id for job in reaped]
