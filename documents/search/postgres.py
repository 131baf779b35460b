"""Search by PostgreSQL itself: written in the transaction of the document, and gone with it.

The functions it calls stand in migration 0002, with the reasons for their form.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction
from django.db.utils import OperationalError
from psycopg import errors

from documents.models import SearchEntry
from documents.search.base import MAX_HITS, Entry, Found, Hit, Indexed
from documents.search.query import Clause, Match, Query, Term, widen
from documents.search.words import fold

#: What one vector can hold: bytes of its words and their places. PostgreSQL's limit is 1,048,575.
_VECTOR_BYTES = 1_000_000
#: Characters of a text whose words are indexed, and in which parts of words are found: some seconds of work,
#: so that even a text of thousands of pages is written within the timeout of a statement.
_VECTOR_CHARACTERS = 3_000_000
_CONTENT_CHARACTERS = 6_000_000
#: Places that a vector keeps of one word.
_MOST_PLACES = 256

_UPSERT_SQL = """
    INSERT INTO documents_searchentry AS entry (tenant_id, document_id, content, vector, issued_at)
    SELECT %(tenant)s, %(document)s, given.title || ' ' || given.words,
           archiv_search_vector(given.title, given.indexed), %(issued_at)s
    FROM (SELECT archiv_search_fold(%(title)s) AS title, archiv_search_fold(%(words)s) AS words,
                 archiv_search_fold(%(indexed)s) AS indexed) AS given
    ON CONFLICT (tenant_id, document_id) DO UPDATE
    SET content = excluded.content, vector = excluded.vector, issued_at = excluded.issued_at
"""

_AMEND_SQL = """
    UPDATE documents_searchentry AS entry
    SET content = given.title || ' ' || entry.content, issued_at = %(issued_at)s,
        vector = archiv_search_vector(given.title, '') || entry.vector
    FROM (SELECT archiv_search_fold(%(title)s) AS title) AS given
    WHERE entry.tenant_id = %(tenant)s AND entry.document_id = %(document)s
"""

_FORMS_SQL = "SELECT word, folded, stems FROM archiv_search_forms(%s)"

_SEARCH_SQL = """
    SELECT document_id, rank FROM archiv_search(
        %(queries)s::text[]::tsquery[], %(patterns)s::text[], %(pattern_clauses)s::integer[],
        %(pattern_negated)s::boolean[], %(ranked)s::text::tsquery, %(without)s::uuid[],
        %(issued_from)s::date, %(issued_to)s::date, %(most)s
    )
"""


class PostgresSearch:
    """See `SearchBackend` for what each verb promises."""

    def upsert(self, entry: Entry) -> Indexed:
        """See `SearchBackend.upsert`. Of a text over the limit of a vector, the beginning is indexed."""
        words = entry.words.split()
        room = count_fitting(words)
        while True:
            try:
                with transaction.atomic(), connection.cursor() as cursor:
                    cursor.execute(_UPSERT_SQL, _entry_parameters(entry, words, room))
            except OperationalError as error:
                if room == 0 or not isinstance(error.__cause__, errors.ProgramLimitExceeded):
                    raise
                room //= 2  # over the limit after all: the stems are longer than estimated
            else:
                return Indexed(words=room, of=len(words))

    def amend(self, entry: Entry) -> None:
        """See `SearchBackend.amend`. Where the vector is full, the title waits for the job."""
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(_AMEND_SQL, _entry_parameters(entry, [], 0))
        except OperationalError as error:
            if not isinstance(error.__cause__, errors.ProgramLimitExceeded):
                raise

    def remove(self, *, tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID]) -> int:
        """See `SearchBackend.remove`."""
        entries = SearchEntry.objects.filter(tenant_id=tenant_id, document_id__in=list(document_ids))
        return entries.delete()[0]

    def wipe(self, *, tenant_id: uuid.UUID, limit: int) -> int:
        """See `SearchBackend.wipe`."""
        entries = SearchEntry.objects.filter(tenant_id=tenant_id)
        return entries.filter(pk__in=list(entries.values_list("pk", flat=True)[:limit])).delete()[0]

    def search(self, *, tenant_id: uuid.UUID, query: Query, limit: int, offset: int = 0) -> Found:
        """See `SearchBackend.search`. What has a word only within another comes after what has it whole."""
        if query.is_empty or offset >= MAX_HITS:
            return Found()
        forms = _load_forms(query.words)
        wanted = min(offset + limit, MAX_HITS) + 1
        hits = _run(query, forms, without=[], most=wanted)
        wider = widen(query)
        if len(hits) < wanted and wider != query:
            known = [hit.document_id for hit in hits]
            hits += _run(wider, forms, without=known, most=wanted - len(hits))
        return Found(
            hits=tuple(hits[offset : offset + limit]),
            more=len(hits) > offset + limit,
            stems={word: each.stems for word, each in forms.items()},
        )


@dataclass(frozen=True)
class _Forms:
    """What one word is looked for as: as PostgreSQL folds it, and its German and English stems."""

    folded: str
    stems: frozenset[str]


@dataclass
class _Call:
    """The arguments of one call of `archiv_search`."""

    queries: list[str | None] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    pattern_clauses: list[int] = field(default_factory=list)
    pattern_negated: list[bool] = field(default_factory=list)
    ranked: list[str] = field(default_factory=list)

    def add(self, clause: Clause, forms: Mapping[str, _Forms]) -> None:
        """Add one clause."""
        alternatives = []
        for term in clause.terms:
            if term.match is Match.PART:
                self._add_part(term, forms)
                continue
            rendered = _render(term, forms)
            alternatives.append(f"!({rendered})" if term.excluded else f"({rendered})")
            if not term.excluded:
                self.ranked.append(f"({rendered})")
        self.queries.append(" | ".join(alternatives) or None)

    def _add_part(self, term: Term, forms: Mapping[str, _Forms]) -> None:
        # Other spellings as patterns of their own; words in a row only as they were typed.
        typed = [spellings[0] for spellings in term.words]
        spelled = [[word] for word in term.words[0]] if len(term.words) == 1 else [typed]
        for words in spelled:
            self.patterns.append("%" + " ".join(forms[word].folded for word in words) + "%")
            self.pattern_clauses.append(len(self.queries) + 1)
            self.pattern_negated.append(term.excluded)


def _run(query: Query, forms: Mapping[str, _Forms], *, without: Sequence[uuid.UUID], most: int) -> list[Hit]:
    call = _Call()
    for clause in query.clauses:
        call.add(clause, forms)
    parameters: dict[str, Any] = {
        "queries": call.queries,
        "patterns": call.patterns,
        "pattern_clauses": call.pattern_clauses,
        "pattern_negated": call.pattern_negated,
        "ranked": " | ".join(call.ranked) or None,
        "without": list(without),
        "issued_from": query.issued.first if query.issued else None,
        "issued_to": query.issued.last if query.issued else None,
        "most": most,
    }
    with connection.cursor() as cursor:
        cursor.execute(_SEARCH_SQL, parameters)
        return [Hit(document_id, rank) for document_id, rank in cursor.fetchall()]


def _render(term: Term, forms: Mapping[str, _Forms]) -> str:
    """Return a term as PostgreSQL writes queries; every word is quoted, so none is an operator."""
    rendered = []
    for place, spellings in enumerate(term.words):
        lexemes: list[str] = []
        for word in spellings:
            suffix = ":*" if term.match is Match.PREFIX and place == len(term.words) - 1 else ""
            lexemes.append(_quote(forms[word].folded) + suffix)
            if term.match is Match.FORMS:
                lexemes += sorted(_quote(stem) for stem in forms[word].stems)
        rendered.append("(" + " | ".join(dict.fromkeys(lexemes)) + ")")
    return " <-> ".join(rendered)


def _quote(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def _load_forms(words: Iterable[str]) -> dict[str, _Forms]:
    with connection.cursor() as cursor:
        cursor.execute(_FORMS_SQL, [list(words)])
        return {word: _Forms(folded, frozenset(stems)) for word, folded, stems in cursor.fetchall()}


def _entry_parameters(entry: Entry, words: Sequence[str], room: int) -> dict[str, Any]:
    return {
        "tenant": entry.tenant_id,
        "document": entry.document_id,
        "title": fold(f"{entry.title} {entry.filename}"),
        "words": entry.words[:_CONTENT_CHARACTERS],
        "indexed": entry.words if room == len(words) else " ".join(words[:room]),
        "issued_at": entry.issued_at,
    }


def count_fitting(words: Sequence[str]) -> int:
    """Return how many of `words`, from the first, fit into one vector together with their forms.

    An estimate on the safe side: PostgreSQL may take more, hardly ever less.
    """
    if sum(map(len, words)) * 4 + 8 * len(words) < _VECTOR_BYTES:
        return len(words)
    places: dict[str, int] = {}
    size = characters = 0
    for number, word in enumerate(words):
        characters += len(word) + 1
        seen = places.get(word, 0)
        if seen == 0:
            length = len(word.encode())
            # Plain form with its first place; letters may have a stem in each language besides.
            size += length + 6 + (0 if word.isascii() and any(map(str.isdigit, word)) else 2 * length)
        elif seen < _MOST_PLACES:
            size += 2
        places[word] = seen + 1
        if size > _VECTOR_BYTES or characters > _VECTOR_CHARACTERS:
            return number
    return len(words)
