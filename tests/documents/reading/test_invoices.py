"""Invoices as files: attached to PDFs, and as XML alone. Read by a real reader that can import nothing."""

from __future__ import annotations

import io

import pikepdf
import pytest

from documents.reading.sniff import MediaType, sniff
from tests.documents.e_invoices import CII, EXPECTED, FORMS, UBL, Form, with_attachments
from tests.documents.reading import samples
from tests.documents.reading.conftest import ReadBytes, Reading

PDF = samples.born_digital()


def read_pdf(read_bytes: ReadBytes, **files: bytes) -> Reading:
    return read_bytes(with_attachments(PDF, **files))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_the_invoice_attached_to_a_pdf_is_among_its_facts(read_bytes: ReadBytes, form: Form) -> None:
    reading = read_bytes(with_attachments(PDF, **{form.attached_as.replace(".", "__"): form.xml.encode()}))
    assert reading.facts is not None
    assert reading.facts.invoice == form.expected
    assert "Gesamtbetrag" in reading.text
    assert reading.remarks == ""


def test_a_pdf_with_other_attachments_has_no_invoice(read_bytes: ReadBytes) -> None:
    reading = read_pdf(read_bytes, terms__txt=b"terms", data__pdf=PDF)
    assert reading.facts is not None
    assert reading.facts.invoice is None
    assert reading.remarks == ""


def test_the_newer_standard_is_believed_where_a_file_carries_two(read_bytes: ReadBytes) -> None:
    older = CII.replace("RE-2026/0815", "older").encode()
    reading = read_pdf(read_bytes, zugferd_invoice__xml=older, factur_x__xml=CII.encode())
    assert reading.facts is not None
    assert reading.facts.invoice == EXPECTED


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<!DOCTYPE a [<!ENTITY x 'y'>]>" + UBL.encode(), "document type or entities"),
        (CII.encode()[:700], "not well formed"),
        (b"<order/>", "its root is 'order'"),
        (b" " * (11 << 20) + CII.encode(), "more than 10 MB"),
    ],
    ids=["entities", "cut", "order", "large"],
)
def test_a_bad_attachment_is_noted_and_the_rest_is_read(
    read_bytes: ReadBytes, content: bytes, reason: str
) -> None:
    reading = read_pdf(read_bytes, factur_x__xml=content)
    assert reading.facts is not None
    assert reading.facts.invoice is None
    assert "factur-x.xml holds no invoice" in reading.remarks
    assert reason in reading.remarks
    assert "Gesamtbetrag" in reading.text


def test_an_attachment_that_inflates_beyond_any_invoice_is_not_unpacked(read_bytes: ReadBytes) -> None:
    data = io.BytesIO()
    with pikepdf.open(io.BytesIO(with_attachments(PDF, factur_x__xml=b"x"))) as document:
        stream = document.attachments["factur-x.xml"].get_file().obj
        stream.write(samples.deflated(64), filter=pikepdf.Name.FlateDecode)
        document.save(data)
    reading = read_bytes(data.getvalue())
    assert "more than 10 MB" in reading.remarks
    assert "Gesamtbetrag" in reading.text


@pytest.mark.parametrize("name", ["rechnung.xml", "rechnung", "rechnung.txt"])
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_an_invoice_as_xml_alone_is_known_and_read(read_bytes: ReadBytes, form: Form, name: str) -> None:
    data = form.xml.encode()
    assert sniff(data, name) is MediaType.XML
    reading = read_bytes(data, name)
    assert reading.facts is not None
    assert reading.facts.invoice == form.expected
    assert reading.text.startswith("RE-2026/0815\n2026-03-05\n")
    assert "Zitronensäure" in reading.text
    assert "<" not in reading.text
    assert reading.picture is not None


def test_an_invoice_of_wide_characters_is_known(read_bytes: ReadBytes) -> None:
    data = UBL.encode("utf-16")
    assert sniff(data, "") is MediaType.XML
    facts = read_bytes(data).facts
    assert facts is not None
    assert facts.invoice is not None


def test_xml_that_only_begins_as_an_invoice_is_text_and_says_why(read_bytes: ReadBytes) -> None:
    reading = read_bytes(UBL.encode()[:1000], "rechnung.xml")
    assert reading.facts is not None
    assert reading.facts.invoice is None
    assert "begins as an electronic invoice" in reading.remarks
    assert "<cbc:ID>RE-2026/0815</cbc:ID>" in reading.text
