"""Labels in folded text: which words before (or after) a date say what it is the date of."""

import re
from dataclasses import dataclass

from documents.dates import issue_words
from documents.dates.folding import fold_word
from documents.dates.kinds import Kind
from documents.dates.label_words import WORDS
from documents.dates.phrases import PhraseTable

_TABLE = PhraseTable((
    *WORDS[:2],
    (Kind.ISSUED, issue_words.ISSUED),
    *WORDS[2:],
    (Kind.DOCUMENT, issue_words.DOCUMENT),
    (Kind.CONTRACT, issue_words.CONTRACT),
    (Kind.AS_OF, issue_words.AS_OF),
    (Kind.OTHER, issue_words.OTHER),
    (Kind.DATED, issue_words.DATED),
))
_EASTERN_KINDS = {fold_word(word): kind for kind, words in issue_words.EASTERN for word in words.split()}
# Longest first: 支払期日 before 期日.
_EASTERN = re.compile("|".join(sorted(_EASTERN_KINDS, key=len, reverse=True)))
_NUMBER_LABEL = re.compile(r"(?:nr|nummer|number|no|num|id|numer|cislo|szam|numero|n°|№|zeichen)\.?$")
_NUMBER_FOLLOWS = re.compile(r"[\s.:-]{0,2}(?:nr\b|nummer|number|no\b|num\b|id\b|#|n°|№)")
_SENTENCE_END = re.compile(r"[^\W\d_]{4,}[.!?;]\s")
_CITING = re.compile(r"(?<![^\W_])(?:gema(?:ß|ss)|laut|lt\.|aufgrund|auf\s+grund|bezug(?:nehmend)?(?:\s+auf)?|entsprechend|nach\s+§|i\.\s?s\.\s?d\.|according\s+to|pursuant\s+to|"
                     r"as\s+per|in\s+accordance\s+with|conformement\s+(?:a|au)|selon|suivant|secondo|ai\s+sensi|segun|conforme|de\s+acuerdo\s+con|de\s+acordo\s+com|volgens|"
                     r"zgodnie\s+z|na\s+podstawie|podle|podla|na\s+zaklade|alapjan|szerint|uyarinca|согласно|на\s+основании|згідно|на\s+підставі|pagal|saskana\s+ar|vastavalt)(?![^\W_])")
_QUALIFIER = re.compile(r"(?<![^\W_])(?:unsere?[mnrs]?|ihre?[mnrs]?|meine?[mnrs]?|zur|zum|zu|auf|aus|der|die|das|des|dem|den|our|your|my|the|to|for|siehe|betr\w*|bzgl\.?|votre|notre|mon|ma|mes|sur|ref\w*|nostra|vostra|mia|nuestra|mi)\s+(?:[^\W\d_]{1,15}\s+){0,1}$")
_CONNECTOR = re.compile(r"(?<![^\W_])(?:vom|von|v\.|am|den|dated|dtd\.?|of|from|on|du|le|del|dal|van|dd\.?|d\.d\.|(?:z\s+)?dnia|ze\s+dne|dne|zo\s+dna|dna|z|tarihli|от|від|nuo|no)\s*$|[/|,:–-]\s*$")
# Nouns that papers of every sort refer to; their own only where they begin a line.
_IN_PROSE = re.compile(r"schreiben|brief|mitteilung|\w*befund|\w*protokoll|\w*bericht|kundigung|nachtrag|vollmacht|gutachten|letter|notice|report|certificate|courrier|avis|attestation|акт")
_FURTHER = 24  # characters that a label reaches further with a "vom" before the date
# "Your letter dated", "zamówienie z dnia"
_ONLY_CONNECTS = re.compile(r"date[ds]\b(?!\s+of)|datiert|dnia|dne\b|dna\b|tarihli|ausgestellt\s+am")


@dataclass(frozen=True, slots=True)
class Label:
    """A label found in a piece of text; positions are in that piece."""

    kind: Kind
    start: int
    end: int
    text: str

    @property
    def names_number(self) -> bool:
        """Whether the label is one of a number ("Bestellnummer"), so that a date further on is another column."""
        return bool(_NUMBER_LABEL.search(self.text))


def find_labels(piece: str) -> list[Label]:
    """Return all labels in a piece of folded text, from left to right."""
    labels = [Label(_inner_kind(piece[start:end], kind), start, end, piece[start:end])
              for kind, start, end in _TABLE.find(piece)]
    if piece.isascii():
        return labels
    eastern = [Label(_EASTERN_KINDS[match[0]], match.start(), match.end(), match[0])
               for match in _EASTERN.finditer(piece)]
    return sorted(labels + eastern, key=lambda label: label.start) if eastern else labels


def _inner_kind(text: str, kind: Kind) -> Kind:
    """"Fecha de caducidad" is what caducidad is."""
    if kind is not Kind.OTHER or " " not in text:
        return kind
    inner = [found for found, start, _ in _TABLE.find(text.rpartition(" ")[2])]
    return inner[0] if inner and inner[0] is not Kind.DATED else kind


def label_before(piece: str, reach: int) -> Label | None:
    """Return the label that the date after `piece` belongs to: the nearest one, at most `reach` characters away.

    A noun of a document counts as one only with a connector ("Rechnung Nr. 4711 vom"); cited documents
    ("gemäß ... vom") and referred ones ("unsere Rechnung vom") get their own kinds.
    """
    offset = max(0, len(piece) - 120)
    piece = piece[offset:]
    labels = find_labels(piece)
    if not labels:
        return _cited(piece)
    label = labels[-1]
    gap = piece[label.end:]
    connected = bool(_CONNECTOR.search(gap)) or len(gap.strip()) <= 1
    if len(gap) > (reach + _FURTHER if connected else reach) or _SENTENCE_END.search(gap):
        return _cited(piece)
    if (label.names_number or _NUMBER_FOLLOWS.match(gap)) and not connected and len(gap.strip(" .:#")) > 3:
        return None
    before = labels[-2] if len(labels) > 1 else None
    if label.kind is Kind.DATED and before and not piece[before.end:label.start].strip(" :/-.,"):
        label = _joined(piece, before, label)
    if label.kind in (Kind.ISSUED, Kind.DATED) and _ONLY_CONNECTS.match(label.text):
        label = _dated(piece, before, label)
    if label.kind in (Kind.DOCUMENT, Kind.CONTRACT):
        return _document(piece, label, gap, connected)
    if label.kind in (Kind.ORDER, Kind.DELIVERY, Kind.REFERENCE, Kind.SERVICE, Kind.RECEIVED) and _CITING.search(piece[:label.start]):
        return Label(Kind.CITED, label.start, label.end, label.text)
    return label


def _joined(piece: str, specific: Label, generic: Label) -> Label:
    """A label's own kind beats a generic "Datum": "Lieferung Datum"."""
    kind = Kind.ISSUED if specific.kind is Kind.DOCUMENT else specific.kind
    if specific.names_number:
        return generic
    return Label(kind, specific.start, generic.end, piece[specific.start:generic.end])


def _dated(piece: str, noun: Label | None, label: Label) -> Label:
    """"Your letter dated": the noun decides, "dated" only connects."""
    if _CITING.search(piece[:label.start]):
        return Label(Kind.CITED, label.start, label.end, label.text)
    if noun is None or noun.kind in (Kind.DOCUMENT, Kind.ISSUED, Kind.DATED, Kind.OTHER) or label.start - noun.end > 25:
        return label
    return Label(noun.kind, noun.start, label.end, piece[noun.start:label.end])


def _document(piece: str, label: Label, gap: str, connected: bool) -> Label | None:
    head = piece[:label.start]
    if _CITING.search(head):
        return Label(Kind.CITED, label.start, label.end, label.text)
    if not connected and len(gap) > 25:
        return None
    in_prose = bool(_IN_PROSE.match(label.text))
    if _QUALIFIER.search(head) or (in_prose and re.search(r"[^\W_]", head)):
        return Label(Kind.REFERENCE, label.start, label.end, label.text)
    if in_prose:
        return Label(Kind.CREATED, label.start, label.end, label.text)
    return label


def _cited(piece: str) -> Label | None:
    """A date after "gemäß ... vom" belongs to what is cited, whatever that is called."""
    matches = list(_CITING.finditer(piece))
    if matches and _CONNECTOR.search(piece) and not _SENTENCE_END.search(piece, matches[-1].end()):
        match = matches[-1]
        return Label(Kind.CITED, match.start(), match.end(), match[0])
    return None
