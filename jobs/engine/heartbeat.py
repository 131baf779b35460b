"""The heartbeat: a thread with a connection of its own that keeps every lease of this worker alive.

Apart from the dispatcher's work, so that a slow claim or a long finish lets no lease end; also while
stopping.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable

from jobs.engine import events
from jobs.engine.database import LOST, Lifeline
from jobs.engine.store import leases, upkeep
from jobs.engine.store.base import Held
from jobs.engine.store.upkeep import Worker

#: Heartbeats in the time of one lease.
BEATS_PER_LEASE = 3
#: Seconds until a row that was locked is tried again. A job that writes one checkpoint after the other leaves
#: its row alone for a few milliseconds only.
_AGAIN_SECONDS = 0.02


class HeldJobs:
    """The leases of this worker, shared by its threads."""

    def __init__(self) -> None:
        self._held: set[Held] = set()
        self._lock = threading.Lock()

    def add(self, held: Iterable[Held]) -> None:
        """Renew these leases from now on."""
        with self._lock:
            self._held.update(held)

    def discard(self, held: Iterable[Held]) -> None:
        """Renew them no more."""
        with self._lock:
            self._held.difference_update(held)

    def snapshot(self) -> frozenset[Held]:
        """Return all that are held."""
        with self._lock:
            return frozenset(self._held)


class Heartbeat(threading.Thread):
    """Renews leases `BEATS_PER_LEASE` times a lease; `wake` is called when some turn out to be lost."""

    def __init__(self, worker: Worker, held: HeldJobs, *, lease: float, wake: Callable[[], None]) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self.state = "running"
        self._worker = worker
        self._held = held
        self._lease = lease
        self._wake = wake
        self._lost: deque[Held] = deque()
        self._over = threading.Event()
        self._lifeline = Lifeline("heartbeat", worker=worker.name)

    def run(self) -> None:
        """Beat until told to stop, whatever happens to the database."""
        while not self._over.is_set():
            began = time.monotonic()
            skipped = self._beat(self._held.snapshot())
            pause = self._lease / BEATS_PER_LEASE if self._lifeline.is_up else 0.2
            while skipped and time.monotonic() - began < pause and not self._over.wait(_AGAIN_SECONDS):
                skipped = self._beat(skipped & self._held.snapshot(), again=True)
            self._over.wait(max(0.0, began + pause - time.monotonic()))
        self._say_goodbye()

    def _beat(self, held: frozenset[Held], *, again: bool = False) -> frozenset[Held]:
        """Renew these leases, and return those whose rows were locked."""
        connection = self._lifeline.get()
        if connection is None:
            return frozenset()
        try:
            beat = leases.beat(connection, held, seconds=self._lease)
            if not again:
                upkeep.show_worker(connection, self._worker, state=self.state)
        except LOST as error:
            self._lifeline.lose(error)
        except Exception as error:  # noqa: BLE001  without heartbeats every job of this worker would be taken away
            events.heartbeat_failed(self._worker.name, error)
        else:
            if beat.lost:
                self._lost.extend(beat.lost)
                self._wake()
            return beat.skipped
        return frozenset()

    def take_lost(self) -> list[Held]:
        """Return leases that were found lost since the last call."""
        taken = []
        while self._lost:
            taken.append(self._lost.popleft())
        return taken

    def stop(self) -> None:
        """Beat no more, and take the worker's row away."""
        self._over.set()
        if self.is_alive():
            self.join(timeout=5)

    def _say_goodbye(self) -> None:
        connection = self._lifeline.get()
        if connection is None:
            return
        try:
            upkeep.remove_worker(connection, self._worker.name)
        except LOST:
            pass  # the row is forgotten later by other workers
        finally:
            self._lifeline.close()
