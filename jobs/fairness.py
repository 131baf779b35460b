"""Whose jobs are claimed next. Pure: it knows tenants and numbers, no tables and no clock.

Now a rotating round robin: each tenant with due jobs gets one before any gets a second, and the round goes on
where the last one stopped, so that nobody's backlog matters to anybody else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Of so many jobs of a tenant that has both, one comes from the lane behind.
BEHIND_EVERY = 5


@dataclass(frozen=True)
class Demand:
    """One tenant with due jobs: its lanes that have some, the more important first; at most `most` at
    once.
    """

    tenant_id: str
    lanes: tuple[int, ...]
    weight: float = 1.0
    most: int | None = None


@dataclass(frozen=True)
class Grant:
    """So many jobs of this tenant's lane may be claimed."""

    tenant_id: str
    lane: int
    jobs: int


class RoundRobin:
    """Shares out the room for jobs; remembers whose turn it is."""

    def __init__(self) -> None:
        self._last = ""
        self._turns: dict[str, int] = {}

    def choose(self, demands: Iterable[Demand], room: int) -> list[Grant]:
        """Return grants for at most `room` jobs: at least one a tenant a round, as far as the room goes."""
        waiting = self._in_turn(demands)
        self._turns = {demand.tenant_id: self._turns.get(demand.tenant_id, 0) for demand in waiting}
        granted: dict[tuple[str, int], int] = {}
        given: dict[str, int] = {}
        while room > 0 and waiting:
            for demand in waiting[:room]:
                key = (demand.tenant_id, self._lane(demand))
                granted[key] = granted.get(key, 0) + 1
                given[demand.tenant_id] = given.get(demand.tenant_id, 0) + 1
                self._last = demand.tenant_id
            room -= len(waiting[:room])
            waiting = [one for one in waiting if one.most is None or given[one.tenant_id] < one.most]
        return [Grant(tenant_id, lane, jobs) for (tenant_id, lane), jobs in granted.items()]

    def _in_turn(self, demands: Iterable[Demand]) -> list[Demand]:
        """Return the demands in order of their ids, beginning behind the tenant that was served last."""
        ordered = sorted(
            (one for one in demands if one.lanes and one.most != 0), key=lambda one: one.tenant_id
        )
        start = next((n for n, one in enumerate(ordered) if one.tenant_id > self._last), 0)
        return [*ordered[start:], *ordered[:start]]

    def _lane(self, demand: Demand) -> int:
        """Return the lane of this tenant's next job: now and then that behind, so that it moves on too."""
        turn = self._turns[demand.tenant_id] = self._turns[demand.tenant_id] + 1
        behind: Sequence[int] = demand.lanes[1:]
        return behind[0] if behind and turn % BEHIND_EVERY == 0 else demand.lanes[0]
