"""Search on PostgreSQL: what is found, whose it is, and by which index."""

import uuid
from datetime import date
from typing import Any

import pytest
from django.conf import settings
from django.db import connection, connections

from documents.search.base import Entry, Found
from documents.search.parsing import parse_query
from documents.search.postgres import PostgresSearch, compile_sql, count_fitting
from documents.search.query import widen
from documents.search.statement import Forms
from documents.search.words import fold
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.factories import DocumentFactory, TenantFactory

pytestmark = pytest.mark.django_db
engine = PostgresSearch()


def index(tenant: Tenant, text: str, *, title: str = "", issued_at: date | None = None) -> uuid.UUID:
    with tenant_scope(tenant.id):
        document = DocumentFactory.create(tenant=tenant, title=title)
        engine.upsert(Entry(tenant.id, document.id, title, "", fold(text), issued_at))
    found: uuid.UUID = document.id
    return found


def search(tenant: Tenant, text: str, **options: Any) -> Found:
    with tenant_scope(tenant.id):
        return engine.search(tenant_id=tenant.id, query=parse_query(text), **{"limit": 20, **options})


def ids(found: Found) -> list[uuid.UUID]:
    return [hit.document_id for hit in found.hits]


@pytest.fixture
def tenant() -> Tenant:
    return TenantFactory.create()


def test_nobody_finds_what_is_not_theirs(tenant: Tenant) -> None:
    index(tenant, "geheim")
    other = TenantFactory.create()
    assert ids(search(other, "geheim")) == []
    assert ids(search(other, "*geh*")) == []
    with tenant_scope(other.id):  # the function goes by the scope, not by an argument
        assert engine.search(tenant_id=tenant.id, query=parse_query("geheim"), limit=9).hits == ()
    assert engine.search(tenant_id=tenant.id, query=parse_query("geheim"), limit=9).hits == ()


def test_of_a_text_over_the_limit_the_beginning_is_indexed(
    tenant: Tenant,
) -> None:
    with tenant_scope(tenant.id):
        document = DocumentFactory.create(tenant=tenant)
        words = " ".join(f"w{number:06d}" for number in range(60_000))
        indexed = engine.upsert(Entry(tenant.id, document.id, "", "", words, None))
    assert indexed.of == 60_000
    assert 20_000 < indexed.words < 60_000
    assert ids(search(tenant, f"w{indexed.words - 1:06d}")) == [document.id]
    assert ids(search(tenant, "w000001 *00012*")) == [document.id]


def test_an_estimate_that_is_too_high_is_put_right(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("documents.search.postgres.count_fitting", len)
    with tenant_scope(tenant.id):
        document = DocumentFactory.create(tenant=tenant)
        words = " ".join(f"w{number:06d}" for number in range(90_000))
        indexed = engine.upsert(Entry(tenant.id, document.id, "", "", words, None))
    assert 0 < indexed.words < 90_000
    assert ids(search(tenant, "w000001")) == [document.id]


def test_an_ordinary_text_is_indexed_as_a_whole() -> None:
    assert count_fitting(["rechnung", "über", "500"] * 20_000) == 60_000


def test_parts_and_phrases_are_found_beside_what_has_no_index(tenant: Tenant) -> None:
    part = index(tenant, "Luftwärmepumpe mahnung")
    phrase = index(tenant, "offene Rechnung mahnung")
    dated = index(tenant, "Brief mahnung", issued_at=date(2018, 5, 1))
    index(tenant, "mahnung rechnung offene", issued_at=date(2019, 5, 1))
    assert set(ids(search(tenant, '*rmepum* OR "offene rechnung" OR date:2018'))) == {part, phrase, dated}
    assert set(ids(search(tenant, '*rmepum* OR "offene rechnung" OR -mahnung'))) == {part, phrase}


def test_similar_documents_are_ordered_by_the_words_that_few_others_have(tenant: Tenant) -> None:
    common, rare = "brief seite datum betrag", "wärmepumpe schallschutz estrich dämmung"
    for number in range(30):
        index(tenant, f"{common} fremd{number}", title="Brief")
    older = index(tenant, rare, title="Gutachten", issued_at=date(1990, 1, 1))
    newer = index(tenant, f"{common} estrich", title="Brief", issued_at=date(2020, 1, 1))
    first = index(tenant, f"{common} {rare}", title="Brief")
    with tenant_scope(tenant.id):
        words = dict.fromkeys(fold(f"brief {common} {rare}").split(), 1)
        found = engine.similar(tenant_id=tenant.id, document_id=first, words=words, limit=3)
    assert ids(found)[:2] == [older, newer]
    assert found.hits[0].rank > found.hits[1].rank > found.hits[2].rank


# --- The index ---

FILL_SQL = """
    WITH document AS (
        INSERT INTO documents_document (id, tenant_id, title, title_manually_set, issued_source,
                                        issued_candidates, legal_hold, source, source_ref)
        SELECT gen_random_uuid(), %(tenant)s, 'd', false, '', '[]', false, 'import', ''
        FROM generate_series(1, %(count)s) RETURNING id
    ), text AS (
        SELECT id, 'common word' || ascii(left(id::text, 1)) || ' rare' || left(id::text, 6) AS words
        FROM document
    )
    INSERT INTO documents_searchentry (tenant_id, document_id, content, vector, title, added_at)
    SELECT %(tenant)s, id, words, archiv_search_words(%(tenant)s, '', words), '', now() FROM text
"""


OWNER = "owner"
BECOME_SEARCH = f'SET LOCAL ROLE "{settings.ARCHIV_ROLE_PREFIX}archiv_search"'


def filled(count: int) -> uuid.UUID:
    """Return a new tenant with so many documents, made by the owner, who alone may become archiv_search."""
    tenant_id = uuid.uuid4()
    with tenant_scope(tenant_id, using=OWNER), connections[OWNER].cursor() as cursor:
        Tenant.objects.using(OWNER).create(id=tenant_id, name=str(tenant_id), status="active")
        cursor.execute(FILL_SQL, {"tenant": tenant_id, "count": count})
    return tenant_id


def call_of(tenant_id: uuid.UUID, text: str) -> dict[str, Any]:
    """Return the arguments with which a text is searched for."""
    query = widen(parse_query(text))
    with connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT word, folded, stems FROM archiv_search_forms(%s)", [list(query.words)])
        forms = {word: Forms(folded, frozenset(stems)) for word, folded, stems in cursor.fetchall()}
    return compile_sql(tenant_id, query, forms, most=20)[1]


CASTS = {
    "given": "text[]", "among": "uuid[]", "numbers": "integer[]", "title_all": "tsquery",
    "title_any": "tsquery", "title_parts": "text[]", "ranked": "tsquery", "most": "integer",
    "above_day": "date", "above_id": "bigint", "from_day": "date", "from_id": "bigint", "wanted": "integer",
}  # fmt: skip
SPAN = {"above_day": "infinity", "above_id": 0, "from_day": "-infinity", "from_id": 0, "wanted": 300}


def explain(tenant_id: uuid.UUID, text: str) -> str:
    """Return the plan of how `archiv_search` goes through all days, as the role that owns it."""
    call = {"among": [], "numbers": [], **call_of(tenant_id, text), **SPAN}
    with tenant_scope(tenant_id, using=OWNER), connections[OWNER].cursor() as cursor:
        cursor.execute(
            "SELECT archiv_search_span(archiv_search_clauses(s.a, s.b, s.c, s.d, false),"
            " archiv_search_clauses(s.a, s.b, s.c, s.d, true), '')"
            " FROM (SELECT %(clauses)s::integer[], %(kinds)s::text[], %(negated)s::boolean[],"
            " %(late)s::boolean[]) AS s(a, b, c, d)",
            call,
        )
        (statement,) = cursor.fetchone()
        for number, (name, cast) in reversed(list(enumerate(CASTS.items(), 1))):
            cursor.execute(f"SELECT quote_nullable(%s::text::{cast}::text)", [as_literal(call[name])])
            (literal,) = cursor.fetchone()
            statement = statement.replace(f"${number}", f"({literal}::{cast})")
        cursor.execute(BECOME_SEARCH)
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL cpu_tuple_cost = 1000")
        cursor.execute(f"EXPLAIN {statement}".replace("%", "%%"), [])
        plan = "\n".join(row[0] for row in cursor.fetchall())
        cursor.execute("RESET ROLE")
    return plan


def as_literal(value: Any) -> Any:
    """Return an array as PostgreSQL writes it."""
    if not isinstance(value, list):
        return value
    quoted = (str(each).replace("\\", "\\\\").replace('"', '\\"') for each in value)
    return "{" + ",".join(f'"{each}"' for each in quoted) + "}"


def blocks_read(tenant_id: uuid.UUID, text: str) -> int:
    """Return how many blocks one call of the function touches: its cost, whatever else the machine does."""
    call = call_of(tenant_id, text)
    sql = (
        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM archiv_search("
        "%(clauses)s, %(kinds)s, %(negated)s, %(late)s, %(given)s, '{}', '{}', %(title_all)s::tsquery,"
        " %(title_any)s::tsquery, %(title_parts)s::text[], %(ranked)s::tsquery, 20)"
    )
    with tenant_scope(tenant_id, using=OWNER), connections[OWNER].cursor() as cursor:
        cursor.execute(BECOME_SEARCH)
        for _ in range(2):  # the first call also reads catalogues
            cursor.execute(sql, call)
            (plan,) = cursor.fetchone()
        cursor.execute("RESET ROLE")
    top = plan[0]["Plan"]
    assert top["Node Type"] == "Function Scan"
    return int(top["Shared Hit Blocks"] + top["Shared Read Blocks"])


def test_far_pages_go_on_where_nearer_ones_end(tenant: Tenant) -> None:
    with tenant_scope(tenant.id), connection.cursor() as cursor:
        cursor.execute(FILL_SQL, {"tenant": tenant.id, "count": 700})
        cursor.execute(  # some say it more often, so that they come before others
            "UPDATE documents_searchentry SET vector = archiv_search_words("
            "tenant_id, '', repeat('common ', ascii(document_id::text) % 7) || content)"
        )
    everything = ids(search(tenant, "common", limit=700))
    assert len(set(everything)) == 700
    for offset in (0, 285, 300, 301, 680):
        assert ids(search(tenant, "common", limit=20, offset=offset)) == everything[offset : offset + 20]


@pytest.mark.django_db(databases=[OWNER])
def test_words_parts_and_phrases_are_found_by_index() -> None:
    filled(1500)
    tenant_id = filled(500)
    with connections[OWNER].cursor() as cursor:
        cursor.execute("ANALYZE documents_searchentry")
    phrase = explain(tenant_id, '"rareabcdef common"')
    assert "documents_searchentry_pairs" in phrase
    assert "archiv.tenant_id" in phrase
    either = explain(tenant_id, "rareabcdef")
    assert "documents_searchentry_words" in either
    assert "documents_searchentry_parts" in either
    titled = explain(tenant_id, "title:common")
    assert "documents_searchentry_titles" in titled
    assert "Seq Scan" not in phrase + either + titled


@pytest.mark.django_db(databases=[OWNER])
def test_of_many_that_fit_only_the_newest_are_looked_at() -> None:
    tenant_id, larger = filled(800), filled(3200)
    with connections[OWNER].cursor() as cursor:
        cursor.execute("ANALYZE documents_searchentry")
    for text in ("common", "comm*", "*ommo*", "-missing", '"common"'):
        less, more = (blocks_read(each, text) for each in (tenant_id, larger))
        assert more <= 2 * less + 50, text


@pytest.mark.django_db(databases=[OWNER])
def test_a_search_costs_the_same_whatever_others_have() -> None:
    tenant_id = filled(200)
    asked = ("rareabcdef", "common", "rare*", "*reabc*", "-common", '"common word"')
    before = [blocks_read(tenant_id, text) for text in asked]
    for _ in range(3):
        filled(1000)
    with connections[OWNER].cursor() as cursor:
        cursor.execute("ANALYZE documents_searchentry")
    after = [blocks_read(tenant_id, text) for text in asked]
    for text, less, more in zip(asked, before, after, strict=True):
        assert more <= 1.2 * less + 20, text
