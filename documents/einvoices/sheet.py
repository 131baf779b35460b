"""An invoice that comes as XML alone, as lines that people and search can read."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from documents.einvoices.model import Invoice

_SKIPPED = 2
"""Shorter values are codes: of units, taxes, countries."""


def invoice_words(invoice: Invoice, root: Element, *, most: int) -> str:
    """The invoice's own facts in short lines, then every other value of its XML in order, each once.

    At most `most` characters. No labels: what the XML says is in the language of its sender already.
    """
    facts = (
        invoice.number,
        invoice.issued.isoformat() if invoice.issued else "",
        invoice.seller,
        invoice.buyer,
        f"{invoice.gross} {invoice.currency}" if invoice.gross is not None else "",
    )
    lines = dict.fromkeys(fact for fact in facts if fact)
    size = sum(map(len, lines))
    for element in root.iter():
        value = " ".join((element.text or "").split()) if isinstance(element.tag, str) else ""
        if len(value) > _SKIPPED and value not in lines:
            lines[value] = None
            size += len(value) + 1
            if size > most:
                break
    return "\n".join(lines)[:most]
