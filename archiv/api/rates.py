"""How often one caller may ask: a bucket that fills evenly, in the memory of each web process."""

import threading
import time
from collections import OrderedDict

from archiv.api.errors import TooManyRequests

#: Callers remembered; who was away longest is forgotten, with a full bucket.
_CALLERS = 10_000


class RateLimit:
    """At most `per_minute` requests of each caller in a minute, all at once if need be; 0: no limit."""

    def __init__(self, per_minute: int) -> None:
        self._most = float(per_minute)
        self._lock = threading.Lock()
        #: What is left of each caller's bucket, and when that was so (monotonic seconds).
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str, *, now: float | None = None) -> int:
        """Count one request and return how many are left. Raises `TooManyRequests`."""
        if not self._most:
            return 0
        moment = time.monotonic() if now is None else now
        with self._lock:
            left, since = self._left.pop(caller, (self._most, moment))
            left = min(self._most, left + (moment - since) * self._most / 60)
            if left < 1:
                self._left[caller] = (left, moment)
                raise TooManyRequests(seconds=max(1, round((1 - left) * 60 / self._most)))
            self._left[caller] = (left - 1, moment)
            while len(self._left) > _CALLERS:
                self._left.popitem(last=False)
        return int(left - 1)
