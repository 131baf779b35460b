"""From a query to the arguments of `archiv_search`, which migration 0021 explains (pure).

What the index of words decides alone becomes one expression; parts of words, titles, and pairs of words that
follow each other have indexes of their own; phrases are looked for in the text of what these have left.
"""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from documents.search.conditions import Among, Issued, Stored
from documents.search.query import Clause, Match, Term

#: Characters of a part that its index keeps; of a longer one the text is looked at.
PART_CHARACTERS = 12
#: Characters of a stem from which words are looked for that have it within.
SHORTEST_STEM = 4
_PARTS = (Match.PART, Match.WITHIN)
#: Conditions that have an index, and what they are called beside others that have none.
_BESIDE = {"words": "any words", "title": "any title", "parts": "listed parts", "pairs": "listed pairs"}
#: Ways to spell a phrase that are looked for in texts; beyond, the places of its words are compared.
_MOST_PATTERNS = 4


@dataclass(frozen=True)
class Forms:
    """What one word is looked for as: as PostgreSQL folds it, and its German and English stems."""

    folded: str
    stems: frozenset[str]


@dataclass(frozen=True)
class Value:
    """One condition as `archiv_search` takes it."""

    kind: str
    value: str
    negated: bool = False


@dataclass
class Statement:
    """The arguments of one call. `sets` are the conditions whose documents are looked up by the caller.

    `leads`: the expression of words has some that must be there.
    """

    key: str
    leads: bool = False
    clauses: list[int] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    negated: list[bool] = field(default_factory=list)
    late: list[bool] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    sets: dict[int, Among] = field(default_factory=dict)
    title_all: list[str] = field(default_factory=list)
    title_any: list[str] = field(default_factory=list)
    title_parts: list[str] = field(default_factory=list)

    def add(self, clause: int, values: Iterable[Value], *, late: bool = False) -> None:
        """Add conditions of one clause."""
        for value in values:
            self.clauses.append(clause)
            self.kinds.append(value.kind)
            self.given.append(value.value)
            self.negated.append(value.negated)
            self.late.append(late)

    def add_among(self, clause: int, among: Among, *, late: bool = False) -> None:
        """Add the condition that a document is one of some."""
        self.add(clause, [Value("among", "", among.excluded)], late=late)
        self.sets[len(self.clauses)] = among


def tenant_key(tenant_id: uuid.UUID) -> str:
    """Return what every word of a tenant begins with in the indexes, as `archiv_search_key` does."""
    return str(tenant_id)[-6:]


def compile_statement(
    tenant_id: uuid.UUID, clauses: Iterable[Clause], forms: Mapping[str, Forms]
) -> Statement:
    """Return the arguments for a query all of whose conditions an engine understands."""
    statement = Statement(tenant_key(tenant_id))
    together: list[str] = []
    for number, clause in enumerate(clauses, 2):
        _Compiler(statement, forms, number, together).compile(clause)
    if together and not statement.leads:
        # The words that are not to be there lead to no document; the key leads to all of the tenant.
        together.append(_quote(statement.key))
    if together:
        statement.add(1, [Value("words", " & ".join(together))])
    return statement


@dataclass
class _Compiler:
    """Adds one clause to a statement; what the index of words decides alone goes into `together`."""

    statement: Statement
    forms: Mapping[str, Forms]
    number: int
    together: list[str]

    def compile(self, clause: Clause) -> None:
        """Add a clause: what indexes can say of it first, and what is left to the text late."""
        early: list[Value] | None = []
        exact: list[Value] = []
        sets: list[Among] = []
        for condition in clause.terms:
            if isinstance(condition, Among):
                sets.append(condition)
                continue
            before, after = self._values(condition)
            exact += after
            early = None if early is None or before is None else early + before
        self._rank(clause)
        if early is not None and not sets and all(value.kind == "words" for value in early):
            if early:
                self.statement.leads |= not any(value.value.startswith("!") for value in early)
                self.together.append(f"({' | '.join(_signed(value) for value in early)})")
            if early == exact:
                return
        elif early is not None:
            merged = _merged(early)
            indexed = not sets and all(each.kind in _BESIDE and each.value[0] != "!" for each in early)
            self.statement.add(self.number, merged if indexed else _listed(merged))
            for among in sets:
                self.statement.add_among(self.number, among)
        if early is None or early != exact:
            # Of what a text needs, its characters are read sooner than its words.
            late = sorted(_listed(_merged(exact)), key=lambda value: value.kind == "any words")
            self.statement.add(self.number, late, late=True)
            for among in sets:
                self.statement.add_among(self.number, among, late=True)

    def _values(self, condition: object) -> tuple[list[Value] | None, list[Value]]:
        """Return what no match is without, by index (None: nothing), and what makes it one."""
        if isinstance(condition, Term):
            return self._term(condition)
        if isinstance(condition, Issued):
            days = condition.days
            if days.first is None and days.last is None:
                value = Value("issued", "(,)", condition.excluded)
            else:
                value = Value("issued", f"[{days.first or ''},{days.last or ''}]", condition.excluded)
            return [value], [value]
        assert isinstance(condition, Stored)
        first, before = condition.first, condition.before
        span = f"[{first.isoformat() if first else ''},{before.isoformat() if before else ''})"
        return [Value("added", span, condition.excluded)], [Value("added", span, condition.excluded)]

    def _term(self, term: Term) -> tuple[list[Value] | None, list[Value]]:
        early, exact = self._wanted(term)
        if not term.excluded:
            return early, exact
        if early == exact and all(value.kind == "words" for value in exact):
            negated = [Value("words", f"!({' | '.join(f'({value.value})' for value in exact)})")]
            return negated, negated
        if len(exact) > 1:  # none of them: only one expression can say so
            either = " | ".join(filter(None, [self._places(term), self._joined(term)]))
            return None, [Value("words", f"!({either})")]
        return None, [Value(exact[0].kind, exact[0].value, negated=True)]

    def _wanted(self, term: Term) -> tuple[list[Value], list[Value]]:
        words = self._all(term)
        joined = self._joined(term)
        if term.in_title and term.match not in _PARTS:
            titled = " | ".join(filter(None, [self._places(term), joined]))
            return [Value("title", titled)], [Value("title", titled)]
        if term.match in _PARTS:
            return self._part(term)
        if len(term.words) == 1:
            return [Value("words", words)], [Value("words", words)]
        also = [Value("words", joined)] if joined else []
        exact = self._phrase(term)
        if term.match is not Match.PREFIX and all(value.kind == "text" for value in exact):
            return [*(Value("pairs", value.value.strip("% ")) for value in exact), *also], [*exact, *also]
        return [Value("words", words), *also], [*exact, *also]

    def _part(self, term: Term) -> tuple[list[Value], list[Value]]:
        wanted = [Value("text", f"%{' '.join(self._fold(word[0]) for word in term.words)}%")]
        early: list[Value] = []
        if len(term.words) == 1:
            spelled = [self._fold(word) for word in term.words[0]]
            if term.match is Match.WITHIN:
                stems = sorted(stem for word in term.words[0] for stem in self.forms[word].stems)
                spelled += [stem for stem in stems if len(stem) >= SHORTEST_STEM and stem not in spelled]
            wanted = [Value("text", f"%{word}%") for word in spelled]
            if term.in_title:
                wanted = [Value("titled", value.value) for value in wanted]
            early = [
                Value("parts", f"{_quote(self.statement.key + word[:PART_CHARACTERS])}:*") for word in spelled
            ]
            if (
                all(len(word) <= PART_CHARACTERS for word in spelled)
                and not term.excluded
                and not term.in_title
            ):
                return early, early
            return early, wanted[:1] if term.excluded else wanted
        middle = [self._one(word) for word in term.words[1:-1]]
        last = f"{_quote(self.statement.key + self._fold(term.words[-1][0]))}:*"
        early = [Value("words", " & ".join([*middle, last]))]
        if term.joined and not term.excluded:
            part = self._fold(term.joined)
            early.append(Value("parts", f"{_quote(self.statement.key + part[:PART_CHARACTERS])}:*"))
            wanted.append(Value("text", f"%{part}%"))
        return early, wanted

    def _phrase(self, term: Term) -> list[Value]:
        spelled = [[self._fold(spelling) for spelling in word] for word in term.words]
        ways = list(product(*spelled)) if len(spelled) < 10 else [()] * (_MOST_PATTERNS + 1)
        if all(len(word) == 1 for word in spelled):
            ways = [tuple(word[0] for word in spelled)]
        if len(ways) > _MOST_PATTERNS:
            return [Value("words", self._places(term))]
        end = "%" if term.match is Match.PREFIX else " %"
        return [Value("text", f"% {' '.join(way)}{end}") for way in ways]

    def _all(self, term: Term) -> str:
        """Return that all words of a term occur, wherever."""
        return "(" + " & ".join(self._rendered(term)) + ")"

    def _places(self, term: Term) -> str:
        """Return that the words of a term follow each other."""
        return "(" + " <-> ".join(self._rendered(term)) + ")"

    def _rendered(self, term: Term) -> list[str]:
        last = len(term.words) - 1
        return [
            self._one(
                word,
                forms=term.match is Match.FORMS,
                beginning=term.match is Match.PREFIX and place == last,
            )
            for place, word in enumerate(term.words)
        ]

    def _one(self, spellings: Iterable[str], *, forms: bool = False, beginning: bool = False) -> str:
        lexemes: list[str] = []
        for word in spellings:
            lexemes.append(_quote(self.statement.key + self._fold(word)) + (":*" if beginning else ""))
            if forms:
                lexemes += sorted(_quote(self.statement.key + stem) for stem in self.forms[word].stems)
        return "(" + " | ".join(dict.fromkeys(lexemes)) + ")"

    def _joined(self, term: Term) -> str:
        beginning = term.match is Match.PREFIX
        return self._one([term.joined], beginning=beginning) if term.joined else ""

    def _fold(self, word: str) -> str:
        return self.forms[word].folded

    def _rank(self, clause: Clause) -> None:
        """Say what a title should have."""
        wanted = [term for term in clause.wanted if term.match not in _PARTS]
        if wanted:
            rendered = " | ".join(
                " | ".join(filter(None, [self._all(term), self._joined(term)])) for term in wanted
            )
            self.statement.title_all.append(f"({rendered})")
            self.statement.title_any.append(f"({rendered})")
        for term in clause.wanted:
            if term.match in _PARTS and len(term.words) == 1:
                self.statement.title_parts += [f"%{self._fold(word)}%" for word in term.words[0]]


def _signed(value: Value) -> str:
    return f"!({value.value})" if value.negated else f"({value.value})"


def _merged(values: Iterable[Value]) -> list[Value]:
    """Return the conditions with those of each expression over the same words as one."""
    merged: list[Value] = []
    for kind in ("words", "parts"):
        of_kind = [_signed(value) for value in values if value.kind == kind]
        if of_kind:
            merged.append(Value(kind, " | ".join(of_kind)))
    return merged + [value for value in values if value.kind not in {"words", "parts"}]


def _listed(values: Iterable[Value]) -> list[Value]:
    """Return the conditions as they are beside others without an index, or for texts one after the other.

    What would be worked out for each document is looked up once instead.
    """
    return [replace(each, kind=_BESIDE.get(each.kind, each.kind)) for each in values]


def _quote(lexeme: str) -> str:
    """Return a word as PostgreSQL writes it in queries: quoted, so that none is an operator."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
