"""What is shown of a hit: the place that says most, with the found words marked (pure).

Parts, not markup: whoever shows them escapes the text and chooses how a mark looks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from documents.search.query import Match, Query, Term
from documents.search.words import Word, find_words

#: Characters of an excerpt, about; and characters of one page that are looked through.
WIDTH = 220
_LONGEST_PAGE = 50_000
#: Letters that a form may have behind its stem: "rechnung" is one of "Rechnungen", not of "Rechnungshof".
_LONGEST_ENDING = 4
#: Pieces in which a number may be written.
_MOST_PIECES = 12


@dataclass(frozen=True)
class Part:
    """A piece of text, marked if it is what was looked for."""

    text: str
    marked: bool = False


@dataclass(frozen=True)
class Excerpt:
    """A piece of one page (from 1; 0 is no page)."""

    page: int
    parts: tuple[Part, ...]


#: First and last character of what was found, and the number of the term.
_Found = tuple[tuple[int, int], int]


class Marker:
    """Knows which words of a text are those that a query looked for."""

    def __init__(self, query: Query, stems: Mapping[str, frozenset[str]]) -> None:
        self._terms = tuple(term for term in query.terms if not term.excluded)
        self._stems = stems

    def mark(self, text: str) -> tuple[Part, ...]:
        """Return the whole of `text` in parts."""
        return _cut(text, 0, len(text), [span for span, _ in self._find(text)])

    def excerpt(self, pages: Iterable[tuple[int, str]]) -> Excerpt | None:
        """Return the piece of the pages in which most different terms occur; None where none does."""
        best: Excerpt | None = None
        score = 0
        for page, whole in pages:
            text = whole[:_LONGEST_PAGE]
            found = self._find(text)
            for first, (span, _) in enumerate(found):
                close = takewhile(_ends_before(span[0] + WIDTH), islice(found, first, None))
                near = list(close) or [found[first]]  # a single word may be longer than that
                terms = len({term for _, term in near})
                if terms > score:
                    start, end = _window(text, span[0], near[-1][0][1])
                    best, score = Excerpt(page, _cut(text, start, end, [each for each, _ in found])), terms
            if score == len(self._terms):
                break
        return best

    def _find(self, text: str) -> list[_Found]:
        """Return the spans of `text` that match, in order, each with the number of its term."""
        words = list(find_words(text))
        found: list[_Found] = []
        behind = 0
        for index, word in enumerate(words):
            if word.start < behind:
                continue
            for number, term in enumerate(self._terms):
                length = self._match(term, words, index)
                if length:
                    behind = words[index + length - 1].end
                    found.append(((word.start, behind), number))
                    break
        return found

    def _match(self, term: Term, words: Sequence[Word], index: int) -> int:
        """Return how many words from `index` on are `term`: all of it, or 0."""
        return self._match_words(term, words, index) or self._match_joined(term, words, index)

    def _match_joined(self, term: Term, words: Sequence[Word], index: int) -> int:
        """As `_match`, for what was asked for as one word, whether it is written as one or in pieces."""
        wanted = term.joined or (term.words[0][0] if len(term.words) == 1 else "")
        if not any(map(str.isdigit, wanted)) and not term.joined:
            return 0
        for count in range(1, min(_MOST_PIECES, len(words) - index) + 1):
            if not wanted.startswith(words[index + count - 1].folded):
                return 0
            wanted = wanted.removeprefix(words[index + count - 1].folded)
            if not wanted:
                return count
        return 0

    def _match_words(self, term: Term, words: Sequence[Word], index: int) -> int:
        if index + len(term.words) > len(words):
            return 0
        for place, spellings in enumerate(term.words):
            word = words[index + place].folded
            last = place == len(term.words) - 1
            if not any(self._is(term.match, word, spelling, last=last) for spelling in spellings):
                return 0
        return len(term.words)

    def _is(self, match: Match, word: str, wanted: str, *, last: bool) -> bool:
        if match is Match.PART or (match is Match.WITHIN and wanted in word):
            return wanted in word
        if match is Match.PREFIX and last:
            return word.startswith(wanted)
        if word == wanted or match is not Match.FORMS:
            return word == wanted
        return any(
            word.startswith(stem) and len(word) <= len(stem) + _LONGEST_ENDING
            for stem in self._stems.get(wanted, ())
        )


def _ends_before(limit: int) -> Callable[[_Found], bool]:
    return lambda found: found[0][1] <= limit


def _window(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the piece of about WIDTH characters around a span, cut between words."""
    room = max(0, WIDTH - (last - first))
    start = max(0, first - room // 3)
    end = min(len(text), max(last, start + WIDTH))
    if start > 0:
        start = min(first, text.find(" ", start, first) + 1 or first)
    if end < len(text):
        end = max(last, text.rfind(" ", last, end))
    return start, end


def _cut(text: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> tuple[Part, ...]:
    return tuple(_parts(text, start, end, spans))


def _parts(text: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> Iterator[Part]:
    at = start
    for first, last in spans:
        if first < at or last > end:
            continue
        if first > at:
            yield Part(_one_line(text[at:first]))
        yield Part(_one_line(text[first:last]), marked=True)
        at = last
    if at < end:
        yield Part(_one_line(text[at:end]))


def _one_line(text: str) -> str:
    blank = " ".join(text.split())
    return (" " if text[:1].isspace() else "") + blank + (" " if blank and text[-1:].isspace() else "")
