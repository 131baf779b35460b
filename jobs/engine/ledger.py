"""The ledger: which jobs this worker holds, and ends of attempts that wait to be written.

An end that cannot be written, because the database is away or somebody else keeps the row, stays here,
and its lease is renewed meanwhile.
"""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from typing import NamedTuple

from jobs.engine import counters, events
from jobs.engine.events import JobLabel
from jobs.engine.heartbeat import HeldJobs
from jobs.engine.store import ends
from jobs.engine.store.base import Connection, Held
from jobs.engine.store.claims import Claimed
from jobs.engine.store.ends import Failure
from jobs.engine.tally import Tally
from jobs.figure_models import JobMinute
from jobs.models import JobStatus

# Until an end is written again whose row another transaction keeps.
_BLOCKED_SECONDS = 1.0
# So long jobs without effects wait for a claim to be finished with.
_RIDE_SECONDS = 0.02


class _Verb(Enum):
    FINISH = auto()
    FAIL = auto()
    RELEASE = auto()


class _Waiting(NamedTuple):
    """One end of an attempt that is not written yet."""

    job: Claimed
    verb: _Verb
    seconds: float = 0.0
    failure: Failure | None = None


class Ledger:
    """Every claimed job passes through here once: entered when claimed, left when its end is written.

    `on_left` is called with jobs that leave, `on_retry` with the seconds after which one runs again.
    """

    def __init__(
        self,
        worker: str,
        held: HeldJobs,
        tally: Tally,
        *,
        on_left: Callable[[Iterable[Claimed]], None],
        on_retry: Callable[[float], None],
    ) -> None:
        self._worker = worker
        self._held = held
        self._tally = tally
        self._on_left = on_left
        self._on_retry = on_retry
        self._waiting: list[_Waiting] = []
        self._blocked: list[_Waiting] = []
        #: Ends that rode along with a claim: what was tried, and the ids that were written.
        self._rode: set[int] = set()
        self._written: set[int] = set()
        #: When what waits is written though no claim came (monotonic seconds); infinity: nothing waits.
        self.write_at = math.inf
        #: When ends of rows that others keep are tried again (monotonic seconds); None: there are none.
        self.retry_at: float | None = None
        #: Jobs given back so far.
        self.released = 0

    @property
    def is_clean(self) -> bool:
        """Whether every end is written."""
        return not (self._waiting or self._blocked)

    def enter(self, jobs: Iterable[Claimed]) -> None:
        """Hold the leases of jobs that were just claimed."""
        held: list[Held] = []
        waits: dict[str, list[float]] = {}
        for job in jobs:
            held.append(Held(job.id, job.lease))
            waits.setdefault(job.type, []).append(max(0.0, job.waited))
        self._held.add(held)
        for type_name, seconds in waits.items():
            counters.WAITED.add(type_name, seconds)
        if events.tells_claims():
            for job in jobs:
                events.job_claimed(self._label(job), waited=job.waited)

    def finished(self, job: Claimed, *, seconds: float) -> None:
        """The child finished the job with its effects: nothing is left to write."""
        self._leave([job])
        self._tell_finished([(job, seconds)])

    def gave_up(self, job: Claimed, *, kind: str, error: str, seconds: float) -> None:
        """The child failed the job for good, with what it wrote all the same: nothing is left to write."""
        self._leave([job])
        self._tally.count(job.tenant_id, job.type, JobMinute.Outcome.FAILED, seconds)
        counters.FAILED.labels(job.type, kind, "failed").inc()
        events.job_failed(self._label(job), kind=kind, status="failed", error=error)

    def lost(self, job: Claimed) -> None:
        """Somebody else has the job, or it was ended by hand: nothing is left to write."""
        self._leave([job])
        self._tell_lost(job)

    def finish(self, job: Claimed, *, seconds: float) -> None:
        """The handler came back without effects: finish the job with the next batch."""
        self._waiting.append(_Waiting(job, _Verb.FINISH, seconds))
        if self.write_at == math.inf:
            self.write_at = time.monotonic() + _RIDE_SECONDS

    def fail(self, job: Claimed, failure: Failure, *, seconds: float = 0.0) -> None:
        """The attempt failed, after so many seconds."""
        self._waiting.append(_Waiting(job, _Verb.FAIL, seconds, failure=failure))
        self.write_at = 0.0

    def release(self, job: Claimed) -> None:
        """Give the job back."""
        self._waiting.append(_Waiting(job, _Verb.RELEASE))
        self.write_at = 0.0

    def riders(self) -> Sequence[Held]:
        """Return what may be finished in the transaction of the next claim: `ride` says how that went."""
        return [held for held in _held(self._waiting, _Verb.FINISH) if held.id not in self._rode]

    def ride(self, riders: Sequence[Held], written: Iterable[int]) -> None:
        """Note that these ends were tried with a claim, and which of them were written."""
        self._rode.update(held.id for held in riders)
        self._written.update(written)
        self.write_at = 0.0

    def flush(self, connection: Connection) -> None:
        """Write the ends that wait, one statement for each verb; none of them waits for a lock.

        What the guard refuses is read back: a job that its child finished before it died has succeeded. An
        end whose row somebody else keeps, such as the session of a child that was killed, stays for later.
        """
        if self.retry_at is not None and time.monotonic() >= self.retry_at:
            self._waiting, self._blocked, self.retry_at = self._blocked + self._waiting, [], None
        if not self._waiting:
            return
        waiting = self._waiting
        written = self._write(connection, waiting)
        self._waiting, self.write_at = [], math.inf
        self._rode.clear()
        self._written.clear()
        left, finished, others = [], [], []
        for one in waiting:
            status = written.get(one.job.id)
            if status == JobStatus.PROCESSING:
                self._blocked.append(one)
                self.retry_at = time.monotonic() + _BLOCKED_SECONDS
                continue
            left.append(one.job)
            if status == JobStatus.SUCCEEDED:
                finished.append((one.job, one.seconds))
            else:
                others.append((one, status))
        self._leave(left)
        self._tell_finished(finished)
        for one, status in others:
            self._tell(one, status)

    def _write(self, connection: Connection, waiting: Sequence[_Waiting]) -> dict[int, str]:
        """Write ends and return where each job stands now; without it: the lease was lost."""
        finishing = [held for held in _held(waiting, _Verb.FINISH) if held.id not in self._rode]
        written = self._written | ends.finish_batch(connection, finishing)
        status: dict[int, str] = dict.fromkeys(written, JobStatus.SUCCEEDED)
        if len(status) == len(waiting):
            return status
        failures = [one.failure for one in waiting if one.failure is not None]
        ended = ends.fail_batch(connection, failures) + ends.release(
            connection, _held(waiting, _Verb.RELEASE)
        )
        status |= {one.id: one.status for one in ended if one.status != ends.REFUSED}
        refused = [one for one in waiting if one.job.id not in status]
        if refused:
            found = ends.read_back(connection, [held_of(one.job) for one in refused])
            # A failure that was refused though nobody keeps its row will not be taken later either.
            not_failed = {one.job.id for one in refused if one.verb is _Verb.FINISH}
            status |= {
                job_id: now
                for job_id, now in found.items()
                if now == JobStatus.SUCCEEDED or job_id in not_failed
            }
        return status

    def _leave(self, jobs: Sequence[Claimed]) -> None:
        self._held.discard([Held(job.id, job.lease) for job in jobs])
        self._on_left(jobs)

    def _tell(self, end: _Waiting, status: str | None) -> None:
        """Tell how an attempt ended that did not simply succeed."""
        if status is None:
            self._tell_lost(end.job)
        elif (failure := end.failure) is not None:
            counters.FAILED.labels(end.job.type, failure.kind, status).inc()
            runs_again = status == JobStatus.QUEUED
            outcome = JobMinute.Outcome.RETRIED if runs_again else JobMinute.Outcome.FAILED
            self._tally.count(end.job.tenant_id, end.job.type, outcome, end.seconds)
            if runs_again:
                self._on_retry(failure.delay)
            events.job_failed(self._label(end.job), kind=failure.kind, status=status, error=failure.error)
        else:
            self.released += 1
            counters.RELEASED.labels(end.job.type).inc()
            events.job_released(self._label(end.job))

    def _tell_finished(self, ended: Sequence[tuple[Claimed, float]]) -> None:
        ran: dict[tuple[str, str], list[float]] = {}
        for job, seconds in ended:
            ran.setdefault((job.tenant_id, job.type), []).append(seconds)
        for (tenant_id, type_name), times in ran.items():
            counters.RAN.add(type_name, times)
            self._tally.count(
                tenant_id, type_name, JobMinute.Outcome.SUCCEEDED, sum(times), attempts=len(times)
            )
        if events.tells_ends():
            for job, seconds in ended:
                events.job_finished(self._label(job), seconds=seconds)

    def _tell_lost(self, job: Claimed) -> None:
        counters.LOST.labels(job.type).inc()
        events.lease_lost(self._label(job))

    def _label(self, job: Claimed) -> JobLabel:
        return JobLabel(job.id, job.tenant_id, job.type, job.lease, self._worker)


def held_of(job: Claimed) -> Held:
    """Return what proves the right to end this attempt."""
    return Held(job.id, job.lease)


def _held(waiting: Iterable[_Waiting], verb: _Verb) -> list[Held]:
    return [Held(one.job.id, one.job.lease) for one in waiting if one.verb is verb]
