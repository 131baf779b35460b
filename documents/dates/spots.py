"""Where in a text a date can be at all, found by a cheap scan, so that dear patterns look only there."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from documents.dates.months import month_table, names_of

# From a word's first letter on: its misread digits ("Ju1i") and a year run into it ("Mai2024") come along.
_WORD = re.compile(r"[^\W\d_]\w*")
_LETTERS = re.compile(r"[^\W\d_]+")
_UP_TO_YEAR = re.compile(r"[^\W_]{0,13}[^\W\d_][01]?(?=[12][0-9oli]{3}|[0-9]{2}(?![0-9]))")
_YEAR = re.compile("(?:19|20)[0-9]{2}")
_SHORTEST_GUESSED = 5  # letters, as in `months`
_LONGEST_NAME = 15
#: Characters before and behind a month's name that a date with it may take.
_AROUND_NAME = (28, 64)
#: The same around a whole year, where the other parts are digits.
_AROUND_YEAR = (14, 20)
_NEAR = 64

Window = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MonthSpot:
    """Where a word begins that may name a month, and how it may be spelt there up to a digit or its end."""

    start: int
    end: int
    letters: str


def find_month_spots(text: str, languages: tuple[str, ...]) -> list[MonthSpot]:
    """Return every place of folded text at which a month may be named, misread ones included."""
    looks = _looks_of(languages)
    spots = []
    for word in {part for found in set(_WORD.findall(text)) for part in _parts(found)}:
        if not looks.may_be_month(word):
            continue
        match = _LETTERS.match(word)
        letters = match[0] if match else ""
        at = text.find(word)
        while at >= 0:
            if not at or not text[at - 1].isalpha():
                spots.append(MonthSpot(at, at + len(word), letters))
            at = text.find(word, at + len(word))
    return sorted(spots, key=lambda spot: spot.start)


def around_names(spots: Sequence[MonthSpot], text: str) -> list[Window]:
    """Return the windows of a text that hold all dates with a name at these places."""
    return _windows([(spot.start, spot.end) for spot in spots], *_AROUND_NAME, len(text))


def around_years(text: str) -> list[Window]:
    """Return the windows of a text that hold all dates with a whole year of 1900 to 2099, in plain digits."""
    return _windows([match.span() for match in _YEAR.finditer(text)], *_AROUND_YEAR, len(text))


def search_windows(pattern: re.Pattern[str], text: str, windows: Iterable[Window]) -> Iterator[re.Match[str]]:
    """Yield what a pattern finds in windows; it sees what stands before them."""
    for start, end in windows:
        yield from pattern.finditer(text, start, end)


def _parts(word: str) -> Sequence[str]:
    """The word itself, and where digits or low lines are in it ("vom12mai2024") what follows on each."""
    if word.isalpha():
        return (word,)
    return [part[match.start() :] for part in word.split("_") for match in _LETTERS.finditer(part)]


def _windows(places: Sequence[Window], before: int, behind: int, length: int) -> list[Window]:
    """Join what overlaps, so that nothing is found twice, and what is so near that parting it costs more."""
    windows: list[Window] = []
    for start, end in places:
        first, last = max(0, start - before), min(length, end + behind)
        if windows and first <= windows[-1][1] + _NEAR:
            windows[-1] = (windows[-1][0], max(last, windows[-1][1]))
        else:
            windows.append((first, last))
    return windows


class _Looks:
    """What words look like that may name a month."""

    def __init__(self, languages: tuple[str, ...]) -> None:
        self._table = month_table(languages)
        # The first letter may have been read as a digit, which no word begins with here.
        self._known = set(self._table) | {name[1:] for name in self._table if len(name) > 2}
        self._halves: set[tuple[int, str, str]] = set()
        for name in names_of(languages):
            if len(name) >= _SHORTEST_GUESSED:
                half = len(name) // 2
                self._halves |= {(len(name), name[:half], ""), (len(name), "", name[half:])}

    def may_be_month(self, word: str) -> bool:
        """Return whether `guess_month` may know a word, or what is left of one without a misread digit."""
        if word.isalpha():
            return self._may_be(word)
        letters, up_to_year = _LETTERS.match(word), _UP_TO_YEAR.match(word)
        return (
            (letters is not None and self._may_be(letters[0]))
            or (up_to_year is not None and self._may_be_misread(up_to_year[0]))
            or (len(word) <= _LONGEST_NAME and self._may_be_misread(word))
        )

    def _may_be(self, word: str) -> bool:
        if word in self._known or ("rn" in word and word.replace("rn", "m") in self._known):
            return True
        length = len(word)
        half = length // 2
        # With one wrong letter one half is right.
        return (length, word[:half], "") in self._halves or (length, "", word[half:]) in self._halves

    def _may_be_misread(self, word: str) -> bool:
        # Not by `guess_month`, which compares a word with every name: a text may have 100,000 such words.
        if self._may_be(word):
            return True
        spellings = {word.translate(digits) for digits in _DIGITS}
        return any(one in self._known or one.replace("rn", "m") in self._known for one in spellings)


#: As `guess_month` reads them.
_DIGITS = tuple(str.maketrans("01458|", f"o{one}asb{one}") for one in "li")


@lru_cache(maxsize=64)
def _looks_of(languages: tuple[str, ...]) -> _Looks:
    return _Looks(languages)
