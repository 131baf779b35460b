"""How text becomes words that can be compared (pure). Index, queries and highlights all go through here.

A word is a run of letters and digits: lower case, ß as ss, accents and umlauts dropped. Scripts that put no
blanks between words (Chinese, Japanese, Korean, Thai) give one word a character; a phrase finds them again.
The few letters that have no decomposition (ø, ł, æ) are left to PostgreSQL's `unaccent`, on both sides.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

#: Characters; PostgreSQL leaves out words of more than 2,046 bytes.
MAX_WORD = 255

_MARKS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
_HIDDEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]+")
# "Rech-\nnung" is one word, "Kauf- \nund Mietvertrag" are three.
_HYPHENATED = re.compile(r"(?<=[^\W\d_])-[ \t]*\r?\n[ \t]*(?!(?:und|oder|bzw|and|or)\b)(?=[^\W\d_])")
_GAPS = re.compile(r"[\W_]+")
_WITH_MARKS = re.compile(f"[^\\W_](?:[^\\W_]|{_MARKS.pattern})*")
_UNSPACED_CLASS = (
    "\u0e00-\u0eff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED = re.compile(f"([{_UNSPACED_CLASS}])")
_PIECES = re.compile(f"[{_UNSPACED_CLASS}]|[^{_UNSPACED_CLASS}]+")
# PostgreSQL's parser reads 8e03ey as the number 8e03 and a word: parted here, both sides agree on it.
_EXPONENT = re.compile(r"(?<!\S)(\d+e\d++)(?=\S)")
_EXPONENT_LIKE = re.compile(r"\de\d")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a text: where it stands there (characters), and what it is compared as."""

    start: int
    end: int
    folded: str


def fold(text: str) -> str:
    """Return the words of `text` as they are compared, with one blank between them.

    A word that was hyphenated at the end of a line is joined. Folding twice changes nothing.
    """
    joined = _HYPHENATED.sub("", _HIDDEN.sub("", text))
    if joined.isascii():
        return _part_exponents(_GAPS.sub(" ", joined).lower())
    # Marks first and by themselves, so that a bare accent does not part a word; symbols before compatibility
    # forms, so that "Archiv™" does not become one word with "tm".
    plain = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", joined)))
    spaced = _GAPS.sub(" ", plain)
    folded = _casefold(spaced)
    return _part_exponents(_UNSPACED.sub(r" \1 ", _GAPS.sub(" ", folded)))


def _part_exponents(text: str) -> str:
    words = " ".join(text.split())
    while _EXPONENT_LIKE.search(words):
        changed = _EXPONENT.sub(r"\1 ", words)
        if changed == words:
            break
        words = changed
    return " ".join(word[:MAX_WORD] for word in words.split(" ")) if len(words) > MAX_WORD else words


def fold_words(text: str) -> tuple[str, ...]:
    """Return the words of `text` as they are compared."""
    if text.isascii() and text.isalpha():  # most words, and the rest would do nothing more
        return (text.lower()[:MAX_WORD],)
    return tuple(fold(text).split())


def find_words(text: str) -> Iterator[Word]:
    """Yield the words of `text` in order, with their places, for marking them."""
    for match in _WITH_MARKS.finditer(text):
        for start, piece in _pieces(match.start(), match.group()):
            for folded in _fold_piece(piece):
                yield Word(start, start + len(piece), folded)


def _pieces(start: int, run: str) -> Iterable[tuple[int, str]]:
    """Part a run of letters at the characters of scripts without blanks."""
    if run.isascii():
        return ((start, run),)
    return ((start + piece.start(), piece.group()) for piece in _PIECES.finditer(run))


#: The same words come again and again.
_fold_piece = lru_cache(maxsize=8192)(fold_words)


def _casefold(text: str) -> str:
    # Twice: some letters decompose only once they are lower case, and some forms have capitals within.
    once = unicodedata.normalize("NFKC", text).casefold()
    twice = unicodedata.normalize("NFKC", once).casefold()
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", twice)))
