"""The XML of an electronic invoice, attached to a PDF or a file of its own. Read here, never in the child."""

from __future__ import annotations

import io
import zlib
from typing import Any

import pikepdf
import pypdfium2 as pdfium

from documents.einvoices import Invoice, InvoiceError, is_invoice_head, parse_invoice, rank_attachment
from documents.einvoices.parse import MAX_BYTES, invoice_in, parse_xml
from documents.einvoices.sheet import invoice_words
from documents.reading.messages import Note
from documents.reading.source import Source

_ATTACHMENTS = 50
"""Attached files whose names are looked at."""
_TRIED = 5
"""Attached files that are parsed."""

_LARGEST = 256 << 20
"""Bytes of a PDF that is opened twice: qpdf wants it whole in memory."""

_SAMPLE = (
    b"<?xml version='1.0' encoding='windows-1252'?><Invoice"
    b" xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2'><ID>1</ID></Invoice>"
)


def warm_up() -> None:
    """Load the parser by parsing an invoice, the good way and the bad, and by unpacking an attachment."""
    invoice_words(parse_invoice(_SAMPLE), parse_xml(_SAMPLE), most=10)
    for bad in (b"<a", b"<!DOCTYPE a><a/>"):
        try:
            parse_invoice(bad)
        except InvoiceError:
            continue
    made = pikepdf.new()
    made.add_blank_page()
    made.attachments["factur-x.xml"] = pikepdf.AttachedFileSpec(made, _SAMPLE)
    data = io.BytesIO()
    made.save(data)
    with pikepdf.open(data) as opened:
        _unpack(opened.attachments["factur-x.xml"].get_file().obj)


def find_attached(document: pdfium.PdfDocument, source: Source) -> tuple[Invoice | None, list[Note]]:
    """The invoice attached to a PDF, and notes about attachments that seemed to be one and cannot be read.

    PDFium names the attachments; only where one may be an invoice is the file opened once more, by qpdf,
    which hands out packed bytes, so that nothing is unpacked beyond a bound.
    """
    names = (document.get_attachment(index).get_name() for index in range(_count(document)))
    ranked = sorted((rank, name) for name in names if (rank := rank_attachment(name)) is not None)
    if not ranked:
        return None, []
    if source.size > _LARGEST:
        return None, [Note("facts", "The attached files are not looked at: the file is too large")]
    notes: list[Note] = []
    try:
        with pikepdf.open(io.BytesIO(source.head(source.size))) as opened:
            for _, name in ranked[:_TRIED]:
                try:
                    return parse_invoice(_unpack(opened.attachments[name].get_file().obj)), notes
                except InvoiceError as error:
                    notes.append(Note("facts", f"{name[:100]} holds no invoice that can be read: {error}"))
                except KeyError:
                    continue
    except (pikepdf.PdfError, pikepdf.PasswordError, ValueError, OSError, RuntimeError) as error:
        notes.append(Note("facts", f"The attached files cannot be read: {type(error).__name__}"))
    return None, notes


def _count(document: pdfium.PdfDocument) -> int:
    try:
        return min(int(document.count_attachments()), _ATTACHMENTS)
    except pdfium.PdfiumError:
        return 0


def _unpack(stream: pikepdf.Object) -> bytes:
    """The bytes of an attached file, as they are or deflated once; raises InvoiceError for anything else."""
    packed = stream.read_raw_bytes()
    given: Any = stream.get("/Filter", [])
    names = [str(given)] if isinstance(given, pikepdf.Name) else [str(name) for name in given]
    if not names:
        return bytes(packed)
    if names != ["/FlateDecode"] or "/DecodeParms" in stream:
        raise InvoiceError("it is packed in an unusual way")
    try:
        # One byte more than is read, so that what is larger is refused, and not cut.
        return zlib.decompressobj().decompress(packed, MAX_BYTES + 1)
    except zlib.error as error:
        raise InvoiceError(f"it cannot be unpacked ({error})") from error


def read_bare(source: Source, text: str, *, most: int) -> tuple[Invoice, str] | str | None:
    """The invoice in a file of XML and its words, at most `most` characters; None if it is no invoice.

    A text instead says why what begins as an invoice cannot be read as one. `text` is the decoded file.
    """
    if not is_invoice_head(text[:65_536]):
        return None
    try:
        root = parse_xml(source.head(MAX_BYTES + 1))
        invoice = invoice_in(root)
    except InvoiceError as error:
        return f"The file begins as an electronic invoice, but cannot be read as one: {error}"
    return invoice, invoice_words(invoice, root, most=most)
