"""What sort of paper a text is, where that changes which date is its own."""

import re

from documents.dates.kinds import Kind
from documents.dates.labels import Label
from documents.dates.lines import Lines
from documents.dates.phrases import any_of

_HEADING_LINES = 40
_LONGEST_HEADING = 60

# A heading begins its line; before it only a number ("2. Mahnung") or a possessive.
_BEGIN = (
    r"\W{0,6}(?:[0-9]{1,2}\.?\s+)?"
    rf"(?:{any_of('ihre? unsere? your our votre erste zweite letzte final first second')}\s+)?"
)


def _heading(table: str) -> re.Pattern[str]:
    return re.compile(_BEGIN + any_of(table))


_PAPERS: tuple[tuple[re.Pattern[str], Kind | None], ...] = (
    (
        _heading(r"""
        zahlungserinnerung \w{0,20}mahnung mahnschreiben (?:payment_)?reminder overdue rappel relance
        sollecito recordatorio
        aanmaning betalingsherinnering herinnering wezwanie upomnienie upominka fizetesi_felszolitas
        hatirlatma
        напоминание нагадування 督促
    """),
        Kind.REFERENCE,
    ),
    (
        _heading(r"""
        lieferschein delivery_note packing_(?:slip|list) bon_de_livraison documento_di_trasporto ddt albaran
        guia_de_remessa pakbon dodaci_list szallitolevel irsaliye накладна 納品書 送货单
    """),
        Kind.DELIVERY,
    ),
    (
        _heading(r"""
        bestell(?:ung|schein|bestatigung) auftrags?bestatigung auftrag\b purchase_order order_confirmation
        confirmation_of_order bon_de_commande confirmation_de_commande conferma_d ordine pedido encomenda
        orderbevestiging
        zamowienie objednavka megrendeles siparis заказ замовлення 注文書 订单
    """),
        Kind.ORDER,
    ),
    (
        _heading(r"""
        quittung zahlungsbe(?:leg|statigung) (?:payment_)?receipt payment_confirmation recu\b ricevuta
        recibo kwitancj
        pokwitowanie stvrzenka makbuz 領収書 收据
    """),
        Kind.PAYMENT,
    ),
    (_heading(r"\w{0,24}rechnung invoice facture fattura factura faktura gutschrift credit_note"), None),
)
_INVITATION = _heading(
    r"einladung invitation convocation convocatoria convocazione zaproszenie uitnodiging pozvanka"
)
_OF_INVOICE = re.compile(
    any_of(r"""
    rechnung rech rg\b re- faktur invoice factu fattura szamla fatura счет рахун saskait rekin arve
    請求 发票 發票
    開票
    开票 beleg kelte
""")
)
_OWN_DATE = re.compile(any_of(r"dat(?:um|e|a|\.) tag\b fecha tarih дата schein 日 note"))


def own_kind(lines: Lines) -> Kind | None:
    """Return the kind of date that is the paper's own, by its heading.

    REFERENCE for a reminder (the date of its invoice is not its own), DELIVERY, ORDER or PAYMENT for papers
    of
    these, None for all others.
    """
    for number in range(min(_HEADING_LINES, lines.count)):
        line = lines.line(number).strip()
        if len(line) <= _LONGEST_HEADING:
            for heading, kind in _PAPERS:
                if heading.match(line):
                    return kind
    return None


def is_invitation(lines: Lines) -> bool:
    """Return whether the paper invites: the date with an hour is that of what it invites to."""
    return any(
        _INVITATION.match(lines.line(number).strip()) for number in range(min(_HEADING_LINES, lines.count))
    )


def kind_in_paper(label: Label, own: Kind | None) -> Kind:
    """Return what a labelled date is in a paper of this sort."""
    if (
        own is Kind.REFERENCE
        and label.kind in (Kind.ISSUED, Kind.DOCUMENT)
        and _OF_INVOICE.search(label.text)
    ):
        return Kind.REFERENCE
    if (
        own is label.kind
        and own is not Kind.REFERENCE
        and (own is Kind.PAYMENT or _OWN_DATE.search(label.text))
    ):
        return Kind.CREATED
    return label.kind
