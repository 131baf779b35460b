"""Dates with the month as a word: 5. März 2021, May 12th, 2024, 2024. március 15., 20-FEB-2022."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from documents.dates.calendar import count_digits, full_year, real_date, repair_digits
from documents.dates.months import guess_month, month_table
from documents.dates.spots import Window, around_names, find_month_spots, search_windows
from documents.dates.written import Trait, Written

# A word may hold misread digits ("0ktober", "Ju1i"), so it only has to begin a word and not be a number.
_WORD = r"([^\W_]{1,13}[^\W\d_](?:[01](?![0-9]))?)"
_LETTER = r"[^\W\d_]"
_GAP = r"(?:[.,']{0,2}[ \t]{0,2}|[-/_])(?:\n ?)?"
_ORDINAL = rf"(?:(?:st|nd|rd|th|er|ste|de|ten|te|e|re|ro|a|o|º|ª|°|-?(?:го|е|и|ого|я))(?!{_LETTER}))?"
_BETWEEN = r"(?:(?:de|del|di|of|da|do|den|day of|dan) |d')?"
_AFTER_YEAR = r"(?![0-9])"
_NO_YEAR = r"[%€$£:]|uhr|h\b|am\b|pm\b|eur|usd|stk|[.,]? ?(?:19|20)[0-9]{2}(?![0-9])"  # it was a number then
_SHORT_YEAR = rf"[0-9]{{2}}(?![0-9]|[.,:/-][0-9]| ?(?:{_NO_YEAR}))"
_YEAR = rf"('?(?:[12][0-9oli]{{3}}{_AFTER_YEAR}|(?:19|20) [0-9]{{2}}(?![0-9:.]| ?{_LETTER})|{_SHORT_YEAR}))"
_LONG_YEAR = r"((?:19|20)[0-9]{2})(?![0-9])"
_YEAR_WORD = r"(?: ?(?:m\.|g\.|r\.|metu|metų|gada|godas|a\.))?"

_AFTER_DAY = rf"(?={_ORDINAL}[\"»”“]?{_GAP}{_BETWEEN}{_WORD}{_GAP}(?:(?:de|del|of|do|anno|roku) )?{_YEAR})"
# What follows the first number is only looked at: "3 lots 12 March 2024" must not use up the 12.
_DAY_FIRST = (
    re.compile(r"([0-9](?<![0-9].)[0-9oli]?)" + _AFTER_DAY),
    re.compile(r"([oli](?<![^\W_].)[0-9])" + _AFTER_DAY),
)
_YEAR_FIRST = re.compile(
    rf"([12](?<![0-9].)[90][0-9]{{2}})(?=[.,]?{_YEAR_WORD}[ /-]{{0,2}}{_WORD}\.?"
    r"(?: ho(?:nap)?\.?)?[ /-]{0,2}([0-9]{1,2})(?![0-9]|[.,][0-9]))"
)
_YEAR_DAY_MONTH = re.compile(
    rf"([12](?<![0-9].)[90][0-9]{{2}})(?=\. ?(?:gada|g\.) ?([0-9]{{1,2}})\. ?{_WORD})"
)
_YEAR_MONTH = re.compile(rf"([12](?<![0-9].)[90][0-9]{{2}})(?=\.?{_YEAR_WORD} ?([^\W\d_]{{3,14}}))")
# These two are tried only at the months' names.
_MONTH_FIRST = re.compile(
    r"[^\W\d_]{3,14}[. /-]{1,2}([0-9]{1,2})(?![0-9])(?:st|nd|rd|th)?"
    r"( ?- ?[0-9]{1,2}(?![0-9]))?(?:st|nd|rd|th)?[.,/-]?[ \n]{0,2}(?:de |del |of )?'?"
    rf"(?:((?:19|20)[0-9]{{2}}){_AFTER_YEAR}|(?<=['/-])([0-9]{{2}}){_AFTER_YEAR})"
)
_MONTH_YEAR = re.compile(rf"[^\W\d_]{{3,14}}[ .,/'-]{{0,3}}(?:(?:de|del|of|do) )?{_LONG_YEAR}")
# 12 V 2024, 12.XII.2024
_ROMAN = re.compile(
    r"([0-9](?<![0-9].)[0-9]?)[. /-]{1,2}(x?i{1,3}|i?[vx]|vi{1,3})[. /-]{1,2}((?:19|20)[0-9]{2})(?![0-9])"
)
_ROMAN_MONTHS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")

# One of these stands somewhere in a text with such a date.
_AFTER_ROMAN = [f"{numeral}{mark}" for numeral in "ivx" for mark in ". /-"]

_YEAR_MONTH_LANGUAGES = {"hu", "lt", "lv"}


class NamedDates:
    """Finder of dates with month names; full names of all languages, abbreviations of `languages`."""

    def __init__(self, languages: tuple[str, ...], today: date) -> None:
        """Take the languages whose abbreviations count, and the day that two-digit years are read from."""
        self._languages = languages
        self._table = month_table(languages)
        self._today = today

    def find(self, text: str, years: Sequence[Window]) -> Iterator[Written]:
        """Yield whole dates, impossible ones too, and months with a year only.

        `years` are the windows of `around_years`.
        """
        spots = find_month_spots(text, self._languages)
        windows = around_names(spots, text)
        yield from self._find_day_first(text, windows)
        yield from self._find_year_first(text, windows)
        if any(numeral in text for numeral in _AFTER_ROMAN):
            yield from self._find_roman(text, years)
        for spot in spots:
            month = self._table.get(spot.letters)
            if month and not text[spot.start - 1 : spot.start].isalnum():
                yield from self._month_first(text, spot.start, month)

    def _find_day_first(self, text: str, windows: Sequence[Window]) -> Iterator[Written]:
        for pattern in _DAY_FIRST:
            for match in search_windows(pattern, text, windows):
                month = self._month(match[2], guess=True)
                if month and count_digits(match[1]):
                    guessed = match[2] not in self._table
                    yield self._written(match, 3, match[3], month, match[1], guessed=guessed)

    def _find_roman(self, text: str, years: Sequence[Window]) -> Iterator[Written]:
        for match in search_windows(_ROMAN, text, years):
            if match[2] in _ROMAN_MONTHS:
                yield self._written(match, 3, match[3], _ROMAN_MONTHS.index(match[2]) + 1, match[1])

    def _find_year_first(self, text: str, windows: Sequence[Window]) -> Iterator[Written]:
        for match in search_windows(_YEAR_FIRST, text, windows):
            if month := self._month(match[2]):
                yield self._written(match, 3, match[1], month, match[3])
        for match in search_windows(_YEAR_DAY_MONTH, text, windows):
            if month := self._month(match[3]):
                yield self._written(match, 3, match[1], month, match[2])
        if _YEAR_MONTH_LANGUAGES & set(self._languages):
            for match in search_windows(_YEAR_MONTH, text, windows):
                if month := self._table.get(match[2]):
                    yield self._written(match, 2, match[1], month, "1", {Trait.MONTH_ONLY})

    def _month_first(self, text: str, start: int, month: int) -> Iterator[Written]:
        if match := _MONTH_FIRST.match(text, start):
            year = 3 if match[3] else 4
            traits = {Trait.RANGE_END} if match[2] else set()
            day = match[2].strip(" -") if match[2] else match[1]
            yield self._written(match, year, match[year], month, day, traits)
        if match := _MONTH_YEAR.match(text, start):
            yield self._written(match, 1, match[1], month, "1", {Trait.MONTH_ONLY})

    def _month(self, word: str, guess: bool = False) -> int | None:
        month = self._table.get(word)
        if month is None and guess and not word.isdigit():
            month = guess_month(word, self._languages)
        return month

    def _written(
        self,
        match: re.Match[str],
        last_group: int,
        year: str,
        month: int,
        day: str,
        traits: set[Trait] | None = None,
        guessed: bool = False,
    ) -> Written:
        traits = set(traits or ())
        digits = repair_digits(year.lstrip("'"))
        if guessed or digits != year.lstrip("'") or not day.isdigit():
            traits.add(Trait.REPAIRED)
        if len(digits) == 2:
            traits.add(Trait.SHORT_YEAR)
        value = real_date(full_year(int(digits), len(digits), self._today), month, int(repair_digits(day)))
        return Written(match.start(), match.end(last_group), value, frozenset(traits))
