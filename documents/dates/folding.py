"""Text folded for matching: lower case, no accents, ASCII digits and dashes; and the way back to it."""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

# Combining marks (decomposed accents, voiced kana) and characters without width.
_INVISIBLE = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f"
    "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+"
)
_NOT_ASCII = re.compile("[^\x00-\x7f]+")
# "K o n t o a u s z u g": six single characters or more, a blank between each two; words are further apart.
_LETTERSPACED = re.compile(r"(?<!\S)\S(?: {1,4}\S(?!\S)){5,}")
# What must be somewhere in such a run; it begins with a plain character, so that it is looked for fast.
_SPACED_SOMEWHERE = re.compile(r" \S {1,4}\S {1,4}\S {1,4}\S(?!\S)")
_BLANKS = re.compile(" +")

_SPECIAL = {
    "ı": "i",
    "ł": "l",
    "ø": "o",
    "đ": "d",
    "’": "'",
    "‘": "'",
    "´": "'",
    "′": "'",
    "·": ".",
    "․": ".",
    "∙": ".",
    "⋅": ".",
    "‧": ".",
    "⁄": "/",
    "∕": "/",
    "−": "-",
    "﹣": "-",
    "ー": "ー",
    "\x85": "\n",
    "\u2028": "\n",
    "\u2029": "\n",
}


class _FoldTable(dict[int, str]):
    """One character to one character, worked out on first sight."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(chr(code))
        return folded


def _fold_character(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    category = unicodedata.category(character)
    if category == "Zs":
        return " "
    if category == "Pd":
        return "-"
    if category == "Nd":
        return str(unicodedata.digit(character))
    if "\uff01" <= character <= "\uff5e":  # full-width forms of ASCII
        return chr(ord(character) - 0xFEE0).lower()
    parts = unicodedata.normalize("NFD", character)
    if len(parts) > 1 and all(unicodedata.combining(mark) for mark in parts[1:]):
        return _SPECIAL.get(parts[0], parts[0])
    return parts if len(parts) == 1 else character


_TABLE = _FoldTable()


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Where characters were taken out: from `positions[i]` on, the source is `shifts[i]` further."""

    positions: tuple[int, ...]
    shifts: tuple[int, ...]

    def origin(self, position: int) -> int:
        index = bisect_right(self.positions, position)
        return position + (self.shifts[index - 1] if index else 0)


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text; `origin` turns a position in it into the position in the source."""

    text: str
    cuts: tuple[_Cuts, ...] = ()

    def origin(self, position: int) -> int:
        """Return the offset in the source text of an offset in the folded text."""
        for cuts in reversed(self.cuts):
            position = cuts.origin(position)
        return position


def fold(text: str) -> Folded:
    """Fold `text` for matching, in linear time; lines and pages (form feeds) stay."""
    cuts: list[_Cuts] = []
    if not text.isascii() and _INVISIBLE.search("".join(set(_NOT_ASCII.findall(text)))):
        text, removed = _cut(text, [match.span() for match in _INVISIBLE.finditer(text)])
        cuts.append(removed)
    # "İ".lower() is two characters; a lone carriage return ends a line.
    text = text.replace("İ", "i").lower().replace("\r\n", " \n").replace("\r", "\n").replace("\v", "\n")
    if not text.isascii():
        text = _NOT_ASCII.sub(lambda match: match[0].translate(_TABLE), text)
    if _SPACED_SOMEWHERE.search(text):
        text, removed = _cut(text, [gap for match in _LETTERSPACED.finditer(text) for gap in _gaps(match)])
        cuts.append(removed)
    return Folded(text, tuple(cuts))


def fold_word(word: str) -> str:
    """Fold one word or phrase of a table the way text is folded."""
    return _INVISIBLE.sub("", fold(word).text)


def _gaps(run: re.Match[str]) -> list[tuple[int, int]]:
    """The blanks to take out of a letter-spaced run: all of a single one, all but one of a wide one."""
    gaps = []
    for match in _BLANKS.finditer(run[0]):
        start, end = match.span()
        gaps.append((run.start() + start, run.start() + end - (1 if end - start > 1 else 0)))
    return gaps


def _cut(text: str, spans: list[tuple[int, int]]) -> tuple[str, _Cuts]:
    pieces, positions, shifts = [], [], []
    done = shift = 0
    for start, end in spans:
        pieces.append(text[done:start])
        shift += end - start
        positions.append(end - shift)
        shifts.append(shift)
        done = end
    pieces.append(text[done:])
    return "".join(pieces), _Cuts(tuple(positions), tuple(shifts))
