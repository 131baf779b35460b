"""Until when a paper must be kept (pure).

A term is counted in whole years from the end of the calendar year of the later of two days: the one that the
paper bears, and the one on which it was stored, both as the tenant's zone counts days.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

#: The classes that every tenant has, by name, in years (German law: § 147 AO, § 257 HGB).
BUILT_IN: Mapping[str, int] = {"vouchers": 8, "books": 10, "letters": 6}
MAX_YEARS = 100


def compute_retention(*, stored: datetime, issued: date | None, years: int, zone: ZoneInfo) -> datetime:
    """Return the instant at which the last day ends in `zone`, in UTC. `stored` knows its own zone.

    Where clocks are set at that midnight, it is the later instant. No date leads beyond the year 9999.
    """
    stored_on = stored.astimezone(zone).date()
    last_year = max(stored_on, issued or stored_on).year + years
    if last_year >= date.max.year:
        return datetime(date.max.year, 12, 31, tzinfo=UTC)
    midnight = datetime(last_year + 1, 1, 1, tzinfo=zone)
    # A midnight that comes twice has two instants, one that never comes is named by either side of the gap.
    return max(midnight.replace(fold=fold).astimezone(UTC) for fold in (0, 1))


def lengthen(current: datetime | None, computed: datetime) -> datetime:
    """Return the later of the two: what was promised is never taken back."""
    return computed if current is None else max(current, computed)


def last_day(until: datetime, zone: ZoneInfo) -> date:
    """Return the last day on which a paper must be kept, as people in `zone` count days."""
    return (until - timedelta(microseconds=1)).astimezone(zone).date()
