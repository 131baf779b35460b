"""A document's title from its own words: subject, kind and number, heading; at last its file name (pure)."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from documents import title_words as words
from documents.filenames import FALLBACK, clean_text
from documents.title_filenames import tidy_filename
from documents.title_letterheads import ADDRESS_ON_THE_WEB, is_letterhead, letterhead_lines
from documents.title_lines import best_heading, is_reference, sentence_case
from documents.title_numbers import labelled_number, numbered

#: Characters a title has at most.
MAX_LENGTH = 200

_LINES = 200  # of page one that are looked at
_HEADING_LINES = 45  # in which a heading or subject stands
_LONGEST_KIND = 80  # characters of a heading that begins with its kind
_LONGEST_HEADING = 100  # characters of a line below it
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


_HEADING = re.compile(rf"{words.LEAD}(?P<kind>{words.KINDS})(?![\w@])(?P<rest>.*)", re.IGNORECASE)
_KIND_IN_LINE = re.compile(rf"(?<![\w@.-])(?:{words.KINDS}|{words.DOCUMENT_WORDS})(?![\w@])", re.IGNORECASE)
_SUBJECT = re.compile(rf"{words.SUBJECTS}\s?[:：]\s{{0,20}}(?P<text>.*)", re.IGNORECASE)
_SALUTATION = re.compile(words.SALUTATIONS, re.IGNORECASE)
_LETTERSPACED = re.compile(r"(?:\S ){4,60}\S")
_PROSE = re.compile(words.PROSE_KINDS, re.IGNORECASE)
_GOES_ON = re.compile(rf"{words.CONTINUATIONS}\s", re.IGNORECASE)
_WHERE_AND_WHEN = re.compile(r"\s(?:am|im|in\s(?:der|den)|at|held)\s.*")
_FINDING_AID = re.compile(r"[\w-]*findbuch|finding aid", re.IGNORECASE)
_HOLDINGS = re.compile(r"(?:Bestand|Fonds|Record group|Collection)\s+[\w./-]{1,20}:?\s+\S.*")
_DEAR = re.compile(r"dear\s", re.IGNORECASE)
_FIRST_WORDS = re.compile(  # of a first sentence
    r"(?:i|we|thanks?|please|this|it|you|as|further|with|in|following|at|on|after|when|if|there|enclosed|"
    r"attached|many|my|our)(?:\s|$)",
    re.IGNORECASE,
)
_AND = re.compile(r"(?:und|and|et|e|y|oraz|en)\s", re.IGNORECASE)
_COLUMNS = re.compile(r"\s{3,}")
_NUMBER_LABEL = re.compile(r"-\s?(?:nr|nummer|no)\b", re.IGNORECASE)  # "Versicherungsschein-Nr."
_OF_DATE = re.compile(r"\s+(?:vom|of|dated|du|del|z\s+dnia)\s+[0-9]", re.IGNORECASE)
_REPLIES = re.compile(rf"(?:{words.REPLIES}){{1,8}}", re.IGNORECASE)
_SINCE = re.compile(  # "vom 13.02.2018", which says nothing more about a heading
    rf"(?:{words.one_of('vom von of dated stand:? as_of du del z_dnia от від')}\s+)?"
    r"(?:[0-9]{1,2}[./-]\s?[0-9]{1,2}[./-]\s?[0-9]{2,4}|[0-9]{4}-[0-9]{2}-[0-9]{2}|"
    r"[0-9]{1,2}\.?\s+(?:de\s+)?[^\W\d_]{3,10}\.?\s+(?:de\s+)?[0-9]{4})",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?]$")


def find_title(pages_text: Sequence[str], *, filename: str, facts: HasSubject | None = None) -> Title:
    """Find the title of a document: never empty, one line, at most MAX_LENGTH characters. Never raises.

    In this order: the subject that the format names (mail); on page one what comes first of a heading with
    kind and number and a subject line; the line over or under the salutation; kind and number from labels;
    the most telling line that is not the name or address of a sender; the file name, tidied.
    """
    if facts is not None and (subject := _clean(_REPLIES.sub("", facts.subject or "", count=1))):
        return Title(subject, TitleSource.SUBJECT)
    lines = _first_lines(pages_text)
    salutation = next((index for index, line in enumerate(lines) if _SALUTATION.match(line)), None)
    senders = letterhead_lines(lines)
    if title := _from_lines(lines, salutation, senders):
        return title
    name, telling = tidy_filename(filename)
    heading = best_heading(lines[:salutation], _KIND_IN_LINE, senders)
    if heading and (heading.telling or not telling):
        return Title(_clean(sentence_case(heading.text)), TitleSource.HEADING)
    return Title(_clean(name) or FALLBACK, TitleSource.FILENAME)


def _first_lines(pages_text: Sequence[str]) -> list[str]:
    """The lines of the first page with any text, in NFC, spaced letters ("R E C H N U N G") put together."""
    page = next((text for text in pages_text if text.strip()), "")
    text = unicodedata.normalize("NFC", page[: _LINES * _LONGEST_LINE])
    lines = [line[:_LONGEST_LINE].strip() for line in text.splitlines()[:_LINES]]
    return [line.replace(" ", "") if _LETTERSPACED.fullmatch(line) else line for line in lines]


def _from_lines(lines: Sequence[str], salutation: int | None, senders: Collection[int]) -> Title | None:
    """Kind and number or a subject, whichever comes first; then what is weaker."""
    kind, place = "", 0
    end = _HEADING_LINES if salutation is None else min(salutation, _HEADING_LINES)
    for index, line in enumerate(lines[:end]):
        if subject := _marked_subject(lines, index):
            return Title(subject, TitleSource.SUBJECT)
        if index in senders or not (match := _heading_in(line)) or _NUMBER_LABEL.match(match["rest"]):
            continue
        if _refers_below_subject(lines, index, match["rest"], senders):
            continue
        found = numbered(match)
        if found and match["kind"].lower() in (kind or found).lower():
            return Title(_clean(found), TitleSource.NUMBER)
        longer = "" if found else _kind_alone(match.string, match)
        if len(kind.split()) < 2 and len(longer) > len(kind):
            kind, place = longer, index
    if len(kind.split()) > 2:
        return Title(_clean(" ".join((sentence_case(kind), *_rest_below(lines, place)))), TitleSource.HEADING)
    if more := _goes_on(lines, kind, place):
        return Title(_clean(f"{sentence_case(kind)} {more}"), TitleSource.HEADING)
    return _from_kind(lines, kind, salutation, senders)


def _from_kind(
    lines: Sequence[str], kind: str, salutation: int | None, senders: Collection[int]
) -> Title | None:
    """What is left where no heading or subject says it by itself; `kind` may be empty."""
    number = None if _PROSE.fullmatch(kind) else labelled_number(lines, kind)
    if kind and number:
        return Title(_clean(number), TitleSource.NUMBER)
    subject = _over_salutation(lines, salutation, senders)
    if not subject and not kind:
        subject = _under_salutation(lines, salutation)
    if subject:
        return Title(_clean(sentence_case(subject)), TitleSource.SUBJECT)
    if number:
        return Title(_clean(number), TitleSource.NUMBER)
    return Title(_clean(sentence_case(kind)), TitleSource.HEADING) if kind else None


def _heading_in(line: str) -> re.Match[str] | None:
    """A heading that begins the line, or a column of it: the sender often stands to the left of it."""
    pieces = _COLUMNS.split(line)
    return next((match for piece in (line, *pieces[1:]) if (match := _HEADING.match(piece))), None)


def _refers_below_subject(lines: Sequence[str], index: int, rest: str, senders: Collection[int]) -> bool:
    """Whether a line such as "Mietvertrag vom 1.8.2014" only goes on with the subject right above it."""
    above = lines[index - 1] if index else ""
    if not above or index - 1 in senders or is_letterhead(above) or len(above) > _LONGEST_HEADING:
        return False
    return bool(_OF_DATE.match(rest)) and len(above.split()) > 1 and not is_reference(above)


def _rest_below(lines: Sequence[str], place: int) -> Iterator[str]:
    """The next lines of a heading that goes on with "über" and then with "und"."""
    below = [line for line in lines[place + 1 : place + 4] if line]
    for line, goes_on in zip(below, (_GOES_ON, _AND), strict=False):
        if len(line) > _LONGEST_HEADING or not goes_on.match(line):
            return
        yield _WHERE_AND_WHEN.sub("", line)


def _marked_subject(lines: Sequence[str], index: int) -> str:
    """The text of a line such as "Betreff: Kündigung", or of the line below it."""
    match = _SUBJECT.match(lines[index])
    below = next(iter(lines[index + 1 :]), "")
    return _clean(_REPLIES.sub("", match["text"] or below, count=1)) if match else ""


def _kind_alone(line: str, heading: re.Match[str]) -> str:
    """A heading without a number: its line where that says more than the kind, "" where it is none."""
    if len(line) > _LONGEST_KIND or _SENTENCE.search(line):
        return ""
    more = not ADDRESS_ON_THE_WEB.search(line) and _says_more(heading["rest"])
    if more and ":" in line:
        return ""
    return _without_page(line) if more else heading["kind"]


def _says_more(rest: str) -> bool:
    """Whether a heading has words beyond its kind and a label of a number that stands elsewhere."""
    rest = _SINCE.sub("", _without_page(rest))
    return len(re.sub(rf"{words.NUMBER_MARK}|[^\w]", "", rest, flags=re.IGNORECASE)) > 2


def _goes_on(lines: Sequence[str], kind: str, place: int) -> str:
    """What a heading of one word says in its next line ("über die Sitzung"), or the holdings it describes."""
    if not kind:
        return ""
    if _FINDING_AID.fullmatch(kind):
        return next((line for line in lines[:_HEADING_LINES] if _HOLDINGS.match(line)), "")
    below = next((line for line in lines[place + 1 : place + 3] if line), "")
    if not lines[place].casefold().endswith(kind.casefold()) or not _GOES_ON.match(below):
        return ""
    return _WHERE_AND_WHEN.sub("", below) if len(below) <= _LONGEST_HEADING else ""


def _over_salutation(lines: Sequence[str], salutation: int | None, senders: Collection[int]) -> str | None:
    """The subject of a letter stands over its salutation, parted from the address and date above it."""
    if not salutation:
        return None
    above = [index for index in range(max(0, salutation - 4), salutation) if lines[index]]
    line = lines[above[-1]] if above else ""
    if len(line) < 6 or line.endswith(":") or not re.search(r"[^\W\d_]{3}", line):
        return None
    match = _HEADING.match(line)
    if match and _refers_below_subject(lines, above[-1], match["rest"], senders):
        line = lines[above[-1] - 1]
    return None if above[-1] in senders or is_letterhead(line) or is_reference(line) else line


def _under_salutation(lines: Sequence[str], salutation: int | None) -> str | None:
    """In letters in English the subject may stand between the salutation and the first sentence."""
    if salutation is None or not _DEAR.match(lines[salutation]):
        return None
    below = [line for line in lines[salutation + 1 : salutation + 5] if line][:2]
    if len(below) < 2 or not all(line[0].isupper() for line in below) or not 6 <= len(below[0]) <= 80:
        return None
    return None if below[0][-1] in ".,;:!?-" or _FIRST_WORDS.match(below[0]) else below[0]


def _without_page(line: str) -> str:
    return re.sub(r"\s{0,3}(?<![\w])(?:seite|page|blatt)\s*:?\s*[0-9]+.*", "", line, flags=re.IGNORECASE)


def _clean(text: str) -> str:
    """One line without marks at its ends, cut between words."""
    text = unicodedata.normalize("NFC", clean_text(text, most=4 * MAX_LENGTH)).strip(" \t-–—_:;,|*#=~•●·")
    if len(text) <= MAX_LENGTH:
        return text
    cut = text[: MAX_LENGTH - 1]
    return (cut.rpartition(" ")[0] if " " in cut[MAX_LENGTH // 2 :] else cut).rstrip(" ,;:-") + "…"
