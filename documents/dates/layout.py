"""Labels that do not stand on the date's own line: above it, in a header row, in a block of labels."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from documents.dates.kinds import Kind
from documents.dates.labels import Label, find_labels, label_before
from documents.dates.lines import Lines
from documents.dates.phrases import any_of

# What a label has that asks for a date, other than a "Lieferung" or "Rechnung" that may ask for anything.
_DATE_WORD = re.compile(
    any_of(r"""
    dat(?:um|e|a|\.) tag\b fecha tarih дата kuupaev kelt issued ausgestellt fallig due splatnost 日 termin
    frist
    echeance scadenza vencimiento vencimento
""")
)
_CONNECTOR = re.compile(any_of("vom of dated du del от від le den") + r"\s*$")
_NUMBER_LABEL = re.compile(r"(?:nr|nummer|number|no)\b")
_MEANING = re.compile(r"[^\W_]")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"[0-9]")
_NUMBER = re.compile(r"[0-9]{3}")
_COLUMN_GAP = re.compile(r" {2,}|\t| ?\| ?")
_LONGEST_LABEL_LINE = 48
_LONGEST_BLOCK = 8
_HEAD_MARGIN = 6  # blank lines at most over a page's first line
_ROW_INDENT = 12  # characters before the date of a table's row
_LONGEST_ROW = 5  # lines
_FEWEST_ROWS = 3
_POSSESSIVE = 5  # characters of an "Ihre" beside a label that is a line of its own
_LABELS_TO_SPARE = 2  # labels left empty, in a block torn apart


@dataclass(frozen=True, slots=True)
class Place:
    """A date in its line: offsets within the line."""

    line: int
    start: int
    end: int


class Layout:
    """Tells which label above belongs to a date; `dated` are the lines that hold dates, with their places."""

    def __init__(self, lines: Lines, dated: dict[int, list[Place]]) -> None:
        """Take the lines and all dates in them by line."""
        self._lines = lines
        self._dated = dated

    def label_above(self, place: Place) -> Label | None:
        """Return the label in the line above, in the header row, or in the block of labels above."""
        return self._directly_above(place) or (self._torn.get(place.line) if self.is_alone(place) else None)

    def _directly_above(self, place: Place) -> Label | None:
        header = self.previous_line(place.line)
        if header is None or header in self._dated:
            return self._in_block(place)
        text = self._lines.line(header)
        if self.is_alone(place) and _CONNECTOR.search(text):
            return label_before(text + " ", 45)
        return self._in_block(place) or self._in_row(text, place)

    def is_alone(self, place: Place) -> bool:
        """Whether the line holds this date and nothing else that means anything."""
        line = self._lines.line(place.line)
        return not _MEANING.search(line[: place.start] + line[place.end :])

    def previous_line(self, line: int) -> int | None:
        """Return the number of the line above that is not blank, at most two up, on the same page."""
        page = self._lines.page_at(self._lines.start_of(line))
        for above in (line - 1, line - 2):
            if above < 0 or self._lines.page_at(self._lines.start_of(above)) != page:
                return None
            if self._lines.line(above).strip():
                return above
        return None

    @cached_property
    def _torn(self) -> dict[int, Label]:
        """Labels of lone dates where a reader tore labels and values apart: the k-th is the k-th date's."""
        result: dict[int, Label] = {}
        labels: list[Label] = []
        dates: list[int] = []
        for line in [*range(self._lines.count), -1]:
            alone = (
                line in self._dated and len(self._dated[line]) == 1 and self.is_alone(self._dated[line][0])
            )
            label = None if alone or line < 0 else self._date_label_line(line)
            if (label or line < 0) and dates:
                if 0 <= len(labels) - len(dates) <= _LABELS_TO_SPARE:
                    result.update(zip(dates, labels, strict=False))
                labels, dates = [], []
            if label:
                labels.append(label)
            elif alone:
                dates.append(line)
        return result

    def _date_label_line(self, line: int) -> Label | None:
        text = self._lines.line(line)
        if len(text) > _LONGEST_LABEL_LINE or not _DATE_WORD.search(text):
            return None
        label = self._label_line(line)
        return label if label and _DATE_WORD.search(label.text) else None

    def is_page_top(self, line: int) -> bool:
        """Whether a line, not the only one, has nothing but blank lines above it on its page."""
        page = self._lines.page_at(self._lines.start_of(line))
        for above in range(line - 1, max(-1, line - _HEAD_MARGIN), -1):
            if self._lines.page_at(self._lines.start_of(above)) != page:
                return True
            if self._lines.line(above).strip():
                return False
        return line < _HEAD_MARGIN and self._lines.count > 1

    def _in_row(self, header: str, place: Place) -> Label | None:
        labels = [label for label in find_labels(header) if not label.names_number]
        if not labels or _NUMBER.search(header):
            return None
        places = self._dated[place.line]
        index = places.index(place)
        dates = [label for label in labels if _DATE_WORD.search(label.text)]
        line = self._lines.line(place.line)
        if self.is_alone(place) and len(header.strip()) <= _LONGEST_LABEL_LINE and len(labels) == 1:
            lone = len(header.strip(" :")) - len(labels[0].text) <= _POSSESSIVE
            return labels[0] if dates or lone else None
        if len(dates) > 1 and (columns := _by_column(header, line, place, dates)):
            return columns
        if dates and len(dates) == len(places):
            return dates[index]
        if len(header.split()) == len(line.split()):
            word = len(line[: place.start].split())
            return next((label for label in dates if len(header[: label.start].split()) == word), None)
        return None

    def _in_block(self, place: Place) -> Label | None:
        """In a block of n labels over a block of n values, the k-th label is the k-th value's."""
        first = place.line
        while place.line - first < _LONGEST_BLOCK and self._is_value(first - 1):
            first -= 1
        last = place.line
        while last - place.line < _LONGEST_BLOCK and self._is_value(last + 1):
            last += 1
        labels: list[tuple[int, Label]] = []
        above = first - 1
        while first - above <= _LONGEST_BLOCK and (label := self._label_line(above)):
            labels.append((above, label))
            above -= 1
        labels.reverse()
        if len(labels) < 2:
            return None
        if any(self._lines.line(line).rstrip().endswith(":") for line, _ in labels):
            labels = [
                (line, label) for line, label in labels if self._lines.line(line).rstrip().endswith(":")
            ]
        values = last - first + 1
        if 0 <= len(labels) - values <= 2:  # headings may stand over the labels
            label = labels[len(labels) - values + place.line - first][1]
            if label.kind is not Kind.NUMBER:
                return label
        dated = [label for _, label in labels if _DATE_WORD.search(label.text)]
        dates = [line for line in range(first, last + 1) if line in self._dated]
        if len(dated) == len(dates):
            return dated[dates.index(place.line)]
        return None

    def _is_value(self, line: int) -> bool:
        text = self._lines.line(line).strip()
        return (
            bool(text)
            and len(text) <= _LONGEST_LABEL_LINE
            and not text.endswith(":")
            and (line in self._dated or not self._label_line(line))
        )

    def _label_line(self, line: int) -> Label | None:
        """A line that is nothing but a label, of any sort."""
        text = self._lines.line(line).strip()
        if not text or len(text) > _LONGEST_LABEL_LINE or line in self._dated or _DIGIT.search(text):
            return None
        labels = find_labels(text)
        if labels and (text.endswith(":") or len(text) - (labels[-1].end - labels[0].start) <= 16):
            return labels[-1]
        if text.endswith(":") or _NUMBER_LABEL.search(text):
            return Label(Kind.NUMBER, 0, len(text), text)
        return None


def find_rows(lines: Lines, layout: Layout, dated: Mapping[int, Sequence[Place]]) -> set[int]:
    """Return the lines that begin with a date and go on, three or more close together: a table's rows."""
    rows: set[int] = set()
    run: list[int] = []
    for number in [*sorted(dated), -1]:
        first = dated[number][0] if number >= 0 else None
        starts = (
            first is not None
            and first.start < _ROW_INDENT
            and not layout.is_alone(first)
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


def _by_column(header: str, line: str, place: Place, labels: Sequence[Label]) -> Label | None:
    """The label whose column overlaps the date's, where columns are set apart by more than one blank."""
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
    return nearest if abs((nearest.start + nearest.end) / 2 - middle) <= 12 else None


def _cells(line: str) -> list[tuple[int, int]]:
    cells, at = [], 0
    for gap in _COLUMN_GAP.finditer(line):
        if line[at : gap.start()].strip():
            cells.append((at, gap.start()))
        at = gap.end()
    if line[at:].strip():
        cells.append((at, len(line)))
    return cells
