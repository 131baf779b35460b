"""Housekeeping: reap what dead workers hold, sample the queue, forget workers that are gone, mind the daily
chores. Each in its time.
"""

import time

from jobs.engine import counters, events
from jobs.engine.chores import Chores
from jobs.engine.events import JobLabel
from jobs.engine.options import WorkerOptions
from jobs.engine.store import ends, samples, upkeep
from jobs.engine.store.base import Connection
from jobs.engine.store.ends import Expired

_REAP_BATCH = 100
# What cannot be reaped is left alone for a while: what the database refuses, what a transaction keeps.
_REFUSED_SECONDS, _KEPT_SECONDS = 300.0, 5.0
_FORGET_LEASES = 20


class Housekeeping:
    """What any worker does for all of them; each task says when it is due again (monotonic seconds)."""

    def __init__(self, options: WorkerOptions) -> None:
        self._options = options
        self._reap_at = 0.0
        self._after: Expired | None = None
        #: Jobs that could not be reaped, and when that is tried again (monotonic seconds).
        self._left_alone: dict[int, float] = {}
        self._sample_at = 0.0
        self._chores = Chores(worker=options.worker.name, pause=options.chores)

    @property
    def next_at(self) -> float:
        """When something is due."""
        return min(self._reap_at, self._sample_at, self._chores.next_at)

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
        if now >= self._sample_at:
            samples.sample(connection, worker=self._options.worker.name)
            upkeep.forget_workers(connection, seconds=_FORGET_LEASES * self._options.lease)
            self._sample_at = now + samples.SAMPLE_SECONDS / 3
        if now >= self._chores.next_at:
            self._chores.run(connection)
        return tenants

    def stop_chores(self) -> None:
        """End what chores of this worker run."""
        self._chores.stop()

    def count_last(self, connection: Connection) -> None:
        """Leave true figures behind: after the last worker nobody counts."""
        samples.sample(connection, worker=self._options.worker.name, every=0.0)

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
            label = JobLabel(job.id, job.tenant_id, job.type, job.lease, job.worker)
            events.job_reaped(label, status=ended[job.id].status)
        for one in ended.values():
            if not one.is_written:
                pause = _REFUSED_SECONDS if one.status == ends.REFUSED else _KEPT_SECONDS
                self._left_alone[one.id] = now + pause
        if self._after is None:  # the end of a round
            self._left_alone = {job: until for job, until in self._left_alone.items() if until > now}
        return [job.tenant_id for job in reaped]
