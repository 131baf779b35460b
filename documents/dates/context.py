"""What each date in a text is the date of: its label, its span, its place on the page."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from documents.dates import surroundings
from documents.dates.kinds import POINTS, Kind
from documents.dates.labels import Label, connects, find_labels, label_at, label_before
from documents.dates.layout import Layout
from documents.dates.lines import Lines
from documents.dates.papers import is_invitation, kind_in_paper, own_kind
from documents.dates.rows import Place, find_rows
from documents.dates.spans import before_open_span, is_list, is_span
from documents.dates.written import Trait, Written

_REACH = 48  # characters between a label and its date
_REACH_IN_ROW = 160  # the same on a page read by OCR, where a row may be torn wide
_BEFORE_SPAN = 80  # characters looked at for the beginning of a span

_WORD = re.compile(r"[^\W\d_]{3}")
_VALUE = re.compile(r"[0-9:]")

_NEVER = {kind for kind, points in POINTS.items() if points <= 0} - {Kind.DUE}
# Dates of these come in lists: what holds for the first holds for all.
_LISTED = _NEVER | {Kind.DUE, Kind.APPOINTMENT, Kind.DELIVERY, Kind.SERVICE, Kind.PERIOD, Kind.PAYMENT}
# Words that begin something else when they follow a date.
_NOT_AFTER = {Kind.DOCUMENT, Kind.OTHER, Kind.AS_OF, Kind.CONTRACT, Kind.DATED}
_NO_SECTION = {Kind.DOCUMENT, Kind.CONTRACT, Kind.ISSUED, Kind.NUMBER}


@dataclass(frozen=True, slots=True)
class Mention:
    """A possible date of the text with what its surroundings make of it.

    `above`: the label is not on the date's line; `alone`: nothing else is; `in_town`: only a town is;
    `introduced`: an "am" or the like stands before it.
    """

    written: Written
    kind: Kind
    label: Label | None
    line: int
    page: int
    alone: bool = False
    in_town: bool = False
    introduced: bool = False
    above: bool = False


class Context:
    """The dates of one text among its lines."""

    def __init__(self, lines: Lines, found: Sequence[Written], pages_by_ocr: Collection[int]) -> None:
        """Take the lines and everything found in them in order of place, impossible dates included."""
        self._lines = lines
        self._found = found
        self._by_ocr = pages_by_ocr
        self._places = [self._place(written) for written in found]
        self._dated: dict[int, list[Place]] = defaultdict(list)
        for place in self._places:
            self._dated[place.line].append(place)
        self._layout = Layout(lines, dict(self._dated))
        self._rows = find_rows(lines, self._layout.is_alone, self._dated)
        self._own = own_kind(lines)
        self._invites = is_invitation(lines)

    def mentions(self) -> list[Mention]:
        """Return what every date is the date of, in order of place."""
        result: list[Mention] = []
        for index, written in enumerate(self._found):
            place = self._places[index]
            if not place.start and place.line in self._rows:
                result.append(self._in_company(index, self._of_row(index), result))
                continue
            label, above = self._label(index)
            kind = kind_in_paper(label, self._own) if label else self._kind_of_place(index)
            line = self._lines.line(place.line)
            mention = Mention(
                written,
                kind,
                label,
                place.line,
                self._lines.page_at(written.start),
                above=above,
                alone=self._layout.is_alone(place),
                introduced=connects(line[: place.start]),
                in_town=surroundings.is_town(line[: place.start], line[place.end :]),
            )
            result.append(self._in_company(index, mention, result))
        return result

    def _of_row(self, index: int) -> Mention:
        """The mention of a date that begins a table's row: no label can stand before it or above."""
        written, line = self._found[index], self._places[index].line
        label = self._label_after(index)
        kind = kind_in_paper(label, self._own) if label else Kind.ROW
        return Mention(written, kind, label, line, self._lines.page_at(written.start))

    def _in_company(self, index: int, mention: Mention, before: list[Mention]) -> Mention:
        """The mention as the end of a span or as one of a list; the beginning of its span is changed too."""
        former = before[-1] if before else None
        ends = (self._found[index - 1].end if index else 0, mention.written.start)
        if former and is_span(self._lines.text, *ends):
            if former.kind not in _NEVER:
                before[-1] = former = replace(former, kind=Kind.PERIOD)
            return replace(mention, kind=_kind_of_span(former.kind, mention.kind))
        opening = self._before_open_span(index)
        if opening is not None:
            label = label_before(opening, _REACH)
            return replace(mention, kind=_kind_of_span(label.kind if label else mention.kind, mention.kind))
        if (
            former
            and mention.kind is Kind.UNLABELLED
            and former.kind in _LISTED
            and is_list(self._lines.text, *ends)
        ):
            return replace(mention, kind=former.kind, label=former.label)
        return mention

    def _before_open_span(self, index: int) -> str | None:
        place, written = self._places[index], self._found[index]
        if not place.start:
            return None
        before = self._lines.line(place.line)[max(0, place.start - _BEFORE_SPAN) : place.start]
        if Trait.RANGE_END in written.traits:
            return before
        named = bool(_WORD.search(self._lines.text[written.start : written.end]))
        return before_open_span(before, named=named)

    def _place(self, written: Written) -> Place:
        line = self._lines.line_at(written.start)
        start = self._lines.start_of(line)
        return Place(line, written.start - start, written.end - start)

    def _before(self, index: int) -> str:
        """The part of the line between the former date and this one, without a weekday at its end."""
        place = self._places[index]
        former = self._places[index - 1] if index else None
        begin = former.end if former and former.line == place.line else 0
        return surroundings.without_weekday(self._lines.line(place.line)[begin : place.start])

    def _after(self, index: int) -> str:
        place = self._places[index]
        end = self._places[index + 1].start if self._another_follows(index) else None
        return self._lines.line(place.line)[place.end : end]

    def _another_follows(self, index: int) -> bool:
        """Whether the line has a further date."""
        return index + 1 < len(self._places) and self._places[index + 1].line == self._places[index].line

    def _label(self, index: int) -> tuple[Label | None, bool]:
        """The label of a date, and whether it stands above."""
        place, before = self._places[index], self._before(index)
        above = self._layout.previous_line(place.line)
        goes_on = surroundings.only_connects(before) or before.lstrip().startswith("/")
        if goes_on and above is not None and above not in self._dated:
            before = f"{self._lines.line(above)} {before}"
        by_ocr = self._lines.page_at(self._found[index].start) in self._by_ocr
        if label := label_before(before, _REACH_IN_ROW if by_ocr else _REACH):
            return self._in_section(place, label), False
        if surroundings.is_born_star(before):
            return Label(Kind.BIRTH, len(before) - 1, len(before), "*"), False
        if label := self._label_after(index):
            return label, False
        words_before = _WORD.search(before) and len(self._dated[place.line]) == 1
        if words_before or place.line in self._rows:
            return None, False
        label = self._layout.label_above(place)
        return label, label is not None

    def _in_section(self, place: Place, label: Label) -> Label:
        """A generic "Datum" under a heading such as "Lieferung" is the date of that."""
        before = self._lines.line(place.line)[: place.start]
        if label.kind is not Kind.DATED or before.strip(" :.-") != label.text.strip(" :.-"):
            return label
        above = self._layout.previous_line(place.line)
        heading = (
            self._lines.line(above).strip(" :") if above is not None and above not in self._dated else ""
        )
        section = next(iter(find_labels(heading)), None)
        if section is None or len(heading) - len(section.text) > 3 or section.names_number:
            return label
        if section.kind in _NO_SECTION:
            return label
        return Label(section.kind, label.start, label.end, f"{section.text} / {label.text}")

    def _label_after(self, index: int) -> Label | None:
        after = self._after(index)[:60]
        if _VALUE.search(after) or self._another_follows(index):
            return None  # a label has neither digits nor colons: what follows is a row, or another date's
        label = label_at(after, len(after) - len(after.lstrip(" (-,.")))
        if label is None or label.kind in _NOT_AFTER:
            return None
        return label if len(after[label.end :].strip(" ).,;")) <= 20 else None

    def _kind_of_place(self, index: int) -> Kind:
        place, before, after = self._places[index], self._before(index), self._after(index)
        if place.line in self._rows:
            return Kind.ROW
        if self._invites and surroundings.names_hour(after):
            return Kind.APPOINTMENT
        if self._dated[place.line][0] is place and surroundings.is_place(before, after):
            return Kind.PLACE
        if not before.strip() and surroundings.ends_with_amount(after):
            return Kind.ROW
        if self._layout.is_page_top(place.line) and surroundings.is_browsers_stamp(before, after):
            return Kind.PRINT
        return Kind.UNLABELLED


def _kind_of_span(first: Kind, last: Kind) -> Kind:
    """A span is a period, unless a label says that it is one of validity, a promotion, a search."""
    return next((kind for kind in (first, last) if kind in _NEVER), Kind.PERIOD)
