"""Day first or month first: what the other dates of the same document say about 03/04/2024."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date

from documents.dates.calendar import real_date
from documents.dates.numeric import read
from documents.dates.surroundings import weekday_before
from documents.dates.written import Ambiguous, Written


def choose_orders(
    text: str,
    found: Sequence[Ambiguous],
    certain: Iterable[date],
    order: str,
    today: date,
    *,
    names_month_first: bool = False,
) -> dict[str, str]:
    """Return separator → order for one document.

    The asked order holds unless dates with the same separator have but one reading, the other one, and none
    has only the asked one; a reading also counts if only it agrees with a date written beyond doubt, or with
    the weekday before it. `names_month_first`: its named dates are written "January 21, 2013", and none
    otherwise; then so are those with slashes, where nothing else tells.
    """
    if order == "YMD":
        return {}
    known = set(certain)
    votes: Counter[tuple[str, str]] = Counter()
    of_numbers: dict[tuple[tuple[int, int, int], int], str | None] = {}
    for item in found:
        written = (item.numbers, item.year_digits)
        if written not in of_numbers:
            of_numbers[written] = _vote(item, known, today)
        if vote := of_numbers[written] or _vote_of_weekday(item, text, today):
            votes[item.separator, vote] += 1
    if names_month_first and not votes["/", "DMY"]:
        votes["/", "MDY"] += 1
    other = "MDY" if order == "DMY" else "DMY"
    return {
        separator: other
        for separator in {item.separator for item in found}
        if votes[separator, other] and not votes[separator, order]
    }


def read_all(found: Sequence[Ambiguous], orders: dict[str, str], order: str, today: date) -> list[Written]:
    """Return the readings of all, each in the order of its separator."""
    return [read(item, orders.get(item.separator, order), today) for item in found]


def _vote(item: Ambiguous, known: set[date], today: date) -> str | None:
    first, second, _ = item.numbers
    if item.year_digits == 2 and first > 31:
        return None
    if 12 < first <= 28 and 0 < second <= 12:  # nothing else can be meant
        return "DMY"
    day_first, month_first = read(item, "DMY", today), read(item, "MDY", today)
    if day_first.date is None or day_first.date == month_first.date:
        if day_first.date is None or first == second:
            return None
        return "MDY" if second > 12 and real_date(day_first.date.year, first, second) else "DMY"
    in_known = (day_first.date in known, month_first.date in known)
    if in_known == (True, False):
        return "DMY"
    return "MDY" if in_known == (False, True) else None


def _vote_of_weekday(item: Ambiguous, text: str, today: date) -> str | None:
    before = text[max(0, item.start - 20) : item.start]
    weekday = weekday_before(before) if before.strip() else None
    if weekday is None:
        return None
    fitting = [
        order
        for order in ("DMY", "MDY")
        if (day := read(item, order, today).date) and day.weekday() == weekday
    ]
    return fitting[0] if len(fitting) == 1 else None
