"""Where the XML of an invoice is to be looked for."""

from __future__ import annotations

import re

# In the order of trust: where a file carries two, the newer standard says more.
_STANDARD = ("factur-x.xml", "xrechnung.xml", "zugferd-invoice.xml")
_ROOT = re.compile(
    r"<(?:[A-Za-z_][\w.-]{0,60}:)?(?:CrossIndustryInvoice|CrossIndustryDocument|Invoice|CreditNote)[\s>]"
)
_SPACES = (
    "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice",
    "urn:ferd:CrossIndustryDocument:",
    "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2",
    "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2",
)


def rank_attachment(name: str) -> int | None:
    """How soon an attached file is tried as the XML of an invoice, 0 first; None: never."""
    name = name.rpartition("/")[2].casefold()
    if name in _STANDARD:
        return _STANDARD.index(name)
    return len(_STANDARD) if name.endswith(".xml") else None


def is_invoice_head(head: str) -> bool:
    """Whether a text that begins so seems to be the XML of an invoice: its root and the root's namespace."""
    root = _ROOT.search(head)
    if root is None or not head.lstrip("\ufeff \t\r\n").startswith("<"):
        return False
    return any(space in head[root.start() : root.start() + 4000] for space in _SPACES)
