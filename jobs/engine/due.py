"""The walk through the ready index that finds tenants with due jobs nobody has told of."""

import time
import uuid
from collections.abc import Mapping, Sequence

from jobs.engine.bounds import Bounds
from jobs.engine.store.base import Connection
from jobs.engine.store.heads import Head, Key, Known, due_heads
from jobs.engine.store.upkeep import QueueRule
from jobs.fairness import FairShare
from jobs.models import Lane

_PAGE = 128
# A walk ends after so many pages: fewer while there is work at hand.
_PAGES_A_WALK, _PAGES_BESIDE_WORK = 16, 1


class DueList:
    """Tells `share` of the tenants and lanes with due jobs that it meets, and of those without any more.

    A claim that gets all it asks for does not tell whether that was all there is. Whoever has nothing left is
    idle from then on: taken for somebody who waits, it would come back behind all who just had their turn.

    Each walk goes on where the last one stopped, and the first starts anywhere, so that many workers do not
    begin with the same tenant. A *round* is over when walks have been once through the whole index.
    """

    def __init__(self, share: FairShare, bounds: Bounds, *, bound: int) -> None:
        self._share = share
        self._bounds = bounds
        self._bound = bound
        self._found = 0
        self._cursor: tuple[str, int] | None = (str(uuid.uuid4()), 0)
        self._start: tuple[str, int] | None = self._cursor
        self._wrapped = False
        self._took = True
        #: When the last walk and the round that it belongs to began (monotonic seconds).
        self.walked_at = self.round_at = 0.0
        #: How long the last walk took.
        self.walk_seconds = 0.0
        #: Whether the last walk ended a round in which nothing was claimed before it.
        self.all_seen = False
        #: Seconds from the last walk until the next job that this round saw comes due; None: it saw none.
        self.next_due_in: float | None = None

    def take(self) -> None:
        """Note that something was claimed: what this round says is old, and the next walk begins a new
        one.
        """
        self._took = True

    @property
    def may_find_more(self) -> bool:
        """Whether another walk may find more: the round goes on, or what it says is old."""
        return self._took or not self.all_seen

    @property
    def is_quiet(self) -> bool:
        """Whether a whole round has found nothing that can be claimed now or in a moment."""
        return self.all_seen and not self._took and not self._share and self.next_due_in is None

    def walk(self, connection: Connection, rules: Mapping[str, QueueRule]) -> None:
        """Look through the ready index until enough tenants are found, the round is over, or it takes too
        long.
        """
        if self._took or self.all_seen:
            self._start, self._wrapped = self._cursor, self._cursor is None
            self._took, self.next_due_in, self.round_at = False, None, time.monotonic()
        self._found = 0
        self.walked_at = time.monotonic()
        self.all_seen = False
        for _ in range(_PAGES_BESIDE_WORK if self._share else _PAGES_A_WALK):
            self.all_seen = self._read_page(connection, rules)
            if self.all_seen or self._found >= self._bound:
                break
        self.walk_seconds = time.monotonic() - self.walked_at

    def _read_page(self, connection: Connection, rules: Mapping[str, QueueRule]) -> bool:
        """Note one page of heads; True: the round is over."""
        known = self._bounds.known_behind(self._cursor, _PAGE, now=time.monotonic())
        heads, cursor = due_heads(connection, after=self._cursor, bound=_PAGE, known=known)
        self._let_rest(known[:_PAGE], heads, cursor)
        for head in heads:
            key = (head.tenant_id, head.lane)
            if self._wrapped and self._start is not None and key > self._start:
                self._cursor = key
                return True
            self._note(head, rules)
        self._cursor = cursor
        if cursor is not None:
            return self._wrapped and self._start is not None and cursor >= self._start
        was_wrapped, self._wrapped = self._wrapped, True
        return was_wrapped

    def _let_rest(self, known: Sequence[Known], heads: Sequence[Head], end: Key | None) -> None:
        """Note which tenants of the known lanes of a page have no due job in a lane of the page."""
        due = {(head.tenant_id, head.lane) for head in heads if head.due_in <= 0}
        for tenant_id in {lane.key[0] for lane in known}:
            # A hint is for both lanes: of the one in which there was nothing, nothing is known.
            for key in ((tenant_id, int(Lane.NORMAL)), (tenant_id, int(Lane.BULK))):
                is_on_page = (self._cursor is None or key > self._cursor) and (end is None or key <= end)
                if is_on_page and key not in due:
                    self._share.rest(*key)

    def _note(self, head: Head, rules: Mapping[str, QueueRule]) -> None:
        rule = rules.get(head.tenant_id)
        if rule is not None and not rule.open:
            return
        if head.due_in <= 0:
            self._bounds.meet(head.tenant_id, head.lane, head.row)
            self._share.wake(head.tenant_id, head.lane)
            self._found += 1
        elif self.next_due_in is None or head.due_in < self.next_due_in:
            self.next_due_in = head.due_in
