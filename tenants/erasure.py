"""What goes with a tenant: each app says it in its module `erasers`, and a wipe asks them, phase by phase.

An eraser says what is there, and takes it away in bounded batches. Every batch proves the lease of the wipe's
job first, so that an attempt that wakes up late removes nothing from a tenant that was opened again.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from django.db.models import F
from django.db.models.functions import Least
from django.utils.module_loading import autodiscover_modules

from jobs.failpoints import failpoint
from jobs.registry import JobContext, RunningJob
from jobs.wording import Wording
from tenants.models import WipeOrder, WipePhase

#: At most so many rows, files or entries a batch: tens of milliseconds, far below a lease.
BATCH = 500
#: Phases in which apps take something away. Files are looked for again in another one.
REMOVING = (WipePhase.FILES, WipePhase.INDEX, WipePhase.ROWS, WipePhase.JOBS)


@dataclass(frozen=True)
class Amount:
    """So much of one kind lies there. `label` is for people; `size` is bytes, where files are meant."""

    kind: str
    label: str
    count: int
    size: int | None = None


@dataclass(frozen=True)
class Obstacle:
    """Something that forbids a wipe, in words for the operator."""

    kind: str
    count: int
    wording: Wording


class Tally:
    """How much one batch took away."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, count: int) -> None:
        """Count what goes when the batch is committed."""
        self.count += count


class Wipe:
    """One wipe at work, as erasers see it."""

    def __init__(self, *, order: WipeOrder, context: JobContext) -> None:
        self.tenant_id: uuid.UUID = order.tenant_id
        self.job: RunningJob = context.job
        self._order = order
        self._context = context

    @contextmanager
    def batch(self) -> Iterator[Tally]:
        """Open the short transaction of one batch, which proves the lease. Raises LeaseLost if it is lost.

        What is removed outside the database was listed before it opened and is removed after it closes: then
        it was there while the lease was held, and nothing that came later is hit.
        """
        tally = Tally()
        with self._context.checkpointing():
            yield tally
            if tally.count:
                WipeOrder.objects.filter(nonce=self._order.nonce).update(
                    done=Least(F("done") + tally.count, F("total"))
                )
        self._order.done = min(self._order.done + tally.count, self._order.total)
        self._context.publish_progress(self._order.done, self._order.total)
        if self._order.phase in REMOVING:
            failpoint(f"wipe.{self._order.phase}")


class Eraser(Protocol):
    """Everything of one kind that a tenant has. `labels`: what its amounts are called, by their kind."""

    @property
    def labels(self) -> Mapping[str, str]:
        """In English, marked for translation."""

    def count(self, tenant_id: uuid.UUID, *, spare_job: int) -> Iterable[Amount]:
        """Say how much there is, also if it is nothing. Opens scopes of its own."""

    def erase(self, wipe: Wipe) -> int:
        """Take it all away, in batches, and return how much that was; 0 when nothing was left."""


Check = Callable[[uuid.UUID], Iterable[Obstacle]]


@dataclass(frozen=True)
class Registered:
    """One eraser with its phase. `by_reset`: whether a reset, which keeps the tenant, removes this too."""

    phase: WipePhase
    eraser: Eraser
    by_reset: bool


_ERASERS: list[Registered] = []
_CHECKS: list[Check] = []


def eraser(phase: WipePhase, *, by_reset: bool = True) -> Callable[[type[Eraser]], type[Eraser]]:
    """Have every wipe use the decorated class in `phase`; within a phase in the order of registration."""

    def decorate(cls: type[Eraser]) -> type[Eraser]:
        register_eraser(phase, cls(), by_reset=by_reset)
        return cls

    return decorate


def register_eraser(phase: WipePhase, made: Eraser, *, by_reset: bool = True) -> None:
    """Have every wipe use an eraser in `phase`. Raises ValueError for a phase that removes nothing."""
    if phase not in REMOVING:
        raise ValueError(f"Nothing is removed in the phase {phase}: choose from {', '.join(REMOVING)}.")
    _ERASERS.append(Registered(phase, made, by_reset))


def obstacle(check: Check) -> Check:
    """Have the decorated function asked, in the tenant's scope, what forbids a wipe before it starts."""
    _CHECKS.append(check)
    return check


@cache
def autodiscover() -> None:
    """Import the module `erasers` of every installed app, once; a broken one raises."""
    autodiscover_modules("erasers")


def erasers(*, reset: bool, phase: WipePhase | None = None) -> list[Eraser]:
    """Return the erasers of a reset or of a delete, in the order of the phases, or those of one phase."""
    autodiscover()
    phases = REMOVING if phase is None else (phase,)
    return [
        found.eraser
        for wanted in phases
        for found in _ERASERS
        if found.phase == wanted and (found.by_reset or not reset)
    ]


def count_all(tenant_id: uuid.UUID, *, reset: bool, spare_job: int = 0) -> list[Amount]:
    """Return what a wipe of the tenant would take away now. Opens scopes of its own."""
    return [
        amount for found in erasers(reset=reset) for amount in found.count(tenant_id, spare_job=spare_job)
    ]


def label_amounts() -> dict[str, str]:
    """Return what each kind of amount is called, in English."""
    return {kind: label for found in erasers(reset=False) for kind, label in found.labels.items()}


def find_obstacles(tenant_id: uuid.UUID) -> list[Obstacle]:
    """Return what forbids a wipe of the tenant now. Needs its scope."""
    autodiscover()
    return [found for check in _CHECKS for found in check(tenant_id)]
