"""The job `analyze-document` between queue, vault and database. What a reader would say is given."""

import socket
import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import date

import pytest
from django.db.models import F
from django.db.models.functions import Now

from documents.models import Asset, Document, DocumentVersion, PageCheckpoint, PageText, StepResult
from documents.reading.errors import LimitExceeded, NeedsPassword, ReaderCrashed, ReadError, ReaderUnavailable
from documents.reading.messages import Facts, Note, PageRead, Part, Picture, ReadOptions
from documents.search.results import search_documents
from documents.services import StoredDocument
from documents.services.reanalyze import reanalyze_documents
from documents.services.sweep import sweep_vault
from documents.vault import LocalVault
from jobs.engine.messages import Outcome, Report
from jobs.models import FailureKind, Job, JobAttempt, JobStatus
from jobs.services import requeue_jobs
from tenants.models import Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.documents.conftest import Store, claim, end, run_attempt

FACTS = Facts(2, "application/pdf")
PAGES = (PageRead(1, "Rechnungsdatum: 12.05.2024", "layer"), PageRead(2, "zweite Seite", "ocr", 0.9))
PICTURE = Picture("thumbnail", "image/webp", b"picture", 10, 20)


class Reader:
    """Stands in for the reader's process: says `parts`, then raises `error`; a part may be called instead."""

    def __init__(self) -> None:
        self.parts: Iterable[Part | Callable[[], object]] = (FACTS, *PAGES, PICTURE)
        self.error: ReadError | None = None
        self.asked: list[ReadOptions] = []

    def read(self, requests: socket.socket, descriptor: int, options: ReadOptions) -> Iterator[Part]:
        self.asked.append(options)
        for part in self.parts:
            if callable(part):
                part()
            elif not isinstance(part, PageRead) or part.number not in options.skip_pages:
                yield part
        if self.error is not None:
            raise self.error


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    made = Reader()
    monkeypatch.setattr("documents.pipeline.reader.read_file", made.read)
    return made


@pytest.fixture
def stored(store: Store) -> StoredDocument:
    return store(b"%PDF-1.7 paper", "scan.pdf")


def attempt(stored: StoredDocument) -> Report:
    """Claim the queued job of a document and run it, once."""
    with operator_scope():
        job = Job.objects.get(document_id=stored.document_id, status=JobStatus.QUEUED)
    running = claim(job)
    with socket.socket() as unused:
        report = run_attempt(running, unused)
    end(running, report)
    return report


def job_of(stored: StoredDocument) -> Job:
    with operator_scope():
        return Job.objects.filter(document_id=stored.document_id).latest("id")


def document_of(tenant: Tenant, stored: StoredDocument) -> Document:
    with tenant_scope(tenant.id):
        return Document.objects.get(id=stored.document_id)


def texts_of(tenant: Tenant, stored: StoredDocument) -> list[tuple[int, str, str]]:
    with tenant_scope(tenant.id):
        texts = PageText.objects.filter(version_id=stored.version_id).order_by("page")
        return list(texts.values_list("page", "text", "source"))


def found(tenant: Tenant, words: str) -> int:
    return len(search_documents(tenant_id=tenant.id, text=words).hits)


def test_everything_that_was_found_is_written_with_the_end_of_the_job(
    tenant: Tenant, stored: StoredDocument, reader: Reader, vault: LocalVault
) -> None:
    assert attempt(stored).outcome is Outcome.FINISHED
    document = document_of(tenant, stored)
    assert (document.issued_at, document.analyzed_by) == (date(2024, 5, 12), stored.job_id)
    assert texts_of(tenant, stored) == [(page.number, page.text, page.source) for page in PAGES]
    with tenant_scope(tenant.id):
        version = DocumentVersion.objects.get()
        asset = Asset.objects.get()
    assert (version.pages, version.media_type) == (2, "application/pdf")
    assert (asset.size, asset.width, asset.height) == (7, 10, 20)
    with vault.open(asset.vault_path) as file:
        assert file.read() == b"picture"
    assert reader.asked[0].media_type == "application/pdf"
    assert reader.asked[0].languages == ("deu", "eng")
    assert found(tenant, "zweite seite") == 1


def test_a_dear_page_is_kept_and_a_second_attempt_goes_on_behind_it(
    tenant: Tenant, stored: StoredDocument, reader: Reader
) -> None:
    dear = PageRead(1, "teure Seite", "ocr", 0.8, seconds=5.0)
    reader.parts = (FACTS, dear, PageRead(2, "billig", "layer"))
    reader.error = ReaderUnavailable("gone")
    assert attempt(stored).outcome is Outcome.FAILED
    assert job_of(stored).status == JobStatus.QUEUED
    with tenant_scope(tenant.id):
        assert list(PageCheckpoint.objects.values_list("page", "text")) == [(1, "teure Seite")]
    reader.error = None
    assert attempt(stored).outcome is Outcome.FINISHED
    assert reader.asked[1].skip_pages == {1}
    assert [text for _, text, _ in texts_of(tenant, stored)] == ["teure Seite", "billig"]
    with tenant_scope(tenant.id):
        assert PageCheckpoint.objects.count() == 0


def test_progress_is_published_of_what_takes_a_while(
    tenant: Tenant, stored: StoredDocument, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("documents.pipeline.reader.WORTH_TELLING", 0.0)
    attempt(stored)
    job = job_of(stored)
    assert (job.progress_done, job.progress_total) == (2, 2)


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (NeedsPassword(), FailureKind.GAVE_UP, "needs a password"),
        (LimitExceeded("pages", 5000), FailureKind.LIMIT, "more than 5 000 pages"),
        (ReaderCrashed(None, "it fell silent"), FailureKind.CRASH, "it fell silent"),
    ],
)
def test_a_file_that_cannot_be_read_ends_the_job_with_the_reason_and_stays_findable(
    tenant: Tenant, stored: StoredDocument, reader: Reader, error: ReadError, kind: str, said: str
) -> None:
    reader.parts, reader.error = (FACTS, PAGES[0]), error
    attempt(stored)
    job = job_of(stored)
    assert (job.status, job.failure_kind, job.retry_count) == (JobStatus.FAILED, kind, 0)
    assert said in job.error_message
    assert texts_of(tenant, stored) == [(1, "Rechnungsdatum: 12.05.2024", "layer")]
    with tenant_scope(tenant.id):
        step = StepResult.objects.get(step="read")
        assert Asset.objects.count() == 1
        assert JobAttempt.objects.get(job_id=job.pk).outcome == kind
    assert (step.outcome, said in step.message) == ("failed", True)
    assert found(tenant, "scan") == 1


def test_a_reader_that_is_away_is_asked_again_later(stored: StoredDocument, reader: Reader) -> None:
    reader.parts, reader.error = (), ReaderUnavailable("no reader could be started")
    attempt(stored)
    assert job_of(stored).status == JobStatus.QUEUED


def test_a_second_reading_of_a_failed_job_replaces_its_placeholder(
    tenant: Tenant, stored: StoredDocument, reader: Reader, vault: LocalVault
) -> None:
    reader.parts, reader.error = (), NeedsPassword()
    attempt(stored)
    with tenant_scope(tenant.id):
        assert requeue_jobs(job_ids=[job_of(stored).pk]).requeued == 1
    reader.parts, reader.error = (FACTS, *PAGES, PICTURE), None
    attempt(stored)
    job = job_of(stored)
    assert (job.pk, job.status) == (stored.job_id, JobStatus.SUCCEEDED)
    with tenant_scope(tenant.id):
        asset = Asset.objects.get()
    with vault.open(asset.vault_path) as file:
        assert file.read() == b"picture"
    assert sweep_vault().is_whole


def test_a_later_failure_keeps_what_was_read_before(
    tenant: Tenant, stored: StoredDocument, reader: Reader
) -> None:
    attempt(stored)
    reanalyze_documents(tenant_id=tenant.id)
    reader.parts, reader.error = (), ReaderCrashed(None, "it fell silent")
    attempt(stored)
    assert job_of(stored).status == JobStatus.FAILED
    assert len(texts_of(tenant, stored)) == 2
    assert document_of(tenant, stored).issued_at == date(2024, 5, 12)
    assert found(tenant, "zweite") == 1
    with tenant_scope(tenant.id):
        outcomes = dict(StepResult.objects.values_list("step", "outcome"))
    assert (outcomes["read"], outcomes["text"]) == ("failed", "done")


def test_what_a_person_has_set_stays_also_if_set_while_the_file_was_read(
    tenant: Tenant, stored: StoredDocument, reader: Reader
) -> None:
    def edit() -> None:
        with tenant_scope(tenant.id):
            Document.objects.update(
                title="Mein Titel", title_manually_set=True, issued_at="2020-01-02", issued_source="manual"
            )

    reader.parts = (FACTS, *PAGES, edit)
    attempt(stored)
    document = document_of(tenant, stored)
    assert (document.title, document.issued_at) == ("Mein Titel", date(2020, 1, 2))
    assert document.issued_candidates[0]["date"] == "2024-05-12"
    assert found(tenant, "mein titel date:2020") == 1


def test_a_newer_analysis_is_not_overwritten(tenant: Tenant, stored: StoredDocument, reader: Reader) -> None:
    def newer() -> None:
        with tenant_scope(tenant.id):
            Document.objects.update(analyzed_by=10**9, title="neuer")

    reader.parts = (FACTS, *PAGES, PICTURE, newer)
    assert attempt(stored).outcome is Outcome.FINISHED
    assert document_of(tenant, stored).title == "neuer"
    assert texts_of(tenant, stored) == []
    with tenant_scope(tenant.id):
        assert Asset.objects.count() == 0


def test_a_lost_lease_leaves_nothing_behind(
    tenant: Tenant, stored: StoredDocument, reader: Reader, vault: LocalVault
) -> None:
    def lose() -> None:
        with tenant_scope(tenant.id):
            Job.objects.update(lease=F("lease") + 1)

    reader.parts = (FACTS, *PAGES, PICTURE, lose)
    assert attempt(stored).outcome is Outcome.LOST
    assert texts_of(tenant, stored) == []
    assert document_of(tenant, stored).analyzed_by is None
    assert len(list(vault.list(""))) == 1
    assert list(vault.list(".staging/")) == []


def test_a_lost_lease_is_noticed_at_the_next_checkpoint(stored: StoredDocument, reader: Reader) -> None:
    def lose() -> None:
        with operator_scope():
            Job.objects.update(lease=F("lease") + 1)

    reader.parts = (FACTS, lose, PageRead(1, "teuer", "ocr", 0.8, seconds=5.0), *PAGES)
    assert attempt(stored).outcome is Outcome.LOST


def test_what_an_attempt_left_at_the_path_of_its_picture_is_replaced(
    tenant: Tenant, stored: StoredDocument, reader: Reader, vault: LocalVault
) -> None:
    with vault.stage() as staged:
        staged.write(b"of an attempt that was killed before its commit")
        staged.seal()
        vault.place(staged, f"{tenant.id}/assets/{stored.version_id}/thumbnail-{stored.job_id}")
    assert attempt(stored).outcome is Outcome.FINISHED
    assert sweep_vault().is_whole


def test_without_force_what_was_read_before_is_only_indexed(
    tenant: Tenant, stored: StoredDocument, reader: Reader
) -> None:
    attempt(stored)
    with tenant_scope(tenant.id):
        Document.objects.update(title="Neuer Titel", title_manually_set=True)
    assert found(tenant, "neuer titel") == 0
    reanalyze_documents(tenant_id=tenant.id, force=False)
    assert attempt(stored).outcome is Outcome.FINISHED
    assert len(reader.asked) == 1
    assert found(tenant, "neuer titel") == 1
    assert found(tenant, "zweite seite") == 1
    assert document_of(tenant, stored).analyzed_by == job_of(stored).pk


def test_with_force_the_file_is_read_again(tenant: Tenant, stored: StoredDocument, reader: Reader) -> None:
    attempt(stored)
    reader.parts = (Facts(1, "application/pdf"), PageRead(1, "neu gelesen", "ocr", 0.5))
    reanalyze_documents(tenant_id=tenant.id)
    attempt(stored)
    assert texts_of(tenant, stored) == [(1, "neu gelesen", "ocr")]
    assert (found(tenant, "zweite"), found(tenant, "gelesen")) == (0, 1)


def test_a_document_that_is_gone_ends_its_job_cleanly(
    tenant: Tenant, stored: StoredDocument, reader: Reader
) -> None:
    with tenant_scope(tenant.id):
        Document.objects.update(purging_at=Now())
    assert attempt(stored).outcome is Outcome.DONE
    assert (job_of(stored).status, reader.asked) == (JobStatus.SUCCEEDED, [])


def test_a_document_that_goes_while_it_is_read_ends_its_job_cleanly(
    tenant: Tenant, stored: StoredDocument, reader: Reader
) -> None:
    def purge() -> None:
        with tenant_scope(tenant.id):
            Document.objects.update(purging_at=Now())

    reader.parts = (FACTS, *PAGES, PICTURE, purge)
    assert attempt(stored).outcome is Outcome.FINISHED
    assert texts_of(tenant, stored) == []


@pytest.mark.parametrize("damage", ["removed", "changed"])
def test_a_file_missing_or_damaged_in_the_vault_is_not_read(
    tenant: Tenant, stored: StoredDocument, reader: Reader, vault: LocalVault, damage: str
) -> None:
    with tenant_scope(tenant.id):
        path = DocumentVersion.objects.get().vault_path
    if damage == "removed":
        vault.remove(path)
    else:
        (vault.root / path).chmod(0o640)
        (vault.root / path).write_bytes(b"%PDF-1.7 qaper")
    attempt(stored)
    job = job_of(stored)
    assert job.status == JobStatus.FAILED
    assert path in job.error_message
    assert reader.asked == []


def test_a_job_of_a_suspended_tenant_reads_nothing(
    tenant: Tenant, stored: StoredDocument, reader: Reader
) -> None:
    with tenant_scope(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(status="suspended")
    attempt(stored)
    assert (job_of(stored).failure_kind, reader.asked) == (FailureKind.TENANT_INACTIVE, [])


def test_a_type_that_is_not_read_is_done_and_says_so(
    tenant: Tenant, stored: StoredDocument, reader: Reader
) -> None:
    reader.parts = (Facts(0, "application/zip"), Note("read", "files of this type are not read"))
    attempt(stored)
    assert job_of(stored).status == JobStatus.SUCCEEDED
    with tenant_scope(tenant.id):
        step = StepResult.objects.get(step="read")
    assert (step.outcome, "not read" in step.message) == ("nothing", True)
    assert found(tenant, "scan") == 1


def test_the_payload_names_the_version(stored: StoredDocument) -> None:
    assert uuid.UUID(job_of(stored).payload["document_version_id"]) == stored.version_id
