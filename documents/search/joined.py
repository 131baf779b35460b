"""What is written in pieces and looked for as one word, or the other way round (pure).

`2025-05379`, `H52.1`, `12.500,00`, `Hausrat-Versicherung`, and numbers in groups, as an IBAN is. Their pieces
are words of the text; the index has them joined besides, behind all other words.
"""

import re
from collections.abc import Iterator

from documents.search.words import fold

#: Characters of a joined word, and joined words of one text: a table of numbers is not all one number.
MAX_JOINED = 40
MAX_RUNS = 50_000

# Each begins at the beginning of a word and gives nothing back, so that a text without blanks costs no more.
_BEGIN, _END, _BLANK = r"(?<![^\W_])", r"(?![^\W_])", "[ \u00a0\u202f]"
# Pieces with one mark and no blank between them.
_MARKED = re.compile(rf"{_BEGIN}[^\W_]++(?:[-–./:,_'’+&@][^\W_]++)++")
# Groups of digits, as in a telephone number; before the first there may be the letters of a country.
_GROUPED = re.compile(
    rf"{_BEGIN}(?:[A-Za-z]{{2}}\d{{2}}|\d{{2,30}}+)(?:{_BLANK}\d{{2,4}}{_END}){{1,9}}+(?:{_BLANK}\d{{1,2}}{_END})?"
)
# An IBAN may have letters behind its first four characters.
_IBAN = re.compile(
    rf"{_BEGIN}[A-Za-z]{{2}}\d{{2}}(?:{_BLANK}[A-Za-z0-9]{{4}}){{3,7}}(?:{_BLANK}[A-Za-z0-9]{{1,3}})?{_END}"
)
_PIECES = re.compile(r"[\W_]+")


def find_joined(text: str) -> Iterator[str]:
    """Yield, folded and as one word, what is written in pieces; the same may come again."""
    found = 0
    for pattern in (_MARKED, _IBAN, _GROUPED):
        for match in pattern.finditer(text):
            joined = join(match.group())
            if joined:
                yield joined
                found += 1
            if found >= MAX_RUNS:
                return


def join(text: str) -> str:
    """Return the pieces of `text` as one folded word; empty if that would be too long, or is none."""
    pieces = _PIECES.sub("", text[: 3 * MAX_JOINED])
    joined = fold(pieces) if len(pieces) <= MAX_JOINED else ""
    return joined if len(joined) <= MAX_JOINED and " " not in joined else ""


def is_grouped(text: str) -> bool:
    """Return whether all of `text` is digits in groups, as telephone numbers are written."""
    return bool(_GROUPED.fullmatch(text))


def is_iban(text: str) -> bool:
    """Return whether all of `text` looks like an IBAN with blanks."""
    return bool(_IBAN.fullmatch(text))


def fold_for_index(text: str) -> str:
    """Return the words of `text`, and behind two blanks each joined word that is not among them."""
    words = fold(text)
    joined = sorted(set(find_joined(text)) - set(words.split()))
    return f"{words}  {'  '.join(joined)}" if joined else words
