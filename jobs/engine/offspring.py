"""One child as its dispatcher sees it."""

import math
import socket
import time
from dataclasses import dataclass, field
from enum import StrEnum

from jobs.engine.cell import Cell
from jobs.engine.messages import OUTCOMES, Outcome
from jobs.engine.store.claims import Claimed
from jobs.forkserver import Forked

#: Jobs that still wait behind another one after so long go to other children.
PATIENCE_SECONDS = 0.1


class Doom(StrEnum):
    """Why a child is being killed; what that means for its job."""

    TIMEOUT = "timeout"
    #: The worker stops, or lost the job: the attempt is given back.
    STOPPING = "stopping"
    LEASE_LOST = "lease_lost"


@dataclass
class Child:
    """One child and the batch of jobs it is at."""

    forked: Forked
    channel: socket.socket
    cell: Cell
    #: Generation of the templates that it knows; an older one is replaced when it is idle.
    generation: int
    #: Jobs of its batch whose end was not heard of yet, by their place in it.
    left: dict[int, Claimed] = field(default_factory=dict)
    handed_at: float = 0.0
    #: When it should be idle again by the estimates of its jobs (monotonic seconds); infinity: unknown.
    expected_at: float = math.inf
    timeouts: tuple[float, ...] = ()
    #: From when it is given a batch until it says that it is idle.
    is_busy: bool = False
    is_taken_back: bool = False
    #: From when its end is heard of: what it said before is still taken.
    has_ended: bool = False
    doom: Doom | None = None
    #: When its end should have been heard of, once it is being killed (monotonic seconds).
    unheard_at: float = math.inf

    @property
    def job(self) -> Claimed | None:
        """The job that it is at; the first one until it says that it has begun."""
        current = self.cell.current
        if current is None:
            return next((job for index, job in self.left.items() if not self.cell.outcome(index)[0]), None)
        return self.left.get(current)

    @property
    def seconds(self) -> float:
        """How long it has been at its job."""
        return time.monotonic() - (self.cell.began or self.handed_at)

    @property
    def timeout(self) -> float:
        """How long its job may take in all."""
        return self.timeouts[self.cell.current or 0]

    @property
    def deadline(self) -> float:
        """When its job runs out of its time (monotonic seconds)."""
        return max(self.cell.began, self.handed_at) + self.timeout

    @property
    def patience(self) -> float:
        """When the jobs that wait behind the one it is at are taken back; infinity without any."""
        waits = len(self.left) > 1 and not self.is_taken_back
        return self.handed_at + PATIENCE_SECONDS if waits else math.inf

    def take_back(self) -> list[Claimed]:
        """Return the jobs that it has not begun: it will not begin them any more."""
        self.is_taken_back = True
        started = self.cell.take_back()
        return [self.left.pop(index) for index in list(self.left) if index >= max(1, started)]

    def take_ended(self) -> list[tuple[Claimed, Outcome, float]]:
        """Return the jobs that ended without a failure since the last call, and after how many seconds."""
        letters, seconds = self.cell.outcomes()
        ended = [
            (job, OUTCOMES[chr(letters[index])], seconds[index])
            for index, job in self.left.items()
            if letters[index]
        ]
        if len(ended) == len(self.left):
            self.left = {}
        else:
            self.left = {index: job for index, job in self.left.items() if not letters[index]}
        return ended
