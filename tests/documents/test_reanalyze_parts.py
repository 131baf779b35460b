"""Doing parts of an analysis again on what was read before: dates, titles. No reader is ever started."""

import socket
import uuid
from collections.abc import Iterator
from datetime import date
from io import StringIO

import pytest
from django.core.management import call_command

from documents.models import Document, FileFacts, StepResult
from documents.pipeline import PARTS, STEPS
from documents.reading.errors import NeedsPassword
from documents.reading.messages import Facts, PageRead, Part, ReadOptions
from documents.search.results import search_documents
from documents.services import StoredDocument
from documents.services.reanalyze import reanalyze_documents
from jobs.models import Job, JobStatus
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store, claim, end, run_attempt
from tests.documents.e_invoices import EXPECTED

TEXT = "Musterhaus GmbH\nRechnung Nr. 2024-17\nRechnungsdatum: 12.05.2024\nBetrag 99,00 EUR"
MAIL = Facts(1, "message/rfc822", "Angebot", date(2023, 4, 5), "Jürgen <j@example.org>")


@pytest.fixture
def stored(store: Store) -> StoredDocument:
    return store(b"%PDF-1.7 paper", "scan.pdf")


def read_as(monkeypatch: pytest.MonkeyPatch, *parts: Part, error: Exception | None = None) -> None:
    def read(requests: socket.socket, descriptor: int, options: ReadOptions) -> Iterator[Part]:
        yield from parts
        if error is not None:
            raise error

    monkeypatch.setattr("documents.pipeline.reader.read_file", read)


def work_off(tenant: Tenant) -> None:
    """Work off the queued jobs with a socket nobody listens at: whoever asks it for a reader fails."""
    with tenant_scope(tenant.id):
        jobs = list(Job.objects.filter(status=JobStatus.QUEUED).order_by("id"))
    for job in jobs:
        attempt = claim(job)
        ours, theirs = socket.socketpair()
        theirs.close()
        with ours:
            end(attempt, run_attempt(attempt, ours))
    with tenant_scope(tenant.id):
        assert not Job.objects.exclude(status=JobStatus.SUCCEEDED).exclude(pk__lt=jobs[0].pk).exists()


def document(tenant: Tenant) -> Document:
    with tenant_scope(tenant.id):
        return Document.objects.get()


def forget(tenant: Tenant) -> None:
    with tenant_scope(tenant.id):
        Document.objects.update(title="x", issued_at=None, issued_source="", issued_candidates=[])


def no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(requests: socket.socket, descriptor: int, options: ReadOptions) -> Iterator[Part]:
        raise AssertionError("a reader was started")

    monkeypatch.setattr("documents.pipeline.reader.read_file", read)


@pytest.fixture
def analyzed(tenant: Tenant, stored: StoredDocument, monkeypatch: pytest.MonkeyPatch) -> StoredDocument:
    read_as(monkeypatch, Facts(1, "application/pdf"), PageRead(1, TEXT, "ocr", 0.9))
    work_off(tenant)
    no_reader(monkeypatch)
    forget(tenant)
    return stored


def test_only_dates_are_found_again_and_no_reader_is_started(
    tenant: Tenant, analyzed: StoredDocument
) -> None:
    reanalyze_documents(tenant_id=tenant.id, only=["dates"])
    work_off(tenant)
    found = document(tenant)
    assert (found.issued_at, found.issued_source, found.issued_doubt) == (
        date(2024, 5, 12),
        "ocr",
        "read_once",
    )
    assert found.title == "x"
    assert [hit.document.pk for hit in search_documents(tenant_id=tenant.id, text="date:2024-05").hits]


def test_only_titles_are_found_again(tenant: Tenant, analyzed: StoredDocument) -> None:
    reanalyze_documents(tenant_id=tenant.id, only=["titles"])
    work_off(tenant)
    found = document(tenant)
    assert (found.title, found.issued_at) == ("Rechnung 2024-17", None)


def test_the_command_takes_several_parts_and_knows_those_that_steps_name(
    tenant: Tenant, analyzed: StoredDocument
) -> None:
    out = StringIO()
    call_command("reanalyze", tenant.name, "--only", "dates", "--only", "titles", stdout=out)
    assert out.getvalue() == f"Queued 1 analyses of {tenant.name}.\n"
    work_off(tenant)
    found = document(tenant)
    assert (found.title, found.issued_at) == ("Rechnung 2024-17", date(2024, 5, 12))
    assert {step.only for step in STEPS} - {""} == set(PARTS)
    assert {"dates", "titles"} <= set(PARTS)


def test_parts_that_nobody_knows_are_refused(tenant: Tenant) -> None:
    with pytest.raises(ValueError, match="colours"):
        reanalyze_documents(tenant_id=tenant.id, only=["colours"])


def test_what_joins_a_queued_job_is_done_with_it(tenant: Tenant, analyzed: StoredDocument) -> None:
    for only in (["dates"], ["titles"], ["dates"]):
        reanalyze_documents(tenant_id=tenant.id, only=only)
    with tenant_scope(tenant.id):
        (job,) = Job.objects.filter(status=JobStatus.QUEUED)
    assert job.payload["only"] == ["dates", "titles"]
    work_off(tenant)
    found = document(tenant)
    assert (found.title, found.issued_at) == ("Rechnung 2024-17", date(2024, 5, 12))


def test_a_first_analysis_that_is_joined_still_reads_the_file(
    tenant: Tenant, stored: StoredDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    reanalyze_documents(tenant_id=tenant.id, only=["dates"])
    read_as(monkeypatch, Facts(1, "application/pdf"), PageRead(1, TEXT, "layer"))
    work_off(tenant)
    assert document(tenant).title == "Rechnung 2024-17"


def test_what_a_person_has_set_stays_and_the_candidates_are_new(
    tenant: Tenant, analyzed: StoredDocument
) -> None:
    with tenant_scope(tenant.id):
        Document.objects.update(
            title="Mein", title_manually_set=True, issued_at="2020-01-02", issued_source="manual"
        )
    reanalyze_documents(tenant_id=tenant.id, only=["dates", "titles"])
    work_off(tenant)
    found = document(tenant)
    assert (found.title, found.issued_at, found.issued_doubt) == ("Mein", date(2020, 1, 2), "")
    assert found.issued_candidates[0]["date"] == "2024-05-12"


def test_the_facts_of_a_mail_are_kept_for_later(
    tenant: Tenant, stored: StoredDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_as(monkeypatch, MAIL, PageRead(1, TEXT, "layer"))
    work_off(tenant)
    no_reader(monkeypatch)
    forget(tenant)
    reanalyze_documents(tenant_id=tenant.id, only=list(PARTS))
    work_off(tenant)
    found = document(tenant)
    assert (found.title, found.issued_at, found.issued_source) == ("Angebot", date(2023, 4, 5), "facts")
    assert search_documents(tenant_id=tenant.id, text="jürgen").hits


def test_the_facts_of_an_invoice_are_kept_beat_the_print_and_flag_the_difference(
    tenant: Tenant, stored: StoredDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_as(monkeypatch, Facts(1, "application/pdf", invoice=EXPECTED), PageRead(1, TEXT, "layer"))
    for _ in range(2):
        work_off(tenant)
        found = document(tenant)
        assert (found.issued_at, found.issued_source, found.issued_doubt) == (
            EXPECTED.issued,
            "invoice",
            "differs",
        )
        assert [candidate["date"] for candidate in found.issued_candidates] == ["2026-03-05", "2024-05-12"]
        with tenant_scope(tenant.id):
            facts = FileFacts.objects.get()
        assert (facts.number, facts.seller, facts.buyer) == (EXPECTED.number, EXPECTED.seller, EXPECTED.buyer)
        assert (facts.net, facts.tax, facts.gross, facts.currency) == (
            EXPECTED.net,
            EXPECTED.tax,
            EXPECTED.gross,
            "EUR",
        )
        assert facts.due == EXPECTED.due
        assert search_documents(tenant_id=tenant.id, text="söhne 0815").hits
        no_reader(monkeypatch)
        forget(tenant)
        reanalyze_documents(tenant_id=tenant.id, only=list(PARTS))


def test_facts_go_when_a_new_reading_finds_none(
    tenant: Tenant, stored: StoredDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_as(monkeypatch, Facts(1, "application/pdf", invoice=EXPECTED), PageRead(1, TEXT, "layer"))
    work_off(tenant)
    read_as(monkeypatch, Facts(1, "application/pdf"), PageRead(1, TEXT, "layer"))
    reanalyze_documents(tenant_id=tenant.id)
    work_off(tenant)
    with tenant_scope(tenant.id):
        assert not FileFacts.objects.exists()
    assert document(tenant).issued_doubt == ""


def test_a_file_that_could_not_be_read_is_not_tried_again(
    tenant: Tenant, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = store(b"%PDF-1.7 locked", "Police 2023-04-05.pdf")
    read_as(monkeypatch, error=NeedsPassword())
    with tenant_scope(tenant.id):
        attempt = claim(Job.objects.get(document_id=stored.document_id))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        end(attempt, run_attempt(attempt, ours))
    no_reader(monkeypatch)
    forget(tenant)
    reanalyze_documents(tenant_id=tenant.id, only=["dates"])
    work_off(tenant)
    assert document(tenant).issued_at == date(2023, 4, 5)
    with tenant_scope(tenant.id):
        assert StepResult.objects.get(step="read").outcome == "failed"


def test_a_step_that_fails_leaves_what_was_found_before(
    tenant: Tenant, analyzed: StoredDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tenant_scope(tenant.id):
        Document.objects.update(issued_at="2021-02-03", issued_source="text")

    def fail(*args: object, **kwargs: object) -> uuid.UUID:
        raise RuntimeError("no")

    monkeypatch.setattr("documents.pipeline.steps.issued.find_issued_date", fail)
    reanalyze_documents(tenant_id=tenant.id, only=["dates"])
    work_off(tenant)
    assert document(tenant).issued_at == date(2021, 2, 3)
