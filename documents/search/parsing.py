"""Reads what a person asks for from one line of text (pure). No input is an error.

What has no meaning is left out, and a note says so where that could surprise.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from documents.search.conditions import Issued
from documents.search.fields import FIELD_NAMES, PROPERTY_NAMES, Field, read_days
from documents.search.joined import is_grouped, is_iban, join
from documents.search.query import (
    SHORTEST_PART,
    Added,
    Clause,
    Condition,
    Having,
    Labelled,
    Match,
    Query,
    Spellings,
    Term,
)
from documents.search.words import find_words, fold_words

#: How to ask, for people.
QUERY_HELP = """\
  rechnung 2024              both words, in any form
  "offene rechnung"          these words in this order, as they stand
  rechn*  *auszug  *05379*   beginnings, and parts of words (from three characters on)
  -mahnung  NOT mahnung      documents without it
  vertrag OR angebot         either; binds closer than the blank
  2025-05379  H52.1          numbers with their marks or without
  title:vertrag              in the title or the name of the file
  tag:steuer  from:"Stadtwerke Musterstadt"  type:rechnung
                             filed so; the beginning of the name is enough
  date:2024  date:2024-01..2024-03  date:>=2024-02  added:today
                             issued, or stored, in these days, both ends included
  has:tag  -has:date         with or without: tag, from, type, date, hold, attachment
"""

#: Characters of a query, and conditions in it, that are looked at.
MAX_CHARACTERS = 1000
MAX_TERMS = 32
#: Groups of a number that is written with blanks.
_MOST_GROUPS = 10

_QUOTES = re.compile("[„“”‟«»″＂]")
_BRACKETS = str.maketrans(dict.fromkeys("()[]{}", " "))
_NAMES = "|".join(sorted(FIELD_NAMES, key=len, reverse=True))
_TOKEN = re.compile(
    rf'(?P<sign>[-+]*)(?:(?P<field>{_NAMES}):)?(?:"(?P<phrase>[^"]*)"?(?P<open>\*?)|(?P<word>[^\s"]+)|(?<=:))'
    r"|(?P<alone>[-+]+)",
    re.IGNORECASE,
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
# "Mueller" is also looked for as Müller, but neither "due" as du nor "Quelle" or "Steuer" as anything else.
_SPELLED_OUT = re.compile("(?<![aeq])([aou])e")
_SHORTEST_SPELLED_OUT = 5
_OR = frozenset({"OR", "ODER", "|", "||"})
_NOT = frozenset({"NOT", "NICHT"})
_AND = frozenset({"AND", "UND", "&", "&&"})
#: Words that say nothing of a document: left out beside others.
_FUNCTION_WORDS = frozenset({
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines", "und",
    "oder", "von", "vom", "zu", "zum", "zur", "im", "in", "ins", "am", "an", "auf", "aus", "bei",
    "beim", "mit", "nach", "fur", "uber", "unter", "the", "a", "and", "or", "of", "to", "for", "from",
    "with", "at", "by", "on",
})  # fmt: skip


@dataclass
class _Reading:
    """What has been read so far."""

    today: date
    notes: list[str] = field(default_factory=list)
    groups: list[list[Condition]] = field(default_factory=list)
    joins: bool = False
    negates: bool = False

    def take(self, condition: Condition) -> None:
        """Add a condition to the last clause where an OR stood before it, else as a clause of its own."""
        if self.joins and self.groups:
            self.groups[-1].append(condition)
        else:
            self.groups.append([condition])
        self.joins = False


def parse_query(text: str, *, today: date | None = None) -> Query:
    """Return what `text` asks for. `today` is what days such as "yesterday" are counted from."""
    reading = _Reading(today or datetime.now(UTC).date())
    if len(text) > MAX_CHARACTERS:
        reading.notes.append(f"Only the first {MAX_CHARACTERS} characters were searched for.")
    tokens = list(_TOKEN.finditer(_QUOTES.sub('"', text[:MAX_CHARACTERS].translate(_BRACKETS))))
    number = 0
    while number < len(tokens):
        number += _read_group(tokens, number, reading) or _read_token(tokens[number], reading)
    return Query(_bounded(_without_function_words(reading.groups), reading.notes), tuple(reading.notes))


def _read_group(tokens: list[re.Match[str]], number: int, reading: _Reading) -> int:
    """Read a number in groups, as an IBAN is; return of how many tokens, 0 if there is none."""
    longest = number
    while longest < min(len(tokens), number + _MOST_GROUPS) and _is_plain(tokens[longest]):
        longest += 1
    for end in range(longest, number + 1, -1):
        words = [token["word"] for token in tokens[number:end]]
        whole, joined = " ".join(words), join("".join(words))
        if joined and is_iban(whole):
            reading.take(Term(_spell(whole), Match.TOGETHER, reading.negates, joined=joined))
            reading.negates = False
            return len(words)
        if joined and is_grouped(whole) and not reading.joins and not reading.negates:
            for word in words:  # each of them, wherever; or all in one word
                reading.take(Term(_spell(word), Match.FORMS))
                reading.groups[-1].append(Term(((joined,),), Match.EXACT))
            return len(words)
    return 0


def _is_plain(token: re.Match[str]) -> bool:
    return bool(token["word"]) and not token["sign"] and not token["field"]


def _read_token(token: re.Match[str], reading: _Reading) -> int:
    """Read one token; return 1."""
    phrase, word, name = token["phrase"], token["word"] or "", token["field"]
    if phrase is None and not token["sign"] and not name and word in _OR | _NOT | _AND:
        reading.joins = word in _OR or (reading.joins and word in _NOT)
        reading.negates = word in _NOT
        return 1
    excluded = reading.negates or "-" in token["sign"]
    if name is not None:
        value = word if phrase is None else phrase
        conditions = _read_field(FIELD_NAMES[name.casefold()], value, token, excluded, reading)
    else:
        conditions = _read_terms(word, phrase, token["open"], excluded, reading.notes)
    for condition in conditions:
        reading.take(condition)
    reading.joins = reading.negates = False
    return 1


def _read_field(
    name: Field, value: str, token: re.Match[str], excluded: bool, reading: _Reading
) -> Iterator[Condition]:
    if name is Field.TITLE:
        for term in _read_terms(token["word"] or "", token["phrase"], token["open"], excluded, reading.notes):
            yield replace(term, in_title=True, match=Match.PREFIX if term.match is Match.PART else term.match)
    elif name in {Field.DATE, Field.ADDED}:
        try:
            days = read_days(value, reading.today)
        except ValueError:
            reading.notes.append(
                f"{value!r} is not a date: write 2024, 2024-03, 2024-03-31, 2024-01..2024-03 or >=2024-02."
            )
        else:
            yield Issued(days, excluded) if name is Field.DATE else Added(days, excluded)
    elif name is Field.HAS:
        if what := PROPERTY_NAMES.get(value.casefold()):
            yield Having(what, excluded)
        else:
            known = ", ".join(dict.fromkeys(map(str, PROPERTY_NAMES.values())))
            reading.notes.append(f"has:{value} is not known: write one of {known}.")
    elif words := " ".join(fold_words(value)):
        yield Labelled(name, words, excluded)
    else:
        reading.notes.append(f"{name}: has no name behind it.")


def _read_terms(
    word: str, phrase: str | None, star: str | None, excluded: bool, notes: list[str]
) -> Iterator[Term]:
    if phrase is not None:
        if words := _spell(phrase):
            yield Term(words, Match.PREFIX if star else Match.EXACT, excluded)
        return
    begins_open, ends_open = word.startswith("*"), word.endswith("*")
    beginning = word.strip("*").partition("*")[0]
    words = _spell(beginning)
    if not words:
        return
    if begins_open and sum(len(spellings[0]) for spellings in words) < SHORTEST_PART:
        notes.append(f"Parts of words are searched for from {SHORTEST_PART} characters on.")
        begins_open, ends_open = False, True
    joined = join(beginning) if len(words) > 1 else ""
    if begins_open:
        yield Term(words, Match.PART, excluded, joined=joined)
    elif ends_open or "*" in word.strip("*"):
        yield Term(words, Match.PREFIX, excluded, joined=joined)
    elif len(words) == 1:
        yield Term(words, Match.FORMS, excluded)
    else:
        yield Term(words, Match.TOGETHER if joined else Match.EXACT, excluded, joined=joined)


def spell_name(name: str) -> frozenset[str]:
    """Return the folded words of a name as it may be spelled: with ü as u or ue, and the other way round."""
    folded = " ".join(fold_words(name))
    spelled_out = " ".join(fold_words(name.translate(_UMLAUTS)))
    return frozenset({folded, spelled_out, _SPELLED_OUT.sub(r"\1", folded)})


def _spell(text: str) -> tuple[Spellings, ...]:
    """Return the words of `text`, each with its other spelling if it has one."""
    return tuple(_spellings(text[word.start : word.end], word.folded) for word in find_words(text))


def _spellings(written: str, folded: str) -> Spellings:
    others = fold_words(written.translate(_UMLAUTS))
    if others == (folded,) and len(folded) >= _SHORTEST_SPELLED_OUT:
        others = (_SPELLED_OUT.sub(r"\1", folded),)
    return (folded,) if others == (folded,) or len(others) != 1 else (folded, *others)


def _without_function_words(groups: list[list[Condition]]) -> list[list[Condition]]:
    """Leave out words such as "the" where other words are asked for."""
    telling = [group for group in groups if not all(map(_says_nothing, group))]
    return telling if any(isinstance(each, Term) for group in telling for each in group) else groups


def _says_nothing(condition: Condition) -> bool:
    if not isinstance(condition, Term) or condition.match is not Match.FORMS or condition.excluded:
        return False
    return not condition.in_title and condition.words[0][0] in _FUNCTION_WORDS


def _bounded(groups: list[list[Condition]], notes: list[str]) -> tuple[Clause, ...]:
    clauses: list[Clause] = []
    room = MAX_TERMS
    for group in groups:
        if group[:room]:
            clauses.append(Clause(tuple(group[:room])))
        room = max(0, room - len(group))
    if sum(map(len, groups)) > MAX_TERMS:
        notes.append(f"Only the first {MAX_TERMS} words were searched for.")
    return tuple(clauses)
