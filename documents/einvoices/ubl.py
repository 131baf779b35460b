"""OASIS Universal Business Language: invoices and credit notes of XRechnung UBL and Peppol."""

from __future__ import annotations

from datetime import date
from xml.etree.ElementTree import Element

from documents.einvoices.model import Invoice, Syntax
from documents.einvoices.tree import amount, children, currency, day, find, text


def read_ubl(root: Element) -> Invoice:
    """Return what the XML says."""
    totals = find(root, "LegalMonetaryTotal")
    unit = currency(find(root, "DocumentCurrencyCode"))
    return Invoice(
        syntax=Syntax.UBL,
        profile=text(find(root, "CustomizationID")),
        type_code=text(find(root, "InvoiceTypeCode|CreditNoteTypeCode")),
        number=text(find(root, "ID")),
        issued=day(find(root, "IssueDate")),
        due=_due(root),
        seller=_name(find(root, "AccountingSupplierParty", "Party")),
        buyer=_name(find(root, "AccountingCustomerParty", "Party")),
        net=amount(find(totals, "TaxExclusiveAmount")),
        tax=amount(_tax_total(root, unit)),
        gross=amount(find(totals, "TaxInclusiveAmount")),
        currency=unit,
    )


def _name(party: Element | None) -> str:
    """The name under which a party is registered, else the one it trades under."""
    registered = text(find(party, "PartyLegalEntity", "RegistrationName"))
    return registered or text(find(party, "PartyName", "Name"))


def _due(root: Element) -> date | None:
    """Credit notes have no place of their own for it."""
    return day(find(root, "DueDate")) or day(find(root, "PaymentMeans", "PaymentDueDate"))


def _tax_total(root: Element, unit: str) -> Element | None:
    """The sum of the taxes in the invoice's currency: it may be there in that of the accounts as well."""
    totals = [total for part in children(root, "TaxTotal") for total in children(part, "TaxAmount")]
    own = (total for total in totals if total.get("currencyID") == unit)
    return next(own, totals[0] if totals else None)
