"""The tally: what ended in this worker since it was last written down, by tenant and by type. In memory."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from jobs.figure_models import JobMinute


@dataclass(frozen=True)
class TypeCount:
    """Attempts of one type that ended one way, and the worker seconds that they took."""

    type: str
    outcome: str
    attempts: int
    seconds: float


@dataclass(frozen=True)
class TenantCount:
    """Attempts of one tenant, how many of them failed for good, and the worker seconds that they took."""

    tenant_id: str
    attempts: int
    failed: int
    seconds: float


class Tally:
    """Counts ends of attempts, for one thread that counts and one that writes them down.

    One dictionary entry a kind of end: it is asked for every job.
    """

    def __init__(self, ends: dict[tuple[str, str, str], list[float]] | None = None) -> None:
        self._ends = {} if ends is None else ends
        self._lock = threading.Lock()

    def count(self, tenant_id: str, type: str, outcome: str, seconds: float, *, attempts: int = 1) -> None:
        """Count attempts that took so many seconds together."""
        with self._lock:
            end = self._ends.get((tenant_id, type, outcome))
            if end is None:
                self._ends[tenant_id, type, outcome] = [attempts, seconds]
            else:
                end[0] += attempts
                end[1] += seconds

    def __bool__(self) -> bool:
        return bool(self._ends)

    def by_type(self) -> Iterator[TypeCount]:
        """Yield the counts by type and outcome, in order."""
        sums: dict[tuple[str, str], list[float]] = {}
        for (_, type_name, outcome), (attempts, seconds) in self._ends.items():
            one = sums.setdefault((type_name, outcome), [0, 0.0])
            one[0] += attempts
            one[1] += seconds
        for (type_name, outcome), (attempts, seconds) in sorted(sums.items()):
            yield TypeCount(type_name, outcome, int(attempts), seconds)

    def by_tenant(self) -> Iterator[TenantCount]:
        """Yield the counts by tenant, in order: so two workers lock the rows of an hour in the same order."""
        sums: dict[str, list[float]] = {}
        for (tenant_id, _, outcome), (attempts, seconds) in self._ends.items():
            one = sums.setdefault(tenant_id, [0, 0, 0.0])
            one[0] += attempts
            one[1] += attempts if outcome == JobMinute.Outcome.FAILED else 0
            one[2] += seconds
        for tenant_id, (attempts, failed, seconds) in sorted(sums.items()):
            yield TenantCount(tenant_id, int(attempts), int(failed), seconds)

    @contextmanager
    def taken(self) -> Iterator[Self]:
        """Take what was counted until now, to be written down; it is counted again if that fails."""
        with self._lock:
            taken, self._ends = self._ends, {}
        try:
            yield type(self)(taken)
        except BaseException:
            for (tenant_id, type_name, outcome), (attempts, seconds) in taken.items():
                self.count(tenant_id, type_name, outcome, seconds, attempts=int(attempts))
            raise
