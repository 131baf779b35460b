"""Who a paper is from, by its own words: a labelled seller, the line over the window, a letterhead (pure).

A guess: the XML of an invoice, the sender of a mail and a correspondent that was chosen know better.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from documents.filenames import clean_text
from documents.title_letterheads import is_organisation
from documents.title_words import one_of

#: Characters a name has at most.
MAX_NAME = 120
_LINES = 200  # of the first page that are looked at
_LONGEST_LINE = 300
_NEAR = 14  # lines below a label in which a name stands
_WORDS = 9  # of a name
_HEAD = 15  # lines in which a letterhead stands
_LABELLED, _RETURN_LINE, _LEGAL, _OFFICE, _ADDRESS = 200, 150, 40, 40, 20
_CONTACT_POINTS, _AGAIN_POINTS, _HEAD_POINTS, _RECIPIENT_POINTS = 25, 15, 10, -80
_FEWEST = 40  # points: rather no name than that of the recipient

_SELLER = re.compile(
    one_of(r"""
    verkäufer lieferant(?:in)? rechnungssteller(?:in)? rechnungsaussteller absender(?:in)? auftragnehmer
    leistungserbringer seller supplier vendor sender from vendeur fournisseur venditore fornitore mittente
    vendedor proveedor emisor sprzedawca wystawca nadawca verkoper leverancier afzender
    """)
    + r"\s*(?:[:：]\s*(?P<value>.*))?",
    re.IGNORECASE,
)
_RECIPIENT = re.compile(
    one_of(r"""
    käufer(?:in)? kund(?:e|in)\b (?:rechnungs|waren|leistungs)?empfänger(?:in)? lieferadresse rechnungsadresse
    abweichender auftraggeber(?:in)? buyer customer bill(?:ed)?_to ship_to sold_to
    deliver(?:y_address|_to) to: invoice_to client acheteur adresse_du_client destinataire
    livraison acquirente cliente destinatario comprador nabywca odbiorca kupujący koper klant
    (?:an|herrn?|frau|familie|firma|mr|mrs|ms|m\.|mme)(?!\w)
    """),
    re.IGNORECASE,
)
_NAME_LABEL = re.compile(r"(?:name|firma|nom|nombre|nome|nazwa|naam)\s*[:：]\s*(?P<value>.*)", re.IGNORECASE)
_NO_NAME = re.compile(
    r"[\W\d_]*$|.*@|.*https?:|www\.|"
    + one_of(r"""
    gln globale nummer kunden-?\s?n lief-?n ust-? steuer tel fax fon phone iban bic siret siren tva n° vat
    e-?mail inh\. fach(?:arzt|ärztin) anschrift adresse address seite page datum date
    """),
    re.IGNORECASE,
)
_LEGAL_FORM = re.compile(
    r"(?:^|\s)(?:gmbh(?:\s?&\s?co\.?(?:\s?kg(?:aa)?)?)?|mbh|ag|se|kg|ohg|gbr|ug|e\.?\s?k\.?|e\.?\s?v\.?|eg|"
    r"a\.\s?g\.|ltd|limited|llc|llp|inc|plc|corp|sarl|s\.?\s?a\.?\s?r\.?\s?l\.?|sas|s\.?a\.?s?\.?|s\.?r\.?l\.?|"
    r"s\.?p\.?a\.?|s\.?l\.?|b\.?v\.?|n\.?v\.?|s\.?r\.?o\.?|sp\.\s?z\s?o\.?\s?o\.?|oy|ab|aps|kft)\.?$",
    re.IGNORECASE,
)
_STREET = re.compile(
    r".*(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|ring|damm|ufer)\s*[0-9]|[0-9]+[a-z]?,?\s+[^\W\d]|"
    r"[^\W\d][\w.'-]*(?:\s[\w.'-]+){0,3}\s[0-9]{1,4}\s?[a-z]?$",
    re.IGNORECASE,
)
_POSTCODE = re.compile(
    r"(?:^|\s)(?:[A-Z]{1,2}-?\s?)?[0-9]{4,5}\s+[A-ZÀ-Ý]|\b[A-Z]{1,2}[0-9][0-9A-Z]?\s[0-9][A-Z]{2}\b|"
    r"\b[0-9]{2}-[0-9]{3}\s|\b[A-Z]{2}\s[0-9]{5}\b"
)
_CONTACT = re.compile(
    r"@|www\.|https?:|(?<!\w)(?:tel|fax|fon|phone|iban|ust|vat|tva|siret|siren|hrb|hra|steuer)", re.IGNORECASE
)
_YEAR = re.compile(r"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])")
_PARTS = re.compile(r"\s*[·●•|∙*]\s*|\s+[-–—]\s+|,\s+")


def find_sender(pages_text: Sequence[str]) -> str:
    """Return the name of whoever sent a paper, or nothing; one line, MAX_NAME characters. Never raises."""
    page = next((text for text in pages_text if text.strip()), "")
    text = unicodedata.normalize("NFC", page[: _LINES * _LONGEST_LINE])
    lines = [line[:_LONGEST_LINE].strip() for line in text.splitlines()[:_LINES]]
    points: Counter[str] = Counter()
    again: Counter[str] = Counter()
    names: dict[str, str] = {}
    for name, worth in (*_labelled(lines), *_of_return_lines(lines), *_of_blocks(lines)):
        cleaned = clean_text(name, most=MAX_NAME).strip(" ,;:·-–|")
        if len(re.findall(r"[^\W\d_]", cleaned)) < 3:
            continue
        key = cleaned.casefold()
        # What is said twice counts a little more, not twice.
        points[key] = max(points[key], worth)
        again[key] = _AGAIN_POINTS if key in names else 0
        names.setdefault(key, cleaned)
    best = max(points, key=lambda key: points[key] + again[key], default="")
    return names[best] if points[best] + again[best] >= _FEWEST else ""


def _labelled(lines: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Names beside or below "Verkäufer", "Seller"."""
    for index, line in enumerate(lines):
        label = _SELLER.fullmatch(line)
        if label is None:
            continue
        if label["value"] and not _NO_NAME.match(label["value"]):
            yield label["value"], _LABELLED
            continue
        below = lines[index + 1 : index + 1 + _NEAR]
        named = next((at for at, other in enumerate(below) if _NAME_LABEL.match(other)), None)
        if named is not None:
            match = _NAME_LABEL.match(below[named])
            value = match["value"] if match else ""
            yield value or " ".join(_until_blank(lines[index + 2 + named :])), _LABELLED
        elif name := next((other for other in below[:6] if _may_be_name(other)), ""):
            yield name, _LABELLED


def _may_be_name(line: str) -> bool:
    """Whether a line below a label can be the name itself: words, and no label of something else."""
    return len(line) > 3 and ":" not in line and not _NO_NAME.match(line)


def _until_blank(lines: Sequence[str]) -> Iterator[str]:
    for line in lines[:3]:
        if not line or _NO_NAME.match(line):
            return
        yield line


def _of_return_lines(lines: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Names before street and town on one line, as in the window of an envelope."""
    for line in lines:
        parts = [part for part in _PARTS.split(line) if part]
        if len(parts) < 3 or _RECIPIENT.match(parts[0]):
            continue
        if any(map(_POSTCODE.search, parts[1:])) and any(map(_STREET.match, parts[1:])):
            yield parts[0], _RETURN_LINE


def _of_blocks(lines: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Names with a legal form, and names over an address; better with a telephone or a tax number near."""
    recipient = -10
    for index, line in enumerate(lines):
        if _RECIPIENT.match(line):
            recipient = index
        if not line or len(line.split()) > _WORDS or _NO_NAME.match(line) or _YEAR.search(line):
            continue
        below = [other for other in lines[index + 1 : index + 5] if other]
        over_address = any(map(_STREET.match, below[:1])) and any(map(_POSTCODE.search, below[:3]))
        legal = bool(_LEGAL_FORM.search(line))
        office = index < _HEAD and not legal and is_organisation(line)
        if not (legal or office or over_address) or (_STREET.match(line) and not legal):
            continue
        worth = (_LEGAL if legal else 0) + (_OFFICE if office else 0) + (_ADDRESS if over_address else 0)
        worth += _HEAD_POINTS if index < _HEAD else 0
        worth += _CONTACT_POINTS if any(map(_CONTACT.search, lines[index + 1 : index + 9])) else 0
        worth += _RECIPIENT_POINTS if index - recipient < 6 else 0
        yield line, worth
