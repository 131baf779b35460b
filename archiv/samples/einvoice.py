"""An invoice for people and machines: a printed page, and what it says as XML (ZUGFeRD, Factur-X)."""

from decimal import Decimal
from io import BytesIO

import pikepdf

from archiv.samples.blocks import (
    GERMAN,
    Item,
    address_and_references,
    heading,
    invoice_table,
    invoice_total,
    text,
)
from archiv.samples.paper import print_pdf
from archiv.samples.senders import KANZLEI_ADDRESS, PAPIERWERK

NUMBER = "2026-0231"
_VAT = 19

_XML = """<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
    xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
    xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100">
  <rsm:ExchangedDocumentContext>
    <ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>urn:factur-x.eu:1p0:minimum</ram:ID>
    </ram:GuidelineSpecifiedDocumentContextParameter>
  </rsm:ExchangedDocumentContext>
  <rsm:ExchangedDocument>
    <ram:ID>{number}</ram:ID><ram:TypeCode>380</ram:TypeCode>
    <ram:IssueDateTime><udt:DateTimeString format="102">20260309</udt:DateTimeString></ram:IssueDateTime>
  </rsm:ExchangedDocument>
  <rsm:SupplyChainTradeTransaction>
    <ram:ApplicableHeaderTradeAgreement>
      <ram:SellerTradeParty><ram:Name>{seller}</ram:Name></ram:SellerTradeParty>
      <ram:BuyerTradeParty><ram:Name>{buyer}</ram:Name></ram:BuyerTradeParty>
    </ram:ApplicableHeaderTradeAgreement>
    <ram:ApplicableHeaderTradeDelivery/>
    <ram:ApplicableHeaderTradeSettlement>
      <ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
      <ram:SpecifiedTradePaymentTerms><ram:DueDateDateTime>
        <udt:DateTimeString format="102">20260323</udt:DateTimeString></ram:DueDateDateTime>
      </ram:SpecifiedTradePaymentTerms>
      <ram:SpecifiedTradeSettlementHeaderMonetarySummation>
        <ram:TaxBasisTotalAmount>{net}</ram:TaxBasisTotalAmount>
        <ram:TaxTotalAmount currencyID="EUR">{tax}</ram:TaxTotalAmount>
        <ram:GrandTotalAmount>{gross}</ram:GrandTotalAmount>
        <ram:DuePayableAmount>{gross}</ram:DuePayableAmount>
      </ram:SpecifiedTradeSettlementHeaderMonetarySummation>
    </ram:ApplicableHeaderTradeSettlement>
  </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>
"""


def copier_maintenance() -> bytes:
    """A German invoice of one page for the upkeep of a copier, with its XML attached."""
    head = PAPIERWERK
    items = [
        Item(1, "Quartal", "Wartung Kopiergerät, Vertrag WK-118", Decimal("148.00")),
        Item(2, "Stück", "Fixiereinheit getauscht", Decimal("96.40")),
    ]
    net = sum((item.total for item in items), Decimal(0))
    gross = invoice_total(items, _VAT)
    story = [
        *address_and_references(
            head,
            KANZLEI_ADDRESS,
            [
                ("Rechnungsnummer", NUMBER),
                ("Rechnungsdatum", "09.03.2026"),
                ("Leistungszeitraum", "01.12.2025 - 28.02.2026"),
                ("Kundennummer", "80204"),
            ],
        ),
        heading(head, f"Rechnung {NUMBER}"),
        *text(head, "Sehr geehrte Damen und Herren,", "für die Wartung Ihres Kopiergeräts berechnen wir:"),
        *invoice_table(head, items, GERMAN, _VAT),
        *text(
            head,
            f"Zahlbar ohne Abzug bis zum 23.03.2026: <b>{GERMAN.money(gross)}</b>. Diese Rechnung trägt ihre"
            " Angaben auch als XML in sich.",
            "Mit freundlichen Grüßen<br/>Papierwerk Beispiel GmbH",
        ),
    ]
    xml = _XML.format(
        number=NUMBER,
        seller="Papierwerk Beispiel GmbH",
        buyer=KANZLEI_ADDRESS[0],
        net=net,
        tax=gross - net,
        gross=gross,
    )
    return _attach(print_pdf(story, head, title=f"Rechnung {NUMBER}"), xml.encode())


def _attach(printed: bytes, xml: bytes) -> bytes:
    """The PDF with the XML attached as Factur-X wants it: an associated file of the whole document."""
    buffer = BytesIO()
    with pikepdf.open(BytesIO(printed)) as document:
        attached = pikepdf.AttachedFileSpec(
            document,
            xml,
            filename="factur-x.xml",
            mime_type="text/xml",
            relationship=pikepdf.Name("/Alternative"),
        )
        document.attachments["factur-x.xml"] = attached
        document.Root.AF = pikepdf.Array([attached.obj])
        document.save(buffer, deterministic_id=True)
    return buffer.getvalue()
