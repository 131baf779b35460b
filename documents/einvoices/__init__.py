"""Electronic invoices: what their XML says of date, number, parties and amounts. Pure: no database, no files.

`parse_invoice` understands the two languages of EN 16931, whoever wrapped them: UN/CEFACT (ZUGFeRD 1 and 2,
Factur-X, XRechnung CII) and UBL (XRechnung UBL, Peppol). It runs in the reader only: the XML is a stranger's.
"""

from documents.einvoices.errors import InvoiceError
from documents.einvoices.kinds import kind_of
from documents.einvoices.model import Invoice, Syntax
from documents.einvoices.names import is_invoice_head, rank_attachment
from documents.einvoices.parse import parse_invoice
from documents.einvoices.sheet import invoice_words

__all__ = [
    "Invoice",
    "InvoiceError",
    "Syntax",
    "invoice_words",
    "is_invoice_head",
    "kind_of",
    "parse_invoice",
    "rank_attachment",
]
