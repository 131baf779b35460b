"""What the patterns find: a date as it is written, before anybody judges it."""

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum


class Trait(StrEnum):
    """How a date is written, where that tells how far to trust it."""

    REPAIRED = "repaired"  # misread digits or letters were put right, or a broken date joined
    SHORT_YEAR = "short_year"  # two digits
    BARE = "bare"  # 1.2.19: neither leading zeros nor a whole year, as in a section or version number
    HYPHENS = "hyphens"  # 10-12-20: as in an article number
    BLANKS_ONLY = "blanks_only"  # 12 05 2024: only with a label before it
    COMPACT = "compact"  # 20240512: only with a label before it
    RANGE_END = "range_end"  # the end of a span such as "1.-31.10.2022"
    MONTH_FIRST = "month_first"  # 03/15/2024
    MONTH_ONLY = "month_only"  # the first of a month named without a day


@dataclass(frozen=True, slots=True)
class Written:
    """A date in folded text: where, and its reading (None: impossible, but the characters are used up)."""

    start: int
    end: int
    date: date | None
    traits: frozenset[Trait] = frozenset()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Three numbers that may be day first, month first or (two-digit) year first."""

    start: int
    end: int
    numbers: tuple[int, int, int]
    year_digits: int
    separator: str
    traits: frozenset[Trait] = field(default=frozenset())
