"""Read the XML of an invoice, whichever of the two languages it is written in, trusting nothing."""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from documents.einvoices.cii import read_cii
from documents.einvoices.errors import BrokenXml, DangerousXml, NotAnInvoice
from documents.einvoices.model import Invoice
from documents.einvoices.tree import local_name
from documents.einvoices.ubl import read_ubl

MAX_BYTES = 10 << 20
"""The largest XML that is read; invoices with thousands of lines have a few megabytes."""


def parse_invoice(data: bytes) -> Invoice:
    """Return what the XML of an invoice says. Raises NotAnInvoice, DangerousXml, BrokenXml, no other."""
    return invoice_in(parse_xml(data))


def parse_xml(data: bytes) -> Element:
    """Return the root of an XML without document type and entities. Raises DangerousXml, BrokenXml."""
    if len(data) > MAX_BYTES:
        raise BrokenXml(f"it has more than {MAX_BYTES >> 20} MB")
    try:
        root: Element = fromstring(data, forbid_dtd=True, forbid_entities=True, forbid_external=True)
    except DefusedXmlException as error:
        raise DangerousXml("it declares a document type or entities") from error
    # An unknown encoding is a LookupError, one that cannot be what it says a ValueError.
    except (ParseError, ValueError, LookupError) as error:
        raise BrokenXml(f"it is not well formed ({error})") from error
    return root


def invoice_in(root: Element) -> Invoice:
    """Return what a parsed XML says. Raises NotAnInvoice."""
    name = local_name(root)
    if name in ("CrossIndustryInvoice", "CrossIndustryDocument"):
        return read_cii(root)
    if name in ("Invoice", "CreditNote") and "oasis" in root.tag:
        return read_ubl(root)
    raise NotAnInvoice(f"its root is {name[:60]!r}")
