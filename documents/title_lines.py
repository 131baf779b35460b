"""Which line of a page tells what the document is, and what is left of a file name (pure)."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from documents.title_letterheads import is_letterhead
from documents.title_words import SMALL_WORDS, one_of

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
_REFERENCE = re.compile(
    one_of(r"""
    ihr_zeichen ihre_nachricht unser_zeichen aktenzeichen az\. kunden mitglieds mandats vertragskonto your_ref
    our_ref
    """),
    re.IGNORECASE,
)
_NUMBER_LINE = re.compile(
    r"[\w .-]{0,24}(?:nr|nummer|no|number|ref|reference|zeichen)\b\.?\s?:?\s*"
    r"[\w./-]*[0-9][\w./-]*(?:\s[a-z]{1,3})?",
    re.IGNORECASE,
)
_TILL = re.compile(
    one_of(r"summe total bar geg\. gegeben girocard kartenzahlung rückgeld change cash") + r"(?!\w)",
    re.IGNORECASE,
)
_SECTION = re.compile(r"§|[0-9]{1,2}\.[0-9.]*\s|(?:TOP|Punkt|Art\.|Artikel|Article|Clause)\s[0-9]")
_LABEL = re.compile(r"[^\W\d_][\w .-]{1,30}:(?:\s|$)")
_LETTERS = re.compile(r"[^\W\d_]")

_ABBREVIATIONS = frozenset({"VAT", "TVA", "IVA", "PVM", "EU", "KFZ", "DSL", "PV"})

_HEAD = 30  # lines in which a heading is looked for
_LEAST_SCORE = 3
_TILL_LINES = 2  # that tell a receipt


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that may be the title; `telling` if it says more than a file name somebody chose."""

    text: str
    telling: bool


def best_heading(lines: Sequence[str], kinds: re.Pattern[str], senders: Collection[int]) -> Heading | None:
    """Return the line near the top that most looks like a heading, None if none does.

    `kinds` finds the words that speak for a line; `senders` are the indices of lines that are none, except
    on a receipt: nothing but the shop's name says what that is.
    """
    best: tuple[int, str] | None = None
    full = [index for index, line in enumerate(lines) if line][:_HEAD]
    if sum(1 for line in lines if _TILL.match(line)) >= _TILL_LINES:
        senders = ()
    for place, index in enumerate(full):
        line = lines[index]
        score = _score(line) - place // 4 + (5 if len(line) <= 60 and kinds.search(line) else 0)
        if index not in senders and score >= 0 and (best is None or score > best[0]):
            best = (score, line)
    return Heading(best[1], best[0] >= _LEAST_SCORE) if best else None


def is_reference(line: str) -> bool:
    """Whether a line gives a file or reference number and nothing else."""
    return bool(_REFERENCE.match(line) or _NUMBER_LINE.fullmatch(line))


def _score(line: str) -> int:
    letters = _LETTERS.findall(line)
    if len(letters) < 4 or len(letters) < len(line) * 0.5 or is_letterhead(line) or is_reference(line):
        return -10
    score = 4
    if all(letter.isupper() for letter in letters if letter.lower() != letter.upper()) and len(letters) >= 5:
        score += 3
    if len(line.split()) > 3 and len(letters) < 3 * len(line.split()):
        score -= 4  # what OCR makes of a logo or a stamp
    if _SECTION.match(line):
        score -= 4
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


def _capitalized(word: re.Match[str]) -> str:
    return word[0] if word[0] in _ABBREVIATIONS else word[0].capitalize()


def sentence_case(text: str) -> str:
    """Capitals throughout become capitals at the beginning of words."""
    letters = [character for character in text if character.isalpha()]
    if len(letters) < 4 or not all(character.isupper() for character in letters):
        return text
    words = re.sub(r"[^\W\d_]+", _capitalized, text).split(" ")
    small = (word.lower() if word.lower() in SMALL_WORDS else word for word in words[1:])
    return " ".join((words[0], *small))
