"""PDFs as people send them: which pages are read how, and what is said when they cannot be."""

from __future__ import annotations

import io

import pikepdf
import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from documents.reading.errors import NeedsPassword, Unreadable
from tests.documents.reading import samples
from tests.documents.reading.conftest import ReadBytes


def test_only_the_page_without_a_good_layer_is_read_by_ocr(read_bytes: ReadBytes) -> None:
    reading = read_bytes(samples.joined(samples.born_digital(), samples.scan()))
    assert reading.facts is not None
    assert reading.facts.pages == 2
    assert reading.sources == ["layer", "ocr"]
    assert all("Gesamtbetrag 99,00 EUR" in page.text for page in reading.pages)
    assert reading.pages[0].confidence is None
    assert (reading.pages[1].confidence or 0) > 0.8
    assert reading.pages[1].words[0].text == "ARCHIVSAMPLE"


def test_a_scan_that_says_it_is_tagged_is_read_by_ocr(read_bytes: ReadBytes) -> None:
    reading = read_bytes(samples.tagged(samples.scan()))
    assert reading.sources == ["ocr"]
    assert "ARCHIVSAMPLE" in reading.text


def test_blanks_between_letters_are_closed(read_bytes: ReadBytes) -> None:
    reading = read_bytes(samples.letterspaced())
    assert reading.text == "Kontoauszug vom 30.08.2019"
    assert reading.sources == ["layer"]


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_scan_that_lies_on_its_side_or_head_is_read(read_bytes: ReadBytes, turn: int) -> None:
    assert "ARCHIVSAMPLE" in read_bytes(samples.scan(samples.drawn().rotate(turn, expand=True))).text


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_page_that_the_pdf_turns_is_seen_as_it_is_shown(read_bytes: ReadBytes, turn: int) -> None:
    upright = samples.scan(samples.drawn().rotate(turn, expand=True))
    reading = read_bytes(samples.rotated(upright, turn))
    assert "ARCHIVSAMPLE" in reading.text
    assert reading.picture is not None
    assert reading.picture.height > reading.picture.width


def test_ink_that_lies_only_in_a_mask_is_read(read_bytes: ReadBytes) -> None:
    ink = Image.new("RGBA", samples.drawn().size, (0, 0, 0, 0))
    ink.putalpha(Image.eval(samples.drawn(), lambda value: 255 - value))
    data = io.BytesIO()
    ink.save(data, "PNG", dpi=(samples.DPI, samples.DPI))
    page = Canvas(out := io.BytesIO(), pagesize=A4)
    page.drawImage(ImageReader(data), 0, 0, *A4, mask="auto")
    page.save()
    assert "ARCHIVSAMPLE" in read_bytes(out.getvalue()).text


def test_a_blank_page_is_a_result(read_bytes: ReadBytes) -> None:
    reading = read_bytes(samples.blank_pdf(2))
    assert reading.sources == ["none", "none"]
    assert reading.text.strip() == ""
    assert reading.picture is not None


def test_a_password_is_asked_for(read_bytes: ReadBytes) -> None:
    with pytest.raises(NeedsPassword, match="needs a password"):
        read_bytes(samples.encrypted(samples.born_digital(), user="secret"))


def test_a_pdf_locked_only_against_changes_is_read(read_bytes: ReadBytes) -> None:
    assert "ARCHIVSAMPLE" in read_bytes(samples.encrypted(samples.born_digital(), user="")).text


def test_a_pdf_cut_short_says_so(read_bytes: ReadBytes) -> None:
    data = samples.born_digital()
    with pytest.raises(Unreadable, match=r"damaged|broken"):
        read_bytes(data[: len(data) * 2 // 3])


def test_a_pdf_with_a_broken_table_is_repaired(read_bytes: ReadBytes) -> None:
    data = samples.born_digital()
    at = data.rindex(b"xref", 0, data.rindex(b"startxref"))
    reading = read_bytes(data[:at] + b"nothing to see here\n%%EOF\n")
    assert "ARCHIVSAMPLE" in reading.text


def test_an_empty_file_says_so(read_bytes: ReadBytes) -> None:
    with pytest.raises(Unreadable, match="empty"):
        read_bytes(b"")


@pytest.mark.parametrize("length", [13, 500, 1000])
def test_junk_before_the_pdf_is_skipped(read_bytes: ReadBytes, length: int) -> None:
    assert "ARCHIVSAMPLE" in read_bytes((b"junk \x00\x01\xff" * 150)[:length] + samples.born_digital()).text


def test_pages_that_were_kept_are_not_read_again(read_bytes: ReadBytes) -> None:
    data = samples.born_digital(["page one"], ["page two"], ["page three"])
    reading = read_bytes(data, skip=frozenset({1, 3}))
    assert [(page.number, page.text) for page in reading.pages] == [(2, "page two")]
    assert reading.picture is not None


def test_a_born_digital_page_without_letters_is_looked_at(read_bytes: ReadBytes) -> None:
    """Text drawn as outlines has no layer."""
    reading = read_bytes(samples.one_page(samples.stream(b"0 0 200 200 re f")))
    assert reading.sources == ["none"]


def test_a_stamp_on_a_scan_does_not_hide_the_scan(read_bytes: ReadBytes) -> None:
    with pikepdf.open(io.BytesIO(samples.born_digital(["Eingang 7"]))) as stamp:
        document = pikepdf.open(io.BytesIO(samples.scan()))
        document.pages[0].add_overlay(stamp.pages[0], None)
        reading = read_bytes(samples.written(document))
    assert reading.sources == ["ocr"]
    assert "Gesamtbetrag" in reading.text
    assert "pictures cover" in reading.remarks
