"""Jobs in hand: given to children in batches, taken from them as they end, whatever becomes of the child."""

import math
import time
from collections import deque
from collections.abc import Iterable, Sequence
from selectors import BaseSelector

from jobs.accounts import ROOM_JOBS, ROOM_SECONDS
from jobs.engine import counters, events
from jobs.engine.attempts import crash, from_report, overdue, too_large, unknown_type
from jobs.engine.batches import make_batches
from jobs.engine.claimer import Claimer
from jobs.engine.ledger import Ledger
from jobs.engine.messages import Outcome, Report
from jobs.engine.offspring import PATIENCE_SECONDS, Child, Doom
from jobs.engine.options import WorkerOptions
from jobs.engine.pool import HandOutFailed, Pool
from jobs.engine.store.base import Held
from jobs.engine.store.claims import Claimed
from jobs.engine.templates import Templates
from jobs.errors import UnknownJobType
from jobs.failpoints import failpoint
from jobs.forkserver import Exit
from jobs.registry import JobType, get_job_type

# A child whose lease turned out to be lost may be about to say that it has finished.
_LOST_PAUSE = 1.0


class Hands:
    """Hands claimed jobs to children and tells ledger and claimer how they ended."""

    def __init__(
        self,
        options: WorkerOptions,
        *,
        claimer: Claimer,
        ledger: Ledger,
        templates: Templates,
        selector: BaseSelector,
    ) -> None:
        self._worker = options.worker.name
        self._backoff, self._batch = options.backoff_base, options.batch
        self._claimer = claimer
        self._ledger = ledger
        self.pool = Pool(
            worker=self._worker,
            slots=options.slots,
            templates=templates,
            selector=selector,
            on_failure=self._take_failure,
            on_idle=self._take_idle,
            on_death=self._take_death,
        )
        #: Jobs that wait for a child: more than children take at once, or longer than their tenant's others.
        self._waiting: deque[Claimed] = deque()
        self._patience = math.inf
        #: Jobs whose leases were found lost, and when their children are killed.
        self._suspects: dict[int, float] = {}

    @property
    def room(self) -> int:
        """For how many children jobs may be claimed.

        Where a child takes fewer jobs than it would do in its time, the others wait in hand, and whoever is
        idle first takes them: so one claim serves those too that will be idle in a moment.
        """
        idle = len(self.pool.idle)
        if self._batch == ROOM_JOBS or not idle:
            return max(0, idle - len(self._waiting))
        return 0 if self._waiting else idle + self.pool.nearly_idle(ROOM_SECONDS)

    @property
    def has_waiting(self) -> bool:
        """Whether jobs wait in hand: a claim follows soon, with which ends may ride."""
        return bool(self._waiting)

    @property
    def patience(self) -> float:
        """When jobs that still wait in hand are given back (monotonic seconds); infinity without any."""
        return self._patience if self._waiting else math.inf

    @property
    def kill_at(self) -> float | None:
        """When a child is killed whose lease is lost (monotonic seconds)."""
        return min(self._suspects.values(), default=None)

    # --- To children

    def hand_out(self, claimed: Sequence[Claimed]) -> None:
        """Spread jobs that were just claimed, and those that wait in hand, over the idle children."""
        if not claimed and not self._waiting:
            return
        if claimed:
            self._ledger.enter(claimed)
            failpoint("job.claimed")
            self._patience = time.monotonic() + PATIENCE_SECONDS
            self._waiting += [job for job in claimed if self._type_of(job) is not None]
        idle = self.pool.idle
        if not idle:
            return
        batches, rest = make_batches(self._waiting, len(idle), self._claimer.estimate, most=self._batch)
        self._waiting = deque(rest)
        for batch in batches:
            self._give(idle.pop(), batch)

    def hand_out_urgent(self, job: Claimed) -> None:
        """Give an urgent job to an idle child, or to one more than there are slots."""
        self._ledger.enter([job])
        failpoint("job.claimed")
        if self._type_of(job) is None:
            return
        child = self.pool.child_for_urgent()
        if child is None:
            self._ledger.release(job)
        else:
            self._give(child, [job], is_charged=False)

    def _type_of(self, job: Claimed) -> JobType | None:
        """Return the type of a job; one that nobody handles fails."""
        try:
            return get_job_type(job.type)
        except UnknownJobType as error:
            self._ledger.fail(job, unknown_type(job, error))
            return None

    def _give(self, child: Child, jobs: Sequence[Claimed], *, is_charged: bool = True) -> None:
        timeouts = [get_job_type(job.type).timeout for job in jobs]
        estimates = [self._claimer.estimate(job.tenant_id, job.type) for job in jobs]
        seconds = sum(math.inf if one is None else one for one in estimates)
        try:
            self.pool.hand_out(child, jobs, timeouts=timeouts, seconds=seconds)
        except HandOutFailed as error:
            if error.too_large and len(jobs) == 1:
                self._ledger.fail(jobs[0], too_large(jobs[0]))
                return
            for job in jobs:
                self._ledger.release(job)
            self.pool.kill(child, Doom.STOPPING)
            return
        if is_charged:
            self._claimer.start(jobs)

    # --- From children

    def _take_failure(self, job: Claimed, report: Report, seconds: float) -> None:
        """A child says how an attempt ended that did not simply succeed."""
        self._end(job, seconds)
        if report.outcome is Outcome.GAVE_UP:
            self._ledger.gave_up(job, kind=report.kind, error=report.error, seconds=seconds)
        elif report.outcome is Outcome.LOST:
            self._ledger.lost(job)
        else:
            self._ledger.fail(job, from_report(job, report, base=self._backoff), seconds=seconds)

    def _take_idle(self, child: Child) -> None:
        """A child has done what it was given."""
        self._take_ended(child)
        if child.left:
            for job in child.left.values():
                self._give_back(job)
            child.left = {}
        is_quick = self._batch == 1 and time.monotonic() < self._patience
        if self._waiting and is_quick and self.pool.may_take(child):
            self._give(child, [self._waiting.popleft()])

    def _take_ended(self, child: Child) -> None:
        for job, outcome, seconds in child.take_ended():
            self._end(job, seconds)
            if outcome is Outcome.FINISHED:
                self._ledger.finished(job, seconds=seconds)
            else:
                self._ledger.finish(job, seconds=seconds)

    def _take_death(self, child: Child, end: Exit | None) -> None:
        """A child has ended: the job it was at is charged with that, the others are given back."""
        events.child_ended(
            self._worker, pid=child.forked.pid, how="with its template" if end is None else str(end)
        )
        self._take_ended(child)
        at = child.job
        for job in child.left.values():
            if job is not at:
                self._give_back(job)
        if at is None:
            return
        counters.CHILDREN_ENDED.labels(child.doom or "crash").inc()
        self._end(at, child.seconds)
        if child.doom is Doom.LEASE_LOST:
            self._ledger.lost(at)
        elif child.doom is Doom.STOPPING or end is None:
            self._ledger.release(at)
        elif child.doom is Doom.TIMEOUT:
            self._ledger.fail(at, overdue(at, child.timeout, base=self._backoff), seconds=child.seconds)
        else:
            self._ledger.fail(at, crash(at, end, base=self._backoff), seconds=child.seconds)

    def _end(self, job: Claimed, seconds: float) -> None:
        if self._suspects:
            self._suspects.pop(job.id, None)
        self._claimer.end(job, seconds=seconds)

    def _give_back(self, job: Claimed) -> None:
        """A job that never began goes back to the queue, and its tenant is charged with nothing."""
        self._suspects.pop(job.id, None)
        self._claimer.withdraw(job)
        self._ledger.release(job)

    # --- As time goes by

    def mind_times(self) -> None:
        """Kill what runs longer than it may, and take back what waits behind a job that is not small."""
        self.pool.kill_overdue()
        for child in self.pool.impatient:
            self._take_back(child)
        if self.patience <= time.monotonic():
            self.hand_out([])
            self._give_back_waiting()

    def give_back_waiting(self) -> None:
        """Give back all that has not begun: the worker stops."""
        for child in self.pool.busy:
            self._take_back(child)
        self._give_back_waiting()

    def _give_back_waiting(self) -> None:
        for job in self._waiting:
            self._give_back(job)
        self._waiting.clear()

    def _take_back(self, child: Child) -> None:
        self._take_ended(child)
        for job in child.take_back():
            self._give_back(job)

    def kill_all(self) -> None:
        """Kill every child that is at a job: the worker waits no longer."""
        for child in self.pool.busy:
            self.pool.kill(child, Doom.STOPPING)

    def mind_lost_leases(self, lost: Iterable[Held]) -> None:
        """Kill children at work on jobs that are not theirs any more: taken away, or cancelled."""
        now = time.monotonic()
        for held in lost:
            self._suspects.setdefault(held.id, now + _LOST_PAUSE)
        if not self._suspects:
            return
        for child in self.pool.busy:
            job = child.job
            if job is not None and self._suspects.get(job.id, math.inf) <= now:
                self.pool.kill(child, Doom.LEASE_LOST)
        self._suspects = {job_id: moment for job_id, moment in self._suspects.items() if moment > now}
