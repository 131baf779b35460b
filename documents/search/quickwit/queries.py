"""From a query to the language of Elasticsearch as Quickwit speaks it (no database).

Only folded words and ids get in, so nothing that was typed is ever syntax.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from documents.search.conditions import Among, Issued, Stored
from documents.search.joined import MAX_JOINED
from documents.search.query import Clause, Condition, Match, Query, Term
from documents.search.quickwit.texts import days_of
from documents.search.statement import SHORTEST_STEM, Forms

Dsl = Mapping[str, Any]

#: Words that a beginning may stand for, and spellings of a phrase.
_EXPANSIONS, _SPELLINGS = 10_000, 8
#: How much more a word in a title counts.
_TITLE_BOOST = 8.0
ALL: Dsl = {"match_all": {}}
NONE: Dsl = {"bool": {"must": [ALL], "must_not": [ALL]}}

#: Says which documents a condition names that the database alone can answer.
Members = Callable[[Among], Sequence[uuid.UUID]]


@dataclass(frozen=True)
class Compiler:
    """Compiles the queries of one search. `forms` has all their words."""

    forms: Mapping[str, Forms]
    members: Members

    def compile(self, query: Query) -> Dsl:
        """Return the whole query, with what lets titles come first."""
        wanted = [term for clause in query.clauses for term in clause.wanted]
        titled = [
            {"term": {"title_forms": {"value": form, "boost": _TITLE_BOOST}}}
            for term in wanted
            for word in term.words
            for form in self._forms_of(word)
        ]
        clauses = [self._clause(clause) for clause in query.clauses]
        return {"bool": {"must": [ALL, *clauses], **({"should": titled} if titled else {})}}

    def _clause(self, clause: Clause) -> Dsl:
        return either(self._condition(condition) for condition in clause.terms)

    def _condition(self, condition: Condition) -> Dsl:
        if isinstance(condition, Term):
            found = self._term(condition)
        elif isinstance(condition, Issued):
            days = condition.days
            found = _span(
                "issued",
                gte=days_of(days.first) if days.first else 0,
                lte=days_of(days.last) if days.last else None,
            )
        elif isinstance(condition, Stored):
            first, before = condition.first, condition.before
            found = _span(
                "added",
                gte=int(first.timestamp()) if first else None,
                lt=int(before.timestamp()) if before else None,
            )
        else:
            assert isinstance(condition, Among)
            found = named(self.members(condition))
        return without(found) if condition.excluded else found

    def _term(self, term: Term) -> Dsl:
        prefix = "title_" if term.in_title else ""
        if term.match in (Match.PART, Match.WITHIN):
            found = self._part(term, prefix)
        elif term.match is Match.FORMS and len(term.words) == 1:
            found = _any_of(f"{prefix}forms", self._forms_of(term.words[0]))
        else:
            found = self._row(term, prefix)
        if not term.joined:
            return found
        return either([found, self._joined(term, prefix)])

    def _joined(self, term: Term, prefix: str) -> Dsl:
        folded = self.forms[term.joined].folded
        if term.match is Match.PART:
            return _beginning(f"{prefix}parts", folded[:MAX_JOINED])
        if term.match is Match.PREFIX:
            return _beginning(f"{prefix}words", folded)
        return _any_of(f"{prefix}words", [folded])

    def _row(self, term: Term, prefix: str) -> Dsl:
        """Return that words follow each other; of a beginning the last one may go on."""
        spelled = [[self.forms[spelling].folded for spelling in word] for word in term.words]
        field = f"{prefix}words"
        ways = islice(product(*spelled), _SPELLINGS)
        if term.match is Match.PREFIX:
            return either(_beginning(field, " ".join(way)) for way in ways)
        if len(spelled) == 1:
            return _any_of(field, spelled[0])
        return either({"match_phrase": {field: {"query": " ".join(way)}}} for way in ways)

    def _part(self, term: Term, prefix: str) -> Dsl:
        """Return that a word has this within; of several words the first ends so, and the last begins so."""
        first, *others = term.words
        if not others:
            spelled = [self.forms[spelling].folded for spelling in first]
            if term.match is Match.WITHIN:
                stems = sorted(stem for spelling in first for stem in self.forms[spelling].stems)
                spelled += [stem for stem in stems if len(stem) >= SHORTEST_STEM]
            ways = dict.fromkeys(each[:MAX_JOINED] for each in spelled)
            return either(_beginning(f"{prefix}parts", each) for each in ways)
        last = " ".join(self.forms[word[0]].folded for word in others)
        ends = {"term": {f"{prefix}parts": {"value": self.forms[first[0]].folded}}}
        return {"bool": {"must": [ends, _beginning(f"{prefix}words", last)]}}

    def _forms_of(self, spellings: Iterable[str]) -> list[str]:
        forms: list[str] = []
        for word in spellings:
            forms += [self.forms[word].folded, *sorted(self.forms[word].stems)]
        return list(dict.fromkeys(forms))


def either(found: Iterable[Dsl]) -> Dsl:
    """Return that one of these is enough."""
    ways = list(found)
    if not ways:
        return NONE
    return ways[0] if len(ways) == 1 else {"bool": {"should": ways}}


def without(found: Dsl) -> Dsl:
    """Return all documents but those that fit."""
    return {"bool": {"must": [ALL], "must_not": [found]}}


def named(document_ids: Iterable[uuid.UUID]) -> Dsl:
    """Return that a document is one of these."""
    ids = [str(each) for each in document_ids]
    return {"terms": {"document": ids}} if ids else NONE


def like(words: Iterable[str]) -> Dsl:
    """Return that documents have some of these folded words, the rare ones above all."""
    return either({"term": {"words": {"value": word}}} for word in words)


def _any_of(field: str, words: Iterable[str]) -> Dsl:
    return either({"term": {field: {"value": word}}} for word in dict.fromkeys(words))


def _beginning(field: str, text: str) -> Dsl:
    return {"match_phrase_prefix": {field: {"query": text, "max_expansions": _EXPANSIONS}}}


def _span(field: str, **ends: int | None) -> Dsl:
    return {"range": {field: {name: value for name, value in ends.items() if value is not None}}}
