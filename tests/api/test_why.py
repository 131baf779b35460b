"""Why a document is dated and filed as it is, by the API, and taking another date."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from documents.filing import FilingState, LabelKind, RuleKind, SetBy
from documents.models import Document, DocumentVersion
from documents.services.labels import create_label
from documents.services.rules import add_rule
from tenants.access import operator_access
from tenants.scope import tenant_scope
from tests.api.conftest import Api, make_caller
from tests.factories import FileFactsFactory
from tests.filing_factories import FilingFactory, WorkflowFactory, WorkflowRunFactory


@pytest.fixture
def paper(acme: Api) -> str:
    """A document with two dates found, filed by a rule, and with a suggestion."""
    document_id = str(acme.upload().json()["document_id"])
    access = operator_access(acme.tenant.id)
    tag = create_label(access=access, kind=LabelKind.TAG, name="Strom")
    power = create_label(access=access, kind=LabelKind.CORRESPONDENT, name="Stadtwerke")
    rule = add_rule(
        access=access, kind=LabelKind.TAG, label_id=tag.pk, rule_kind=RuleKind.ANY, pattern="strom"
    )
    with tenant_scope(acme.tenant.id):
        document = Document.objects.get()
        found = {"source": "text", "page": 1, "label": "Datum", "written": "12.05.2024"}
        document.issued_at, document.issued_source, document.issued_doubt = date(2024, 5, 12), "text", "rival"
        document.issued_candidates = [
            {**found, "date": "2024-05-12", "score": 84, "reasons": [["kind.dated", "datum", 84]]},
            {**found, "date": "2024-05-26", "score": 80, "reasons": [["kind.place", "", 80]]},
        ]
        document.save()
        common: dict[str, Any] = {"tenant_id": acme.tenant.id, "document": document}
        FilingFactory.create(**common, label=tag, set_by=SetBy.RULE, rule=rule, because=["strom"])
        FilingFactory.create(
            **common,
            label=power,
            state=FilingState.SUGGESTED,
            set_by=SetBy.SUGGESTION,
            confidence=0.9,
            because=["stadtwerke"],
        )
    return document_id


def test_dates_rules_and_suggestions_are_explained(acme: Api, paper: str) -> None:
    why = acme.get(f"/documents/{paper}/why").json()
    assert (why["issued_at"], why["issued_source"], why["issued_doubt"]) == ("2024-05-12", "text", "rival")
    assert why["title_set_by"] == "content"
    assert [(one["date"], one["chosen"]) for one in why["candidates"]] == [
        ("2024-05-12", True),
        ("2024-05-26", False),
    ]
    assert why["candidates"][0]["reasons"] == [{"code": "kind.dated", "detail": "datum", "points": 84}]
    by_name = {one["name"]: one for one in why["filings"]}
    assert (by_name["Strom"]["set_by"], by_name["Strom"]["rule"]["pattern"]) == ("rule", "strom")
    suggested = by_name["Stadtwerke"]
    assert (suggested["state"], suggested["confidence"], suggested["because"]) == (
        "suggested",
        0.9,
        ["stadtwerke"],
    )


def test_another_of_the_dates_is_taken_for_good_and_no_other_one(acme: Api, paper: str) -> None:
    address = f"/documents/{paper}/take-date"
    assert acme("POST", address, {"issued_at": "2024-05-26"}).status_code == 428
    etag = acme.get(f"/documents/{paper}").json()["etag"]
    taken = acme("POST", address, {"issued_at": "2024-05-26"}, If_Match=etag)
    assert (taken.json()["issued_at"], taken.json()["issued_source"]) == ("2024-05-26", "manual")
    assert acme("POST", address, {"issued_at": "2024-05-12"}, If_Match=etag).status_code == 412
    invented = acme("POST", address, {"issued_at": "2020-01-01"}, If_Match="*")
    assert (invented.status_code, invented.json()["code"]) == (422, "bad_issued_date")
    why = acme.get(f"/documents/{paper}/why").json()
    assert [one["date"] for one in why["candidates"] if one["chosen"]] == ["2024-05-26"]
    assert why["issued_doubt"] == ""
    reader = make_caller(acme.tenant, "readonly")
    assert reader.get(f"/documents/{paper}/why").status_code == 200
    assert reader("POST", address, {"issued_at": "2024-05-12"}, If_Match="*").status_code == 403


def test_what_workflows_did_is_told_without_the_addresses_that_they_call(acme: Api, paper: str) -> None:
    assert acme.get(f"/documents/{paper}/why").json()["workflow_runs"] == []
    results = [
        {"do": "add_note", "what": "Bitte prüfen", "outcome": "done", "message": ""},
        {"do": "set_title", "what": "{type}", "outcome": "left", "message": "a person has set the title"},
        {
            "do": "call_webhook",
            "what": "https://hook.example/s3cret",
            "outcome": "queued",
            "message": "",
        },
    ]
    with tenant_scope(acme.tenant.id):
        flow = WorkflowFactory.create(tenant_id=acme.tenant.id, name="Eingang")
        WorkflowRunFactory.create(
            tenant_id=acme.tenant.id, document=Document.objects.get(), workflow=flow, results=results
        )
    answer = acme.get(f"/documents/{paper}/why")
    (run,) = answer.json()["workflow_runs"]
    assert (run["workflow_id"], run["name"]) == (str(flow.pk), "Eingang")
    assert [(one["do"], one["outcome"], one["message"]) for one in run["actions"]] == [
        ("add_note", "done", ""),
        ("set_title", "left", "a person has set the title"),
        ("call_webhook", "queued", ""),
    ]
    assert "s3cret" not in answer.content.decode()


def test_what_an_electronic_invoice_states_is_told_as_fields(acme: Api, paper: str) -> None:
    assert acme.get(f"/documents/{paper}/why").json()["stated"] is None
    issued = date(2026, 3, 5)
    with tenant_scope(acme.tenant.id):
        FileFactsFactory.create(
            tenant_id=acme.tenant.id,
            version=DocumentVersion.objects.get(),
            syntax="cii",
            issued=issued,
            due=issued + timedelta(days=30),
            number="RE-2026/0815",
            seller="Größe & Söhne GmbH",
            buyer="Kundin e.K.",
            net=Decimal("100.00"),
            tax=Decimal("19.00"),
            gross=Decimal("119.00"),
            currency="EUR",
        )
    stated = acme.get(f"/documents/{paper}/why").json()["stated"]
    names = ("syntax", "issued", "due", "number", "seller", "buyer", "net", "tax", "gross", "currency")
    assert [stated[name] for name in names] == [
        "cii",
        "2026-03-05",
        "2026-04-04",
        "RE-2026/0815",
        "Größe & Söhne GmbH",
        "Kundin e.K.",
        "100.00",
        "19.00",
        "119.00",
        "EUR",
    ]
