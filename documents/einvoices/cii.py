"""UN/CEFACT Cross Industry Invoice: ZUGFeRD 1 (CrossIndustryDocument) and 2, Factur-X, XRechnung CII."""

from __future__ import annotations

from datetime import date
from xml.etree.ElementTree import Element

from documents.einvoices.model import Invoice, Syntax
from documents.einvoices.tree import amount, children, currency, day, find, text

# ZUGFeRD 1 calls the same things otherwise.
_CONTEXT = "ExchangedDocumentContext|SpecifiedExchangedDocumentContext"
_HEADER = "ExchangedDocument|HeaderExchangedDocument"
_DEAL = "SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction"
_AGREEMENT = "ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement"
_SETTLEMENT = "ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement"
_SUMS = "SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation"
_MOMENT = "DateTimeString|DateTime"


def read_cii(root: Element) -> Invoice:
    """Return what the XML says."""
    header, deal = find(root, _HEADER), find(root, _DEAL)
    agreement, settlement = find(deal, _AGREEMENT), find(deal, _SETTLEMENT)
    sums = find(settlement, _SUMS)
    unit = currency(find(settlement, "InvoiceCurrencyCode"))
    guideline = find(root, _CONTEXT, "GuidelineSpecifiedDocumentContextParameter", "ID")
    return Invoice(
        syntax=Syntax.CII,
        profile=text(guideline),
        type_code=text(find(header, "TypeCode")),
        number=text(find(header, "ID")),
        issued=day(find(header, "IssueDateTime", _MOMENT)),
        due=_due(settlement),
        seller=text(find(agreement, "SellerTradeParty", "Name")),
        buyer=text(find(agreement, "BuyerTradeParty", "Name")),
        net=amount(find(sums, "TaxBasisTotalAmount")),
        tax=amount(_tax_total(sums, unit)),
        gross=amount(find(sums, "GrandTotalAmount")),
        currency=unit,
    )


def _due(settlement: Element | None) -> date | None:
    """The last day of all terms: an earlier one is that of a discount or a part."""
    days = (
        day(find(terms, "DueDateDateTime", _MOMENT))
        for terms in children(settlement, "SpecifiedTradePaymentTerms")
    )
    return max((found for found in days if found is not None), default=None)


def _tax_total(sums: Element | None, unit: str) -> Element | None:
    """The sum of the taxes in the invoice's currency: it may be there in that of the accounts as well."""
    totals = list(children(sums, "TaxTotalAmount"))
    own = (total for total in totals if total.get("currencyID") == unit)
    return next(own, totals[0] if totals else None)
