"""The boxes of words: packed to be kept, and put into rows.

Tesseract reads column by column, so that in a form labels and values come apart. Beside its reading order the
words are put into rows as a person sees them; what is wide apart in a row is set apart by blanks.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import astuple
from itertools import pairwise
from statistics import median

from documents.ocr.words import Boxes, Sheet, Word

_MOST_BYTES = 16 << 20
_GAP = "   "


def pack(boxes: Boxes) -> bytes:
    """The boxes as few bytes; a page of 500 words takes some 8 kB."""
    rows = [[word.text, round(word.confidence * 100), *astuple(word)[2:]] for word in boxes.words]
    written = {"sheet": astuple(boxes.sheet), "words": rows}
    return zlib.compress(json.dumps(written, ensure_ascii=False, separators=(",", ":")).encode(), 6)


def unpack(packed: bytes) -> Boxes:
    """What was packed; ValueError for anything else."""
    inflater = zlib.decompressobj()
    try:
        written = json.loads(inflater.decompress(packed, _MOST_BYTES))
        words = tuple(Word(text, sure / 100, *rest) for text, sure, *rest in written["words"])
        return Boxes(Sheet(*written["sheet"]), words)
    except (zlib.error, KeyError, TypeError) as error:
        raise ValueError(f"no boxes: {error}") from error


def rows_text(words: Sequence[Word]) -> str:
    """The words row by row, from left to right; three blanks or more between columns."""
    lines: list[str] = []
    below: float | None = None
    for row in _rows(words):
        height = median(word.bottom - word.top for word in row)
        top = min(word.top for word in row)
        if below is not None and top - below > 1.5 * height:
            lines.append("")
        lines.append(_line(sorted(row, key=lambda word: word.left), height))
        below = max(word.bottom for word in row)
    return "\n".join(lines)


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    rows: list[list[Word]] = []
    middle = reach = 0.0
    for word in sorted(words, key=lambda word: word.top + word.bottom):
        centre, height = (word.top + word.bottom) / 2, word.bottom - word.top
        if rows and centre - middle <= 0.5 * min(reach, height) + 1:
            row = rows[-1]
            row.append(word)
            middle += (centre - middle) / len(row)
            reach = max(reach, height)
        else:
            rows.append([word])
            middle, reach = centre, height
    return rows


def _line(row: Sequence[Word], height: float) -> str:
    parts = [row[0].text]
    for before, word in pairwise(row):
        parts.append(_GAP if word.left - before.right > 1.2 * height else " ")
        parts.append(word.text)
    return "".join(parts)
