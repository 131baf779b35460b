"""Office files, RTF and PDF forms: what is written in them is read; what is made to do harm is refused."""

from __future__ import annotations

import pytest

from documents.reading.errors import LimitExceeded, NeedsPassword, Unreadable
from documents.reading.messages import Limits
from tests.documents.reading import office_files, samples
from tests.documents.reading.conftest import ReadBytes


def test_a_word_file_is_read_with_head_and_tables(read_bytes: ReadBytes) -> None:
    reading = read_bytes(office_files.word_file(), "brief.docx")
    assert reading.facts is not None
    assert reading.facts.media_type.endswith("wordprocessingml.document")
    assert reading.text.split("\n") == [
        "Kanzlei Beispiel",
        "ARCHIVSAMPLE Grüße",
        "Datum\tBetrag",
        "12.05.2024\t9,50 €",
    ]
    assert reading.picture is not None


def test_each_sheet_of_an_excel_file_is_a_page(read_bytes: ReadBytes) -> None:
    reading = read_bytes(office_files.excel_file(), "belege.xlsx")
    assert [page.text for page in reading.pages] == [
        "Belege\nDatum\tWert\n2024-05-12\t9.5",
        "Notizen\n\t\tARCHIVSAMPLE",
    ]


def test_each_slide_of_a_powerpoint_file_is_a_page(read_bytes: ReadBytes) -> None:
    reading = read_bytes(office_files.powerpoint_file(), "vortrag.pptx")
    assert [page.text for page in reading.pages] == ["ARCHIVSAMPLE eins", "zwei\nvertraulich"]


def test_an_opendocument_text_is_read(read_bytes: ReadBytes) -> None:
    body = (
        "<office:text><text:h>ARCHIVSAMPLE</text:h><text:p>Grüße<text:tab/>aus<text:s text:c='2'/>Köln"
        "<text:line-break/>und <text:span>Bonn</text:span></text:p></office:text>"
    )
    reading = read_bytes(office_files.odf("text", body), "brief.odt")
    assert reading.text == "ARCHIVSAMPLE\nGrüße\taus  Köln\nund Bonn"


def test_each_sheet_of_an_opendocument_spreadsheet_is_a_page(read_bytes: ReadBytes) -> None:
    row = "<table:table-row table:number-rows-repeated='1000000'>{}</table:table-row>"
    cell = "<table:table-cell table:number-columns-repeated='16000'><text:p>{}</text:p></table:table-cell>"
    sheets = "".join(
        f"<table:table table:name='{name}'>{row.format(cell.format(name) + cell.format('x'))}</table:table>"
        for name in ("Eins", "Zwei")
    )
    reading = read_bytes(office_files.odf("spreadsheet", sheets), "a.ods")
    assert [page.text for page in reading.pages] == ["Eins\nEins\tx", "Zwei\nZwei\tx"]


def test_rtf_is_read_without_its_pictures(read_bytes: ReadBytes) -> None:
    data = (
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\*\generator x;}\f0 ARCHIVSAMPLE Gr\'fc\'dfe\par "
        rb"{\pict\pngblip " + b"89504e47" * 20_000 + rb"}Zweite Zeile \u8364?\par}"
    )
    reading = read_bytes(data, "a.rtf")
    assert reading.text.split("\n") == ["ARCHIVSAMPLE Grüße", "Zweite Zeile €"]


def test_fields_of_a_pdf_form_are_read(read_bytes: ReadBytes) -> None:
    text = read_bytes(office_files.form_pdf()).text
    assert "Antrag auf Einsicht" in text
    assert "Aktenzeichen: ARCHIVSAMPLE 17/24" in text
    assert "Eilt sehr" in text
    assert "Bemerkung" not in text


def test_a_pdf_behind_much_junk_is_read(read_bytes: ReadBytes) -> None:
    data = b"HTTP/1.1 200 OK\r\nX-Filler: words and words\r\n" * 500 + b"\r\n" + samples.born_digital()
    reading = read_bytes(data, "download.txt")
    assert "ARCHIVSAMPLE" in reading.text
    assert reading.facts is not None
    assert reading.facts.media_type == "application/pdf"


def test_a_text_about_pdf_stays_text(read_bytes: ReadBytes) -> None:
    data = b"How to write a PDF by hand.\n" * 100 + b"%PDF-1.4\n1 0 obj\n<< >>\nendobj\nIt ends so."
    assert read_bytes(data, "howto.txt").text.endswith("It ends so.")


@pytest.mark.parametrize(
    "data",
    [
        office_files.locked_office_file(),
        office_files.odf("text", "<m/>", manifest="<a encryption-data='x'/>"),
    ],
)
def test_an_office_file_behind_a_password_says_so(read_bytes: ReadBytes, data: bytes) -> None:
    with pytest.raises(NeedsPassword):
        read_bytes(data)


def test_an_office_file_that_unpacks_to_too_much_is_not_unpacked(read_bytes: ReadBytes) -> None:
    data = office_files.with_member(office_files.word_file(), "word/media/a.xml", bytes(5 << 20))
    assert len(data) < 100_000
    with pytest.raises(LimitExceeded, match="once it is unpacked"):
        read_bytes(data, limits=Limits(unpacked_bytes=4 << 20))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_in_office_files_are_refused(read_bytes: ReadBytes, encoding: str) -> None:
    body = (
        '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r>'
        "<w:t>&x;</w:t></w:r></w:p></w:body></w:document>"
    ).encode(encoding)
    with pytest.raises(Unreadable, match="declares a document type"):
        read_bytes(office_files.with_member(office_files.word_file(), "word/document.xml", body))


def test_relations_to_other_places_are_not_followed(read_bytes: ReadBytes) -> None:
    relations = (
        b'<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        b'<Relationship Id="rId9" TargetMode="External" Target="http://127.0.0.1:9/steal" Type="http://schemas.'
        b'openxmlformats.org/officeDocument/2006/relationships/attachedTemplate"/></Relationships>'
    )
    data = office_files.with_member(office_files.word_file(), "word/_rels/settings.xml.rels", relations)
    assert "ARCHIVSAMPLE" in read_bytes(data).text


@pytest.mark.parametrize("name", ["word/document.xml", "[Content_Types].xml", "_rels/.rels"])
def test_a_broken_office_file_is_refused_with_words(read_bytes: ReadBytes, name: str) -> None:
    with pytest.raises(Unreadable, match="no whole office file"):
        read_bytes(office_files.with_member(office_files.word_file(), name, b"<broken"))


def test_a_macro_file_or_another_archive_is_kept_and_not_read(read_bytes: ReadBytes) -> None:
    reading = read_bytes(office_files.with_member(office_files.odf("formula", "<m/>"), "a.txt", b"x"))
    assert reading.pages == []
    assert "found by title" in reading.remarks


def test_large_pictures_of_one_document_are_bounded_together(read_bytes: ReadBytes) -> None:
    page = samples.drawn(["ARCHIVSAMPLE"])
    data, pixels = samples.fax(page, page, page), page.width * page.height
    reading = read_bytes(data, limits=Limits(ocr_pixels=pixels * 9 // 10, large_pixels=2 * pixels))
    assert [page.source for page in reading.pages] == ["ocr", "ocr", "none"]
    assert "Page 3 could not be read" in reading.remarks
