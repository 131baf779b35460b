"""People find what they look for among the first three hits."""

import sys
import uuid
from pathlib import Path

import pytest
from django.db.models import F

from documents.errors import DocumentNotFound
from documents.filing.names import name_key
from documents.models import Document
from documents.search.base import Entry
from documents.search.engine import get_search
from documents.search.facets import count_facets
from documents.search.joined import fold_for_index
from documents.search.results import search_documents
from documents.search.similar import find_similar
from documents.search.suggestions import suggest
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.engines import EngineUnderTest
from tests.documents.search_corpus import PAPERS, Paper
from tests.documents.search_questions import QUESTIONS
from tests.factories import DocumentFactory, DocumentVersionFactory, PageTextFactory, TenantFactory
from tests.filing_factories import FilingFactory, LabelFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def archive() -> Tenant:
    """A tenant with all papers of the corpus; the key of each is the reference of its source."""
    return _archive(EngineUnderTest())


def _archive(engine: EngineUnderTest) -> Tenant:
    tenant = engine.tenant(timezone="Europe/Berlin")
    with tenant_scope(tenant.id):
        labels: dict[tuple[str, str], uuid.UUID] = {}
        for paper in PAPERS:
            _store(tenant, paper, labels)
    engine.settle(tenant)
    return tenant


def _store(tenant: Tenant, paper: Paper, labels: dict[tuple[str, str], uuid.UUID]) -> None:
    document = DocumentFactory.create(
        tenant=tenant, title=paper.title, issued_at=paper.issued, source_ref=paper.key
    )
    version = DocumentVersionFactory.create(
        tenant_id=tenant.id, document=document, filename=f"scan_{paper.key[:1]}.pdf"
    )
    text = f"{paper.correspondent}\n{paper.text}"
    for number, page in enumerate(text.split("\f"), 1):
        PageTextFactory.create(tenant_id=tenant.id, version=version, page=number, text=page)
    words = fold_for_index(text)
    get_search().upsert(Entry(tenant.id, document.pk, paper.title, version.filename, words, paper.issued))
    kinds = [("tag", tag) for tag in paper.tags]
    single = {"correspondent": paper.correspondent, "document_type": paper.type}
    kinds += [(kind, name) for kind, name in single.items() if name]
    for kind, name in kinds:
        if (kind, name) not in labels:
            label = LabelFactory.create(tenant_id=tenant.id, kind=kind, name=name, key=name_key(name))
            labels[kind, name] = label.pk
        FilingFactory.create(
            tenant_id=tenant.id, document=document, label_id=labels[kind, name], label=None, kind=kind
        )


def keys(tenant: Tenant, text: str, limit: int = 3) -> list[str]:
    found = search_documents(tenant_id=tenant.id, text=text, limit=limit)
    return [hit.document.source_ref for hit in found.hits]


def test_what_is_looked_for_is_among_the_first_three_hits(engine: EngineUnderTest) -> None:
    archive, misses = _archive(engine), []
    for text, wanted in QUESTIONS:
        found = keys(archive, text)
        if not set(wanted.split()) <= set(found):
            misses.append(f"{text!r}: wanted {wanted}, found {' '.join(found) or 'nothing'}")
    sys.stdout.write("\n  ".join([f"{len(misses)} of {len(QUESTIONS)} missed", *misses]) + "\n")
    assert len(QUESTIONS) >= 120
    assert len(misses) <= 0.05 * len(QUESTIONS), "\n".join(misses)


def test_the_examples_of_the_manual_find_what_it_says(archive: Tenant) -> None:
    manual = (Path(__file__).parents[2] / "docs" / "howto" / "search.md").read_text()
    examples = [line.split(" → ") for line in manual.splitlines() if " → " in line]
    assert len(examples) >= 10
    for text, wanted in examples:
        assert sorted(keys(archive, text, limit=50)) == wanted.split(", "), text


def test_the_excerpt_is_from_the_page_that_has_the_words(archive: Tenant) -> None:
    for text, page in (("schönheitsreparaturen mieter", 2), ("kaution", 1), ("verwaltungsbeirats jäger", 2)):
        (hit, *_) = search_documents(tenant_id=archive.id, text=text).hits
        assert hit.excerpt is not None
        assert hit.excerpt.page == page
        assert any(part.marked for part in hit.excerpt.parts)


def test_a_number_is_marked_however_it_is_written(archive: Tenant) -> None:
    for text, marked in (
        ("DE89370400440532013000", "DE89 3704 0044 0532 0130 00"),
        ("202505379", "2025-05379"),
        ("H52.1", "H52.1"),
        ("4812,00", "4.812,00"),
    ):
        hits = search_documents(tenant_id=archive.id, text=text).hits
        found = {part.text for hit in hits if hit.excerpt for part in hit.excerpt.parts if part.marked}
        assert marked in found, text


def test_facets_count_what_fits(archive: Tenant) -> None:
    facets = count_facets(tenant_id=archive.id, text="from:nordstern OR from:sparkasse")
    assert (facets.documents, facets.exact) == (5, True)
    assert [(count.name, count.documents) for count in facets.correspondents] == [
        ("Nordstern Versicherung AG", 3),
        ("Sparkasse Markgräflerland", 2),
    ]
    assert [(count.name, count.documents) for count in facets.tags][:1] == [("Versicherungen", 3)]
    assert [count.year for count in facets.years] == [2025, 2024, 2022, 2021, 2020]
    assert count_facets(tenant_id=archive.id, text="  ").documents == 0


def test_facets_and_suggestions_know_nothing_of_other_tenants(archive: Tenant) -> None:
    other = TenantFactory.create()
    assert count_facets(tenant_id=other.id, text="-nothing").documents == 0
    assert suggest(tenant_id=other.id, text="versich") == ()
    assert count_facets(tenant_id=archive.id, text="-nothing").documents == len(PAPERS)


BEGUN = (
    ("versich", "Versicherung"),
    ("mull", "Müllheim"),
    ("rechnung autoh", "rechnung Autohaus"),
    ("tag:ver", "tag:Versicherungen"),
    ("rechnung -tag:aut", "rechnung -tag:Auto"),
    ('from:"nord', 'from:"Nordstern Versicherung AG"'),
    ("von:nord", 'from:"Nordstern Versicherung AG"'),
    ("typ:verT", "type:Vertrag"),
    ("has:ho", "has:hold"),
    ("stromab", 'title:"Stromabrechnung 2024"'),
)


def test_what_a_person_begins_to_type_goes_on(archive: Tenant) -> None:
    for typed, expected in BEGUN:
        assert expected in [each.query for each in suggest(tenant_id=archive.id, text=typed, limit=12)]


@pytest.mark.parametrize(
    "typed", ["", " ", "a", '"', "-", ":", "tag:", "date:20", "\0\0", "x" * 9_000, '"a" "b']
)
def test_no_beginning_is_an_error(typed: str) -> None:
    suggest(tenant_id=TenantFactory.create().id, text=typed)


def test_a_document_that_is_gone_suggests_nothing(archive: Tenant) -> None:
    with tenant_scope(archive.id):
        gone = Document.objects.get(tenant_id=archive.id, source_ref="waschmaschine").pk
        get_search().remove(tenant_id=archive.id, document_ids=[gone])
        Document.objects.filter(pk=gone).update(trashed_at=F("created_at"))
    assert suggest(tenant_id=archive.id, text="waschvoll") == ()


def test_a_document_leads_to_those_like_it(archive: Tenant) -> None:
    for key, like in (("arzt", "labor"), ("strom", "strom_alt"), ("invoice", "reminder")):
        with tenant_scope(archive.id):
            document = Document.objects.get(tenant_id=archive.id, source_ref=key)
        hits = find_similar(tenant_id=archive.id, document_id=document.pk, limit=3)
        found = [hit.document.source_ref for hit in hits]
        assert like in found
        assert key not in found
    with pytest.raises(DocumentNotFound):
        find_similar(tenant_id=TenantFactory.create().id, document_id=document.pk)
