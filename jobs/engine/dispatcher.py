"""The dispatcher: claims due jobs by fair share, hands them to children, writes how they end, keeps house.

One thread and one loop over a selector. It never touches documents, and survives the loss of its database.
"""

import math
import selectors
import time
from collections.abc import Callable
from contextlib import suppress

from jobs.engine import counters, events
from jobs.engine.attempts import crash, from_report, overdue, too_large, unknown_type
from jobs.engine.claimer import Claimer
from jobs.engine.database import LOST, Lifeline
from jobs.engine.heartbeat import Heartbeat, HeldJobs
from jobs.engine.housekeeping import Housekeeping
from jobs.engine.ledger import Ledger
from jobs.engine.listener import Listener
from jobs.engine.messages import Outcome, Report
from jobs.engine.options import WorkerOptions
from jobs.engine.pool import Child, Doom, HandOutFailed, Pool
from jobs.engine.stopping import StopSignals
from jobs.engine.store import ends
from jobs.engine.store.base import Connection
from jobs.engine.store.claims import Claimed
from jobs.engine.templates import Templates
from jobs.errors import UnknownJobType
from jobs.failpoints import failpoint
from jobs.forkserver import Exit
from jobs.models import Lane
from jobs.registry import get_job_type, job_types, templates

# A child whose lease turned out to be lost may be about to say that it has finished.
_LOST_PAUSE = 1.0
_LAST_WRITES_SECONDS = 5.0
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
        self._ledger = Ledger(
            name,
            self._held,
            on_left=lambda job: self._claimer.hear_end(job.tenant_id),
            on_retry=self._claimer.expect,
        )
        self._housekeeping = Housekeeping(options)
        self._database = Lifeline("dispatcher", worker=name)
        self._listener = Listener(worker=name)
        self._templates = Templates(templates(), worker=name, selector=self._selector)
        self._pool = Pool(
            worker=name,
            slots=options.slots,
            templates=self._templates,
            selector=self._selector,
            on_report=self._take_report,
            on_death=self._take_death,
        )
        self._stop = StopSignals()
        self._heartbeat = Heartbeat(options.worker, self._held, lease=options.lease, wake=self._stop.wake)
        self._stop_at: float | None = None
        self._idle_since: float | None = None
        #: Jobs whose leases were found lost, and when their children are killed.
        self._suspects: dict[int, float] = {}
        self._restored_at: float | None = None

    def run(self, *, on_ready: Callable[[], None]) -> bool:
        """Work until stopped or drained; `on_ready` is called before the first claim.

        False: some jobs could not be given back, and run again when their leases end.
        """
        with self._stop:
            self._selector.register(self._stop, selectors.EVENT_READ, self._stop.take)
            try:
                self._templates.start()
                self._pool.fill()
                self._heartbeat.start()
                counters.SLOTS.set(self._options.slots)
                ready = False
                while not self._is_over():
                    self._turn()
                    if not ready and self._database.is_up:
                        ready = True
                        events.worker_ready(
                            self._options.worker.name,
                            slots=self._options.slots,
                            types=self._options.types or job_types(),
                        )
                        on_ready()
                self._count_last()
            finally:
                self._close()
        events.worker_stopped(self._options.worker.name, released=self._ledger.released)
        return self._ledger.is_clean

    # --- The loop
    # ---------------------------------------------------------------------------------------------

    def _turn(self) -> None:
        """Wait until something happens, then do all that is to be done."""
        for key, _ in self._selector.select(max(0.0, self._wake_at() - time.monotonic())):
            key.data()
        self._mind_signals()
        self._mind_lost_leases()
        self._pool.kill_overdue()
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

    def _work(self, connection: Connection) -> None:
        """Claim and hand out first, then write what has ended: so no child waits for the disk."""
        if self._database.restored_at != self._restored_at:
            self._restored_at = self._database.restored_at
            self._recover(connection)
        if self._stop_at is None:
            self._claimer.tick(connection)
            if self._pool.has_urgent_room:
                for job in self._claimer.claim_urgent(connection):
                    self._hand_out(job, self._pool.child_for_urgent())
            idle = self._pool.idle
            for job in self._claimer.claim(connection, len(idle)) if idle else ():
                self._hand_out(job, idle.pop())
        self._ledger.flush(connection)
        if self._stop_at is None and time.monotonic() >= self._housekeeping.next_at:
            for tenant_id in self._housekeeping.run(connection):
                self._claimer.hear(tenant_id)

    def _wake_at(self) -> float:
        """When the next thing is due that nothing else wakes us for (monotonic seconds)."""
        moments = [
            self._pool.next_deadline(),
            self._pool.fork_at if self._templates.is_ready("child") else None,
            self._templates.restart_at,
            min(self._suspects.values(), default=None),
            self._stop_at if self._pool.busy else None,
            self._ledger.retry_at if self._database.is_up else None,
            None if self._options.pooled or self._listener.is_open else self._listener.retry_at,
        ]
        if not self._database.is_up:
            moments.append(self._database.retry_at)
        elif self._stop_at is None:
            room, urgent_room = bool(self._pool.idle), self._pool.has_urgent_room
            moments.append(self._claimer.look_at(room=room, urgent_room=urgent_room))
            moments.append(self._housekeeping.next_at)
        return min((moment for moment in moments if moment is not None), default=math.inf)

    def _is_over(self) -> bool:
        if self._stop_at is not None:
            gave_up = time.monotonic() > self._stop_at + _LAST_WRITES_SECONDS
            return not self._pool.busy and (self._ledger.is_clean or gave_up)
        quiet_since = self._claimer.quiet_since
        return (
            self._options.drain
            and self._idle_since is not None
            and quiet_since is not None
            and quiet_since >= self._idle_since
        )

    # --- Jobs
    # ---------------------------------------------------------------------------------------------------

    def _hand_out(self, job: Claimed, child: Child | None) -> None:
        self._ledger.enter(job)
        failpoint("job.claimed")
        try:
            job_type = get_job_type(job.type)
        except UnknownJobType as error:
            self._ledger.fail(job, unknown_type(job, error))
            return
        if child is None:
            self._ledger.release(job)
            return
        try:
            self._pool.hand_out(child, job, timeout=job_type.timeout)
        except HandOutFailed as error:
            if error.too_large:
                self._ledger.fail(job, too_large(job))
            else:
                self._ledger.release(job)
                self._pool.kill(child, Doom.STOPPING)
        else:
            if job.lane != Lane.URGENT:
                self._claimer.start(job)

    def _take_report(self, child: Child, report: Report) -> None:
        """A child says how its attempt ended."""
        job = child.job
        if job is None or job.id != report.id:
            return
        self._suspects.pop(job.id, None)
        seconds = time.monotonic() - child.handed_at
        self._claimer.end(job, seconds=seconds)
        if report.outcome is Outcome.FINISHED:
            self._ledger.finished(job, seconds=seconds)
        elif report.outcome is Outcome.GAVE_UP:
            self._ledger.gave_up(job, kind=report.kind, error=report.error)
        elif report.outcome is Outcome.DONE:
            self._ledger.finish(job, seconds=seconds)
        elif report.outcome is Outcome.LOST:
            self._ledger.lost(job)
        else:
            self._ledger.fail(job, from_report(job, report, base=self._options.backoff_base))

    def _take_death(self, child: Child, end: Exit | None) -> None:
        """A child has ended; its job, if it was at one, is charged with that or given back."""
        job = child.job
        how = "with its template" if end is None else str(end)
        events.child_ended(self._options.worker.name, pid=child.forked.pid, how=how)
        if job is None:
            return
        self._suspects.pop(job.id, None)
        self._claimer.end(job, seconds=time.monotonic() - child.handed_at)
        counters.CHILDREN_ENDED.labels(child.doom or "crash").inc()
        if child.doom is Doom.LEASE_LOST:
            self._ledger.lost(job)
        elif child.doom is Doom.STOPPING or end is None:
            self._ledger.release(job)
        elif child.doom is Doom.TIMEOUT:
            timeout = child.deadline - child.handed_at
            self._ledger.fail(job, overdue(job, timeout, base=self._options.backoff_base))
        else:
            self._ledger.fail(job, crash(job, end, base=self._options.backoff_base))

    # --- What else happens
    # --------------------------------------------------------------------------------------

    def _mind_signals(self) -> None:
        if not self._stop.count:
            return
        now = time.monotonic()
        if self._stop_at is None:
            self._stop_at = now + self._options.grace
            self._heartbeat.state = "stopping"
            events.worker_stopping(
                self._options.worker.name, running=len(self._pool.busy), grace=self._options.grace
            )
        if self._stop.count > 1:
            self._stop_at = min(self._stop_at, now)
        if now >= self._stop_at:
            for child in self._pool.busy:
                self._pool.kill(child, Doom.STOPPING)

    def _mind_lost_leases(self) -> None:
        """Kill children at work on jobs that are not theirs any more: taken away, or cancelled."""
        now = time.monotonic()
        for held in self._heartbeat.take_lost():
            self._suspects.setdefault(held.id, now + _LOST_PAUSE)
        for child in self._pool.busy:
            if child.job is not None and self._suspects.get(child.job.id, math.inf) <= now:
                self._pool.kill(child, Doom.LEASE_LOST)
        self._suspects = {job_id: moment for job_id, moment in self._suspects.items() if moment > now}

    def _mind_listener(self) -> None:
        if self._options.pooled or self._listener.is_open:
            return
        descriptor = self._listener.open()
        if descriptor is not None:
            self._selector.register(descriptor, selectors.EVENT_READ, lambda: self._hear(descriptor))
            self._claimer.poll_now()  # whatever was announced while nobody listened

    def _hear(self, descriptor: int) -> None:
        tenants = self._listener.take()
        if tenants is None:
            self._selector.unregister(descriptor)
            return
        for tenant_id in tenants:
            self._claimer.hear(tenant_id)

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
        if (connection := self._database.get()) is not None:
            with suppress(*LOST):
                self._housekeeping.count_last(connection)

    def _close(self) -> None:
        self._pool.close()
        self._templates.close()
        with suppress(*LOST):
            self._heartbeat.stop()
        self._listener.close()
        self._database.close()
        self._selector.close()
