"""The fields of a query: what stands before a colon, and how what stands behind it is read (pure)."""

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum


class Field(StrEnum):
    """What can be asked for besides words."""

    TAG = "tag"
    FROM = "from"
    TYPE = "type"
    DATE = "date"
    ADDED = "added"
    HAS = "has"
    TITLE = "title"


class Property(StrEnum):
    """What a document may have, for `has:`."""

    TAG = "tag"
    FROM = "from"
    TYPE = "type"
    DATE = "date"
    HOLD = "hold"
    ATTACHMENT = "attachment"


#: Every name of every field, in English and German.
FIELD_NAMES = {
    "tag": Field.TAG, "tags": Field.TAG, "schlagwort": Field.TAG,
    "from": Field.FROM, "von": Field.FROM, "correspondent": Field.FROM, "korrespondent": Field.FROM,
    "type": Field.TYPE, "typ": Field.TYPE, "art": Field.TYPE,
    "date": Field.DATE, "datum": Field.DATE, "issued": Field.DATE,
    "added": Field.ADDED, "eingang": Field.ADDED, "hinzugefügt": Field.ADDED,
    "has": Field.HAS, "hat": Field.HAS,
    "title": Field.TITLE, "titel": Field.TITLE,
}  # fmt: skip

#: Every name of every property; those of the fields serve too.
PROPERTY_NAMES = {
    **{name: Property(field) for name, field in FIELD_NAMES.items() if field in {*Property}},
    "hold": Property.HOLD, "sperre": Property.HOLD,
    "attachment": Property.ATTACHMENT, "attachments": Property.ATTACHMENT,
    "anhang": Property.ATTACHMENT, "anhänge": Property.ATTACHMENT,
}  # fmt: skip

_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?|(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)
_QUARTER = re.compile(r"(\d{4})-?[Qq]([1-4])", re.ASCII)
_COMPARED = re.compile(r"(>=|<=|>|<)(.*)", re.DOTALL)
_DAYS = {"today": 0, "heute": 0, "yesterday": 1, "gestern": 1}
_ONE = timedelta(days=1)


@dataclass(frozen=True)
class Days:
    """A span of days, both ends included; None is open."""

    first: date | None = None
    last: date | None = None


def read_days(value: str, today: date) -> Days:
    """Return the days that `2024`, `2024-03..2024-05`, `>=2024-02` or `today` names. Raises ValueError."""
    if compared := _COMPARED.fullmatch(value):
        return _read_compared(compared[1], _read_span(compared[2], today))
    first, dots, last = value.partition("..")
    if not dots:
        return _read_span(value, today)
    if not first and not last:
        raise ValueError(value)
    left = _read_span(first, today) if first else Days()
    right = _read_span(last, today) if last else Days()
    if left.first and right.last and left.first > right.last:
        left, right = right, left  # the later one first: the same days are meant
    return Days(left.first, right.last)


def _read_compared(sign: str, span: Days) -> Days:
    """Raises ValueError: behind the last day of all, or before the first, there is none."""
    if span.first is None or span.last is None:
        raise ValueError(sign)
    try:
        if sign == ">":
            return Days(span.last + _ONE, None)
        if sign == "<":
            return Days(None, span.first - _ONE)
    except OverflowError as error:
        raise ValueError(sign) from error
    return Days(span.first, None) if sign == ">=" else Days(None, span.last)


def _read_span(text: str, today: date) -> Days:
    """Return the first and last day that `text` names. Raises ValueError."""
    ago = _DAYS.get(text.casefold())
    if ago is not None:
        return Days(today - ago * _ONE, today - ago * _ONE)
    if quarter := _QUARTER.fullmatch(text):
        year, last_month = int(quarter[1]), 3 * int(quarter[2])
        return Days(date(year, last_month - 2, 1), _end_of_month(year, last_month))
    found = _DATE.fullmatch(text)
    if found is None:
        raise ValueError(text)
    if found[4]:
        day = date(int(found[6]), int(found[5]), int(found[4]))
        return Days(day, day)
    year, month = int(found[1]), found[2] and int(found[2])
    if found[3]:
        day = date(year, int(month), int(found[3]))
        return Days(day, day)
    if month:
        return Days(date(year, month, 1), _end_of_month(year, month))
    return Days(date(year, 1, 1), date(year, 12, 31))


def _end_of_month(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])
