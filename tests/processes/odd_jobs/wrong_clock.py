"""A wrong wall clock for one process and all it forks: `TEST_CLOCK_OFFSET` says by how many seconds.

Only what asks Python: libfaketime changes what monotonic waits mean too, and breaks `time.sleep`.
"""

import time
from datetime import datetime, timedelta

from django.utils import timezone


def install(offset: float) -> None:
    """Shift every way in which archiv may ask for the time of day; monotonic clocks are as they were."""
    real_time, real_time_ns, real_now = time.time, time.time_ns, timezone.now

    def shifted_now() -> datetime:
        return real_now() + timedelta(seconds=offset)

    time.time = lambda: real_time() + offset
    time.time_ns = lambda: real_time_ns() + int(offset * 1e9)
    timezone.now = shifted_now
