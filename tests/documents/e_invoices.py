"""Electronic invoices of our own making: XML in each language, and PDFs that carry it."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

import pikepdf

from documents.einvoices import Invoice, Syntax

EXPECTED = Invoice(
    syntax=Syntax.CII,
    profile="urn:cen.eu:en16931:2017",
    type_code="380",
    number="RE-2026/0815",
    issued=date(2026, 3, 5),
    due=date(2026, 4, 4),
    seller="Größe & Söhne GmbH",
    buyer="Kundin e.K.",
    net=Decimal("100.00"),
    tax=Decimal("19.00"),
    gross=Decimal("119.00"),
    currency="EUR",
)


@dataclass(frozen=True)
class Form:
    """One way in which invoices come: names, prefix, encoding."""

    name: str
    xml: str
    attached_as: str
    expected: Invoice


_CII = """<?xml version="1.0" encoding="UTF-8"?>
<!-- {long} -->
<r:{root} xmlns:r="{space}" xmlns:a="urn:a" xmlns:u="urn:u">
 <r:{context}><a:GuidelineSpecifiedDocumentContextParameter><a:ID>{profile}</a:ID>
 </a:GuidelineSpecifiedDocumentContextParameter></r:{context}>
 <r:{header}><a:ID> RE-2026/0815
 </a:ID><a:Name>RECHNUNG</a:Name><a:TypeCode>380</a:TypeCode>
  <a:IssueDateTime><u:DateTimeString format="102">20260305</u:DateTimeString></a:IssueDateTime></r:{header}>
 <r:{deal}>
  <a:IncludedSupplyChainTradeLineItem><a:SpecifiedTradeProduct><a:Name>Zitronensäure</a:Name>
  </a:SpecifiedTradeProduct></a:IncludedSupplyChainTradeLineItem>
  <a:{agreement}><a:SellerTradeParty><a:ID>7</a:ID><a:Name>Größe &amp; Söhne GmbH</a:Name>
  </a:SellerTradeParty>
   <a:BuyerTradeParty><a:Name>Kundin e.K.</a:Name></a:BuyerTradeParty></a:{agreement}>
  <a:{settlement}><a:InvoiceCurrencyCode>EUR</a:InvoiceCurrencyCode>
   <a:SpecifiedTradePaymentTerms><a:DueDateDateTime><u:DateTimeString format="102">20260315</u:DateTimeString>
   </a:DueDateDateTime></a:SpecifiedTradePaymentTerms>
   <a:SpecifiedTradePaymentTerms><a:DueDateDateTime><u:DateTimeString format="102">20260404</u:DateTimeString>
   </a:DueDateDateTime></a:SpecifiedTradePaymentTerms>
   <a:{sums}><a:LineTotalAmount>90</a:LineTotalAmount><a:TaxBasisTotalAmount>100.00</a:TaxBasisTotalAmount>
    <a:TaxTotalAmount currencyID="USD">21.00</a:TaxTotalAmount>
    <a:TaxTotalAmount currencyID="EUR">19.00</a:TaxTotalAmount>
    <a:GrandTotalAmount>119</a:GrandTotalAmount></a:{sums}></a:{settlement}>
 </r:{deal}>
</r:{root}>"""

_NEW = {
    "root": "CrossIndustryInvoice",
    "space": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
    "profile": "urn:cen.eu:en16931:2017",
    "context": "ExchangedDocumentContext",
    "header": "ExchangedDocument",
    "deal": "SupplyChainTradeTransaction",
    "agreement": "ApplicableHeaderTradeAgreement",
    "settlement": "ApplicableHeaderTradeSettlement",
    "sums": "SpecifiedTradeSettlementHeaderMonetarySummation",
    "long": "terms of use " * 200,
}
_OLD = {
    "root": "CrossIndustryDocument",
    "space": "urn:ferd:CrossIndustryDocument:invoice:1p0",
    "profile": "urn:ferd:CrossIndustryDocument:invoice:1p0:comfort",
    "context": "SpecifiedExchangedDocumentContext",
    "header": "HeaderExchangedDocument",
    "deal": "SpecifiedSupplyChainTradeTransaction",
    "agreement": "ApplicableSupplyChainTradeAgreement",
    "settlement": "ApplicableSupplyChainTradeSettlement",
    "sums": "SpecifiedTradeSettlementMonetarySummation",
    "long": "",
}

_UBL = """<{root} xmlns="urn:oasis:names:specification:ubl:schema:xsd:{root}-2"
 xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
 xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2">
 <cbc:CustomizationID>urn:cen.eu:en16931:2017</cbc:CustomizationID>
 <cbc:ID>RE-2026/0815</cbc:ID><cbc:IssueDate>2026-03-05</cbc:IssueDate>{due}
 <cbc:{root}TypeCode>{code}</cbc:{root}TypeCode>
 <cbc:Note>Vielen Dank für Ihren Auftrag</cbc:Note><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
 <cac:AccountingSupplierParty><cac:Party><cac:PartyName><cbc:Name>Söhne</cbc:Name></cac:PartyName>
  <cac:PartyLegalEntity><cbc:RegistrationName>Größe &amp; Söhne GmbH</cbc:RegistrationName>
  </cac:PartyLegalEntity></cac:Party></cac:AccountingSupplierParty>
 <cac:AccountingCustomerParty><cac:Party><cac:PartyName><cbc:Name>Kundin e.K.</cbc:Name></cac:PartyName>
 </cac:Party></cac:AccountingCustomerParty>{means}
 <cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount></cac:TaxTotal>
 <cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount currencyID="EUR">100.00</cbc:TaxExclusiveAmount>
  <cbc:TaxInclusiveAmount currencyID="EUR">119.00</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal>
 <cac:InvoiceLine><cac:Item><cbc:Name>Zitronensäure</cbc:Name></cac:Item></cac:InvoiceLine>
</{root}>"""

CII = _CII.format(**_NEW)
UBL = _UBL.format(root="Invoice", code="380", due="<cbc:DueDate>2026-04-04</cbc:DueDate>", means="")
_PAID_LATER = "<cac:PaymentMeans><cbc:PaymentDueDate>2026-04-04</cbc:PaymentDueDate></cac:PaymentMeans>"
FORMS = (
    Form("factur-x", CII, "factur-x.xml", EXPECTED),
    Form(
        "zugferd-1",
        _CII.format(**_OLD),
        "ZUGFeRD-invoice.xml",
        replace(EXPECTED, profile=_OLD["profile"]),
    ),
    Form("xrechnung-ubl", UBL, "xrechnung.xml", replace(EXPECTED, syntax=Syntax.UBL)),
    Form(
        "ubl-credit-note",
        _UBL.format(root="CreditNote", code="381", due="", means=_PAID_LATER),
        "credit.xml",
        replace(EXPECTED, syntax=Syntax.UBL, type_code="381"),
    ),
)


def with_attachments(pdf: bytes, **files: bytes) -> bytes:
    """A PDF with files attached; `__` in a name stands for a dot, `_` for a hyphen."""
    data = io.BytesIO()
    with pikepdf.open(io.BytesIO(pdf)) as document:
        for key, content in files.items():
            name = key.replace("__", ".").replace("_", "-")
            document.attachments[name] = pikepdf.AttachedFileSpec(document, content, filename=name)
        document.save(data)
    return data.getvalue()
