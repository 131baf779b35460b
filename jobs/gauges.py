"""How much is used on the disk where files lie, told by whoever keeps them.

Files belong to a higher app, which says so in its module `gauges` and is found like handlers.
"""

from collections.abc import Callable
from functools import cache

from django.utils.module_loading import autodiscover_modules

#: Returns bytes; None where they cannot be told.
Gauge = Callable[[], int | None]

_GAUGES: list[Gauge] = []


def disk_gauge(measure: Gauge) -> Gauge:
    """Have `measure` asked with each sample of the queue."""
    if measure not in _GAUGES:
        _GAUGES.append(measure)
    return measure


@cache
def _discover() -> None:
    autodiscover_modules("gauges")


def measure_disk() -> int | None:
    """Return the bytes used on the disk of the files, by whatever lies there; None where nobody knows."""
    _discover()
    found = [used for used in (measure() for measure in _GAUGES) if used is not None]
    return max(found, default=None)
