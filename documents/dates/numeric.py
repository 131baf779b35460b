"""Dates in digits: 13.02.2018, 2024-12-06, 12 .05. 2024, l3.O2.2O18, 03/2024."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from documents.dates.calendar import count_digits, full_year, real_date, repair_digits
from documents.dates.spots import Window, search_windows
from documents.dates.written import Ambiguous, Trait, Written

# Each begins with a plain class of characters and only then looks behind (at the character before): the
# engine can skip to it, which makes a search several times faster.
_THREE = re.compile(
    r"([0-9](?<![0-9].)[0-9]?)( {0,2})([./-])( {0,2})([0-9]{1,2}) {0,2}\3 {0,2}"
    r"('?[0-9]{2}(?:[0-9]{2})?)(?![0-9])"
)
_YEAR_FIRST = re.compile(r"([12](?<![0-9].)[90][0-9]{2}) ?([./-]) ?([0-9]{1,2}) ?\2 ?([0-9]{1,2})(?![0-9])")
# One blank inside a group, mixed or doubled separators, letters for digits: always with a whole year.
_BROKEN = re.compile(
    r"([0-9oli|](?<![0-9a-z|].)(?:[0-9oli|]| [0-9])?) {0,2}([.,/-]{1,2}) {0,2}"
    r"([0-9olisbz|]{1,2}|[0-9] [0-9]) {0,2}([.,/-]{0,2}) {0,2}"
    r"([12li|z](?: ?[0-9olisbzgq|]){3})(?![0-9a-z|])"
)
_AFTER_SPLIT_YEAR = re.compile(r" *(?:\n|$|[,;)])")
_BLANKS = re.compile(r"([0-9](?<![0-9].)(?<![0-9] .)[0-9]) ([0-9]{2}) ((?:19|20)[0-9]{2})(?! ?[0-9])")
_COMPACT = re.compile(r"[0-9](?<![0-9a-z].)(?: ?[0-9]){7}(?![0-9a-z])")
_MONTH_YEAR = re.compile(
    r"([01](?<![0-9./,-].)(?<![0-9] .)[0-9]) ?/ ?((?:19|20)[0-9]{2})(?![0-9]|[./-][0-9])"
)
_YEAR_MONTH = re.compile(r"([12](?<![0-9a-z./,-].)[90][0-9]{2})-(0[1-9]|1[0-2])(?![0-9a-z]|[./-][0-9])")
# 11/17/2017 with the slashes read as ones.
_ONES = re.compile(r"([01](?<![0-9].)[0-9])1([0-3][0-9])1((?:19|20)[0-9]{2})(?![0-9])")

_FEWEST_DIGITS = 5  # of the eight in a broken date that must have been read as digits


def find_three_numbers(text: str, years: Sequence[Window]) -> Iterator[Ambiguous]:
    """Yield what has three numbers between two equal separators, and what a reader broke of them.

    `years` are the windows of `around_years`, here and below.
    """
    plain = set()
    for match in _THREE.finditer(text):
        first, blank, separator, other_blank, second, year = match.groups()
        year = year.lstrip("'")
        start, end = match.span()
        numbers = (int(first), int(second), int(year))
        if len(year) == 4:
            plain.add(start)
            yield Ambiguous(start, end, numbers, 4, separator)
            continue
        if separator in "/-" and (blank or other_blank):
            continue
        traits = {Trait.SHORT_YEAR}
        if separator == "-":
            traits.add(Trait.HYPHENS)
        if len(first) == 1 and len(second) == 1:
            traits.add(Trait.BARE)
        yield Ambiguous(start, end, numbers, 2, separator, frozenset(traits))
    yield from _find_broken(text, plain)
    for match in search_windows(_BLANKS, text, years):
        numbers = (int(match[1]), int(match[2]), int(match[3]))
        yield Ambiguous(*match.span(), numbers, 4, " ", frozenset({Trait.BLANKS_ONLY}))
    for match in search_windows(_ONES, text, years):
        numbers = (int(match[1]), int(match[2]), int(match[3]))
        yield Ambiguous(*match.span(), numbers, 4, "/", frozenset({Trait.COMPACT, Trait.REPAIRED}))


def _find_broken(text: str, plain: set[int]) -> Iterator[Ambiguous]:
    for match in _BROKEN.finditer(text):
        if match.start() in plain:
            continue
        first, one, second, other, year = match.groups()
        groups = (first, second, year)
        if (
            not all(count_digits(group) for group in groups)
            or sum(map(count_digits, groups)) < _FEWEST_DIGITS
        ):
            continue
        if year[2] == " " and not _AFTER_SPLIT_YEAR.match(text, match.end()):  # "12.05.20 18:30"
            continue
        if one == "," and other not in (",", "."):  # an amount and a year
            continue
        if not other and not match[0][match.end(3) - match.start() :].startswith(" "):
            continue
        numbers = [int(digits) for digits in map(repair_digits, groups) if digits.isdigit()]
        if len(numbers) == 3 and 1900 < numbers[2] < 2200:
            yield Ambiguous(
                *match.span(), (numbers[0], numbers[1], numbers[2]), 4, one[0], frozenset({Trait.REPAIRED})
            )


def find_year_first(text: str, years: Sequence[Window]) -> Iterator[Written]:
    """Yield dates with a whole year in front."""
    for match in search_windows(_YEAR_FIRST, text, years):
        yield Written(*match.span(), real_date(int(match[1]), int(match[3]), int(match[4])))


def find_compact(text: str, years: Sequence[Window]) -> Iterator[Written]:
    """Yield eight digits in a row that are a date with the year in front or at the end."""
    for match in search_windows(_COMPACT, text, years):
        digits = match[0].replace(" ", "")
        day = real_date(int(digits[:4]), int(digits[4:6]), int(digits[6:])) or real_date(
            int(digits[4:]), int(digits[2:4]), int(digits[:2])
        )
        if day:
            yield Written(*match.span(), day, frozenset({Trait.COMPACT}))


def find_months_in_digits(text: str, years: Sequence[Window]) -> Iterator[Written]:
    """Yield months such as 03/2024 and 2024-03 as their first days."""
    for match in search_windows(_MONTH_YEAR, text, years):
        yield Written(
            *match.span(), real_date(int(match[2]), int(match[1]), 1), frozenset({Trait.MONTH_ONLY})
        )
    for match in search_windows(_YEAR_MONTH, text, years):
        yield Written(
            *match.span(), real_date(int(match[1]), int(match[2]), 1), frozenset({Trait.MONTH_ONLY})
        )


def read(found: Ambiguous, order: str, today: date) -> Written:
    """Return the reading of three numbers in `order`; where the calendar has none, the other way round."""
    first, second, third = found.numbers
    year = full_year(third, found.year_digits, today)
    if order == "YMD" and found.year_digits == 2:
        day = real_date(full_year(first, 2, today), second, third)
        if day and day <= today:
            return Written(found.start, found.end, day, found.traits)
    month_first = order == "MDY"
    for american in (month_first, not month_first):
        day = real_date(year, first, second) if american else real_date(year, second, first)
        if day:
            traits = found.traits | {Trait.MONTH_FIRST} if american else found.traits
            return Written(found.start, found.end, day, traits)
    return Written(found.start, found.end, None, found.traits)
