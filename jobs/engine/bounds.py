"""How far each tenant's lane is known to be empty, so that no claim reads again what was claimed before it.

Without a bound a claim reads the entries of finished jobs until VACUUM has removed them, which a transaction
that holds the horizon prevents. A bound is a row, `(next_attempt_at, id)`: a bulk insert gives thousands of
rows one moment. It may move over what a claim has seen only once whatever was uncommitted then has ended, so
that a later claim was to see it: when the snapshot of the later one begins where that of the earlier ended.
"""

import math
from bisect import bisect_right
from collections import OrderedDict, deque
from dataclasses import dataclass, field

from jobs.engine.store.heads import Key, Known
from jobs.models import Lane

#: A bound stays so far behind the moment of its claim: a row is a little older than its transaction.
BEHIND_MICROSECONDS = 200_000
#: A transaction that stays open holds a bound back no longer; what it commits is found by looking back.
SLACK_SECONDS = 2.0
#: Each lane is read from its beginning this often.
LOOK_BACK_SECONDS = 5.0
_LANES = 20_000

#: The row that a claim begins behind: microseconds since 1970, and an id.
Row = tuple[int, int]
START: Row = (0, 0)
_LATEST_ID = 2**63 - 1


@dataclass(frozen=True)
class Sight:
    """What one claim saw of one lane: everything up to `row` that its snapshot (xmin, xmax) shows."""

    row: Row
    xmin: int
    xmax: int
    at: float


@dataclass
class _Lane:
    bound: Row = START
    sights: deque[Sight] = field(default_factory=deque)
    looked_back_at: float = -math.inf
    walked_back_at: float = -math.inf


class Bounds:
    """The bounds of one worker. Moments are monotonic seconds."""

    def __init__(self) -> None:
        self._lanes: OrderedDict[Key, _Lane] = OrderedDict()
        self._ordered: list[Key] | None = None

    def begin(self, tenant_id: str, lane: int, *, now: float) -> Row:
        """Return where the next claim of a lane begins: now and then at its beginning."""
        known = self._lanes.get((tenant_id, lane))
        if known is None:
            return START
        if now - known.looked_back_at >= LOOK_BACK_SECONDS:
            known.looked_back_at = now
            return START
        return known.bound

    def known_behind(self, after: Key | None, most: int, *, now: float) -> list[Known]:
        """Return lanes, and from where to read them, in order from behind `after`: one more than `most`."""
        if self._ordered is None:
            self._ordered = sorted(self._lanes)
        start = bisect_right(self._ordered, after) if after is not None else 0
        keys = self._ordered[start : start + most + 1]
        return [Known(key, self._walk_from(self._lanes[key], now)) for key in keys]

    def _walk_from(self, known: _Lane, now: float) -> Row:
        if now - known.walked_back_at < LOOK_BACK_SECONDS:
            return known.bound
        known.walked_back_at = now
        return START

    def meet(self, tenant_id: str, lane: int, row: Row) -> None:
        """Note that a due job was met in a walk: if it lies before the bound, the next claim looks back."""
        known = self._lanes.get((tenant_id, lane))
        if known is not None and row <= known.bound:
            known.bound = START
            known.sights.clear()

    def see(self, tenant_id: str, lane: int, sight: Sight, *, claimed_at: int) -> None:
        """Note what a claim saw, at that moment of the database in microseconds; move the bound if proven."""
        key = (tenant_id, lane)
        known = self._lanes.get(key)
        if known is None:
            known = self._lanes[key] = _Lane(looked_back_at=sight.at, walked_back_at=sight.at)
            self._ordered = None
            if len(self._lanes) > _LANES:
                self._lanes.popitem(last=False)
                self._ordered = None
        self._lanes.move_to_end(key)
        proven: Row | None = None
        while known.sights and self._is_proof(known.sights[0], sight):
            proven = known.sights.popleft().row
        if proven is not None:
            known.bound = max(known.bound, min(proven, sight.row))
        safe = min(sight.row, (claimed_at - BEHIND_MICROSECONDS, _LATEST_ID))
        known.sights.append(Sight(safe, sight.xmin, sight.xmax, sight.at))

    def _is_proof(self, earlier: Sight, later: Sight) -> bool:
        """Whether whatever the earlier claim could not see yet was to be seen by the later one."""
        return earlier.xmax <= later.xmin or later.at - earlier.at >= SLACK_SECONDS

    def forget(self, tenant_id: str) -> None:
        """Begin anew: rows of this tenant may have come back before a bound."""
        for lane in (Lane.NORMAL, Lane.BULK):
            if self._lanes.pop((tenant_id, int(lane)), None) is not None:
                self._ordered = None
