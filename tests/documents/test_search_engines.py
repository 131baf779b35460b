"""What every engine of search must do: one suite for PostgreSQL, and for Quickwit before a stub of it."""

from datetime import date

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from documents.models import Document, PageText
from documents.search.base import Entry
from documents.search.parsing import parse_query
from documents.search.words import fold
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.engines import EngineUnderTest

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant(engine: EngineUnderTest) -> Tenant:
    return engine.tenant()


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Die Rechnungen liegen bei", "rechnung"),
        ("Die Rechnung liegt bei", "RECHNUNGEN"),
        ("invoices attached", "invoice"),
        ("Straße Grüße München", "strasse gruesse munchen"),
        ("Strasse Gruesse Muenchen", "Straße Grüße München"),
        ("Häuser und Bücher", "haus buch"),
        ("Kontoauszug", "konto*"),
        ("Kontoauszug", "*auszug"),
        ("Kontoauszug", "auszug"),
        ("Nr. 2025-05379", "2025-05379"),
        ("Nr. 2025-05379", "*5379"),
        ("Diagnose H52.1 gesichert", "h52.1"),
        ("die offene Rechnung", '"offene rechnung"'),
        ("Rech-\nnung", "rechnung"),
        ("領収書 二〇二四年", "収書"),
        ("서울에서 온 편지", "서울"),
        ("der und die", "der"),
        ("Łódź, København", "lodz kobenhavn"),
        ("hash 8e03ey12", "8e03ey12"),
        ("Vertrag", "angebot OR vertrag"),
        ("Vertrag", "vertrag -angebot"),
        ("Vertrag", "-angebot"),
        ("Vertrag über 12.500,00 EUR", "12.500,00"),
        ("it's a dog's life", "dog's"),
    ],
)
def test_it_is_found(engine: EngineUnderTest, tenant: Tenant, text: str, query: str) -> None:
    document = engine.index(tenant, text)
    assert engine.ids(tenant, query) == [document]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Rechnung", "mahnung"),
        ("Rechnung Mahnung", "rechnung -mahnung"),
        ("Rechnung Mahnung", "rechnung NOT mahnung"),
        ("Kontoauszug", "kontoauszug -*auszug*"),
        ("Rechnung offene", '"offene rechnung"'),
        ("Vertrag", "vertrag 2024"),
        ("05379", "*5378*"),
        ("書領収", "領収書"),
        ("Vertrag", ""),
        ("Vertrag", "- * OR"),
    ],
)
def test_it_is_not_found(engine: EngineUnderTest, tenant: Tenant, text: str, query: str) -> None:
    engine.index(tenant, text)
    assert engine.ids(tenant, query) == []


def test_the_title_counts_more_than_the_text_and_the_whole_word_more_than_its_part(
    engine: EngineUnderTest, tenant: Tenant
) -> None:
    part = engine.index(tenant, "Mietvertragsentwurf")
    in_text = engine.index(tenant, "ein Vertrag unter vielen Papieren")
    in_title = engine.index(tenant, "Papiere", title="Vertrag")
    assert engine.ids(tenant, "vertrag") == [in_title, in_text, part]


def test_a_new_text_takes_the_place_of_the_old_one(engine: EngineUnderTest, tenant: Tenant) -> None:
    document = engine.index(tenant, "alt")
    with tenant_scope(tenant.id):
        PageText.objects.filter(version__document_id=document).update(text="neu")
        engine.search_engine.upsert(Entry(tenant.id, document, "", "", "neu", None))
    engine.settle(tenant, [document])
    assert engine.ids(tenant, "alt") == []
    assert engine.ids(tenant, "neu") == [document]


def test_a_span_of_days_includes_both_ends_and_needs_no_word(engine: EngineUnderTest, tenant: Tenant) -> None:
    first = engine.index(tenant, "a", issued_at=date(2024, 1, 1))
    last = engine.index(tenant, "a", issued_at=date(2024, 3, 31))
    engine.index(tenant, "a", issued_at=date(2024, 4, 1))
    engine.index(tenant, "a")
    assert set(engine.ids(tenant, "date:2024-01..2024-03")) == {first, last}
    assert engine.ids(tenant, "a date:2024-03-31") == [last]


def test_pages_of_hits_follow_each_other_without_a_gap(engine: EngineUnderTest, tenant: Tenant) -> None:
    whole = {engine.index(tenant, "auszug") for _ in range(3)}
    parts = {engine.index(tenant, "kontoauszug") for _ in range(3)}
    pages = [engine.search(tenant, "auszug", limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    assert [page.more for page in pages] == [True, True, False, False]
    in_order = [hit.document_id for page in pages for hit in page.hits]
    assert set(in_order[:3]) == whole
    assert set(in_order[3:]) == parts


def test_nobody_finds_what_is_not_theirs(engine: EngineUnderTest, tenant: Tenant) -> None:
    engine.index(tenant, "geheim")
    other = engine.tenant()
    assert engine.ids(other, "geheim *geh*") == []
    assert engine.ids(other, "-geheim") == []


def test_removed_and_wiped_documents_are_not_found_and_others_are(
    engine: EngineUnderTest, tenant: Tenant
) -> None:
    other = engine.tenant()
    kept = engine.index(other, "papier")
    removed, *_ = (engine.index(tenant, "papier") for _ in range(4))
    with tenant_scope(tenant.id):
        assert engine.search_engine.remove(tenant_id=tenant.id, document_ids=[removed]) == 1
    assert len(engine.ids(tenant, "papier")) == 3
    assert removed not in engine.ids(tenant, "papier")
    with tenant_scope(tenant.id):
        wiped = [engine.search_engine.wipe(tenant_id=tenant.id, limit=2) for _ in range(3)]
    assert wiped == [2, 1, 0]
    assert engine.stub is not None or engine.ids(tenant, "papier") == []
    assert engine.ids(other, "papier") == [kept]


def test_a_new_title_is_found_and_the_text_stays_so(engine: EngineUnderTest, tenant: Tenant) -> None:
    document = engine.index(tenant, "papier", title="alt")
    with tenant_scope(tenant.id):
        Document.objects.filter(pk=document).update(title="Neu", issued_at=date(2024, 5, 6))
        engine.search_engine.amend(Entry(tenant.id, document, "Neu", "", "", date(2024, 5, 6)))
    assert document in engine.ids(tenant, "papier"), "never a moment unfound"
    engine.settle(tenant, [document])
    assert engine.ids(tenant, "title:neu papier date:2024-05-06") == [document]


def test_an_amended_document_that_is_not_there_stays_away(engine: EngineUnderTest, tenant: Tenant) -> None:
    document = engine.index(tenant, "papier", title="alt")
    with tenant_scope(tenant.id):
        engine.search_engine.remove(tenant_id=tenant.id, document_ids=[document])
        engine.search_engine.amend(Entry(tenant.id, document, "Neu", "", "", None))
    engine.settle(tenant, [document])
    assert engine.ids(tenant, "neu OR papier") == []


def test_similar_documents_share_words_and_are_not_the_document_itself(
    engine: EngineUnderTest, tenant: Tenant
) -> None:
    first = engine.index(tenant, "Wärmepumpe Montage Rechnung")
    like = engine.index(tenant, "Wärmepumpe Wartung Montage")
    engine.index(tenant, "Arztbrief")
    with tenant_scope(tenant.id):
        found = engine.search_engine.similar(
            tenant_id=tenant.id,
            document_id=first,
            words={"warmepumpe": 2, "montage": 1, "rechnung": 1},
            limit=5,
        )
    assert [hit.document_id for hit in found.hits] == [like]


def test_all_that_match_are_told_as_far_as_asked(engine: EngineUnderTest, tenant: Tenant) -> None:
    found = {engine.index(tenant, "papier") for _ in range(3)}
    engine.index(tenant, "anderes")
    with tenant_scope(tenant.id):
        for most in (9, 2):
            matching = engine.search_engine.matching(
                tenant_id=tenant.id, query=parse_query("papier"), most=most
            )
            assert len(matching) == min(most, 3)
            assert set(matching) <= found


@hypothesis_settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(st.sampled_from("ab\"-+*|:()&!<>'\\ .ORNOT%_0e\0ß\n„領") | st.characters(), max_size=80))
def test_no_text_is_an_error(engine: EngineUnderTest, tenant: Tenant, text: str) -> None:
    engine.search(tenant, text)


@hypothesis_settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.text(st.characters(exclude_characters="\0৴৵৶৷৸৹", exclude_categories=["Cs"]), min_size=1, max_size=30)
)
def test_whatever_is_indexed_is_found_by_its_own_words(
    engine: EngineUnderTest, tenant: Tenant, text: str
) -> None:
    words = [word for word in fold(text).split() if word.isascii()][:5]
    if words:
        assert engine.index(tenant, text) in engine.ids(tenant, " ".join(words), limit=100)


def test_ten_thousand_characters_are_answered(engine: EngineUnderTest, tenant: Tenant) -> None:
    assert engine.search(tenant, "a" * 10_000).hits == ()
    assert engine.search(tenant, "ab* OR *abc* -x " * 700).hits == ()
