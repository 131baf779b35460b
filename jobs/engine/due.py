"""Who has due jobs, as the dispatcher remembers it between two walks through the ready index."""

import time
import uuid
from collections.abc import Mapping

from jobs.engine.store.base import Connection
from jobs.engine.store.claims import Head, due_heads
from jobs.engine.store.upkeep import QueueRule
from jobs.fairness import Demand
from jobs.models import Lane

_PAGE = 128
_PAGES_A_WALK = 16
_LANES = (int(Lane.NORMAL), int(Lane.BULK))


class DueList:
    """Tenants and lanes with due jobs.

    Each walk goes on where the last one stopped, and the first starts anywhere, so that many workers do not
    begin with the same tenant. A *round* is over when walks have been once through the whole index.
    """

    def __init__(self, *, bound: int) -> None:
        self._bound = bound
        self._lanes: dict[str, set[int]] = {}
        self._cursor: tuple[str, int] | None = (str(uuid.uuid4()), 0)
        self._start: tuple[str, int] | None = self._cursor
        self._wrapped = False
        self._took = True
        #: When the last walk and the round that it belongs to began (monotonic seconds).
        self.walked_at = self.round_at = 0.0
        #: Whether the last walk ended a round in which nothing was claimed before it.
        self.all_seen = False
        #: Seconds from the last walk until the next job that this round saw comes due; None: it saw none.
        self.next_due_in: float | None = None

    def __bool__(self) -> bool:
        return bool(self._lanes)

    def add(self, tenant_id: str) -> None:
        """Note a hint: this tenant may have due jobs."""
        self._lanes[tenant_id] = set(_LANES)

    def take(self) -> None:
        """Note that something was claimed: what this round says is old, and the next walk begins a new
        one.
        """
        self._took = True

    def clear(self) -> None:
        """Forget everybody until the next walk."""
        self._lanes.clear()

    @property
    def may_find_more(self) -> bool:
        """Whether another walk may find more: the round goes on, or what it says is old."""
        return self._took or not self.all_seen

    @property
    def is_quiet(self) -> bool:
        """Whether a whole round has found nothing that can be claimed now or in a moment."""
        return self.all_seen and not self._took and not self._lanes and self.next_due_in is None

    def exhaust(self, tenant_id: str, lane: int) -> None:
        """Note that a claim found no more there."""
        lanes = self._lanes.get(tenant_id, set())
        lanes.discard(lane)
        if not lanes:
            self._lanes.pop(tenant_id, None)

    def demands(self, rules: Mapping[str, QueueRule]) -> list[Demand]:
        """Return the tenants that may be claimed from."""
        found = []
        for tenant_id, lanes in self._lanes.items():
            rule = rules.get(tenant_id)
            if rule is None:
                found.append(Demand(tenant_id, tuple(sorted(lanes))))
            elif rule.open:
                found.append(Demand(tenant_id, tuple(sorted(lanes)), rule.weight, rule.max_running))
        return found

    def walk(self, connection: Connection, rules: Mapping[str, QueueRule]) -> None:
        """Look through the ready index until enough tenants are found, the round is over, or it takes too
        long.
        """
        if self._took or self.all_seen:
            self._start, self._wrapped = self._cursor, self._cursor is None
            self._took, self.next_due_in, self.round_at = False, None, time.monotonic()
        self._lanes.clear()
        self.walked_at = time.monotonic()
        self.all_seen = False
        for _ in range(_PAGES_A_WALK):
            self.all_seen = self._read_page(connection, rules)
            if self.all_seen or len(self._lanes) >= self._bound:
                break

    def _read_page(self, connection: Connection, rules: Mapping[str, QueueRule]) -> bool:
        """Note one page of heads; True: the round is over."""
        heads = due_heads(connection, after=self._cursor, bound=_PAGE)
        for head in heads:
            key = (head.tenant_id, head.lane)
            if self._wrapped and self._start is not None and key > self._start:
                return True
            self._cursor = key
            self._note(head, rules)
        if len(heads) == _PAGE:
            return False
        was_wrapped, self._wrapped, self._cursor = self._wrapped, True, None
        return was_wrapped

    def _note(self, head: Head, rules: Mapping[str, QueueRule]) -> None:
        rule = rules.get(head.tenant_id)
        if rule is not None and not rule.open:
            return
        if head.due_in <= 0:
            self._lanes.setdefault(head.tenant_id, set()).add(head.lane)
        elif self.next_due_in is None or head.due_in < self.next_due_in:
            self.next_due_in = head.due_in
