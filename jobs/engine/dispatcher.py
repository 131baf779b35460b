"""The dispatcher: claims due jobs by fair share, hands them to children, writes how they end, keeps house.

One thread and one loop over a selector. It never touches documents, and survives the loss of its database.
"""

import math
import selectors
import time
from collections.abc import Callable
from contextlib import suppress

from jobs.engine import counters, events
from jobs.engine.claimer import Claimer
from jobs.engine.database import LOST, Lifeline
from jobs.engine.figures import FigureWriter
from jobs.engine.hands import Hands
from jobs.engine.heartbeat import Heartbeat, HeldJobs
from jobs.engine.hints import tell_back
from jobs.engine.housekeeping import Housekeeping
from jobs.engine.ledger import Ledger
from jobs.engine.listener import Listener
from jobs.engine.options import WorkerOptions
from jobs.engine.stopping import StopSignals
from jobs.engine.store import ends
from jobs.engine.store.base import Connection
from jobs.engine.tally import Tally
from jobs.engine.templates import Templates
from jobs.registry import job_types, templates

# A worker that stops waits so long for the database, and so long for the ends of children that it has killed.
_LAST_WRITES_SECONDS, _LAST_DEATHS_SECONDS = 5.0, 20.0
# So long a child that is idle waits for others that are nearly so.
_GATHER_SECONDS = 0.002
# After an outage other workers renew their leases first, so long at least.
_REAP_PAUSE = 3.0


class Dispatcher:
    """One worker: `run` it once."""

    def __init__(self, options: WorkerOptions) -> None:
        self._options = options
        name = options.worker.name
        self._selector = selectors.DefaultSelector()
        self._held = HeldJobs()
        self._claimer = Claimer(options)
        tally = Tally()
        self._ledger = Ledger(
            name,
            self._held,
            tally,
            on_left=self._claimer.hear_ends,
            on_retry=self._claimer.expect,
        )
        self._housekeeping = Housekeeping(options, tally)
        self._figures = FigureWriter(name, tally)
        self._database = Lifeline("dispatcher", worker=name)
        self._database.must_be_let_in = True
        self._listener = Listener(worker=name)
        self._templates = Templates(templates(), worker=name, selector=self._selector)
        self._hands = Hands(
            options,
            claimer=self._claimer,
            ledger=self._ledger,
            templates=self._templates,
            selector=self._selector,
        )
        self._pool = self._hands.pool
        self._stop = StopSignals()
        self._heartbeat = Heartbeat(options.worker, self._held, lease=options.lease, wake=self._stop.wake)
        self._stop_at: float | None = None
        self._idle_since: float | None = None
        self._left_busy = False
        self._restored_at: float | None = None

    def run(self, *, on_ready: Callable[[], None]) -> bool:
        """Work until stopped or drained; `on_ready` is called before the first claim.

        False: some jobs could not be given back, and run again when their leases end. Raises DatabaseRefuses
        where waiting for a first connection would not help.
        """
        with self._stop:
            self._selector.register(self._stop, selectors.EVENT_READ, self._stop.take)
            try:
                self._templates.start()
                self._pool.fill()
                self._heartbeat.start()
                self._figures.start()
                counters.SLOTS.set(self._options.slots)
                ready = False
                while not self._is_over():
                    self._turn()
                    if not ready and self._database.is_up:
                        ready = True
                        # From now on a refusal may pass, as while a database is being restored.
                        self._database.must_be_let_in = False
                        events.worker_ready(
                            self._options.worker.name,
                            slots=self._options.slots,
                            types=self._options.types or job_types(),
                        )
                        on_ready()
                self._left_busy = bool(self._pool.busy)
                self._count_last()
            finally:
                self._close()
        events.worker_stopped(self._options.worker.name, released=self._ledger.released)
        return self._ledger.is_clean and not self._left_busy

    # --- The loop
    # ---------------------------------------------------------------------------------------------

    def _turn(self) -> None:
        """Wait until something happens, then do all that is to be done."""
        self._take(max(0.0, self._wake_at() - time.monotonic()))
        self._gather()
        self._mind_signals()
        self._hands.mind_lost_leases(self._heartbeat.take_lost())
        self._hands.mind_times()
        self._templates.restart_dead()
        self._pool.fill()
        self._mind_listener()
        connection = self._database.get()
        if connection is not None:
            try:
                self._work(connection)
            except LOST as error:
                counters.RECONNECTED.inc()
                self._database.lose(error)
        counters.BUSY.set(len(self._pool.busy))
        self._mind_idleness()

    def _take(self, seconds: float) -> None:
        """Take what has happened, or happens within so many seconds."""
        for key, _ in self._selector.select(seconds):
            key.data()

    def _gather(self) -> None:
        """Wait a moment for children that are nearly done: one claim for all costs as much as one for one.

        While jobs wait in hand, children take them as they end theirs, and nothing else is done.
        """
        until = time.monotonic() + _GATHER_SECONDS
        while self._hands.has_waiting or self._pool.is_nearly_idle(_GATHER_SECONDS):
            left = until - time.monotonic()
            if left <= 0:
                break
            self._take(left)

    def _work(self, connection: Connection) -> None:
        """Claim and hand out first, then write what has ended and did not ride along with the claim."""
        if self._database.restored_at != self._restored_at:
            self._restored_at = self._database.restored_at
            self._recover(connection)
        if self._stop_at is None:
            self._claimer.tick(connection)
            if self._pool.has_urgent_room:
                for job in self._claimer.claim_urgent(connection):
                    self._hands.hand_out_urgent(job)
            room = self._hands.room
            # With none claimed too: jobs may wait in hand for the child that has just become idle.
            self._hands.hand_out(self._claimer.claim(connection, room, self._ledger) if room else [])
        if not self._hands.has_waiting or time.monotonic() >= self._ledger.write_at:
            self._ledger.flush(connection)
        self._claimer.refresh_rules(connection)
        if self._stop_at is None and time.monotonic() >= self._housekeeping.next_at:
            back = self._housekeeping.run(connection)
            self._claimer.look_back(back)
            tell_back(connection, back)

    def _wake_at(self) -> float:
        """When the next thing is due that nothing else wakes us for (monotonic seconds)."""
        moments = [
            self._pool.next_deadline(),
            self._pool.fork_at if self._templates.is_ready("child") else None,
            self._templates.restart_at,
            self._hands.kill_at,
            self._hands.patience,
            self._next_stop(),
            self._ledger.retry_at if self._database.is_up else None,
            self._ledger.write_at if self._database.is_up else None,
            None if self._options.pooled or self._listener.is_open else self._listener.retry_at,
        ]
        if not self._database.is_up:
            moments.append(self._database.retry_at)
        elif self._stop_at is None:
            room, urgent_room = bool(self._hands.room), self._pool.has_urgent_room
            moments.append(self._claimer.look_at(room=room, urgent_room=urgent_room))
            moments.append(self._housekeeping.next_at)
        return min((moment for moment in moments if moment is not None), default=math.inf)

    def _next_stop(self) -> float | None:
        """When a worker that stops waits no longer for what it still waits for; None: it does not stop.

        Only what is to come: a moment that has passed would have the loop run without a pause.
        """
        if self._stop_at is None:
            return None
        ends = (0.0, _LAST_WRITES_SECONDS, _LAST_DEATHS_SECONDS)
        now = time.monotonic()
        return next((self._stop_at + end for end in ends if self._stop_at + end > now), None)

    def _is_over(self) -> bool:
        if self._stop_at is not None:
            late = time.monotonic() - self._stop_at
            if self._pool.busy:
                return late >= _LAST_DEATHS_SECONDS
            return self._ledger.is_clean or late >= _LAST_WRITES_SECONDS
        quiet_since = self._claimer.quiet_since
        return (
            self._options.drain
            and self._idle_since is not None
            and quiet_since is not None
            and quiet_since >= self._idle_since
        )

    # --- What else happens
    # --------------------------------------------------------------------------------------

    def _mind_signals(self) -> None:
        if not self._stop.count:
            return
        now = time.monotonic()
        if self._stop_at is None:
            self._stop_at = now + self._options.grace
            self._hands.give_back_waiting()
            self._heartbeat.state = "stopping"
            events.worker_stopping(
                self._options.worker.name, running=len(self._pool.busy), grace=self._options.grace
            )
        if self._stop.count > 1:
            self._stop_at = min(self._stop_at, now)
        if now >= self._stop_at:
            self._hands.kill_all()

    def _mind_listener(self) -> None:
        if self._options.pooled or self._listener.is_open:
            return
        descriptor = self._listener.open()
        if descriptor is not None:
            self._selector.register(descriptor, selectors.EVENT_READ, lambda: self._hear(descriptor))
            self._claimer.poll_now()  # whatever was announced while nobody listened

    def _hear(self, descriptor: int) -> None:
        hints = self._listener.take()
        if hints is None:
            self._selector.unregister(descriptor)
            return
        for hint in hints:
            self._claimer.hear(hint)

    def _mind_idleness(self) -> None:
        """Note since when nothing runs; a worker that drains then looks at once whether anything is left."""
        if self._pool.busy or not self._ledger.is_clean:
            self._idle_since = None
        elif self._idle_since is None:
            self._idle_since = time.monotonic()
            if self._options.drain:
                self._claimer.poll_now()

    def _recover(self, connection: Connection) -> None:
        """After a loss of the connection: give back what was claimed without our hearing of it."""
        self._housekeeping.hold_back(max(_REAP_PAUSE, self._options.lease / 2))
        held = ends.find_held_by(connection, self._options.worker.name)
        ends.release(connection, held - self._held.snapshot())

    def _count_last(self) -> None:
        """Leave true figures behind: after the last worker nobody counts."""
        figures, connection = self._figures.stop(), self._database.get()
        if figures is not None and connection is not None:
            with suppress(*LOST):
                figures.write_last(connection)

    def _close(self) -> None:
        self._housekeeping.stop_errands()
        self._figures.stop()
        self._pool.close()
        self._templates.close()
        with suppress(*LOST):
            self._heartbeat.stop()
        self._listener.close()
        self._database.close()
        self._selector.close()
