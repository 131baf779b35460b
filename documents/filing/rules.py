"""Rules (pure): what each kind of rule looks for, and what a pattern must look like."""

import re
import uuid
from dataclasses import dataclass
from enum import StrEnum

from documents.filing.regexes import BadRegex, compile_regex
from documents.search.words import fold_words

#: Characters of a pattern.
MAX_PATTERN = 500
#: Terms in a pattern of words.
MAX_TERMS = 50
#: Least and usual likeness of a fuzzy rule, in percent, and the shortest pattern: shorter ones fit anywhere.
LEAST_LIKENESS, USUAL_LIKENESS, SHORTEST_FUZZY = 60, 90, 5

_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')


class RuleKind(StrEnum):
    """How a rule looks at a text. Case, umlauts and accents do not count but in a regular expression."""

    NONE = "none"  # switched off
    ANY = "any"  # at least one of the words, or phrases in quotes
    ALL = "all"  # each of them, anywhere
    EXACT = "exact"  # the words in this order, nothing between them
    REGEX = "regex"  # a regular expression, within a time limit
    FUZZY = "fuzzy"  # something like it, however it was spelled or read


class BadPattern(ValueError):
    """The pattern cannot be used; the message says why and what to write instead."""


@dataclass(frozen=True, slots=True)
class Term:
    """Words that follow each other, folded; with `open_end` the last one is a beginning."""

    words: tuple[str, ...]
    open_end: bool = False

    @property
    def phrase(self) -> str:
        """Return the words with a blank between them."""
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: documents in which `pattern` is found get `label`. `likeness` in percent, of fuzzy ones."""

    id: uuid.UUID
    label: uuid.UUID
    kind: RuleKind
    pattern: str
    likeness: int = USUAL_LIKENESS


def check_rule(*, kind: RuleKind, pattern: str, likeness: int = USUAL_LIKENESS) -> None:
    """Raise `BadPattern` if no rule of this kind can look for `pattern`."""
    if len(pattern) > MAX_PATTERN:
        raise BadPattern(
            f"A pattern has at most {MAX_PATTERN} characters, this one {len(pattern)}: make two rules."
        )
    if kind is RuleKind.NONE:
        return
    if not pattern.strip():
        raise BadPattern("The pattern is empty: write what is to be looked for.")
    if kind is RuleKind.REGEX:
        try:
            compile_regex(pattern)
        except BadRegex as error:
            raise BadPattern(str(error)) from error
        return
    terms = read_terms(kind, pattern)
    if not terms:
        raise BadPattern("There is no letter or digit in the pattern: write words to be looked for.")
    if len(terms) > MAX_TERMS:
        raise BadPattern(f"A rule looks for at most {MAX_TERMS} words or phrases: make two rules.")
    if kind is RuleKind.FUZZY:
        _check_fuzzy(terms[0], likeness)


def _check_fuzzy(term: Term, likeness: int) -> None:
    if len(term.phrase) < SHORTEST_FUZZY:
        raise BadPattern(
            f"What is to be found fuzzily has at least {SHORTEST_FUZZY} letters or digits; shorter words are"
            " like too many others. Use the kind 'any'."
        )
    if not LEAST_LIKENESS <= likeness <= 100:
        raise BadPattern(f"The likeness lies between {LEAST_LIKENESS} and 100 percent, not at {likeness}.")


def read_terms(kind: RuleKind, pattern: str) -> tuple[Term, ...]:
    """Return what a rule of words looks for: words, phrases in quotes, and beginnings such as `rechn*`."""
    if kind in (RuleKind.EXACT, RuleKind.FUZZY):
        words = fold_words(pattern)
        return (Term(words),) if words else ()
    terms: dict[Term, None] = {}
    for quoted, plain in _TERM.findall(pattern):
        words = fold_words(quoted or plain)
        if words:
            terms[Term(words, open_end=plain.endswith("*"))] = None
    return tuple(terms)
