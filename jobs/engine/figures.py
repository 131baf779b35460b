"""Figures: what this worker tells of itself every ten seconds, and what one of them samples for all."""

import time
import uuid

from jobs.engine.store import figures, samples
from jobs.engine.store.base import Connection
from jobs.engine.tally import Tally

#: Between two times that a worker writes its tally down, and that one of them rolls minutes up (seconds).
TALLY_SECONDS, ROLL_UP_SECONDS = 10.0, 300.0


class Figures:
    """Writes figures; `next_at` says when any is due again (monotonic seconds)."""

    def __init__(self, worker: str, tally: Tally) -> None:
        self._worker = worker
        self._tally = tally
        self._tally_at = 0.0
        self._sample_at = 0.0
        self._roll_up_at = 0.0

    @property
    def next_at(self) -> float:
        """When something is due."""
        return min(self._sample_at, self._tally_at)

    def run(self, connection: Connection) -> None:
        """Write what is due."""
        now = time.monotonic()
        if now >= self._tally_at:
            self._write_tally(connection)
            self._tally_at = now + TALLY_SECONDS
        if now >= self._sample_at:
            self._sample(connection, every=samples.SAMPLE_SECONDS)
            self._sample_at = now + samples.SAMPLE_SECONDS / 3

    def write_last(self, connection: Connection) -> None:
        """Leave true figures behind: after the last worker nobody counts."""
        self._write_tally(connection)
        self._sample(connection, every=0.0)

    def _write_tally(self, connection: Connection) -> None:
        if not self._tally:
            return
        figures.add_counts(
            connection, worker=self._worker, types=self._tally.by_type(), tenants=self._tally.by_tenant()
        )
        self._tally.clear()

    def _sample(self, connection: Connection, *, every: float) -> None:
        """Sample the queue if no other worker did; whoever did so counts the rest as well."""
        taken = samples.sample(connection, worker=self._worker, every=every)
        if taken is None:
            return
        figures.complete_sample(connection, sample=taken.id, start=str(uuid.uuid4()))
        figures.group_errors(connection)
        if time.monotonic() >= self._roll_up_at:
            figures.roll_up(connection)
            self._roll_up_at = time.monotonic() + ROLL_UP_SECONDS
