"""Labels in folded text: which words before (or after) a date say what it is the date of."""

import re
from dataclasses import dataclass, replace

from documents.dates import issue_words
from documents.dates.folding import fold_word
from documents.dates.kinds import Kind
from documents.dates.label_words import WORDS
from documents.dates.phrases import PhraseTable, any_of

_TABLE = PhraseTable(
    (
        *WORDS[:2],
        (Kind.ISSUED, issue_words.ISSUED),
        *WORDS[2:],
        (Kind.DOCUMENT, issue_words.DOCUMENT),
        (Kind.CONTRACT, issue_words.CONTRACT),
        (Kind.AS_OF, issue_words.AS_OF),
        (Kind.OTHER, issue_words.OTHER),
        (Kind.DATED, issue_words.DATED),
    )
)
_EASTERN_KINDS = {fold_word(word): kind for kind, words in issue_words.EASTERN for word in words.split()}
# Longest first: 支払期日 before 期日.
_EASTERN = re.compile("|".join(sorted(_EASTERN_KINDS, key=len, reverse=True)))
_LONGEST_PIECE = 120  # characters before a date that are looked at
_FURTHER = 24  # characters that a label reaches further with a "vom" before the date
_NOUN_REACH = 25  # characters between a noun and its date without one

_NUMBER_LABEL = re.compile(
    any_of(r"nr nummer number no num id numer cislo szam numero n° № zeichen") + r"\.?$"
)
_NUMBER_FOLLOWS = re.compile(r"[\s.:-]{0,2}" + any_of(r"nr\b nummer number no\b num\b id\b # n° №"))
_SENTENCE_END = re.compile(r"[^\W\d_]{4,}[.!?;]\s")
_CITING = re.compile(
    r"(?<![^\W_])"
    + any_of(r"""
    gema(?:ß|ss) laut lt\. aufgrund auf_grund bezug(?:nehmend)?(?:_auf)? entsprechend nach_§ i\.\s?s\.\s?d\.
    according_to pursuant_to as_per in_accordance_with conformement_(?:a|au) selon suivant secondo ai_sensi
    segun
    conforme de_acuerdo_con de_acordo_com volgens zgodnie_z na_podstawie podle podla na_zaklade alapjan
    szerint uyarinca
    согласно на_основании згідно на_підставі pagal saskana_ar vastavalt
""")
    + r"(?![^\W_])"
)
# Before a noun they say that it is another paper: "unsere Rechnung vom", "zum Bescheid vom".
_QUALIFIER = re.compile(
    r"(?<![^\W_])"
    + any_of(r"""
    unsere?[mnrs]? ihre?[mnrs]? meine?[mnrs]? zur zum zu auf aus der die das des dem den siehe betr\w* bzgl\.?
    our your my the to for votre notre mon ma mes sur ref\w* nostra vostra mia nuestra mi
""")
    + r"\s+(?:[^\W\d_]{1,15}\s+)?$"
)
_CONNECTOR = re.compile(
    r"(?<![^\W_])"
    + any_of(r"""
    vom von v\. am den dated dtd\.? of from on du le del dal van dd\.? d\.d\. (?:z_)?dnia ze_dne dne zo_dna
    dna z
    tarihli от від nuo no
""")
    + r"\s*$|[/|,:-]\s*$"
)
# Nouns that papers of every sort refer to; their own only where they begin a line.
_IN_PROSE = re.compile(
    any_of(r"""
    schreiben brief mitteilung \w*befund \w*protokoll \w*bericht kundigung nachtrag vollmacht gutachten
    letter notice report certificate courrier avis attestation акт
""")
)
_ONLY_CONNECTS = re.compile(any_of(r"date[ds]\b(?!_of) datiert dnia dne\b dna\b tarihli ausgestellt_am"))
_DAY_WORD = re.compile(any_of(r"dnia dne\b dna\b"))
_SAME_DATE = re.compile(
    r"\s*(?:[/&=+]|und|and|et|e|y|i|entspricht(?:\s+dem)?|gleich)\s*"
)  # "Rechnungsdatum / Lieferdatum"
_CITABLE = {Kind.ORDER, Kind.DELIVERY, Kind.REFERENCE, Kind.SERVICE, Kind.RECEIVED}
_GENERIC = {Kind.DOCUMENT, Kind.ISSUED, Kind.DATED, Kind.OTHER}


@dataclass(frozen=True, slots=True)
class Label:
    """A label found in a piece of text; positions are in that piece."""

    kind: Kind
    start: int
    end: int
    text: str

    @property
    def names_number(self) -> bool:
        """Whether a number is meant ("Bestellnummer"), and a date further on is in another column."""
        return bool(_NUMBER_LABEL.search(self.text))


def find_labels(piece: str) -> list[Label]:
    """Return all labels in a piece of folded text, from left to right."""
    labels = [
        Label(_inner_kind(piece[start:end], kind), start, end, piece[start:end])
        for kind, start, end in _TABLE.find(piece)
    ]
    if piece.isascii():
        return labels
    eastern = [
        Label(_EASTERN_KINDS[match[0]], match.start(), match.end(), match[0])
        for match in _EASTERN.finditer(piece)
    ]
    return sorted(labels + eastern, key=lambda label: label.start) if eastern else labels


def label_at(piece: str, start: int) -> Label | None:
    """Return the label that begins at `start` of a piece of folded text, where a word begins."""
    if found := _TABLE.match(piece, start):
        kind, _, end = found
        return Label(_inner_kind(piece[start:end], kind), start, end, piece[start:end])
    match = None if piece.isascii() else _EASTERN.match(piece, start)
    return Label(_EASTERN_KINDS[match[0]], match.start(), match.end(), match[0]) if match else None


def _inner_kind(text: str, kind: Kind) -> Kind:
    """The kind of a "fecha de caducidad" is that of the caducidad."""
    if kind is not Kind.OTHER or " " not in text:
        return kind
    inner = [found for found, start, _ in _TABLE.find(text.rpartition(" ")[2])]
    return inner[0] if inner and inner[0] is not Kind.DATED else kind


def connects(before: str) -> bool:
    """Return whether a "vom", "am" or the like ends what stands before a date."""
    return bool(before and _CONNECTOR.search(before[-_NOUN_REACH:]))


def label_before(piece: str, reach: int) -> Label | None:
    """Return the label that the date after `piece` belongs to: the nearest, at most `reach` characters away.

    A noun of a document counts as one only with a connector ("Rechnung Nr. 4711 vom"); cited documents
    ("gemäß ... vom") and referred ones ("unsere Rechnung vom") get their own kinds.
    """
    piece = piece[-_LONGEST_PIECE:]
    labels = find_labels(piece) if piece else ()
    if not labels:
        return _cited(piece)
    label = labels[-1]
    gap = piece[label.end :]
    connected = bool(_CONNECTOR.search(gap)) or len(gap.strip()) <= 1
    if len(gap) > (reach + _FURTHER if connected else reach) or _SENTENCE_END.search(gap):
        return _cited(piece)
    names_number = label.names_number or _NUMBER_FOLLOWS.match(gap)
    if names_number and not connected and len(gap.strip(" .:#")) > 3:
        return None
    specific = _specific(piece, label, labels[-2] if len(labels) > 1 else None)
    if specific is None:
        return None
    label = specific
    if label.kind in (Kind.DOCUMENT, Kind.CONTRACT):
        return _document(piece, label, gap, connected)
    return (
        _as(Kind.CITED, label) if label.kind in _CITABLE and _CITING.search(piece[: label.start]) else label
    )


def _as(kind: Kind, label: Label) -> Label:
    return replace(label, kind=kind)


def _specific(piece: str, label: Label, noun: Label | None) -> Label | None:
    """A label's own kind beats what only says that a date follows: "Lieferung Datum", "your letter dated".

    None: a "z dnia" in running text, which says nothing.
    """
    if noun and noun.kind is Kind.ISSUED and _SAME_DATE.fullmatch(piece, noun.end, label.start):
        return Label(Kind.ISSUED, noun.start, label.end, piece[noun.start : label.end])
    if (
        label.kind is Kind.DATED
        and noun
        and not piece[noun.end : label.start].strip(" :/-.,")
        and not noun.names_number
    ):
        kind = Kind.ISSUED if noun.kind is Kind.DOCUMENT else noun.kind
        label = Label(kind, noun.start, label.end, piece[noun.start : label.end])
    if label.kind not in (Kind.ISSUED, Kind.DATED) or not _ONLY_CONNECTS.match(label.text):
        return label
    if _CITING.search(piece[: label.start]):
        return _as(Kind.CITED, label)
    if noun is None and _DAY_WORD.match(label.text) and re.search(r"[^\W\d_]{2}[^,]*$", piece[: label.start]):
        return None
    if noun is None or noun.kind in _GENERIC or label.start - noun.end > _NOUN_REACH:
        return label
    return Label(noun.kind, noun.start, label.end, piece[noun.start : label.end])


def _document(piece: str, label: Label, gap: str, connected: bool) -> Label | None:
    head = piece[: label.start]
    if _CITING.search(head):
        return _as(Kind.CITED, label)
    if not connected and len(gap) > _NOUN_REACH:
        return None
    in_prose = bool(_IN_PROSE.match(label.text))
    if _QUALIFIER.search(head) or (in_prose and re.search(r"[^\W_]", head)):
        return _as(Kind.REFERENCE, label)
    return _as(Kind.CREATED, label) if in_prose else label


def _cited(piece: str) -> Label | None:
    """A date after "gemäß ... vom" belongs to what is cited, whatever that is called."""
    matches = list(_CITING.finditer(piece))
    if matches and _CONNECTOR.search(piece) and not _SENTENCE_END.search(piece, matches[-1].end()):
        return Label(Kind.CITED, *matches[-1].span(), matches[-1][0])
    return None
