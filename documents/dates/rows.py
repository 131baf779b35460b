"""Rows of tables: which label of the header row a value belongs to, and which lines are rows."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from documents.dates.labels import Label, find_labels
from documents.dates.lines import Lines

_ROW_INDENT = 12  # characters before the date of a table's row
_LONGEST_ROW = 5  # lines
_FEWEST_ROWS = 3
_FARTHEST = 12  # characters between the middles of a label and its value
_COLUMN_GAP = re.compile(r" {2,}|\t| ?\| ?")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Place:
    """A date in its line: offsets within the line."""

    line: int
    start: int
    end: int


def find_rows(
    lines: Lines, is_alone: Callable[[Place], bool], dated: Mapping[int, Sequence[Place]]
) -> set[int]:
    """Return the lines that begin with a date and go on, three or more close together: a table's rows."""
    rows: set[int] = set()
    run: list[int] = []
    for number in [*sorted(dated), -1]:
        first = dated[number][0] if number >= 0 else None
        starts = (
            first is not None
            and first.start < _ROW_INDENT
            and not is_alone(first)
            and not _LETTER.search(lines.line(number)[: first.start])
        )
        if run and not (starts and _is_one_table(lines, run[-1], number)):
            if len(run) >= _FEWEST_ROWS:
                rows.update(run)
            run = []
        if starts:
            run.append(number)
    return rows


def _is_one_table(lines: Lines, row: int, following: int) -> bool:
    """Whether no gap and no header row parts two rows; a row may go on over some lines."""
    if following - row > _LONGEST_ROW:
        return False
    between = [lines.line(number) for number in range(row + 1, following)]
    return all(line.strip() and len(find_labels(line)) < 2 for line in between)


def label_of_column(header: str, line: str, place: Place, labels: Sequence[Label]) -> Label | None:
    """Return the label of the date's column, where columns are set apart by more than one blank."""
    if not (_COLUMN_GAP.search(header.strip()) and _COLUMN_GAP.search(line.strip())):
        return None
    cells, values = _cells(header), _cells(line)
    if len(cells) == len(values):
        index = next((i for i, (start, end) in enumerate(values) if start <= place.start < end), None)
        if index is not None:
            start, end = cells[index]
            return next((label for label in labels if start <= label.start < end), None)
    middle = (place.start + place.end) / 2
    nearest = min(labels, key=lambda label: abs((label.start + label.end) / 2 - middle))
    return nearest if abs((nearest.start + nearest.end) / 2 - middle) <= _FARTHEST else None


def _cells(line: str) -> list[tuple[int, int]]:
    cells, at = [], 0
    for gap in _COLUMN_GAP.finditer(line):
        if line[at : gap.start()].strip():
            cells.append((at, gap.start()))
        at = gap.end()
    if line[at:].strip():
        cells.append((at, len(line)))
    return cells


def label_of_word(
    header: str, line: str, place: Place, places: Sequence[Place], dates: Sequence[Label]
) -> Label | None:
    """Return the label that stands as many words into the header row as the date into its row.

    The row may have more words (a reader tore the last labels off), if dates stand below labels of dates and
    nothing else does.
    """
    words, values = header.split(), line.split()
    by_word = {len(header[: label.start].split()): label for label in dates}
    dated = {len(line[: other.start].split()) for other in places}
    if len(words) < len(values):
        fits = all((word in by_word) == (word in dated) for word in range(len(words)))
        if not fits:
            return None
    elif len(words) > len(values):
        return None
    return by_word.get(len(line[: place.start].split()))
