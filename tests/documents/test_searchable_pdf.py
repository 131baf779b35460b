"""The words of a scan can be searched in its PDF, where they stand; it is PDF/A where the file allows it."""

from __future__ import annotations

import io
from collections.abc import Callable

import pikepdf
import pypdfium2 as pdfium
import pytest
from PIL import Image

from documents.errors import DocumentNotFound
from documents.ocr.languages import find_folder
from documents.ocr.recognizer import Recognizer
from documents.ocr.words import Boxes
from documents.reading.messages import Limits
from documents.reading.pdf_image import page_image, render
from documents.searchable_pdf import Searchable, build_searchable
from documents.services import StoredDocument
from documents.services.naming import set_naming
from documents.services.searchable import SEARCHABLE_PDF, open_searchable, request_searchable_pdfs
from jobs.models import Job, JobStatus, Lane
from tenants.access import operator_access
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store
from tests.documents.reading import samples

Analyze = Callable[[StoredDocument], Job]
PIXELS = 200_000_000


@pytest.fixture(scope="module")
def recognizer() -> Recognizer:
    return Recognizer(("deu", "eng"), find_folder())


def made_from(data: bytes, recognizer: Recognizer) -> Searchable:
    """Read the first page of a PDF, and build the searchable one."""
    image, dpi = page_image(pdfium.PdfDocument(data)[0], Limits())
    found = recognizer.read(image, dpi=dpi, seconds=120)
    assert found.sheet is not None
    return build_searchable(
        io.BytesIO(data), is_pdf=True, boxes={1: Boxes(found.sheet, found.words)}, pixels=PIXELS
    )


def place_of(data: bytes, word: str) -> tuple[float, float, float, float]:
    """Where a word stands on the first page as shown: left, bottom, right, top, in shares of the page."""
    page = pdfium.PdfDocument(data)[0]
    textpage = page.get_textpage()
    searcher = textpage.search(word)
    index, count = searcher.get_next()
    boxes = [textpage.get_charbox(number, loose=True) for number in range(index, index + count)]
    left, bottom = min(box[0] for box in boxes), min(box[1] for box in boxes)
    right, top = max(box[2] for box in boxes), max(box[3] for box in boxes)
    width, height = page.get_size()
    if page.get_rotation() == 90:
        left, bottom, right, top = bottom, height - right, top, height - left
    return left / width, bottom / height, right / width, top / height


def ink_in(data: bytes, place: tuple[float, float, float, float]) -> float:
    """The share of dark points in a part of the first page."""
    shown = render(pdfium.PdfDocument(data)[0], 2.0, grey=True)
    left, bottom, right, top = place
    part = shown.crop(
        (
            round(left * shown.width),
            round((1 - top) * shown.height),
            round(right * shown.width),
            round((1 - bottom) * shown.height),
        )
    )
    return sum(part.histogram()[:128]) / max(1, part.width * part.height)


@pytest.mark.parametrize("lean", [0.0, 2.0, 180.0])
def test_words_can_be_found_where_their_ink_is(recognizer: Recognizer, lean: float) -> None:
    scan = samples.drawn(["", "Anfang", "", "ARCHIVSAMPLE Grüße", "", "Ende"]).rotate(lean, fillcolor=255)
    data = made_from(samples.scan(scan), recognizer).data
    assert "Grüße" in pdfium.PdfDocument(data)[0].get_textpage().get_text_range()
    assert ink_in(data, place_of(data, "ARCHIVSAMPLE")) > 0.1


def test_a_page_that_the_pdf_turns_has_its_words_where_they_are_shown(recognizer: Recognizer) -> None:
    scan = samples.drawn(["", "Anfang", "", "ARCHIVSAMPLE Grüße"]).rotate(90, expand=True)
    data = made_from(samples.rotated(samples.scan(scan), 90), recognizer).data
    assert "ARCHIVSAMPLE" in pdfium.PdfDocument(data)[0].get_textpage().get_text_range()
    assert ink_in(data, place_of(data, "ARCHIVSAMPLE")) > 0.1


def test_the_page_looks_as_before(recognizer: Recognizer) -> None:
    before = samples.scan(samples.drawn(["ARCHIVSAMPLE"]))
    after = made_from(before, recognizer).data
    pages = [render(pdfium.PdfDocument(data)[0], 1.0) for data in (before, after)]
    assert pages[0].tobytes() == pages[1].tobytes()


def test_a_scan_becomes_pdf_a_2b(recognizer: Recognizer) -> None:
    made = made_from(samples.scan(samples.drawn(["ARCHIVSAMPLE"])), recognizer)
    assert made.obstacles == ()
    with pikepdf.open(io.BytesIO(made.data)) as pdf:
        metadata = pdf.open_metadata()
        assert (metadata["pdfaid:part"], metadata["pdfaid:conformance"]) == ("2", "B")
        assert metadata.pdfa_status == "2B"
        (intent,) = pdf.Root.OutputIntents
        assert intent.S == "/GTS_PDFA1"
        assert intent.DestOutputProfile.read_bytes()[36:40] == b"acsp"
        assert "/Metadata" in pdf.Root
        assert "/Filter" not in pdf.Root.Metadata
        assert "/Info" not in pdf.trailer
        assert "/ID" in pdf.trailer
        assert not pdf.is_encrypted
        fonts = [
            entry for entry in pdf.objects if isinstance(entry, pikepdf.Dictionary) and "/FontName" in entry
        ]
        assert all("/FontFile2" in font for font in fonts)
        assert len(fonts) == 1


def test_what_stands_against_pdf_a_is_named_and_then_nothing_is_claimed() -> None:
    made = build_searchable(io.BytesIO(samples.born_digital()), is_pdf=True, boxes={}, pixels=PIXELS)
    assert made.obstacles == ("the font Helvetica is not embedded",)
    with pikepdf.open(io.BytesIO(made.data)) as pdf:
        assert "/OutputIntents" not in pdf.Root
        assert "pdfaid:part" not in pdf.open_metadata()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF", "GIF", "WEBP"])
def test_pictures_become_a_pdf_with_a_page_each(form: str) -> None:
    picture = Image.new("RGB", (300, 400), "white")
    options = {"save_all": True, "append_images": [picture]} if form == "TIFF" else {}
    made = build_searchable(
        io.BytesIO(samples.saved(picture, form, **options)), is_pdf=False, boxes={}, pixels=PIXELS
    )
    assert len(pdfium.PdfDocument(made.data)) == (2 if form == "TIFF" else 1)
    assert made.obstacles == ()


@pytest.mark.django_db(transaction=True)
def test_a_searchable_pdf_is_made_on_request_and_kept(tenant: Tenant, store: Store, analyze: Analyze) -> None:
    stored = store(samples.scan(samples.drawn(["ARCHIVSAMPLE Grüße"])), "scan.pdf")
    text = store(b"nothing scanned", "a.txt")
    for one in (stored, text):
        analyze(one)
    access = operator_access(tenant.id)
    report = request_searchable_pdfs(access=access, document_ids=[stored.document_id, text.document_id])
    assert report.changed == 1
    assert sum(report.skipped.values()) == 1
    with tenant_scope(tenant.id):
        job_id = Job.objects.get(tenant_id=tenant.id, type=SEARCHABLE_PDF).pk
    done = analyze(StoredDocument(stored.document_id, stored.version_id, job_id))
    assert (done.status, done.home_lane) == (JobStatus.SUCCEEDED, Lane.BULK)
    file, _ = open_searchable(access=access, document_id=stored.document_id)
    with file:
        data = file.read()
    assert "Grüße" in pdfium.PdfDocument(data)[0].get_textpage().get_text_range()


@pytest.mark.django_db(transaction=True)
def test_a_tenant_may_have_them_made_of_all_its_scans(tenant: Tenant, store: Store, analyze: Analyze) -> None:
    before = store(samples.scan(samples.drawn(["Vorher"])), "before.pdf")
    analyze(before)
    access = operator_access(tenant.id)
    set_naming(access=access, searchable_pdfs=True)
    stored = store(samples.scan(samples.drawn(["ARCHIVSAMPLE Grüße"])), "scan.pdf")
    for one in (stored, store(b"nothing scanned", "a.txt"), store(b"%PDF-1.7 broken", "b.pdf")):
        analyze(one)
    with tenant_scope(tenant.id):
        job = Job.objects.get(tenant_id=tenant.id, type=SEARCHABLE_PDF)
    assert (job.document_id, job.home_lane) == (stored.document_id, Lane.BULK)
    done = analyze(StoredDocument(stored.document_id, stored.version_id, job.pk))
    assert done.status == JobStatus.SUCCEEDED
    file, _ = open_searchable(access=access, document_id=stored.document_id)
    file.close()


@pytest.mark.django_db(transaction=True)
def test_where_none_was_made_there_is_none(tenant: Tenant, store: Store) -> None:
    stored = store(b"nothing scanned", "a.txt")
    with pytest.raises(DocumentNotFound):
        open_searchable(access=operator_access(tenant.id), document_id=stored.document_id)
