"""Files that archives have had trouble with, from the upload to the search, by a real reader."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date

import pytest
from PIL import Image

from documents.models import Asset, Document, DocumentVersion, PageCheckpoint, PageText, StepResult
from documents.search.results import search_documents
from documents.selectors import ProcessingStatus, find_statuses
from documents.services import StoredDocument
from documents.services.sweep import sweep_vault
from documents.vault import LocalVault
from jobs.models import FailureKind, Job, JobStatus
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents import papers
from tests.documents.conftest import Store

Analyze = Callable[[StoredDocument], Job]


class Seen:
    """What is stored of one document after its analysis."""

    def __init__(self, tenant: Tenant, stored: StoredDocument, vault: LocalVault) -> None:
        with tenant_scope(tenant.id):
            self.document = Document.objects.get(id=stored.document_id)
            self.version = DocumentVersion.objects.get(id=stored.version_id)
            self.pages = list(PageText.objects.filter(version=self.version).order_by("page"))
            self.steps = {step.step: step for step in StepResult.objects.filter(version=self.version)}
            self.status = find_statuses(tenant.id, [stored.document_id])[stored.document_id]
            self.thumbnail = Asset.objects.filter(version=self.version, kind="thumbnail").first()
            assert PageCheckpoint.objects.count() == 0
        self.tenant = tenant
        self.vault = vault

    @property
    def sources(self) -> list[str]:
        return [page.source for page in self.pages]

    def found_by(self, words: str) -> bool:
        hits = search_documents(tenant_id=self.tenant.id, text=words).hits
        return [hit.document.id for hit in hits] == [self.document.id]

    @contextmanager
    def picture(self) -> Iterator[Image.Image]:
        assert self.thumbnail is not None
        with self.vault.open(self.thumbnail.vault_path) as file:
            picture = Image.open(io.BytesIO(file.read()))
        assert picture.size == (self.thumbnail.width, self.thumbnail.height)
        yield picture


@pytest.fixture
def process(
    tenant: Tenant, store: Store, vault: LocalVault, analyze: Analyze
) -> Callable[..., tuple[Job, Seen]]:
    """Store bytes, analyze them, and look at what came of it."""

    def run(content: bytes, filename: str) -> tuple[Job, Seen]:
        stored = store(content, filename)
        job = analyze(stored)
        assert sweep_vault().is_whole
        return job, Seen(tenant, stored, vault)

    return run


Process = Callable[[bytes, str], tuple[Job, Seen]]


def test_mixed_pages_with_text_and_scanned_ones_are_both_read(process: Process) -> None:
    job, seen = process(papers.mixed_pdf(), "gemischt.pdf")
    assert (job.status, seen.status) == (JobStatus.SUCCEEDED, ProcessingStatus.DONE)
    assert seen.sources == ["layer", "ocr"]
    assert seen.version.pages == 2
    assert "Seite 1" in seen.pages[0].text
    assert "ARCHIVPROBE" in seen.pages[1].text
    assert seen.pages[1].confidence is not None
    assert (seen.document.issued_at, seen.document.issued_source) == (date(2018, 2, 13), "text")
    assert seen.document.analyzed_by == job.id
    others = {step.outcome for name, step in seen.steps.items() if name not in ("filing", "workflows")}
    assert others == {"done"}
    in_order = [name for name in seen.steps if name not in ("filing", "workflows")]
    assert in_order == ["read", "text", "issued", "title", "thumbnail", "index"]
    assert seen.found_by("gesamtbetrag archivprobe")
    with seen.picture() as picture:
        assert picture.format == "WEBP"


def test_tagged_scan_is_read_by_ocr(process: Process) -> None:
    _, seen = process(papers.tagged_scan_pdf(), "scan.pdf")
    assert seen.sources == ["ocr"]
    assert seen.found_by("archivprobe")


def test_blank_is_done_and_found_by_its_title(process: Process) -> None:
    job, seen = process(papers.blank_pdf(), "Leeres Blatt.pdf")
    assert job.status == JobStatus.SUCCEEDED
    assert seen.steps["text"].message == "no text found"
    assert seen.document.issued_at is None
    assert seen.found_by("leeres blatt")


def test_enc_user_is_archived_and_says_that_it_needs_a_password(process: Process) -> None:
    job, seen = process(papers.locked_pdf(), "Police.pdf")
    assert (job.status, job.failure_kind, job.retry_count) == (JobStatus.FAILED, FailureKind.GAVE_UP, 0)
    assert "needs a password" in job.error_message
    assert seen.status == ProcessingStatus.FAILED
    assert "needs a password" in seen.steps["read"].message
    assert seen.steps["thumbnail"].outcome == "nothing"
    assert seen.found_by("police")
    with seen.picture() as placeholder:
        assert placeholder.format == "WEBP"


def test_truncated_is_read_or_archived_as_failed_with_the_reason(process: Process) -> None:
    job, seen = process(papers.cut_pdf(), "halb.pdf")
    assert job.status in (JobStatus.SUCCEEDED, JobStatus.FAILED)
    assert job.retry_count == 0
    if job.status == JobStatus.FAILED:
        assert job.error_message
        assert seen.steps["read"].outcome == "failed"
    assert seen.thumbnail is not None
    assert seen.found_by("halb")


def test_g4_3_has_three_pages_of_text(process: Process) -> None:
    _, seen = process(papers.fax_tiff(), "fax.tiff")
    assert seen.version.pages == 3
    assert seen.sources == ["ocr"] * 3
    assert [f"Seite {number}" in seen.pages[number - 1].text for number in (1, 2, 3)] == [True] * 3


def test_exif6_is_read_and_its_thumbnail_stands_upright(process: Process) -> None:
    _, seen = process(papers.turned_jpeg(), "foto.jpg")
    assert seen.found_by("archivprobe")
    with seen.picture() as picture:
        assert picture.height > picture.width


def test_utf16le_bom_is_read(process: Process) -> None:
    _, seen = process(b"\xff\xfe" + "Straße Grüße 13.02.2018\r\n".encode("utf-16-le"), "brief.txt")
    assert seen.found_by("strasse gruesse")
    assert seen.found_by("Straße Grüße")
    assert seen.document.issued_at == date(2018, 2, 13)


def test_nul_does_not_reach_the_database(process: Process) -> None:
    job, seen = process(b"abc\x00def 13.02.2018\n", "null.txt")
    assert job.status == JobStatus.SUCCEEDED
    assert "\0" not in seen.pages[0].text
    assert seen.pages[0].text.strip()


def test_letterspaced_is_found_by_the_whole_word(process: Process) -> None:
    _, seen = process(papers.letterspaced_pdf(), "auszug.pdf")
    assert seen.found_by("Kontoauszug")
    assert seen.document.issued_at == date(2019, 8, 30)


def test_many_words_are_indexed_as_far_as_possible_and_noted(process: Process) -> None:
    text = " ".join(f"w{number:06d}" for number in range(75_000))
    job, seen = process(text.encode(), "viele.txt")
    assert job.status == JobStatus.SUCCEEDED
    assert "of 75000 words" in seen.steps["index"].message
    assert seen.found_by("w000001")
    assert seen.found_by("*01499*")  # parts of words: of the first 15,000


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Fo\u0308rmlich.txt", "Förmlich.txt"),
        ("line\nbreak.txt", "line break.txt"),
        ("..%2f..%2fx.txt", "x.txt"),
    ],
)
def test_names_are_shown_clean_and_stored_under_the_hash(process: Process, name: str, shown: str) -> None:
    _, seen = process("für Grüße München\n".encode(), name)
    assert seen.version.filename == shown
    assert seen.version.content_hash in seen.version.vault_path
    assert seen.found_by("muenchen")


def test_a_mail_is_dated_by_its_header_and_called_by_its_subject(process: Process) -> None:
    headers = ["Subject: Unterlagen zur Buchung", "Date: Tue, 14 May 2024 10:00:00 +0200"]
    _, seen = process(papers.mail(*headers), "mail.eml")
    assert seen.document.title == "Unterlagen zur Buchung"
    assert (seen.document.issued_at, seen.document.issued_source) == (date(2024, 5, 14), "facts")
    assert seen.found_by("muster unterlagen buchung")


def test_nodate_gives_no_date(process: Process) -> None:
    _, seen = process(papers.mail("Subject: t"), "mail.eml")
    assert seen.document.issued_at is None
    assert seen.found_by("unterlagen")
