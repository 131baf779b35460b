"""How wrong a reading is: edits from what was read to what is true, over the length of what is true."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def character_errors(read: str, true: str) -> tuple[int, int]:
    """Edits of characters, and characters; blanks and line ends count as one blank."""
    return _edits(" ".join(read.split()), " ".join(true.split())), len(" ".join(true.split()))


def word_errors(read: str, true: str) -> tuple[int, int]:
    """Edits of words, and words."""
    return _edits(read.split(), true.split()), len(true.split())


def _edits(read: Sequence[Hashable], true: Sequence[Hashable]) -> int:
    """Levenshtein's distance, all rows of a column at once in one number (Hyyrö 2001)."""
    if not true:
        return len(read)
    places: dict[Hashable, int] = {}
    for place, one in enumerate(true):
        places[one] = places.get(one, 0) | 1 << place
    all_rows, last = (1 << len(true)) - 1, 1 << (len(true) - 1)
    up, down, distance = all_rows, 0, len(true)
    for one in read:
        same = places.get(one, 0)
        diagonal = (((same & up) + up) ^ up) | same | down
        right, left = down | ~(diagonal | up) & all_rows, up & diagonal
        distance += bool(right & last) - bool(left & last)
        right, left = (right << 1 | 1) & all_rows, (left << 1) & all_rows
        up, down = left | ~(diagonal | right) & all_rows, right & diagonal
    return distance
