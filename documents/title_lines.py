"""Which line of a page tells what the document is, and what is left of a file name (pure)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from documents.title_words import one_of

_STREET = re.compile(
    one_of(r"stra(?:ß|ss)e str\. weg platz allee gasse ring damm ufer chaussee") + r"\s*[0-9]|"
    r"[0-9]+[a-z]?,?\s+(?:\w+\s+){0,3}"
    + one_of(r"street st\. road rd\. avenue ave lane drive rue chemin via calle")
    + r"\b|\b(?:rue|avenue|via|calle|rua|avenida|ul\.|ulica)\s",
    re.IGNORECASE,
)
_POSTCODE = re.compile(
    r"(?:^|\s|-)(?:[A-Z]{1,2}-)?[0-9]{4,5}\s+[A-ZÄÖÜ][\w.-]+|"
    r"\b[A-Z]{1,2}[0-9]{1,2}[A-Z]?\s[0-9][A-Z]{2}\b|\b[0-9]{2}-[0-9]{3}\s"
)
_CONTACT = re.compile(
    one_of(r"""
    tel(?:efon|\.|:) fax phone mobil @ www\. https?: iban bic\b ust-?id vat\b tva\b hrb\b steuer-?n siret
    gln\b
    """),
    re.IGNORECASE,
)
_PERSON = re.compile(
    one_of(r"herrn? frau familie mr mrs ms m\. mme sig\. sra?\. dr\. prof\. firma an to") + r"\.?(?:\s|$)",
    re.IGNORECASE,
)
_COMPANY = re.compile(
    r"\b"
    + one_of(r"""
    gmbh ag kg ohg e\.\s?v\. ug se ltd limited llc inc plc sarl s\.a\. sas srl s\.r\.l s\.p\.a spa b\.v
    bv nv sp\.\s?z\s?o
    s\.r\.o a\.s kft oy ab oü
""")
    + r"\b",
    re.IGNORECASE,
)
_PAGE = re.compile(r"(?:seite|page|blatt|pagina|strana)\s*:?\s*[0-9]+|^[0-9]+\s*/\s*[0-9]+$", re.IGNORECASE)
_DATE_LINE = re.compile(
    r"[0-9]{1,2}[./-]\s?[0-9]{1,2}[./-]\s?[0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2}|"
    r"[0-9]{1,2}\.?\s+[^\W\d_]{3,10}\.?\s+[0-9]{4}"
)
_REFERENCE = re.compile(
    one_of(r"""
    ihr_zeichen ihre_nachricht unser_zeichen aktenzeichen az\. kunden mitglieds mandats vertragskonto your_ref
    our_ref
    """),
    re.IGNORECASE,
)
_LABEL = re.compile(r"[^\W\d_][\w .-]{1,30}:(?:\s|$)")
_LETTERS = re.compile(r"[^\W\d_]")

_HEAD = 30  # lines in which a heading is looked for
_LEAST_SCORE = 3


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that may be the title; `telling` if it says more than a file name somebody chose."""

    text: str
    telling: bool


def is_letterhead(line: str) -> bool:
    """Whether a line is part of an address, a contact, a date or a page number, not of the contents."""
    return bool(
        _STREET.search(line)
        or _POSTCODE.search(line)
        or _CONTACT.search(line)
        or _PERSON.match(line)
        or _PAGE.search(line)
        or (_DATE_LINE.search(line) and len(line) < 40)
    )


def best_heading(lines: Sequence[str], kinds: re.Pattern[str]) -> Heading | None:
    """Return the line near the top that most looks like a heading, None if none does.

    `kinds` finds the words that speak for a line.
    """
    best: tuple[int, str] | None = None
    full = [line for line in lines if line][:_HEAD]
    for index, line in enumerate(full):
        score = _score(line) - index // 4 + (5 if len(line) <= 60 and kinds.search(line) else 0)
        if score >= 0 and (best is None or score > best[0]):
            best = (score, line)
    return Heading(best[1], best[0] >= _LEAST_SCORE) if best else None


def _score(line: str) -> int:
    letters = _LETTERS.findall(line)
    if len(letters) < 4 or len(letters) < len(line) * 0.5 or is_letterhead(line) or _REFERENCE.match(line):
        return -10
    score = 4
    if all(letter.isupper() for letter in letters if letter.lower() != letter.upper()) and len(letters) >= 5:
        score += 3
    if not 8 <= len(line) <= 70:
        score -= 2
    if _COMPANY.search(line):
        score -= 4
    if _LABEL.match(line):
        score -= 3
    if line[-1] in ".,;!?" or line[:1].islower():
        score -= 2
    if len(line.split()) == 1 or any(mark in line for mark in "·●•|"):
        score -= 1
    return score


def values_for(lines: Sequence[str], index: int, at: int) -> Iterator[str]:
    """Yield what may be the value of the label at `at` in line `index`: below, in its column or its block."""
    line = lines[index]
    below = lines[index + 1] if index + 1 < len(lines) else ""
    columns, values = _columns(line), _columns(below)
    if len(columns) > 1 and len(columns) == len(values):
        yield next(
            (values[place][1] for place in range(len(columns) - 1, -1, -1) if columns[place][0] <= at), ""
        )
    elif not line.endswith(":") and len(line.split()) <= len(below.split()):
        yield below.split()[len(line[:at].split())]
    if not line.rstrip().endswith(":"):
        return
    first = index
    while first > 0 and lines[first - 1].endswith(":"):
        first -= 1
    after = index + 1
    while after < len(lines) and lines[after].endswith(":"):
        after += 1
    value = after + index - first
    if value < len(lines) and not any(text.endswith(":") or not text for text in lines[after : value + 1]):
        yield lines[value]


def _columns(line: str) -> list[tuple[int, str]]:
    return [(match.start(), match[0]) for match in re.finditer(r"\S+(?: \S+)*", line)]
