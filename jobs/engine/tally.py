"""The tally: what ended in this worker since it was last written down, by tenant and by type. In memory."""

from collections.abc import Iterator
from dataclasses import dataclass

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
    """Counts ends of attempts. One dictionary entry a kind of end: it is asked for every job."""

    def __init__(self) -> None:
        self._ends: dict[tuple[str, str, str], list[float]] = {}

    def count(self, tenant_id: str, type: str, outcome: str, seconds: float, *, attempts: int = 1) -> None:
        """Count attempts that took so many seconds together."""
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

    def clear(self) -> None:
        """Begin anew: what was counted is written down."""
        self._ends.clear()
