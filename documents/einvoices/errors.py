"""What can be wrong with the XML of an invoice.

InvoiceError
├── NotAnInvoice
├── DangerousXml
└── BrokenXml
"""

from __future__ import annotations


class InvoiceError(Exception):
    """The XML of the invoice cannot be used."""


class NotAnInvoice(InvoiceError):
    """The XML is well formed, but no invoice."""


class DangerousXml(InvoiceError):
    """The XML has a document type or entities, which no invoice needs."""


class BrokenXml(InvoiceError):
    """The XML is not well formed, or larger than any invoice."""
