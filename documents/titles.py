"""A document's title from its own words: subject, kind and number, heading; at last its file name (pure)."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Protocol

from documents import title_words as words
from documents.filenames import FALLBACK, clean_text
from documents.title_filenames import tidy_filename
from documents.title_lines import best_heading, is_letterhead, values_for

#: Characters a title has at most.
MAX_LENGTH = 200

_LINES = 90  # of page one that are looked at
_HEADING_LINES = 45  # in which a heading or subject stands
_LONGEST_LINE = 400  # characters; what is longer is cut


class TitleSource(StrEnum):
    """Where a title was read."""

    SUBJECT = "subject"
    NUMBER = "number"  # kind and number: "Rechnung 2025-05379"
    HEADING = "heading"
    FILENAME = "filename"


@dataclass(frozen=True, slots=True)
class Title:
    """A title of 1 to 200 characters, NFC, on one line, and where it was read."""

    text: str
    source: TitleSource


class HasSubject(Protocol):
    """What the reader says of a file: a mail has a subject."""

    @property
    def subject(self) -> str | None:
        """The subject that the format itself names, if any."""


_NUMBER = (  # digits in groups, or one word with a digit in it
    r"(?P<number>[0-9]{1,6}(?: [0-9]{2,6}){1,5}(?![\w.,/-])|"
    r"(?=[\w./-]{0,40}[0-9])[A-Z0-9](?:[\w./-]{0,38}[\w])?)"
)
_LEAD = r"\W{0,6}(?:(?:ihre?|unsere?|your|our|votre|vostra|su)\s+)?"
_HEADING = re.compile(rf"{_LEAD}(?P<kind>{words.KINDS})(?![\w])(?P<rest>.*)", re.IGNORECASE)
_KIND_IN_LINE = re.compile(
    rf"(?<![\w])(?:{words.KINDS}|bill|minutes|list|policy|notice|report|letter)(?![\w])", re.IGNORECASE
)
_MARKED = re.compile(rf"(?P<between>.{{0,44}}?)(?<![\w]){words.NUMBER_MARK}\s{{0,3}}{_NUMBER}", re.IGNORECASE)
_BARE = re.compile(rf"[\s:.(#-]{{0,6}}{_NUMBER}", re.IGNORECASE)
_LABELLED = [
    (re.compile(rf"(?<![\w]){label}\s{{0,3}}[:：.#]?\s{{0,3}}(?P<rest>.*)", re.IGNORECASE), kind)
    for label, kind in words.NUMBER_LABELS
]
_NUMBERED_LINE = re.compile(
    r"n[ro°.]|num|númer|numér|nº|id\b|#|facture|szám|čísl|番号|号码|號碼", re.IGNORECASE
)
_NUMBER_ALONE = re.compile(_NUMBER, re.IGNORECASE)
_SUBJECT = re.compile(rf"{words.SUBJECTS}\s?[:：]\s{{0,20}}(?P<text>.*)", re.IGNORECASE)
_SALUTATION = re.compile(words.SALUTATIONS, re.IGNORECASE)
_LETTERSPACED = re.compile(r"(?:\S ){4,60}\S")
_REPLIES = re.compile(rf"(?:{words.REPLIES}){{1,8}}", re.IGNORECASE)
_DATE = re.compile(r"[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DOTTED_DATE = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{2,4}")
_SINCE = re.compile(  # "vom 13.02.2018", which says nothing more about a heading
    rf"(?:{words.one_of('vom von of dated du del z_dnia от від')}\s+)?"
    r"(?:[0-9]{1,2}[./-]\s?[0-9]{1,2}[./-]\s?[0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2}|"
    r"[0-9]{1,2}\.?\s+(?:de\s+)?[^\W\d_]{3,10}\.?\s+(?:de\s+)?[0-9]{4})",
    re.IGNORECASE,
)
_PLAIN_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_SENTENCE = re.compile(r"[.!?]$")


def find_title(pages_text: Sequence[str], *, filename: str, facts: HasSubject | None = None) -> Title:
    """Find the title of a document: never empty, one line, at most MAX_LENGTH characters. Never raises.

    In this order: the subject that the format names (mail); on page one what comes first of a heading with
    kind and number and a subject line; the line over the salutation; kind and number from labels; the most
    telling line; the file name, tidied.
    """
    if facts is not None and (subject := _clean(_REPLIES.sub("", facts.subject or "", count=1))):
        return Title(subject, TitleSource.SUBJECT)
    lines = _first_lines(pages_text)
    if title := _from_lines(lines):
        return title
    name, telling = tidy_filename(filename)
    heading = best_heading(lines, _KIND_IN_LINE)
    if heading and (heading.telling or not telling):
        return Title(_clean(_sentence_case(heading.text)), TitleSource.HEADING)
    return Title(_clean(name) or FALLBACK, TitleSource.FILENAME)


def _first_lines(pages_text: Sequence[str]) -> list[str]:
    """The lines of the first page with any text, in NFC, spaced letters ("R E C H N U N G") put together."""
    page = next((text for text in pages_text if text.strip()), "")
    text = unicodedata.normalize("NFC", page[: _LINES * _LONGEST_LINE])
    lines = [line[:_LONGEST_LINE].strip() for line in text.splitlines()[:_LINES]]
    return [line.replace(" ", "") if _LETTERSPACED.fullmatch(line) else line for line in lines]


def _from_lines(lines: Sequence[str]) -> Title | None:
    """Kind and number or a subject, whichever comes first; then what is weaker."""
    salutation = next((index for index, line in enumerate(lines) if _SALUTATION.match(line)), None)
    kind = ""
    for index, line in enumerate(lines[:_HEADING_LINES]):
        if (match := _SUBJECT.match(line)) and (salutation is None or index < salutation):
            below = next(iter(lines[index + 1 :]), "")
            if text := _clean(_REPLIES.sub("", match["text"] or below, count=1)):
                return Title(text, TitleSource.SUBJECT)
        elif (salutation is None or index < salutation) and (match := _HEADING.match(line)):
            found = _numbered(match)
            if found and match["kind"].lower() in (kind or found).lower():
                return Title(_clean(found), TitleSource.NUMBER)
            if not found and len(kind.split()) < 2 and len(line) <= 80 and not _SENTENCE.search(line):
                more = _says_more(match["rest"])
                if not more or ":" not in line:
                    kind = max(kind, _without_page(line) if more else match["kind"], key=len)
    if len(kind.split()) > 2:
        return Title(_clean(_sentence_case(kind)), TitleSource.HEADING)
    over = _over_salutation(lines, salutation)
    number = _labelled_number(lines, kind)
    if kind and number:
        return Title(_clean(number), TitleSource.NUMBER)
    if over:
        return Title(_clean(over), TitleSource.SUBJECT)
    if number:
        return Title(_clean(number), TitleSource.NUMBER)
    return Title(_clean(_sentence_case(kind)), TitleSource.HEADING) if kind else None


def _says_more(rest: str) -> bool:
    """Whether a heading has words beyond its kind and a label of a number that stands elsewhere."""
    rest = _SINCE.sub("", _without_page(rest))
    return len(re.sub(rf"{words.NUMBER_MARK}|[^\w]", "", rest, flags=re.IGNORECASE)) > 2


def _numbered(heading: re.Match[str]) -> str | None:
    """Kind and number of a heading such as "Rechnung des Versicherers (575) Nr. 4711 vom"."""
    rest = heading["rest"]
    match = _MARKED.match(rest)
    if match and _is_number(match["number"], marked=True):
        between = re.sub(r"\([^)]*\)|/\s*\w+|[:,]", " ", match["between"])
        return f"{_sentence_case(heading['kind'])} {between} {match['number']}"
    match = _BARE.match(rest)
    if match and _is_number(match["number"]) and not _PLAIN_YEAR.fullmatch(match["number"]):
        return f"{_sentence_case(heading['kind'])} {match['number']}"
    return None


def _labelled_number(lines: Sequence[str], kind: str) -> str | None:
    """Kind and number from a label ("Rechnungsnummer: 4711"), beside or below it, or standing by the date."""
    heading = _sentence_case(kind)
    lines = [line for line in lines if line]
    # A receipt also names the invoice's number: labels of the heading's own kind come first.
    for own in (True, False):
        for index, line in enumerate(lines):
            if not _NUMBERED_LINE.search(line):
                continue
            for label, named in _LABELLED:
                if own is not (named.lower() in heading.lower()) or not (heading or named):
                    continue
                if (match := label.search(line)) and (number := _value(lines, index, match)):
                    return f"{_kind_for(heading, named)} {number}"
    if kind:
        for line, below in pairwise(lines):
            if (
                _NUMBER_ALONE.fullmatch(line)
                and _is_number(line)
                and _DATE.fullmatch(below)
                and len(line) > 3
            ):
                return f"{heading} {line}"
    return None


def _value(lines: Sequence[str], index: int, label: re.Match[str]) -> str | None:
    for text in (label["rest"], *values_for(lines, index, label.start())):
        number = _NUMBER_ALONE.match(text)
        if number and _is_number(number["number"]):
            return number["number"]
    return None


def _kind_for(heading: str, named: str) -> str:
    """The heading's kind where it is one word of the label's sort, else what the label says."""
    return heading if heading and len(heading.split()) <= 3 else named or heading


def _is_number(word: str, *, marked: bool = False) -> bool:
    """Whether a word can be a document's number; 12/02/2024 only with a "Nr." before it."""
    date = _DOTTED_DATE if marked else _DATE
    return len(word) >= 2 and any(character.isdigit() for character in word) and not date.fullmatch(word)


def _over_salutation(lines: Sequence[str], salutation: int | None) -> str | None:
    """The subject of a letter stands over its salutation, parted from the address and date above it."""
    if not salutation:
        return None
    above = [line for line in lines[max(0, salutation - 4) : salutation] if line]
    line = above[-1] if above else ""
    if len(line) < 6 or is_letterhead(line) or line.endswith(":") or not re.search(r"[^\W\d_]{3}", line):
        return None
    return line


def _without_page(line: str) -> str:
    return re.sub(r"\s{0,3}(?<![\w])(?:seite|page|blatt)\s*:?\s*[0-9]+.*", "", line, flags=re.IGNORECASE)


def _sentence_case(text: str) -> str:
    """Capitals throughout become capitals at the beginning of words."""
    letters = [character for character in text if character.isalpha()]
    if len(letters) < 4 or not all(character.isupper() for character in letters):
        return text
    return re.sub(r"[^\W\d_]+", lambda match: match[0].capitalize(), text)


def _clean(text: str) -> str:
    """One line without marks at its ends, cut between words."""
    text = unicodedata.normalize("NFC", clean_text(text, most=4 * MAX_LENGTH)).strip(" \t-–—_:;,|*#=~•●·")
    if len(text) <= MAX_LENGTH:
        return text
    cut = text[: MAX_LENGTH - 1]
    return (cut.rpartition(" ")[0] if " " in cut[MAX_LENGTH // 2 :] else cut).rstrip(" ,;:-") + "…"
