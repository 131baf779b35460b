"""What a person asks for (pure): words and fields, with and, or, and not. `parsing` reads it from text."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

from documents.search.conditions import Among, Issued, Stored
from documents.search.fields import Days, Field, Property

#: Characters from which a part of a word is looked for.
SHORTEST_PART = 3


class Match(Enum):
    """How a term is compared with the words of a document."""

    FORMS = "forms"  # in any form: case, number, umlauts
    EXACT = "exact"  # as it stands
    TOGETHER = "together"  # these words in a row, or written as one word
    PREFIX = "prefix"  # the last word is a beginning
    PART = "part"  # anywhere within a word
    WITHIN = "within"  # anywhere within a word, in any form


#: One word as it may be spelled: as it was typed first, then with ü as ue, or the other way round.
Spellings = tuple[str, ...]


@dataclass(frozen=True)
class Term:
    """Words that follow each other; most often one. `joined` is the same as one word, if that fits too."""

    words: tuple[Spellings, ...]
    match: Match
    excluded: bool = False
    in_title: bool = False
    joined: str = ""


@dataclass(frozen=True)
class Labelled:
    """Filed under a label whose name is, or begins with, these words. `field` is TAG, FROM or TYPE."""

    field: Field
    name: str
    excluded: bool = False


@dataclass(frozen=True)
class Added:
    """Stored in these days, as they begin and end in the tenant's zone."""

    days: Days
    excluded: bool = False


@dataclass(frozen=True)
class Having:
    """Has this at all."""

    what: Property
    excluded: bool = False


#: Labelled, Added and Having become one of the last two once a tenant is known, see `resolving`.
Condition = Term | Issued | Labelled | Added | Having | Among | Stored


@dataclass(frozen=True)
class Clause:
    """Conditions of which one is enough."""

    terms: tuple[Condition, ...]

    @property
    def wanted(self) -> tuple[Term, ...]:
        """The terms that a document should have."""
        return tuple(term for term in self.terms if isinstance(term, Term) and not term.excluded)


@dataclass(frozen=True)
class Query:
    """All clauses must hold. `notes` say what of the text was not understood."""

    clauses: tuple[Clause, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked for."""
        return not self.clauses

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms, the excluded ones too."""
        return tuple(term for clause in self.clauses for term in clause.terms if isinstance(term, Term))

    @property
    def words(self) -> frozenset[str]:
        """All words that were asked for, in all spellings."""
        joined = frozenset(term.joined for term in self.terms if term.joined)
        return joined | {spelling for term in self.terms for word in term.words for spelling in word}


def widen(query: Query) -> Query:
    """Return the query that also finds the wanted words within others, as in compounds and numbers."""
    return replace(query, clauses=tuple(Clause(tuple(_widened(clause))) for clause in query.clauses))


def _widened(clause: Clause) -> Iterator[Condition]:
    for term in clause.terms:
        yield term
        if not isinstance(term, Term) or term.excluded:
            continue
        if term.match is Match.FORMS and len(term.words[0][0]) >= SHORTEST_PART:
            yield replace(term, match=Match.WITHIN)
        elif term.match is Match.TOGETHER and len(term.joined) >= SHORTEST_PART:
            yield Term(((term.joined,),), Match.WITHIN, in_title=term.in_title)
