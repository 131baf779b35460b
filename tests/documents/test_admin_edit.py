"""Correcting a document on its page in the admin."""

from typing import Any

import pytest
from django.test import Client

from documents.models import Document
from tenants.models import AuditEvent, Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.documents.test_admin import LIST, make_document
from tests.factories import RetentionClassFactory, TenantFactory
from tests.operators import sign_in

VIEW, CHANGE = "documents.view_document", "documents.change_document"


@pytest.fixture
def tenant(db: None) -> Tenant:
    made: Tenant = TenantFactory.create(name="Kanzlei Weiß")
    return made


def send(client: Client, document: Document, **fields: Any) -> str:
    """Send the form as the page showed it with some fields changed, and return what is said afterwards."""
    page = client.get(f"{LIST}{document.pk}/change/")
    form = page.context["edit_form"]
    shown = {name: value for name, value in form.initial.items() if value is not None}
    response = client.post(f"{LIST}{document.pk}/edit/", {**shown, **fields}, follow=True)
    return " ".join(str(message) for message in response.context["messages"])


def refresh(document: Document) -> Document:
    with operator_scope():
        return Document.objects.select_related("retention_class").get(pk=document.pk)


def test_an_operator_corrects_title_date_and_class(tenant: Tenant) -> None:
    document, client = make_document(tenant, title="Rechnug"), sign_in(VIEW, CHANGE)
    with tenant_scope(tenant.id):
        RetentionClassFactory.create(tenant_id=tenant.id, name="Bauakten")
    assert send(client, document, title="Rechnung 12", issued_at="2024-05-12") == "Saved."
    edited = refresh(document)
    assert (edited.title, str(edited.issued_at), edited.issued_source) == (
        "Rechnung 12",
        "2024-05-12",
        "manual",
    )
    assert send(client, document, retention_class="Bauakten") == "Saved."
    assert getattr(refresh(document).retention_class, "name", None) == "Bauakten"
    with tenant_scope(tenant.id):
        assert AuditEvent.objects.filter(action="document.edited", actor__startswith="user:").count() == 2


def test_what_the_form_leaves_alone_stays_to_the_analysis(tenant: Tenant) -> None:
    document, client = make_document(tenant), sign_in(VIEW, CHANGE)
    assert send(client, document) == "Nothing was changed."
    assert send(client, document, issued_at="2024-05-12") == "Saved."
    assert not refresh(document).title_manually_set


def test_a_form_opened_before_somebody_else_saved_is_refused(tenant: Tenant) -> None:
    document, client = make_document(tenant), sign_in(VIEW, CHANGE)
    stale = document.updated_at.isoformat()
    assert send(client, document, title="Eins") == "Saved."
    assert "changed meanwhile" in send(client, document, title="Zwei", expected=stale)
    assert refresh(document).title == "Eins"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"title": " "}, "required"),
        ({"issued_at": "31.02.2024"}, "valid date"),
        ({"issued_at": "9999-12-31"}, "cannot be here yet"),
        ({"expected": "yesterday", "title": "Neu"}, "out of date"),
        ({"retention_class": "gibt es nicht"}, "valid choice"),
    ],
)
def test_what_cannot_be_is_refused_with_words(tenant: Tenant, fields: dict[str, str], words: str) -> None:
    document = make_document(tenant)
    assert words in send(sign_in(VIEW, CHANGE), document, **fields)
    assert refresh(document).updated_at == document.updated_at


def test_seeing_a_document_is_not_changing_it(tenant: Tenant) -> None:
    document, client = make_document(tenant), sign_in(VIEW)
    page = client.get(f"{LIST}{document.pk}/change/")
    assert page.context["edit_form"] is None
    assert client.post(f"{LIST}{document.pk}/edit/", {"title": "Neu"}).status_code == 403
    assert refresh(document).title == document.title
    assert sign_in(VIEW, CHANGE).get(f"{LIST}{document.pk}/edit/").status_code == 405


def test_the_form_speaks_german(tenant: Tenant) -> None:
    document = make_document(tenant)
    page = sign_in(VIEW, CHANGE, language="de").get(f"{LIST}{document.pk}/change/").content.decode()
    assert "Titel, Datum und Aufbewahrungsklasse berichtigen" in page
    assert "Sichern" in page
