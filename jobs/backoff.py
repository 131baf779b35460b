"""How long a failed job waits before it is tried again. Pure."""

import random

LONGEST_SECONDS = 3600.0
# 2^64 of any base that can be configured is over the longest pause; larger exponents would overflow a float.
_LARGEST_EXPONENT = 64


def backoff_seconds(retry_count: int, *, base: float, jitter: float | None = None) -> float:
    """Return the pause in seconds before retry number `retry_count + 1`: `base`, then double each time, at
    most 1 h.

    `jitter` from 0 to 1 shortens the pause by up to a quarter, so that what failed together does not come
    back together; None draws one. Never zero, never over the longest pause, for any `retry_count`.
    """
    exponent = min(max(retry_count, 0), _LARGEST_EXPONENT)
    pause = min(base * 2.0**exponent, LONGEST_SECONDS)
    drawn = random.random() if jitter is None else jitter  # noqa: S311  spreads retries, keeps no secret
    return pause * (1.0 - 0.25 * drawn)
