"""Dates in file names: any separator, none, or a month's name, as scanners, cameras and people write them."""

import re
from collections.abc import Iterator
from datetime import date

from documents.dates.calendar import full_year, real_date
from documents.dates.folding import fold
from documents.dates.named import NamedDates
from documents.dates.numeric import find_months_in_digits
from documents.dates.spots import around_years
from documents.dates.written import Trait, Written

_ANY = r"[^0-9a-z\n]{1,3}"
_YEAR_FIRST = re.compile(rf"(?<![0-9])((?:19|20)[0-9]{{2}}){_ANY}([0-9]{{1,2}}){_ANY}([0-9]{{1,2}})(?![0-9])")
_YEAR_LAST = re.compile(
    # "v1.2.2020" is a version
    rf"(?<![0-9])(?<![^a-z]v)(?<!^v)([0-9]{{1,2}}){_ANY}([0-9]{{1,2}}){_ANY}((?:19|20)[0-9]{{2}}|[0-9]{{2}})(?![0-9])"
)
_EIGHT = re.compile(r"(?<![0-9])([0-9]{8})(?![0-9])")
_FOURTEEN = re.compile(
    r"(?<![0-9])((?:19|20)[0-9]{6})(?:[0-2][0-9][0-5][0-9](?:[0-5][0-9](?:[0-9]{3})?)?)(?![0-9])"
)
_SIX = re.compile(r"(?<![0-9])([0-9]{6})(?![0-9])")
_LONGEST_NAME = 1024


def find_in_name(name: str, order: str, languages: tuple[str, ...], today: date) -> Iterator[Written]:
    """Yield the dates in a file name, the surest forms first; positions are those of the name."""
    folded = fold(name[:_LONGEST_NAME])
    for written in _find(folded.text, order, languages, today):
        yield Written(
            folded.origin(written.start), folded.origin(written.end - 1) + 1, written.date, written.traits
        )


def _find(text: str, order: str, languages: tuple[str, ...], today: date) -> Iterator[Written]:
    for match in _YEAR_FIRST.finditer(text):
        yield Written(*match.span(), real_date(int(match[1]), int(match[2]), int(match[3])))
    for match in _YEAR_LAST.finditer(text):
        yield Written(
            *match.span(),
            _ordered(match[1], match[2], match[3], order, today),
            frozenset({Trait.SHORT_YEAR} if len(match[3]) == 2 else ()),
        )
    for match in (*_EIGHT.finditer(text), *_FOURTEEN.finditer(text)):
        yield Written(*match.span(), _compact(match[1], order))
    named = re.sub(r"[_+]", " ", text)
    yield from NamedDates(languages, today).find(named, around_years(named))
    for match in _SIX.finditer(text):
        digits = match[1]
        day = _ordered(digits[:2], digits[2:4], digits[4:], order, today)
        yield Written(*match.span(), day, frozenset({Trait.SHORT_YEAR, Trait.COMPACT}))
    joined = re.sub(r"(?<=[0-9])[_. ](?=[0-9])", "-", text)
    yield from find_months_in_digits(joined, around_years(joined))


def _ordered(first: str, second: str, third: str, order: str, today: date) -> date | None:
    """Three groups in the asked order; the year where its length says it is."""
    if order == "YMD" and len(third) == 2:
        return real_date(full_year(int(first), 2, today), int(second), int(third))
    year = full_year(int(third), len(third), today)
    day, month = (second, first) if order == "MDY" else (first, second)
    return real_date(year, int(month), int(day)) or real_date(year, int(day), int(month))


def _compact(digits: str, order: str) -> date | None:
    year_first = real_date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    day, month = (digits[2:4], digits[:2]) if order == "MDY" else (digits[:2], digits[2:4])
    year_last = real_date(int(digits[4:]), int(month), int(day))
    return year_first or year_last if order == "YMD" else year_last or year_first
