"""Labels that do not stand on the date's own line: above it, in a header row, in a block of labels."""

import re
from collections.abc import Mapping
from functools import cached_property

from documents.dates.kinds import Kind
from documents.dates.labels import Label, find_labels, label_before
from documents.dates.lines import Lines
from documents.dates.phrases import any_of
from documents.dates.rows import Place, label_of_column, label_of_word

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
_DIGIT = re.compile(r"[0-9]")
_NUMBER = re.compile(r"[0-9]{3}")
_LONGEST_LABEL_LINE = 48
_LONGEST_BLOCK = 8
_HEAD_MARGIN = 6  # blank lines at most over a page's first line
_POSSESSIVE = 5  # characters of an "Ihre" beside a label that is a line of its own
_LABELS_TO_SPARE = 2  # labels left empty, in a block torn apart


class Layout:
    """Tells which label above belongs to a date; `dated` are the lines that hold dates, with their places."""

    def __init__(self, lines: Lines, dated: Mapping[int, list[Place]]) -> None:
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
        if len(dates) > 1 and (found := label_of_column(header, line, place, dates)):
            return found
        if dates and len(dates) == len(places):
            return dates[index]
        return label_of_word(header, line, place, places, dates)

    def _in_block(self, place: Place) -> Label | None:
        """In a block of n labels over a block of n values, the k-th label is the k-th value's."""
        if len(self._dated[place.line]) > 1:
            return None
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
