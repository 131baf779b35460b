"""What `benchmarks.search` measures on: tenants of different sizes, words as often as in a language.

Words follow Zipf's law over a vocabulary made of syllables; lengths of texts vary. Everything is made in the
database and loaded by INSERT … SELECT, because COPY is refused under row-level security.
"""

import random
import sys
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from django.db import connections
from django.db.backends.utils import CursorWrapper

from benchmarks.server import connect
from tenants.scope import operator_scope

#: Different words, and the middle number of words of a text.
VOCABULARY = 200_000
WORDS = 70
#: Documents that are written in one statement.
_BATCH = 10_000
_SYLLABLES = (
    "ab", "an", "auf", "aus", "be", "ber", "bau", "bank", "be", "dar", "den", "der", "die", "du", "ein",
    "ent", "er", "fahr", "fall", "fest", "frei", "gang", "geb", "gel", "ger", "gut", "hand", "haus",
    "heim", "hin", "hof", "in", "kar", "kauf", "ken", "kon", "kost", "kün", "la", "land", "lehr", "leit",
    "lich", "lie", "ma", "man", "mark", "me", "mie", "mit", "na", "no", "nung", "ob", "or", "pa",
    "pflicht", "po", "preis", "pro", "rat", "rech", "rei", "ren", "sa", "satz", "schein", "schul", "sel",
    "sen", "ser", "si", "stadt", "steu", "stra", "strom", "ta", "tag", "te", "ten", "tra", "trag",
    "tung", "um", "un", "ver", "von", "vor", "wa", "wag", "was", "wei", "wert", "we", "wid", "wirt",
    "woh", "zahl", "zeit", "zen", "zu", "zug",
)  # fmt: skip

#: For loading only; searches have what the server is set to.
_SETTINGS = (
    "SET statement_timeout = 0",
    "SET maintenance_work_mem = '2GB'",
    "SET work_mem = '64MB'",
    "SET synchronous_commit = off",
)
_SHAPE: dict[str, object] = {"vocabulary": VOCABULARY, "words": WORDS}

_TABLE_SQL = """
CREATE UNLOGGED TABLE bench_word (number integer PRIMARY KEY, word text NOT NULL);
CREATE UNLOGGED TABLE bench_slot (slot integer PRIMARY KEY, tenant integer NOT NULL);
CREATE TABLE bench_tenant (number integer PRIMARY KEY, id uuid NOT NULL, documents integer NOT NULL);
"""

_TENANTS_SQL = """
INSERT INTO tenants_tenant (id, name, status, status_before, timezone, languages, retention_released_by,
                            retention_released_reason)
SELECT id, 'Tenant ' || number, 'active', '', 'Europe/Berlin', '{deu}', '', '' FROM bench_tenant
"""

# Rank r of Zipf's law over n words: n ** random(), nearly.
_TEXTS_SQL = """
WITH document AS (
    INSERT INTO documents_document (id, tenant_id, title, title_manually_set, issued_at, issued_source,
                                    issued_candidates, source, source_ref, legal_hold, created_at, updated_at)
    SELECT gen_random_uuid(), share.id, 'Papier ' || paper, false, date '2015-01-01' + (random() * 4000)::int,
           '', '[]', 'import', '', false, now() - make_interval(mins => paper), now()
    FROM generate_series(%(first)s::int, %(last)s::int) AS paper
    -- The tenants' documents lie mixed, as they come in.
    JOIN bench_slot AS slot ON slot.slot = paper JOIN bench_tenant AS share ON share.number = slot.tenant
    RETURNING id, tenant_id, issued_at, created_at
), made AS (
    SELECT document.*, text.title, text.words FROM document,
    LATERAL (
        SELECT string_agg(word.word, ' ') FILTER (WHERE place <= 4) AS title,
               string_agg(word.word, ' ') FILTER (WHERE place > 4) AS words
        FROM (
            SELECT place, floor(power(%(vocabulary)s::float, random()))::int AS rank
            FROM generate_series(
                1, 5 + (%(words)s * exp(random() + random() - 1 + 0 * length(document.id::text)))::int
            ) AS place
        ) AS drawn,
        -- Each word is looked up: a join by hash would read the whole vocabulary for each document.
        LATERAL (SELECT word FROM bench_word WHERE number = drawn.rank OFFSET 0) AS word
    ) AS text
)
INSERT INTO documents_searchentry (tenant_id, document_id, content, vector, title, issued_at, added_at)
SELECT tenant_id, id, ' ' || title || '  ' || words || ' ', archiv_search_words(tenant_id, title, words),
       archiv_search_own(tenant_id, archiv_search_vector(title, '')), issued_at, created_at
FROM made WHERE title IS NOT NULL AND words IS NOT NULL
"""

_LABELS_SQL = """
INSERT INTO documents_label (id, tenant_id, kind, name, key, created_at)
SELECT gen_random_uuid(), share.id, kind, kind || ' ' || label, kind || ' ' || label, now()
FROM bench_tenant AS share, unnest('{tag,correspondent,document_type}'::text[]) AS kind,
     generate_series(1, 20) AS label
"""

_FILINGS_SQL = """
INSERT INTO documents_filing (tenant_id, document_id, label_id, kind, state, set_by, because, decided_at)
SELECT DISTINCT ON (entry.document_id, label.kind)
       entry.tenant_id, entry.document_id, label.id, label.kind, 'filed', 'person', '[]', now()
FROM documents_searchentry AS entry
JOIN documents_label AS label ON label.tenant_id = entry.tenant_id
    AND label.name = label.kind || ' ' || (1 + floor(20 * power(
        ('x' || right(entry.document_id::text, 4))::bit(16)::int / 65536.0, 2)))::int
"""


@dataclass(frozen=True)
class Loaded:
    """What was loaded: the tenants by number of documents, and how long texts and indexes took, seconds."""

    tenants: Sequence[tuple[uuid.UUID, int]]
    documents: int
    texts_s: float
    indexes_s: float


def make_words() -> list[str]:
    """Return the vocabulary, the most frequent word first."""
    source = random.Random(9)
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        syllables = source.choices(_SYLLABLES, k=source.choice((1, 2, 2, 3, 3, 3, 4, 5)))
        words["".join(syllables).replace("ü", "u").replace("ö", "o")] = None
    return list(words)


def share(documents: int, tenants: int) -> list[int]:
    """Return how many documents each tenant has: the first most, one of the others 10,000 if possible."""
    weights = [1 / (rank + 1) for rank in range(tenants)]
    counts = [max(20, int(documents * weight / sum(weights))) for weight in weights]
    nearest = min(range(tenants), key=lambda rank: abs(counts[rank] - 10_000))
    if documents >= 100_000:
        counts[nearest] = 10_000
    return counts


def find_or_load(documents: int, tenants: int, words: Sequence[str]) -> Loaded:
    """Return what an earlier run has loaded into the database, or load it.

    One whose load was broken off is of no use, and refused.
    """
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT to_regclass('bench_word') <> 0, to_regclass('bench_loaded') <> 0")
        begun, done = cursor.fetchone()
    if begun and not done:
        sys.exit("A load into this database was broken off: drop it, or name another.")
    return read_loaded() if done else load(documents, tenants, words)


def load(documents: int, tenants: int, words: Sequence[str]) -> Loaded:
    """Fill the database that the owner's connection is of, with two connections at a time."""
    counts = share(documents, tenants)
    total = sum(counts)
    with connections["owner"].cursor() as cursor:
        for setting in _SETTINGS:
            cursor.execute(setting)
        _make_lists(cursor, counts, words)
        indexes = _drop_indexes(cursor)
        with operator_scope(using="owner"):
            cursor.execute(_TENANTS_SQL)
        started = time.perf_counter()
        batches = [
            (_TEXTS_SQL, {"first": first, "last": min(total, first + _BATCH - 1), **_SHAPE})
            for first in range(1, total + 1, _BATCH)
        ]
        _run_side_by_side(batches)
        texts = time.perf_counter() - started
        with operator_scope(using="owner"):
            cursor.execute(_LABELS_SQL)
        started = time.perf_counter()
        # The index of parts takes longest by far: what else is to do is done beside it.
        definitions: list[tuple[str, dict[str, object]]] = [(each, {}) for each in indexes]
        _run_side_by_side([*definitions, (_FILINGS_SQL, {})])
        built = time.perf_counter() - started
        cursor.execute("ALTER INDEX documents_searchentry_parts ALTER COLUMN 1 SET STATISTICS 0")
        cursor.execute("VACUUM ANALYZE")
        cursor.execute(
            "CREATE TABLE bench_loaded AS SELECT %s::float AS texts_s, %s::float AS indexes_s",
            [
                texts,
                built,
            ],
        )
    return read_loaded()


def read_loaded() -> Loaded:
    """Return what `load` has left in the database."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT id, documents FROM bench_tenant ORDER BY number")
        rows = cursor.fetchall()
        cursor.execute("SELECT texts_s, indexes_s FROM bench_loaded")
        texts, built = cursor.fetchone()
    return Loaded(rows, sum(row[1] for row in rows), texts, built)


def _run_side_by_side(statements: Sequence[tuple[str, dict[str, object]]]) -> None:
    """Run statements by two connections of their own, which see all tenants: one a core."""
    name = connections["owner"].settings_dict["NAME"]

    def run(statement: tuple[str, dict[str, object]]) -> None:
        with connect(name) as connection:
            connection.execute("SELECT set_config('archiv.operator', 'on', false)")
            for setting in _SETTINGS:
                connection.execute(setting)
            connection.execute(*statement)

    with ThreadPoolExecutor(max_workers=2) as pool:
        for _ in pool.map(run, statements):
            pass


def _make_lists(cursor: CursorWrapper, counts: Sequence[int], words: Sequence[str]) -> None:
    """Write down the vocabulary, the tenants, and whose each document is to be."""
    cursor.execute(_TABLE_SQL)
    cursor.execute(
        "INSERT INTO bench_word SELECT place, word FROM unnest(%s::text[]) WITH ORDINALITY AS w(word, place)",
        [list(words)],
    )
    cursor.execute(
        "INSERT INTO bench_tenant SELECT place, gen_random_uuid(), documents"
        " FROM unnest(%s::integer[]) WITH ORDINALITY AS t(documents, place)",
        [counts],
    )
    cursor.execute(
        "INSERT INTO bench_slot SELECT row_number() OVER (ORDER BY random())::integer, number"
        " FROM bench_tenant, generate_series(1, documents)"
    )
    cursor.execute("ANALYZE bench_slot; ANALYZE bench_word")


def _drop_indexes(cursor: CursorWrapper) -> list[str]:
    """Drop the indexes of texts, and return what makes them again: at once they take a third of the time."""
    cursor.execute(
        "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
        " WHERE indrelid = 'documents_searchentry'::regclass AND NOT indisunique ORDER BY 1"
    )
    found = cursor.fetchall()
    for name, _ in found:
        cursor.execute(f"DROP INDEX {name}")
    return [definition for _, definition in found]
