"""What a person asks for, read from one line of text (pure). No input is an error.

What has no meaning is left out, and a note says so where that could surprise.
"""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from enum import Enum

from documents.search.words import find_words, fold_words

#: How to ask, for people.
QUERY_HELP = """\
  rechnung 2024              both words, in any form
  "offene rechnung"          these words in this order, as they stand
  rechn*  *auszug  *05379*   beginnings, and parts of words (from three characters on)
  -mahnung  NOT mahnung      documents without it
  vertrag OR angebot         either; binds closer than the blank
  date:2024  date:2024-01..2024-03  date:..2023-06-30
                             issued in these days, both ends included
"""

#: Characters of a query, and terms in it, that are looked at.
MAX_CHARACTERS = 1000
MAX_TERMS = 32
#: Characters from which the trigram index finds a part of a word.
SHORTEST_PART = 3

_QUOTES = re.compile("[„“”‟«»″＂]")
_TOKEN = re.compile(r'(?P<sign>[-+]*)(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))|(?P<alone>[-+]+)')
_FIELD = re.compile(r"(?:date|datum):(?P<value>\S*)", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?|(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
# "Mueller" is also looked for as Müller, but neither "due" as du nor "Quelle" or "Steuer" as anything else.
_SPELLED_OUT = re.compile("(?<![aeq])([aou])e")
_SHORTEST_SPELLED_OUT = 5
_OR = frozenset({"OR", "ODER", "|", "||"})
_NOT = frozenset({"NOT", "NICHT"})
_AND = frozenset({"AND", "UND", "&", "&&"})


class Match(Enum):
    """How a term is compared with the words of a document."""

    FORMS = "forms"  # in any form: case, number, umlauts
    EXACT = "exact"  # as it stands
    PREFIX = "prefix"  # the last word is a beginning
    PART = "part"  # anywhere within a word


#: One word as it may be spelled: as it was typed first, then with ü as ue, or the other way round.
Spellings = tuple[str, ...]


@dataclass(frozen=True)
class Term:
    """Words that follow each other; most often one."""

    words: tuple[Spellings, ...]
    match: Match
    excluded: bool = False


@dataclass(frozen=True)
class Clause:
    """Terms of which one is enough."""

    terms: tuple[Term, ...]


@dataclass(frozen=True)
class Days:
    """A span of days, both ends included; None is open."""

    first: date | None = None
    last: date | None = None


@dataclass(frozen=True)
class Query:
    """All clauses must hold. `notes` say what of the text was not understood."""

    clauses: tuple[Clause, ...] = ()
    issued: Days | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked for."""
        return not self.clauses and self.issued is None

    @property
    def words(self) -> frozenset[str]:
        """All words that were asked for, in all spellings."""
        terms = (term for clause in self.clauses for term in clause.terms)
        return frozenset(spelling for term in terms for word in term.words for spelling in word)


def parse_query(text: str) -> Query:
    """Return what `text` asks for."""
    notes: list[str] = []
    if len(text) > MAX_CHARACTERS:
        notes.append(f"Only the first {MAX_CHARACTERS} characters were searched for.")
    groups: list[list[Term]] = []
    issued: Days | None = None
    joins = negates = False
    for token in _TOKEN.finditer(_QUOTES.sub('"', text[:MAX_CHARACTERS])):
        phrase, word = token["phrase"], token["word"] or ""
        if phrase is None and not token["sign"]:
            if word in _OR | _NOT | _AND:
                joins, negates = word in _OR or (joins and word in _NOT), word in _NOT
                continue
            if field := _FIELD.fullmatch(word):
                issued = _read_days(field["value"], notes) or issued
                continue
        for term in _read_terms(word, phrase, excluded=negates or "-" in token["sign"], notes=notes):
            if joins and groups:
                groups[-1].append(term)
            else:
                groups.append([term])
            joins = False
        joins = negates = False
    return Query(_bounded(groups, notes), issued, tuple(notes))


def widen(query: Query) -> Query:
    """Return the query that also finds the wanted words within others, as in compounds and numbers."""
    return replace(query, clauses=tuple(Clause(tuple(_widened(clause))) for clause in query.clauses))


def _widened(clause: Clause) -> Iterator[Term]:
    for term in clause.terms:
        yield term
        if term.match is Match.FORMS and not term.excluded and len(term.words[0][0]) >= SHORTEST_PART:
            yield replace(term, match=Match.PART)


def _read_terms(word: str, phrase: str | None, *, excluded: bool, notes: list[str]) -> Iterator[Term]:
    if phrase is not None:
        if words := _spell(phrase):
            yield Term(words, Match.EXACT, excluded)
        return
    begins_open, ends_open = word.startswith("*"), word.endswith("*")
    words = _spell(word.strip("*").partition("*")[0])
    if not words:
        return
    if begins_open and sum(len(spellings[0]) for spellings in words) < SHORTEST_PART:
        notes.append(f"Parts of words are searched for from {SHORTEST_PART} characters on.")
        begins_open, ends_open = False, True
    if begins_open:
        yield Term(words, Match.PART, excluded)
    elif ends_open or "*" in word.strip("*"):
        yield Term(words, Match.PREFIX, excluded)
    else:
        yield Term(words, Match.FORMS if len(words) == 1 else Match.EXACT, excluded)


def _spell(text: str) -> tuple[Spellings, ...]:
    """Return the words of `text`, each with its other spelling if it has one."""
    return tuple(_spellings(text[word.start : word.end], word.folded) for word in find_words(text))


def _spellings(written: str, folded: str) -> Spellings:
    others = fold_words(written.translate(_UMLAUTS))
    if others == (folded,) and len(folded) >= _SHORTEST_SPELLED_OUT:
        others = (_SPELLED_OUT.sub(r"\1", folded),)
    return (folded,) if others == (folded,) or len(others) != 1 else (folded, *others)


def _bounded(groups: list[list[Term]], notes: list[str]) -> tuple[Clause, ...]:
    clauses: list[Clause] = []
    room = MAX_TERMS
    for group in groups:
        if group[:room]:
            clauses.append(Clause(tuple(group[:room])))
        room = max(0, room - len(group))
    if sum(map(len, groups)) > MAX_TERMS:
        notes.append(f"Only the first {MAX_TERMS} words were searched for.")
    return tuple(clauses)


def _read_days(value: str, notes: list[str]) -> Days | None:
    first, dots, last = value.partition("..")
    try:
        lower = _read_date(first, end=False) if first else None
        upper = _read_date(last if dots else first, end=True) if (last or not dots) else None
    except ValueError:
        notes.append(f"{value!r} is not a date: write 2024, 2024-03, 2024-03-31 or 2024-01..2024-03.")
        return None
    return Days(lower, upper)


def _read_date(text: str, *, end: bool) -> date:
    """Return the first or last day that `text` names. Raises ValueError."""
    found = _DATE.fullmatch(text)
    if found is None:
        raise ValueError(text)
    if found[4]:
        return date(int(found[6]), int(found[5]), int(found[4]))
    year, month = int(found[1]), int(found[2] or (12 if end else 1))
    if found[3]:
        return date(year, month, int(found[3]))
    date(year, month, 1)  # refuses month 13 and year 0
    return date(year, month, calendar.monthrange(year, month)[1] if end else 1)
