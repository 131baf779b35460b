"""Why a document is dated and filed as it is: the explanation, its page, and taking another date."""

import uuid
from datetime import date

import pytest
from django.test import Client

from documents.dates import Kind
from documents.errors import BadIssuedDate, DocumentInTrash, DocumentNotFound
from documents.explaining import explain_document
from documents.models import Document
from documents.pipeline.steps.issued import run as find_date
from documents.pipeline.work import Page, Reading, Subject, Work
from documents.reading.messages import Facts, PageRead
from documents.reason_words import REASON_WORDS
from documents.services import StoredDocument
from documents.services.candidates import take_candidate
from documents.services.reanalyze import reanalyze_documents
from documents.services.trash import trash_documents
from tenants.access import Access, operator_access
from tenants.errors import CapabilityDenied
from tenants.models import AuditEvent, Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.documents.conftest import Store
from tests.documents.e_invoices import EXPECTED
from tests.documents.test_reanalyze_parts import read_as, work_off
from tests.filing_factories import FilingFactory
from tests.operators import sign_in

TEXT = "Rechnung Nr. 17\nRechnungsdatum: 12.05.2024\nFällig am 26.05.2024\nBetrag 99,00 EUR"
LIST = "/admin/documents/document/"
VIEW, CHANGE = "documents.view_document", "documents.change_document"


@pytest.fixture
def stored(tenant: Tenant, store: Store, monkeypatch: pytest.MonkeyPatch) -> StoredDocument:
    read_as(monkeypatch, Facts(1, "application/pdf"), PageRead(1, TEXT, "ocr", 0.9))
    stored = store(b"%PDF-1.7 paper", "scan.pdf")
    work_off(tenant)
    return stored


def document(tenant: Tenant) -> Document:
    with tenant_scope(tenant.id):
        return Document.objects.get()


def take(client: Client, stored: StoredDocument, day: str) -> str:
    address = f"{LIST}{stored.document_id}/take-date/"
    response = client.post(address, {"issued_at": day}, follow=True)
    return " ".join(str(message) for message in response.context["messages"])


def test_a_date_is_explained_with_source_page_label_and_reasons(
    tenant: Tenant, stored: StoredDocument
) -> None:
    with tenant_scope(tenant.id):
        why = explain_document(tenant.id, Document.objects.get(), stored.version_id)
    assert (why.issued_at, why.source, why.doubt) == (date(2024, 5, 12), "ocr", "read_once")
    first, second = why.candidates
    assert (first.date, first.source, first.page, first.label, first.written, first.is_chosen) == (
        date(2024, 5, 12),
        "ocr",
        1,
        "Rechnungsdatum",
        "12.05.2024",
        True,
    )
    assert (first.reasons[0].code, first.reasons[0].detail, first.reasons[0].points) == (
        "kind.issued",
        "rechnungsdatum",
        100,
    )
    assert (second.date, second.reasons[0].code, second.is_chosen) == (date(2024, 5, 26), "kind.due", False)


def test_candidates_are_bounded(tenant: Tenant) -> None:
    lines = "\n".join(f"{day:02}.{month:02}.2020 Zeile" for month in range(1, 13) for day in range(1, 29))
    subject = Subject(
        tenant.id, uuid.uuid4(), uuid.uuid4(), "a.pdf", "application/pdf", 1, ("deu",), date(2024, 1, 1)
    )
    work = Work(subject, Reading(pages=(Page(1, lines, "layer"),)))
    find_date(work)
    assert len(work.findings.issued_candidates) == 10


def test_every_kind_of_date_has_words() -> None:
    assert {f"kind.{kind}" for kind in Kind} <= set(REASON_WORDS)


def test_another_candidate_is_taken_stays_and_is_on_record(tenant: Tenant, stored: StoredDocument) -> None:
    access = operator_access(tenant.id)
    day = date(2024, 5, 26)
    take_candidate(access=access, document_id=stored.document_id, issued_at=day)
    for _ in range(2):
        taken = document(tenant)
        assert (taken.issued_at, taken.issued_source, taken.issued_doubt) == (day, "manual", "")
        reanalyze_documents(tenant_id=tenant.id, only=["dates"])
        work_off(tenant)
    with operator_scope():
        (event,) = AuditEvent.objects.filter(action="document.edited", tenant_id=tenant.id)
    assert '"issued_at_after":"2024-05-26"' in event.details


def test_the_date_that_is_there_can_be_confirmed(tenant: Tenant, stored: StoredDocument) -> None:
    take_candidate(
        access=operator_access(tenant.id), document_id=stored.document_id, issued_at=date(2024, 5, 12)
    )
    taken = document(tenant)
    assert (taken.issued_source, taken.issued_doubt) == ("manual", "")


def test_only_candidates_of_documents_that_are_there_can_be_taken(
    tenant: Tenant, stored: StoredDocument
) -> None:
    access, day = operator_access(tenant.id), date(2024, 5, 12)
    with pytest.raises(BadIssuedDate, match="none of the dates"):
        take_candidate(access=access, document_id=stored.document_id, issued_at=date(2020, 1, 1))
    with pytest.raises(DocumentNotFound):
        take_candidate(access=access, document_id=uuid.uuid4(), issued_at=day)
    with pytest.raises(CapabilityDenied):
        take_candidate(
            access=Access(tenant.id, frozenset({"documents:read"})),
            document_id=stored.document_id,
            issued_at=day,
        )
    trash_documents(access=access, document_ids=[stored.document_id])
    with pytest.raises(DocumentInTrash):
        take_candidate(access=access, document_id=stored.document_id, issued_at=day)


def test_the_page_says_why_and_a_click_takes_another_date(tenant: Tenant, stored: StoredDocument) -> None:
    with tenant_scope(tenant.id):
        FilingFactory.create(
            tenant_id=tenant.id,
            document=Document.objects.get(),
            set_by="suggestion",
            confidence=0.91,
            because=["betrag", "rechnungsdatum"],
        )
    client = sign_in(VIEW, CHANGE)
    page = client.get(f"{LIST}{stored.document_id}/change/").content.decode()
    for words in (
        "Why this date",
        "source: OCR",
        "unconfirmed",
        "read once only, by OCR",
        "labelled as the date of issue",
        "Rechnungsdatum 12.05.2024",
        "due date of a payment",
        "Why it is filed like this",
        "betrag, rechnungsdatum",
        "confidence 0.91",
    ):
        assert words in page, words
    assert take(client, stored, "2024-05-26") == "The date is set and stays."
    page = client.get(f"{LIST}{stored.document_id}/change/").content.decode()
    assert "set by a person" in page
    assert "read once only" not in page


def test_the_page_shows_what_an_invoice_states_and_that_another_date_is_printed(
    tenant: Tenant, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_as(monkeypatch, Facts(1, "application/pdf", invoice=EXPECTED), PageRead(1, TEXT, "layer"))
    invoice = store(b"%PDF-1.7 invoice", "rechnung.pdf")
    work_off(tenant)
    page = sign_in(VIEW).get(f"{LIST}{invoice.document_id}/change/").content.decode()
    for words in (
        "RE-2026/0815",
        "Größe &amp; Söhne GmbH",
        "119.00 EUR",
        "source: XML of the invoice",
        "another date is printed than the XML says",
        "Rechnungsdatum 12.05.2024",
    ):
        assert words in page, words
    german = sign_in(VIEW, language="de").get(f"{LIST}{invoice.document_id}/change/").content.decode()
    for words in (
        "Warum dieses Datum",
        "unbestätigt",
        "119,00 EUR",
        "gedruckt ist ein anderes Datum",
        "Verkäufer",
    ):
        assert words in german, words


def test_who_may_only_look_takes_nothing(tenant: Tenant, stored: StoredDocument) -> None:
    client = sign_in(VIEW)
    assert "take-date" not in client.get(f"{LIST}{stored.document_id}/change/").content.decode()
    address = f"{LIST}{stored.document_id}/take-date/"
    assert client.post(address, {"issued_at": "2024-05-26"}).status_code == 403
    assert sign_in(VIEW, CHANGE).get(address).status_code == 405
    assert sign_in(VIEW, CHANGE).post(f"{LIST}{uuid.uuid4()}/take-date/").status_code == 404
    assert document(tenant).issued_source == "ocr"


@pytest.mark.parametrize(("day", "words"), [("", "That is no date"), ("2020-01-01", "none of the dates")])
def test_nonsense_is_answered_in_words(tenant: Tenant, stored: StoredDocument, day: str, words: str) -> None:
    assert words in take(sign_in(VIEW, CHANGE), stored, day)
    assert document(tenant).issued_source == "ocr"
