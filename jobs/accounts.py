"""The accounts of tenants: what their attempts took, and are expected to take. Pure."""

from dataclasses import dataclass, field

# Estimates follow the last so many attempts.
_MEAN_OVER = 16
#: Of so many jobs of a tenant that has both, one comes from the lane behind.
BEHIND_EVERY = 5
#: A child is given as many jobs at once as take so long (seconds), and never more than that.
ROOM_SECONDS, ROOM_JOBS = 0.02, 16


@dataclass(frozen=True)
class Terms:
    """What is exceptional about a tenant: its weight, and how many of its jobs may run here at once."""

    weight: float = 1.0
    most: int | None = None


@dataclass
class Mean:
    """A mean that follows the last attempts."""

    seconds: float = 0.0
    seen: int = 0

    def add(self, seconds: float) -> None:
        """Count one attempt that took so long."""
        self.seen = min(self.seen + 1, _MEAN_OVER)
        self.seconds += (seconds - self.seconds) / self.seen


@dataclass
class Account:
    """One tenant. `settled` and `charged` are seconds over weight: of ended attempts, and of running ones."""

    tenant_id: str
    terms: Terms
    settled: float
    charged: float = 0.0
    lanes: set[int] = field(default_factory=set)
    running: int = 0
    turn: int = 0
    mean: Mean = field(default_factory=Mean)
    means: dict[str, Mean] = field(default_factory=dict)
    #: Whether nothing of it has started since it came back from idleness.
    is_fresh: bool = False
    # Within one choice: jobs granted so far, and what they will be charged with.
    granted: int = 0
    promised: float = 0.0
    #: Of its entry in the heap; older entries are void.
    entry: int = -1

    @property
    def key(self) -> float:
        """Seconds over weight that it is charged with."""
        return self.settled + self.charged + self.promised

    def next_lane(self) -> int:
        """Return the lane of its next job: now and then that behind, so that it moves on too."""
        self.turn += 1
        first = min(self.lanes)
        return min(self.lanes - {first}, default=first) if self.turn % BEHIND_EVERY == 0 else first

    @property
    def is_active(self) -> bool:
        """Whether it has due jobs or running ones."""
        return bool(self.lanes or self.running)


@dataclass
class Attempt:
    """One running attempt: the seconds it was charged with, those over weight, and when it began."""

    account: Account
    type: str
    seconds: float
    charged: float
    began: float

    @property
    def overrun_at(self) -> float:
        """When it will have run twice as long as it was charged with."""
        return self.began + 2 * self.seconds


def room_for(seconds: float | None, most: int = ROOM_JOBS) -> float:
    """Return how much of a child, that takes `most` jobs, one of so many seconds takes; unknown: all."""
    return 1.0 if seconds is None else min(1.0, max(1 / most, seconds / ROOM_SECONDS))
