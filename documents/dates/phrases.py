"""Many phrases found fast: compiled by first letter, tried only where a word begins."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache

from documents.dates.folding import fold_word
from documents.dates.kinds import Kind

_WORD = re.compile(r"(?<![^\W_])[^\W_]+")
_ANYWHERE, _IN_COMPOUND = r"\w*", r"\w+"


def phrases_of(table: str) -> list[str]:
    """Return the phrases of a table as folded regular expressions ("_" is a run of blanks)."""
    return [fold_word(phrase).replace("_", r"\s+") for phrase in table.split()]


def any_of(table: str) -> str:
    """Return a group that matches any phrase of a table, for use within an expression on folded text."""
    return f"(?:{'|'.join(phrases_of(table))})"


class PhraseTable:
    """Finds phrases in folded text and tells their kinds; where two fit at a place, the earlier kind wins."""

    def __init__(self, kinds: Sequence[tuple[Kind, str]]) -> None:
        """Compile one expression for each first letter, and one for the ends of compound words."""
        self._kinds = [kind for kind, _ in kinds]
        by_letter: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
        endings: dict[int, list[str]] = defaultdict(list)
        for rank, (_, table) in enumerate(kinds):
            for phrase in phrases_of(table):
                beginning = phrase.removeprefix(_ANYWHERE).removeprefix(_IN_COMPOUND)
                if beginning != phrase:
                    endings[rank].append(beginning)
                if phrase.startswith(_IN_COMPOUND):
                    continue
                for letter in first_letters(beginning):
                    by_letter[letter][rank].append(beginning)
        self._starts = {letter: self._compile(groups) for letter, groups in by_letter.items()}
        self._endings = self._compile(endings)
        # The same words come again and again, in a text and in the next one.
        self._ending_of = lru_cache(maxsize=8192)(self._find_ending)

    def find(self, text: str) -> Iterator[tuple[Kind, int, int]]:
        """Yield kind, start and end of the phrases in `text`, from left to right, none overlapping."""
        done = 0
        for word in _WORD.finditer(text):
            start, end = word.span()
            if start < done:
                continue
            found = self._match(text, start) or self._match_ending(text, start, end)
            if found:
                yield found
                done = found[2]

    def match(self, text: str, start: int) -> tuple[Kind, int, int] | None:
        """Return kind, start and end of the phrase that begins at `start`, if one does."""
        word = _WORD.match(text, start)
        return self._match(text, start) or self._match_ending(text, start, word.end()) if word else None

    @staticmethod
    def _compile(groups: dict[int, list[str]]) -> tuple[re.Pattern[str], tuple[int, ...]]:
        ranks = tuple(sorted(groups))
        alternatives = "|".join(f"({'|'.join(groups[rank])})" for rank in ranks)
        return re.compile(alternatives), ranks

    def _match(self, text: str, start: int) -> tuple[Kind, int, int] | None:
        entry = self._starts.get(text[start])
        if entry is None or not (match := entry[0].match(text, start)):
            return None
        return self._kinds[entry[1][(match.lastindex or 1) - 1]], start, match.end()

    def _match_ending(self, text: str, start: int, end: int) -> tuple[Kind, int, int] | None:
        """A compound ("Stromrechnung") is what it ends with; the whole word is the phrase."""
        kind = self._ending_of(text[start:end])
        return None if kind is None else (kind, start, end)

    def _find_ending(self, word: str) -> Kind | None:
        pattern, ranks = self._endings
        match = pattern.search(word, 1)
        if match is None or match.end() != len(word):
            return None
        return self._kinds[ranks[(match.lastindex or 1) - 1]]


def first_letters(phrase: str) -> set[str]:
    """Return the letters a phrase can begin with: a letter or a group, either may be optional."""
    if phrase.startswith("(?:"):
        end = _closing(phrase)
        letters = set().union(*(first_letters(part) for part in _alternatives(phrase[3:end]) if part))
        rest = phrase[end + 1 :]
    else:
        letters, rest = {phrase[0]}, phrase[1:]
    return letters | first_letters(rest[1:]) if rest.startswith("?") else letters


def _closing(phrase: str) -> int:
    depth = 0
    for at, character in enumerate(phrase):
        if character in "()" and phrase[at - 1 : at] != "\\":
            depth += 1 if character == "(" else -1
            if not depth:
                return at
    raise ValueError(f"A group is not closed in {phrase!r}.")


def _alternatives(inner: str) -> list[str]:
    parts, depth, begin = [], 0, 0
    for at, character in enumerate(inner):
        if character in "()" and inner[at - 1 : at] != "\\":
            depth += 1 if character == "(" else -1
        elif character == "|" and not depth:
            parts.append(inner[begin:at])
            begin = at + 1
    return [*parts, inner[begin:]]
