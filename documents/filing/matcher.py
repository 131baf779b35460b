"""Looking for many rules in one text (pure).

Words are not looked for rule by rule. Each rule hangs on one word of its own (an anchor), and the words of
the text find the rules: so a thousand rules cost little more than one, and what is left to be done rule by
rule are the regular expressions and the fuzzy ones.
"""

import uuid
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import regex
from rapidfuzz import fuzz

from documents.filing import regexes
from documents.filing.rules import Rule, RuleKind, Term, read_terms
from documents.search.words import fold

#: Characters of a text in which words, and something like words, are looked for.
LOOKED_AT, LOOKED_AT_FUZZILY = 2_000_000, 100_000
#: Characters that are shown of what was found.
SHOWN = 100


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule that holds. `found` is what was found; `weight` grows with how much that was."""

    rule: Rule
    found: str
    weight: float


@dataclass(frozen=True, slots=True)
class Stopped:
    """A rule that took too long, and will not be asked again by this matcher."""

    rule: Rule
    seconds: float


@dataclass(frozen=True, slots=True)
class Matches:
    """What the rules say of one text."""

    hits: tuple[Hit, ...] = ()
    stopped: tuple[Stopped, ...] = ()


@dataclass(frozen=True, slots=True)
class _Text:
    """A text, prepared once for all rules."""

    raw: str
    padded: str
    words: frozenset[str]

    def has(self, term: Term) -> bool:
        """Tell whether the words of a term stand there in their order."""
        if len(term.words) == 1 and not term.open_end:
            return term.words[0] in self.words
        return f" {term.phrase}{'' if term.open_end else ' '}" in self.padded


class Matcher:
    """The rules of one tenant. Made once, asked for each text."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        #: By the word that must stand in the text: rules, and the term whose anchor it is.
        self._anchors: defaultdict[str, list[tuple[Rule, tuple[Term, ...]]]] = defaultdict(list)
        #: Rules that begin with a part of a word.
        self._beginnings: list[tuple[str, Rule, tuple[Term, ...]]] = []
        self._regexes: dict[uuid.UUID, tuple[Rule, regex.Pattern[str]]] = {}
        self._fuzzy: list[tuple[Rule, str]] = []
        for rule in rules:
            self._add(rule)

    def _add(self, rule: Rule) -> None:
        if rule.kind is RuleKind.NONE:
            return
        if rule.kind is RuleKind.REGEX:
            try:
                self._regexes[rule.id] = (rule, regexes.compile_regex(rule.pattern))
            except regexes.BadRegex:
                return  # it was checked when it was made, by an older release: it matches nothing
            return
        terms = read_terms(rule.kind, rule.pattern)
        if not terms:
            return
        if rule.kind is RuleKind.FUZZY:
            self._fuzzy.append((rule, terms[0].phrase))
        elif rule.kind is RuleKind.ANY:
            for term in terms:
                self._hang(rule, term, (term,))
        else:
            # On the term whose anchor is longest: long words are rare.
            self._hang(rule, max(terms, key=lambda term: len(_anchor(term) or "")), terms)

    def _hang(self, rule: Rule, on: Term, terms: tuple[Term, ...]) -> None:
        anchor = _anchor(on)
        if anchor is None:
            self._beginnings.append((on.words[0], rule, terms))
        else:
            self._anchors[anchor].append((rule, terms))

    def match(self, raw: str) -> Matches:
        """Return the rules that hold for a text, the weightiest first, and those that had to be stopped."""
        folded = fold(raw[:LOOKED_AT])
        text = _Text(raw, f" {folded} ", frozenset(folded.split()))
        hits: dict[uuid.UUID, Hit] = {}
        for hit in (*self._match_words(text), *self._match_fuzzily(folded)):
            known = hits.get(hit.rule.id)
            if known is None or known.weight < hit.weight:
                hits[hit.rule.id] = hit
        found, stopped = self._match_regexes(text)
        ranked = sorted((*hits.values(), *found), key=lambda hit: (-hit.weight, hit.rule.id))
        return Matches(tuple(ranked), stopped)

    def _match_words(self, text: _Text) -> Iterator[Hit]:
        for word in text.words & self._anchors.keys():
            for rule, terms in self._anchors[word]:
                if all(text.has(term) for term in terms):
                    yield _hit(rule, terms)
        if not self._beginnings:
            return
        ordered = sorted(text.words)
        for beginning, rule, terms in self._beginnings:
            place = bisect_left(ordered, beginning)
            if place < len(ordered) and ordered[place].startswith(beginning):
                if len(terms) == 1:
                    yield Hit(rule, ordered[place][:SHOWN], len(beginning))
                elif all(text.has(term) for term in terms):
                    yield _hit(rule, terms)

    def _match_fuzzily(self, folded: str) -> Iterator[Hit]:
        looked_at = folded[:LOOKED_AT_FUZZILY]
        for rule, wanted in self._fuzzy:
            # Of a text shorter than the pattern every part would be "like" it.
            if len(looked_at) < len(wanted):
                likeness, start, end = fuzz.ratio(wanted, looked_at), 0, len(looked_at)
                if likeness < rule.likeness:
                    continue
            else:
                aligned = fuzz.partial_ratio_alignment(wanted, looked_at, score_cutoff=rule.likeness)
                if aligned is None:
                    continue
                likeness, start, end = aligned.score, aligned.dest_start, aligned.dest_end
            yield Hit(rule, looked_at[start:end].strip()[:SHOWN], len(wanted) * likeness / 100)

    def _match_regexes(self, text: _Text) -> tuple[list[Hit], tuple[Stopped, ...]]:
        hits, stopped = [], []
        for rule, compiled in list(self._regexes.values()):
            try:
                found = regexes.search(compiled, text.raw)
            except regexes.TooSlow as error:
                del self._regexes[rule.id]
                stopped.append(Stopped(rule, error.seconds))
                continue
            if found is not None:
                hits.append(Hit(rule, " ".join(found.split())[:SHOWN], min(len(found), SHOWN)))
        return hits, tuple(stopped)


def _anchor(term: Term) -> str | None:
    """Return the longest whole word of a term; None if it has only a beginning."""
    whole = term.words[:-1] if term.open_end else term.words
    return max(whole, key=len, default=None)


def _hit(rule: Rule, terms: tuple[Term, ...]) -> Hit:
    found = ", ".join(term.phrase for term in terms)
    return Hit(rule, found[:SHOWN], sum(len(term.phrase) for term in terms))
