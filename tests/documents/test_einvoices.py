"""What the XML of electronic invoices says, and what is refused."""

from contextlib import suppress
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.einvoices import InvoiceError, invoice_words, is_invoice_head, parse_invoice, rank_attachment
from documents.einvoices.errors import BrokenXml, DangerousXml, NotAnInvoice
from documents.einvoices.parse import MAX_BYTES, parse_xml
from tests.documents.e_invoices import CII, EXPECTED, FORMS, UBL, Form

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252")
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
FILE = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'


def declared(xml: str, encoding: str) -> bytes:
    body = xml.split("?>", 1)[-1]
    return f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>{body}'.encode(encoding)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_date_number_parties_and_amounts_are_read_in_each_form(form: Form) -> None:
    assert parse_invoice(form.xml.encode()) == form.expected


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_any_encoding_that_xml_may_have_is_read(encoding: str) -> None:
    assert parse_invoice(declared(CII, encoding)) == EXPECTED


@pytest.mark.parametrize("evil", [BOMB, FILE, "<!DOCTYPE Invoice>"])
def test_document_types_and_entities_are_refused(evil: str) -> None:
    with pytest.raises(DangerousXml, match="document type"):
        parse_invoice((evil + UBL).encode())


@pytest.mark.parametrize(
    "data",
    [b"", b"<Invoice", b"\x00\x01", CII.encode()[:900], b"<?xml version='1.0' encoding='klingon'?><a/>"],
)
def test_what_is_not_well_formed_says_so(data: bytes) -> None:
    with pytest.raises(BrokenXml, match="not well formed"):
        parse_invoice(data)


def test_what_is_larger_than_any_invoice_is_not_even_parsed() -> None:
    with pytest.raises(BrokenXml, match="10 MB"):
        parse_invoice(b" " * (MAX_BYTES + 1))


@pytest.mark.parametrize("xml", ["<html/>", "<Invoice/>", "<a:Invoice xmlns:a='urn:other'/>"])
def test_other_xml_is_no_invoice(xml: str) -> None:
    with pytest.raises(NotAnInvoice):
        parse_invoice(xml.encode())


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("20260231", None),
        ("2026-03-05Z", date(2026, 3, 5)),
        ("2026-03-05T10:00:00", date(2026, 3, 5)),
        ("202603", None),
    ],
)
def test_days_are_read_in_their_forms_and_impossible_ones_are_none(
    written: str, becomes: date | None
) -> None:
    assert parse_invoice(CII.replace("20260305", written).encode()).issued == becomes


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("NaN", None),
        ("1e30", None),
        ("9" * 50, None),
        ("1,5", None),
        ("-8.795", Decimal("-8.80")),
        ("", None),
    ],
)
def test_amounts_are_bounded_and_rounded_to_cents(written: str, becomes: Decimal | None) -> None:
    xml = CII.replace("<a:GrandTotalAmount>119<", f"<a:GrandTotalAmount>{written}<")
    assert parse_invoice(xml.encode()).gross == becomes


def test_an_invoice_that_says_next_to_nothing_is_one_all_the_same() -> None:
    invoice = parse_invoice(b'<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>')
    assert (invoice.number, invoice.issued, invoice.seller, invoice.gross) == ("", None, "", None)


def test_names_are_cut_and_on_one_line() -> None:
    name = parse_invoice(CII.replace("Kundin e.K.", "x\n y\u200b" + "z" * 1000).encode()).buyer
    assert len(name) <= 255
    assert name.startswith("x yz")


@given(st.binary(max_size=300) | st.text(alphabet="<>/&;!?[]'\"= \nInvoice", max_size=200).map(str.encode))
def test_any_bytes_are_an_invoice_or_refused(data: bytes) -> None:
    with suppress(InvoiceError):
        parse_invoice(data)


def test_the_words_of_an_invoice_are_its_facts_and_then_all_it_says() -> None:
    words = invoice_words(EXPECTED, parse_xml(CII.encode()), most=10_000)
    assert words.split("\n")[:3] == ["RE-2026/0815", "2026-03-05", "Größe & Söhne GmbH"]
    assert "Zitronensäure" in words
    assert words.count("Größe") == 1
    assert len(invoice_words(EXPECTED, parse_xml(CII.encode()), most=20)) == 20


@pytest.mark.parametrize(
    "text", [CII, UBL, "\ufeff" + CII, CII.split("?>", 1)[1], *(form.xml for form in FORMS)]
)
def test_an_invoice_is_known_by_its_root(text: str) -> None:
    assert is_invoice_head(text)


@pytest.mark.parametrize(
    "text",
    ["", "Invoice 4711", "<html><Invoice >", "<Invoice>no namespace</Invoice>", "x" + CII, "<!--" + "x" * 9],
)
def test_other_texts_are_no_invoices(text: str) -> None:
    assert not is_invoice_head(text)


def test_attachments_are_tried_in_the_order_of_the_standards() -> None:
    names = ["terms.pdf", "data.xml", "ZUGFeRD-invoice.xml", "Factur-X.xml", "dir/xrechnung.xml"]
    ranked = sorted((rank, name) for name in names if (rank := rank_attachment(name)) is not None)
    assert [name for _, name in ranked] == [
        "Factur-X.xml",
        "dir/xrechnung.xml",
        "ZUGFeRD-invoice.xml",
        "data.xml",
    ]
