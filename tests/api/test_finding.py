"""Facets, suggestions and similar documents by the API: of one's own archive, and of no other."""

from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from documents.filing import LabelKind
from documents.filing.names import name_key
from documents.models import Document
from documents.search.base import Entry
from documents.search.engine import get_search
from documents.search.joined import fold_for_index
from tenants.scope import tenant_scope
from tests.api.conftest import Api
from tests.factories import DocumentFactory, DocumentVersionFactory, PageTextFactory
from tests.filing_factories import FilingFactory, LabelFactory

TEXTS = (
    "Versicherung Police Hausrat Beitrag",
    "Versicherung Police Haftpflicht Beitrag",
    "Strom Zähler Abschlag",
)


@dataclass
class Filled:
    """A tenant's caller, its documents in the order of TEXTS, and its tag."""

    api: Api
    documents: list[UUID]
    tag: UUID


def fill(api: Api, mark: str) -> Filled:
    """Give a tenant three documents; a word of its own is in each title, text and label."""
    tenant = api.tenant
    with tenant_scope(tenant.id):
        tag, sender = (
            LabelFactory.create(tenant_id=tenant.id, kind=kind, name=name, key=name_key(name))
            for kind, name in ((LabelKind.TAG, f"Versandt {mark}"), (LabelKind.CORRESPONDENT, f"Nord {mark}"))
        )
        made = []
        for number, text in enumerate(TEXTS):
            document = DocumentFactory.create(
                tenant=tenant, title=f"Brief {number} {mark}", issued_at=date(2023 + number, 5, 1)
            )
            version = DocumentVersionFactory.create(
                tenant_id=tenant.id, document=document, filename=f"{number}.pdf"
            )
            text = f"{text} Vers{mark}"
            PageTextFactory.create(tenant_id=tenant.id, version=version, text=text)
            words = fold_for_index(text)
            get_search().upsert(
                Entry(tenant.id, document.pk, document.title, version.filename, words, document.issued_at)
            )
            for label in (tag, sender):
                FilingFactory.create(tenant_id=tenant.id, document=document, label=label)
            made.append(document.pk)
    return Filled(api, made, tag.pk)


@pytest.fixture
def ours(acme: Api) -> Filled:
    return fill(acme, "quarz")


@pytest.fixture
def theirs(zeta: Api) -> Filled:
    return fill(zeta, "zimt")


def suggested(api: Api, typed: str) -> list[dict[str, Any]]:
    answer = api.get(f"/documents/suggestions?q={typed}&limit=20")
    assert answer.status_code == 200, answer.content
    found: list[dict[str, Any]] = answer.json()["suggestions"]
    return found


def test_facets_say_how_what_was_found_is_spread(ours: Filled) -> None:
    shown = ours.api.get("/documents/facets?q=versicherung").json()
    assert (shown["documents"], shown["exact"]) == (2, True)
    assert shown["tags"] == [{"label_id": str(ours.tag), "name": "Versandt quarz", "documents": 2}]
    assert [one["name"] for one in shown["correspondents"]] == ["Nord quarz"]
    assert shown["document_types"] == []
    assert shown["years"] == [{"year": 2024, "documents": 1}, {"year": 2023, "documents": 1}]
    assert ours.api.get("/documents/facets?q=date:2023").json()["documents"] == 1
    assert ours.api.get("/documents/facets").status_code == 422


def test_words_labels_and_titles_are_suggested(ours: Filled) -> None:
    found = suggested(ours.api, "beitrag%20vers")
    assert {
        "kind": "tag",
        "shown": "Versandt quarz",
        "query": 'beitrag tag:"Versandt quarz"',
        "document_id": None,
    } in found
    assert "beitrag Versicherung" in [one["query"] for one in found]
    titles = [one for one in suggested(ours.api, "brief") if one["kind"] == "document"]
    assert {one["document_id"] for one in titles} == {str(one) for one in ours.documents}
    assert len(ours.api.get("/documents/suggestions?q=vers&limit=1").json()["suggestions"]) == 1
    assert suggested(ours.api, "date:20") == []
    assert ours.api.get(f"/documents/suggestions?q={'a' * 201}").status_code == 422


def test_documents_that_share_words_are_similar_and_what_lies_in_the_trash_is_not(ours: Filled) -> None:
    first, second, _ = ours.documents
    shown = ours.api.get(f"/documents/{first}/similar").json()["documents"]
    assert (str(second), "Brief 1 quarz", "1.pdf") in [
        (one["id"], one["title"], one["filename"]) for one in shown
    ]
    assert str(first) not in [one["id"] for one in shown]
    assert len(ours.api.get(f"/documents/{first}/similar?limit=1").json()["documents"]) == 1
    with tenant_scope(ours.api.tenant.id):
        Document.objects.filter(pk=second).update(trashed_at=timezone.now())
    again = ours.api.get(f"/documents/{first}/similar").json()["documents"]
    assert str(second) not in [one["id"] for one in again]
    gone = [ours.api.get(f"/documents/{one}/similar") for one in (second, uuid4())]
    assert [answer.status_code for answer in gone] == [404, 404]


def test_nothing_of_another_tenant_is_counted_suggested_or_similar(ours: Filled, theirs: Filled) -> None:
    for mine, other, foreign in ((ours, theirs, "zimt"), (theirs, ours, "quarz")):
        for path in (
            "/documents/facets?q=-nichts",
            "/documents/facets?q=vers*",
            f"/documents/facets?q={foreign}",
            "/documents/facets?q=has:tag",
            "/documents/suggestions?limit=20&q=vers",
            "/documents/suggestions?limit=20&q=brief",
            "/documents/suggestions?limit=20&q=tag:",
            "/documents/suggestions?limit=20&q=from:nord",
            *(f"/documents/{one}/similar?limit=50" for one in mine.documents),
        ):
            answer = mine.api.get(path)
            assert answer.status_code == 200, path
            text = answer.content.decode()
            assert foreign not in text, path
            assert not [one for one in [*other.documents, other.tag] if str(one) in text], path
        assert mine.api.get("/documents/facets?q=-nichts").json()["documents"] == len(TEXTS)
        assert mine.api.get(f"/documents/facets?q={foreign}").json()["documents"] == 0
        assert suggested(mine.api, foreign[:3]) == []
        # How the name of another tenant's label begins says nothing either, nor does its very name.
        assert suggested(mine.api, f"tag:%22Versandt%20{foreign[:2]}") == []
        named = mine.api.get(f"/documents/facets?q=tag:%22Versandt%20{foreign}%22").json()
        assert named == mine.api.get("/documents/facets?q=tag:%22Versandt%20einhorn%22").json()
        stranger, nobody = (
            mine.api.get(f"/documents/{one}/similar") for one in (other.documents[0], uuid4())
        )
        assert {**stranger.json(), "request_id": ""} == {**nobody.json(), "request_id": ""}
