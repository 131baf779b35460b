"""Kind and number of a document: in its heading, beside a label, below one (pure)."""

import re
from collections.abc import Sequence
from itertools import pairwise

from documents import title_words as words
from documents.title_lines import sentence_case, values_for

_NUMBER = (  # digits in groups, or one word with a digit in it
    r"(?P<number>[0-9]{1,6}(?: [0-9]{2,6}){1,5}(?![\w.,/-])|"
    r"(?-i:[A-Z]{1,3}) [0-9]{1,6}[/-][0-9]{2,6}(?![\w.,/-])|"  # R 61/2024
    r"(?=[\w./-]{0,40}[0-9])[A-Z0-9](?:[\w./-]{0,38}[\w])?)"
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
_AT_END = re.compile(rf"\s{_NUMBER}$", re.IGNORECASE)
_NUMBER_LINE = re.compile(rf"(?:Nr|No)\.\s?{_NUMBER}")
_DATE = re.compile(r"[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DOTTED_DATE = re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{2,4}")
_REMINDER = re.compile(r"mahnung|erinnerung|reminder", re.IGNORECASE)
_PLAIN_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


def numbered(heading: re.Match[str]) -> str | None:
    """Kind and number of a heading such as "Rechnung des Versicherers (575) Nr. 4711 vom"."""
    rest = heading["rest"]
    match = _MARKED.match(rest)
    if match and _is_number(match["number"], marked=True):
        between = re.sub(r"\([^)]*\)|/\s*\w+|[:,]", " ", match["between"]).strip(" -")
        return f"{sentence_case(heading['kind'])} {between} {match['number']}"
    match = _BARE.match(rest)
    if match and _is_number(match["number"]) and not _PLAIN_YEAR.fullmatch(match["number"]):
        return f"{sentence_case(heading['kind'])} {match['number']}"
    return None


def labelled_number(lines: Sequence[str], kind: str) -> str | None:
    """Kind and number from a label ("Rechnungsnummer: 4711"), beside or below it, or standing by the date."""
    heading = sentence_case(kind)
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
    # What stands by itself on a reminder is the number of the invoice, or not, as the page was read.
    return _number_by_itself(lines, heading) if kind and not _REMINDER.search(kind) else None


def split_kind(title: str) -> tuple[str, str]:
    """Return what stands before the number at a title's end, and the number, empty where there is none."""
    match = _AT_END.search(title)
    return (title[: match.start()].rstrip(), match["number"]) if match else (title, "")


def _number_by_itself(lines: Sequence[str], heading: str) -> str | None:
    """A number on a line of its own: "Nr. 4711", or any over the line of the date."""
    for line, below in pairwise((*lines, "")):
        match = _NUMBER_LINE.fullmatch(line)
        if match and _is_number(match["number"]) and len(match["number"]) > 3:
            return f"{heading} {match['number']}"
        if _NUMBER_ALONE.fullmatch(line) and _is_number(line) and _DATE.fullmatch(below) and len(line) > 3:
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
