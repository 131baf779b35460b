"""What one worker was told: command line and settings, read once."""

from dataclasses import dataclass

from jobs.accounts import ROOM_JOBS
from jobs.engine.store.claims import Terms
from jobs.engine.store.upkeep import Worker


@dataclass(frozen=True)
class WorkerOptions:
    """All times in seconds."""

    worker: Worker
    slots: int
    lease: float
    grace: float
    poll: float
    reaper: float
    backoff_base: float
    #: Pause between two looks whether a daily chore is due.
    chores: float = 60.0
    #: Most jobs that a child is given at once.
    batch: int = ROOM_JOBS
    #: End when nothing is due and nothing runs.
    drain: bool = False
    #: Claim jobs of these types only; None: of all.
    types: tuple[str, ...] | None = None
    #: Behind a pooler: no LISTEN, polling alone.
    pooled: bool = False

    @property
    def terms(self) -> Terms:
        """The terms on which this worker claims."""
        return Terms(self.worker.name, self.lease, self.types)
