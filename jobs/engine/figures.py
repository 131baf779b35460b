"""Figures: what this worker tells of itself every ten seconds, and what one of them samples for all.

Written by a thread with a connection of its own: a sample takes as long as the database needs for it, and
would keep jobs waiting in the dispatcher's loop meanwhile.
"""

import threading
import time
import uuid

import psycopg

from jobs.engine import events
from jobs.engine.database import LOST, Lifeline
from jobs.engine.store import figures, samples
from jobs.engine.store.base import Connection
from jobs.engine.tally import Tally
from jobs.gauges import measure_disk

#: Between two times that a worker writes its tally down, and that one of them rolls minutes up (seconds).
TALLY_SECONDS, ROLL_UP_SECONDS = 10.0, 300.0
# So long the end of a worker waits for what the thread is at.
_GOODBYE_SECONDS = 2.0


class Figures:
    """Writes figures; `next_at` says when any is due again (monotonic seconds)."""

    def __init__(self, worker: str, tally: Tally) -> None:
        self._worker = worker
        self._tally = tally
        self._tally_at = 0.0
        self._sample_at = 0.0
        self._roll_up_at = 0.0
        #: Whether nothing is begun any more but the statement that is under way.
        self.hurry = threading.Event()

    @property
    def next_at(self) -> float:
        """When something is due."""
        return min(self._sample_at, self._tally_at)

    def run(self, connection: Connection) -> None:
        """Write what is due."""
        now = time.monotonic()
        if now >= self._tally_at:
            self._tally_at = now + TALLY_SECONDS
            self._write_tally(connection)
        if now >= self._sample_at:
            self._sample_at = now + samples.SAMPLE_SECONDS / 3
            self._sample(connection, every=samples.SAMPLE_SECONDS)

    def write_last(self, connection: Connection) -> None:
        """Leave true figures behind: after the last worker nobody counts."""
        self._write_tally(connection)
        self._sample(connection, every=0.0)

    def _write_tally(self, connection: Connection) -> None:
        with self._tally.taken() as taken:
            if taken:
                types, tenants = taken.by_type(), taken.by_tenant()
                figures.add_counts(connection, worker=self._worker, types=types, tenants=tenants)

    def _sample(self, connection: Connection, *, every: float) -> None:
        """Sample the queue if no other worker did; whoever did so counts the rest as well."""
        taken = samples.sample(connection, worker=self._worker, every=every)
        if taken is None or self.hurry.is_set():
            return
        used = measure_disk()
        figures.complete_sample(connection, sample=taken.id, start=str(uuid.uuid4()), vault_used=used)
        if self.hurry.is_set():
            return
        figures.group_errors(connection)
        if time.monotonic() >= self._roll_up_at and not self.hurry.is_set():
            figures.roll_up(connection)
            self._roll_up_at = time.monotonic() + ROLL_UP_SECONDS


class FigureWriter(threading.Thread):
    """Has figures written while the worker runs, whatever happens to the database."""

    def __init__(self, worker: str, tally: Tally) -> None:
        super().__init__(name="figures", daemon=True)
        self._worker = worker
        self._figures = Figures(worker, tally)
        self._over = threading.Event()
        self._lifeline = Lifeline("figures", worker=worker)

    def run(self) -> None:
        """Write what is due until told to stop."""
        while not self._over.is_set():
            connection = self._lifeline.get()
            if connection is not None:
                self._write(connection)
            next_at = self._figures.next_at if self._lifeline.is_up else self._lifeline.retry_at
            self._over.wait(max(0.0, next_at - time.monotonic()))
        self._lifeline.close()

    def _write(self, connection: Connection) -> None:
        try:
            self._figures.run(connection)
        except LOST as error:
            self._lifeline.lose(error)
        except psycopg.Error as error:
            # A page without news is better than a worker without figures from now on.
            events.figures_failed(self._worker, error)

    def stop(self) -> Figures | None:
        """End the thread, and return what may write the last figures; None if it is still at a statement."""
        if self.is_alive() and not self._over.is_set():
            self._over.set()
            self._figures.hurry.set()
            self.join(_GOODBYE_SECONDS)
            self._figures.hurry.clear()
        return None if self.is_alive() else self._figures
