"""What sort of paper a text is, where that changes which date is its own."""

import re
from collections.abc import Sequence

from documents.dates.kinds import Kind
from documents.dates.labels import Label

_HEADING_LINES = 40
_LONGEST_HEADING = 60

# A heading begins its line; before it only a number ("2. Mahnung") or a possessive.
_BEGIN = r"\W{0,6}(?:[0-9]{1,2}\.?\s+)?(?:(?:ihre?|unsere?|your|our|votre|erste|zweite|letzte|final|first|second)\s+)?"
_REMINDER = re.compile(_BEGIN + r"(?:zahlungserinnerung|(?:\w{0,20})mahnung|mahnschreiben|(?:payment\s+)?reminder|overdue|rappel|relance|sollecito|recordatorio|"
                       r"aanmaning|betalingsherinnering|herinnering|wezwanie|upomnienie|upominka|fizetesi\s+felszolitas|hatirlatma|напоминание|нагадування|督促)")
_DELIVERY = re.compile(_BEGIN + r"(?:lieferschein|delivery\s+note|packing\s+(?:slip|list)|bon\s+de\s+livraison|documento\s+di\s+trasporto|ddt|albaran|guia\s+de\s+remessa|"
                       r"pakbon|dodaci\s+list|szallitolevel|irsaliye|накладна|納品書|送货单)")
_ORDER = re.compile(_BEGIN + r"(?:bestell(?:ung|schein|bestatigung)|auftrags?bestatigung|auftrag\b|purchase\s+order|order\s+confirmation|confirmation\s+of\s+order|bon\s+de\s+commande|"
                    r"confirmation\s+de\s+commande|conferma\s+d|ordine|pedido|encomenda|orderbevestiging|zamowienie|objednavka|megrendeles|siparis|заказ|замовлення|注文書|订单)")
_PAYMENT = re.compile(_BEGIN + r"(?:quittung|zahlungsbe(?:leg|statigung)|(?:payment\s+)?receipt|payment\s+confirmation|recu\b|ricevuta|recibo|kwitancj|pokwitowanie|stvrzenka|makbuz|領収書|收据)")
_INVOICE = re.compile(r"rechnung|rech|rg\b|re-|faktur|invoice|factu|fattura|szamla|fatura|счет|рахун|saskait|rekin|arve|請求|发票|發票|開票|开票|beleg|kelte")
_OWN_DATE = re.compile(r"dat(?:um|e|a|\.)|tag\b|fecha|tarih|дата|schein|日|note")


def own_kind(lines: Sequence[str]) -> Kind | None:
    """Return the kind of date that is the paper's own: REFERENCE for a reminder (its invoice's date is not),
    DELIVERY, ORDER or PAYMENT for papers of these; None for all others.
    """
    for line in lines[:_HEADING_LINES]:
        if len(line) > _LONGEST_HEADING:
            continue
        for pattern, kind in ((_REMINDER, Kind.REFERENCE), (_DELIVERY, Kind.DELIVERY), (_ORDER, Kind.ORDER), (_PAYMENT, Kind.PAYMENT)):
            if pattern.match(line):
                return kind
        if re.match(_BEGIN + r"(?:\w{0,24}rechnung|invoice|facture|fattura|factura|faktura|gutschrift|credit\s+note)", line):
            return None
    return None


def kind_in_paper(label: Label, own: Kind | None) -> Kind:
    """Return what a labelled date is in a paper of this sort."""
    if own is Kind.REFERENCE and label.kind in (Kind.ISSUED, Kind.DOCUMENT) and _INVOICE.search(label.text):
        return Kind.REFERENCE
    if own is label.kind and own is not Kind.REFERENCE and _OWN_DATE.search(label.text):
        return Kind.CREATED
    if own is Kind.PAYMENT and label.kind is Kind.PAYMENT:
        return Kind.CREATED
    return label.kind
