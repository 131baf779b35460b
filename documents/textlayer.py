"""Judge the text layer of one page: can it be used, repaired, or must the page be read by OCR?

A page is judged alone, never a whole file: fifty characters somewhere say nothing about page two.
Every judgement carries its reasons, so that a person can see why a page was read the way it was.
"""

from __future__ import annotations

import re
import statistics
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

MEANINGLESS_SHARE = 0.05
"""Above this share of characters without a meaning the font has no usable mapping."""

READABLE_SHARE = 0.4
"""Below this share of letters and digits a text of some length is noise."""

FEW_LETTERS = 60
"""A page covered by a picture with fewer letters than this is a scan with a stamp or a page number."""

PICTURE_SHARE = 0.6
"""From this share of its area on, a page is covered by pictures."""

VOWEL_SHARE = 0.2
"""Languages in Latin letters have a third and more vowels; fonts with a shifted mapping have fewer."""


_JUDGED = 50_000
"""Characters of a page that are looked at: a page is as good as its beginning."""

# Controls but tab and line feed, surrogates, noncharacters, soft hyphens, marks of the byte order.
_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\ud800-\udfff\ufeff\ufffe\uffff]")


class Verdict(Enum):
    """What to do with a page's text layer."""

    GOOD = "good"
    LETTERSPACED = "letterspaced"  # good once the blanks between its letters are closed
    POOR = "poor"  # there is text, but OCR will read better
    EMPTY = "empty"  # there is none


@dataclass(frozen=True)
class Judgement:
    """A verdict and why; a good layer needs no reasons."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Glyph:
    """One visible character and where it stands, in any unit; `line` numbers the lines of text."""

    character: str
    left: float
    right: float
    height: float
    line: int


def judge(text: str, *, picture_share: float = 0.0) -> Judgement:
    """Judge the text layer of one page, as extracted; `picture_share` (0-1) is covered by pictures.

    Blanks and form feeds are no text. That the file says it is tagged, or born digital, is no
    evidence either: scanners write both.
    """
    text = text[:_JUDGED]
    counts = Counter(_without_leaders(text))  # of each character once: a page has thousands of a hundred
    visible = sum(often for character, often in counts.items() if not character.isspace())
    letters = sum(often for character, often in counts.items() if character.isalpha())
    digits = sum(often for character, often in counts.items() if character.isdigit())
    meaningless = sum(often for character, often in counts.items() if is_meaningless(character))
    if not letters and not digits and not meaningless:
        return Judgement(Verdict.EMPTY, ("no letters and no digits",))
    reasons = []
    if meaningless > MEANINGLESS_SHARE * visible:
        reasons.append(f"{meaningless / visible:.0%} of the characters have no meaning")
    if visible >= 20 and letters + digits < READABLE_SHARE * visible:
        reasons.append(f"only {(letters + digits) / visible:.0%} letters and digits")
    if picture_share >= PICTURE_SHARE and letters < FEW_LETTERS:
        reasons.append(f"pictures cover {picture_share:.0%} of the page, the text has {letters} letters")
    if _lacks_vowels(text):
        reasons.append("hardly any vowels: the font's mapping is wrong")
    if reasons:
        return Judgement(Verdict.POOR, tuple(reasons))
    if spaced := _letterspacing(text):
        return Judgement(Verdict.LETTERSPACED, (f"{spaced:.0%} of the words have one letter",))
    return Judgement(Verdict.GOOD)


def is_meaningless(character: str) -> bool:
    """Private use, replacement, noncharacter or control: nothing a person could read or search."""
    return character == "\ufffd" or (
        unicodedata.category(character) in ("Co", "Cc", "Cn", "Cs") and not character.isspace()
    )


def clean(text: str, limit: int) -> str:
    """Text fit for the database and for people: no NUL, controls or surrogates, at most `limit` characters.

    Line ends are line feeds; a line's trailing blanks go; soft hyphens go, at a line's end together
    with the break, so that the word can be found. PDFium writes U+0002 or U+FFFE for those.
    """
    text = text[: limit * 2].replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    text = re.sub(r"[\u00ad\u0002\ufffe][ \t]*\n?(?=\w)", "", text)
    text = _UNFIT.sub("", text)
    text = re.sub(r"[ \t]+(?=\n|$)", "", text)
    return text.strip("\n")[:limit].rstrip(" \t\n")


def close_gaps(glyphs: Sequence[Glyph]) -> str:
    """The text of letterspaced glyphs, in reading order: letters joined, words apart.

    The gap inside a word is the usual one of the line; a gap clearly wider separates words.
    """
    lines: dict[int, list[Glyph]] = {}
    for glyph in glyphs:
        lines.setdefault(glyph.line, []).append(glyph)
    return "\n".join(_close_line(line) for line in lines.values())


def _close_line(line: Sequence[Glyph]) -> str:
    gaps = [after.left - before.right for before, after in pairwise(line)]
    if not gaps:
        return "".join(glyph.character for glyph in line)
    height = statistics.median(glyph.height for glyph in line) or 1.0
    inside = statistics.median(gaps)
    # Ordinary type has next to no gap inside a word: then a fifth of the height parts two words.
    wide = max(inside * 1.6, inside + height * 0.2)
    words = [line[0].character]
    for gap, glyph in zip(gaps, line[1:], strict=True):
        apart = gap > wide or gap < -height  # or back to the left
        words.append(" " + glyph.character if apart else glyph.character)
    return "".join(words)


def _letterspacing(text: str) -> float:
    """The share of one-letter words among words of letters; 0 where that is nothing unusual."""
    words = [word for word in text.split() if word.isalpha()]
    single = sum(len(word) == 1 for word in words)
    # Scripts without blanks between words write single signs as words of their own.
    latin = sum(word < "\u0250" for word in words)
    if single < 8 or single < 0.5 * len(words) or latin < 0.5 * len(words):
        return 0.0
    return single / len(words)


def _lacks_vowels(text: str) -> bool:
    words = "".join(re.findall(r"[^\W\d_]{3,}", text))
    counts = Counter(unicodedata.normalize("NFD", words.lower()))
    letters = sum(counts[letter] for letter in string.ascii_lowercase)
    vowels = sum(counts[letter] for letter in "aeiouy")
    return letters >= FEW_LETTERS and vowels < VOWEL_SHARE * letters


def _without_leaders(text: str) -> str:
    """Rows of dots or lines, as between a chapter and its page number, count as one character."""
    return re.sub(r"([^\w\s])(?:\s*\1){3,}", r"\1", text)
