"""Search by PostgreSQL itself: written in the transaction of the document, and gone with it.

The functions it calls stand in migrations 0002, 0015 and 0021, with the reasons for their form.
"""

import math
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import connection, transaction
from django.db.utils import OperationalError
from psycopg import errors

from documents.models import SearchEntry
from documents.search.base import MAX_HITS, Entry, Found, Hit, Indexed
from documents.search.conditions import Among
from documents.search.joined import find_joined
from documents.search.query import Clause, Match, Query, Term, widen
from documents.search.sets import compile_sets
from documents.search.statement import Forms, compile_statement, tenant_key
from documents.search.words import fold

#: What one vector can hold: bytes of its words and their places. PostgreSQL's limit is 1,048,575.
_VECTOR_BYTES = 1_000_000
#: Characters of a text whose words are indexed, and in which parts of words are found: some seconds of work,
#: so that even a text of thousands of pages is written within the timeout of a statement.
_VECTOR_CHARACTERS = 3_000_000
_CONTENT_CHARACTERS = 6_000_000
#: Documents that tell how rare a word is; telling words that similar documents are compared by, and of these
#: the rarest, of which one must be shared; documents that are compared.
_SAMPLE, _TELLING, _RAREST, _COMPARED = 200, 24, 8, 300
#: Hits of which the words tell as well how good they are, as migration 0021 has it: the order behind them is
#: the same without.
_WEIGHED = 300
#: Places that a vector keeps of one word.
_MOST_PLACES = 256

_UPSERT_SQL = """
    INSERT INTO documents_searchentry AS entry
        (tenant_id, document_id, content, vector, title, issued_at, added_at)
    SELECT %(tenant)s, %(document)s, ' ' || given.title || '  ' || given.words || ' ',
           archiv_search_words(%(tenant)s, given.title, given.indexed),
           archiv_search_own(%(tenant)s, archiv_search_vector(given.title, '')), %(issued_at)s,
           (SELECT created_at FROM documents_document WHERE tenant_id = %(tenant)s AND id = %(document)s)
    FROM (SELECT archiv_search_fold(%(title)s) AS title, archiv_search_fold(%(words)s) AS words,
                 archiv_search_fold(%(indexed)s) AS indexed) AS given
    ON CONFLICT (tenant_id, document_id) DO UPDATE
    SET content = excluded.content, vector = excluded.vector, title = excluded.title,
        issued_at = excluded.issued_at, added_at = excluded.added_at
"""

_AMEND_SQL = """
    UPDATE documents_searchentry AS entry
    SET content = ' ' || given.title || ' ' || entry.content, issued_at = %(issued_at)s,
        title = archiv_search_own(entry.tenant_id, given.vector),
        vector = archiv_search_own(entry.tenant_id, given.vector) || entry.vector
    FROM (SELECT archiv_search_fold(%(title)s) AS title,
                 archiv_search_vector(archiv_search_fold(%(title)s), '') AS vector) AS given
    WHERE entry.tenant_id = %(tenant)s AND entry.document_id = %(document)s
"""

_SAMPLE_SQL = """
    SELECT word.lexeme, count(*)
    FROM (SELECT vector FROM documents_searchentry WHERE tenant_id = %s
          ORDER BY document_id LIMIT %s) AS entry,
         unnest(entry.vector) AS word
    WHERE word.lexeme = ANY (%s) GROUP BY 1
"""

_SHARED_SQL = """
    SELECT entry.document_id, (
        SELECT coalesce(sum(telling.weight), 0)
        FROM unnest(tsvector_to_array(entry.vector)) AS own(word)
        JOIN unnest(%(words)s::text[], %(weights)s::float8[]) AS telling(word, weight) USING (word))
    FROM documents_searchentry AS entry
    WHERE entry.tenant_id = %(tenant)s AND entry.document_id = ANY (%(documents)s)
"""

_FORMS_SQL = "SELECT word, folded, stems FROM archiv_search_forms(%s)"

_SEARCH_SQL = """
    WITH among (document_id, number) AS ({among})
    SELECT found.document_id, found.rank
    FROM (SELECT coalesce(array_agg(document_id), '{{}}') AS ids,
                 coalesce(array_agg(number), '{{}}') AS numbers FROM among) AS given,
         LATERAL archiv_search(
             %(clauses)s::integer[], %(kinds)s::text[], %(negated)s::boolean[], %(late)s::boolean[],
             %(given)s::text[], given.ids, given.numbers, %(title_all)s::text::tsquery,
             %(title_any)s::text::tsquery, %(title_parts)s::text[], %(ranked)s::text::tsquery, %(most)s
         ) AS found
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
        wanted = min(offset + limit, MAX_HITS) + 1
        forms = load_forms(query.words)
        hits = run_query(compile_sql(tenant_id, query, forms, most=wanted, weighed=offset < _WEIGHED))
        wider = widen(query)
        if len(hits) < wanted and wider != query:
            known = tuple(hit.document_id for hit in hits)
            if known:
                others = Clause((Among(documents=known, excluded=True),))
                wider = replace(wider, clauses=(*wider.clauses, others))
            weighed = offset - len(hits) < _WEIGHED
            left = wanted - len(hits)
            hits += run_query(compile_sql(tenant_id, wider, forms, most=left, weighed=weighed))
        return Found(
            hits=tuple(hits[offset : offset + limit]),
            more=len(hits) > offset + limit,
            stems={word: each.stems for word, each in forms.items()},
        )

    def matching(self, *, tenant_id: uuid.UUID, query: Query, most: int) -> list[uuid.UUID]:
        """See `SearchBackend.matching`."""
        forms = load_forms(query.words)
        hits = run_query(compile_sql(tenant_id, query, forms, most=most, ranked=False))
        return [hit.document_id for hit in hits]

    def similar(
        self, *, tenant_id: uuid.UUID, document_id: uuid.UUID, words: Mapping[str, int], limit: int
    ) -> Found:
        """See `SearchBackend.similar`. How rare a word is, some other documents of the tenant tell."""
        forms = load_forms(words)
        frequent, sampled = _count_in_sample(tenant_id, {each.folded for each in forms.values()})
        # Where the sample is all there is, a word of one document leads to no other.
        least = 2 if sampled < _SAMPLE else 0
        known = [word for word in words if frequent[forms[word].folded] >= least]
        telling = sorted(known, key=lambda word: -_weigh(words[word], frequent[forms[word].folded]))
        if not telling:
            return Found()
        weights = {
            forms[word].folded: _weigh(words[word], frequent[forms[word].folded])
            for word in telling[:_TELLING]
        }
        itself = Clause((Among(documents=(document_id,), excluded=True),))
        near: list[Hit] = []
        for share in (telling[:_RAREST], telling[:_TELLING]):
            terms = tuple(Term(((word,),), Match.EXACT) for word in share)
            others = Query((Clause(terms), itself))
            near = run_query(compile_sql(tenant_id, others, forms, most=_COMPARED, ranked=False))
            if len(near) >= limit:
                break
        return Found(tuple(_compare(tenant_id, [hit.document_id for hit in near], weights)[:limit]))


def _count_in_sample(tenant_id: uuid.UUID, words: Iterable[str]) -> tuple[Counter[str], int]:
    """Return in how many of some documents each word occurs, and how many these are; their ids draw them."""
    key = tenant_key(tenant_id)
    with connection.cursor() as cursor:
        cursor.execute(_SAMPLE_SQL, [tenant_id, _SAMPLE, [key, *(key + word for word in words)]])
        counted = Counter({lexeme.removeprefix(key): documents for lexeme, documents in cursor.fetchall()})
    return counted, counted.pop("", 0)


def _weigh(times: int, documents: int) -> float:
    """Return how telling a word is that occurs so often here, and in so many documents of a sample."""
    return (1 + math.log(times)) * math.log((_SAMPLE + 1) / (documents + 0.5))


def _compare(tenant_id: uuid.UUID, ids: list[uuid.UUID], weights: Mapping[str, float]) -> list[Hit]:
    """Return the documents by what the words weigh that each has; of equal ones the first stays first."""
    key = tenant_key(tenant_id)
    given: dict[str, Any] = {
        "tenant": tenant_id,
        "documents": ids,
        "words": [key + word for word in weights],
        "weights": list(weights.values()),
    }
    with connection.cursor() as cursor:
        cursor.execute(_SHARED_SQL, given)
        shared: dict[uuid.UUID, float] = dict(cursor.fetchall())
    return [Hit(each, shared[each]) for each in sorted(ids, key=lambda each: -shared[each])]


def run_query(compiled: tuple[str, dict[str, Any]]) -> list[Hit]:
    """Return the hits of what `compile_sql` has made."""
    with connection.cursor() as cursor:
        cursor.execute(*compiled)
        return [Hit(document_id, rank) for document_id, rank in cursor.fetchall()]


def compile_sql(
    tenant_id: uuid.UUID,
    query: Query,
    forms: Mapping[str, Forms],
    *,
    most: int,
    ranked: bool = True,
    weighed: bool = True,
) -> tuple[str, dict[str, Any]]:
    """Return the statement that finds the best hits of a query as it stands, with its parameters.

    At most so many; not `ranked`: the newest. Not `weighed`: only those behind the first 300 are wanted, so
    that these may be in any order.
    """
    statement = compile_statement(tenant_id, query.clauses, forms)
    among, parameters = compile_sets(tenant_id, statement.sets)
    either = " | ".join(statement.title_any) if ranked else ""
    parameters |= {
        "clauses": statement.clauses,
        "kinds": statement.kinds,
        "negated": statement.negated,
        "late": statement.late,
        "given": statement.given,
        "title_all": " & ".join(statement.title_all) if either else None,
        "title_any": either or None,
        "title_parts": statement.title_parts if ranked else [],
        "ranked": (either or None) if weighed else None,
        "most": most,
    }
    return _SEARCH_SQL.format(among=among), parameters


def load_forms(words: Iterable[str]) -> dict[str, Forms]:
    """Return for each word what it is looked for as."""
    with connection.cursor() as cursor:
        cursor.execute(_FORMS_SQL, [list(words)])
        return {word: Forms(folded, frozenset(stems)) for word, folded, stems in cursor.fetchall()}


def _entry_parameters(entry: Entry, words: Sequence[str], room: int) -> dict[str, Any]:
    # What a title has in pieces stands joined behind the text.
    named = "".join(f"  {joined}" for joined in find_joined(f"{entry.title} {entry.filename}"))
    return {
        "tenant": entry.tenant_id,
        "document": entry.document_id,
        "title": fold(f"{entry.title} {entry.filename}"),
        "words": (entry.words + named if entry.words else named)[:_CONTENT_CHARACTERS],
        "indexed": entry.words + named if room == len(words) else " ".join(words[:room]) + named,
        "issued_at": entry.issued_at,
    }


def count_fitting(words: Sequence[str]) -> int:
    """Return how many of `words`, from the first, fit into one vector together with their forms.

    An estimate on the safe side: PostgreSQL may take more, hardly ever less.
    """
    if sum(map(len, words)) * 4 + 26 * len(words) < _VECTOR_BYTES:
        return len(words)
    places: dict[str, int] = {}
    size = characters = 0
    for number, word in enumerate(words):
        characters += len(word) + 1
        seen = places.get(word, 0)
        if seen == 0:
            length = len(word.encode())
            # Plain form with its first place; letters may have a stem in each language besides. Before each
            # stands the key of the tenant.
            size += length + 12 + (0 if word.isascii() and any(map(str.isdigit, word)) else 2 * length + 12)
        elif seen < _MOST_PLACES:
            size += 2
        places[word] = seen + 1
        if size > _VECTOR_BYTES or characters > _VECTOR_CHARACTERS:
            return number
    return len(words)
