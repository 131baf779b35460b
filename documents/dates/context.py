"""What each date in a text is the date of: its label, its span, its place on the page."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from documents.dates.kinds import POINTS, Kind
from documents.dates.labels import Label, find_labels, label_before
from documents.dates.layout import Layout, Place
from documents.dates.lines import Lines
from documents.dates.papers import kind_in_paper, own_kind
from documents.dates.written import Trait, Written

_REACH = 48        # characters between a label and its date
_REACH_IN_ROW = 160  # the same on a page read by OCR, where a row may be torn wide

_SPAN = re.compile(r"\s*(?:-|~|〜|至|から|bis(?:\s+zum)?|to|until|till|through|thru|and|au|al|a|ate|hasta(?:\s+el)?|tot(?:\s+en\s+met)?|t/m|do|az?|по|до|iki|lidz|kuni|und)\s*")
_OPEN_SPAN = re.compile(r"(?<![0-9./-])[0-9]{1,2}\.(?: ?(?:[0-9]{1,2}\.|[^\W\d_]{3,10}))?\s?(?:-|/|bis|und)\s?$")
_NAMED_OPEN_SPAN = re.compile(r"(?<![0-9./-])[0-9]{1,2}\.?(?: [^\W\d_]{3,10})?\s?(?:-|to|au|al|do|bis)\s?$|[^\W\d_]{3,10}\.? [0-9]{1,2}\s?-\s?$")
_PLACE = re.compile(  # with a comma, or with a word that stands before nothing but dates
    r"\s*(?:an\s+)?[^\W\d_][^\d\n:;!?|]{1,40}?(?:,\s+(?:den|le|dnia|dne|dna|li|il|a|em|am|el|op)|\s+(?:den|dnia|dne|dna|li))\s+$|"
    r"\s*[^\W\d_][^\d\n:;!?|,]{1,32}(?:\([^\W\d_]{1,20}\))?,\s*$|\s*(?:fait\s+a\s+[^\W\d_-]{2,20},?\s+)?(?:den|le|dnia|dne|z\s+dnia)\s+$")
_TOWN = re.compile(r"\s*[^\W\d_]{3,20}(?:[ /-][^\W\d_]{2,20}){0,2}\s+$")
_ONLY_CONNECTOR = re.compile(r"\s*(?:vom|von|du|del|dal|of|dated|dd\.?|d\.d\.|z\s+dnia|dnia|ze\s+dne|dne|от|від)\s+$")
_BORN = re.compile(r"[^\W\d_][^*]*\*\s?$")
_WEEKDAY = re.compile(r"(?<![^\W_])(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so|monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|wed|thu|fri|sat|sun|"
                      r"lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica|lunes|martes|miercoles|jueves|viernes|sabado|domingo|"
                      r"segunda-feira|terca-feira|quarta-feira|quinta-feira|sexta-feira|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag)[.,]{0,2}\s*(?:den\s+|the\s+|le\s+)?$")
_TIME_AFTER = re.compile(r",?\s*(?:um\s+)?[0-2]?[0-9][:.][0-5][0-9]")
_AMOUNT_END = re.compile(r"[0-9][.,][0-9]{2}\s?(?:€|eur|\$|chf|[hs+-])?\s*$")
_KEEPS_KIND = {kind for kind, points in POINTS.items() if points <= 0} - {Kind.DUE}
_LISTED = _KEEPS_KIND | {Kind.DUE, Kind.APPOINTMENT, Kind.DELIVERY, Kind.SERVICE, Kind.PERIOD, Kind.PAYMENT}
_LIST = re.compile(r"\s{0,3}(?:[,;/&+]|und|and|oder|or|et|e|y|i|a)\s{0,3}")
_FEWEST_ROWS = 3


@dataclass(frozen=True, slots=True)
class Mention:
    """A possible date of the text with what its surroundings make of it."""

    written: Written
    kind: Kind
    label: Label | None
    line: int
    page: int
    alone: bool
    by_ocr: bool
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
        self._rows = self._find_rows()
        self._own = own_kind([lines.line(number).strip() for number in range(min(60, len(lines.starts)))])

    def mentions(self) -> list[Mention]:
        """Return what every date is the date of, in order of place."""
        result: list[Mention] = []
        spans = self._spans()
        for index, written in enumerate(self._found):
            place = self._places[index]
            page = self._lines.page_at(written.start)
            by_ocr = page in self._by_ocr
            label, above = self._label(index, by_ocr)
            kind = kind_in_paper(label, self._own) if label else self._kind_of_place(index)
            opening = self._open_span(place, written)
            if index in spans or opening is not None:
                first = spans.get(index, index)
                earlier = result[first].kind if first < index else self._kind_before(opening or "", kind)
                kind = earlier if earlier in _KEEPS_KIND else kind if kind in _KEEPS_KIND else Kind.PERIOD
                if first < index and result[first].kind not in _KEEPS_KIND:
                    former = result[first]
                    result[first] = Mention(former.written, Kind.PERIOD, former.label, former.line, former.page, former.alone, former.by_ocr)
            elif kind is Kind.UNLABELLED and index and self._continues_list(index) and result[-1].kind in _LISTED:
                kind, label = result[-1].kind, result[-1].label
            result.append(Mention(written, kind, label, place.line, page, self._layout.is_alone(place), by_ocr, above))
        return result

    def _place(self, written: Written) -> Place:
        line = self._lines.line_at(written.start)
        start = self._lines.start_of(line)
        return Place(line, written.start - start, written.end - start)

    def _before(self, index: int) -> str:
        """The part of the line between the former date and this one, without a weekday at its end."""
        place = self._places[index]
        former = self._places[index - 1] if index else None
        begin = former.end if former and former.line == place.line else 0
        piece = self._lines.line(place.line)[begin:place.start]
        return _WEEKDAY.sub("", piece)

    def _after(self, index: int) -> str:
        place = self._places[index]
        following = self._places[index + 1] if index + 1 < len(self._places) else None
        end = following.start if following and following.line == place.line else None
        return self._lines.line(place.line)[place.end:end]

    def _label(self, index: int, by_ocr: bool) -> tuple[Label | None, bool]:
        """The label of a date, and whether it stands above."""
        before = self._before(index)
        place = self._places[index]
        if _ONLY_CONNECTOR.match(before) and (above := self._layout.previous_line(place.line)) is not None:
            before = f"{self._lines.line(above)} {before}" if above not in self._dated else before
        label = label_before(before, _REACH_IN_ROW if by_ocr else _REACH)
        if label is None and _BORN.match(before):
            return Label(Kind.BIRTH, len(before) - 1, len(before), "*"), False
        if label:
            return self._under_heading(place, label), False
        if label := self._label_after(index):
            return label, False
        if re.search(r"[^\W\d_]{3}", before) and len(self._dated[place.line]) == 1:
            return None, False
        if place.line in self._rows:
            return None, False
        label = self._layout.label_above(place)
        return label, label is not None

    def _under_heading(self, place: Place, label: Label) -> Label:
        """A generic "Datum" under a heading such as "Lieferung" is the date of that."""
        if label.kind is not Kind.DATED or self._lines.line(place.line)[:place.start].strip(" :.-") != label.text.strip(" :.-"):
            return label
        above = self._layout.previous_line(place.line)
        heading = self._lines.line(above).strip(" :") if above is not None and above not in self._dated else ""
        labels = find_labels(heading)
        if len(labels) != 1 or len(heading) - len(labels[0].text) > 3 or labels[0].names_number:
            return label
        kind = labels[0].kind
        if kind in (Kind.DOCUMENT, Kind.CONTRACT, Kind.ISSUED, Kind.NUMBER):
            return label
        return Label(kind, label.start, label.end, f"{labels[0].text} / {label.text}")

    def _label_after(self, index: int) -> Label | None:
        after = self._after(index)[:60]
        label = next(iter(find_labels(after)), None)
        if label is None or after[:label.start].strip(" (-,.") or label.kind in (Kind.DOCUMENT, Kind.OTHER, Kind.AS_OF, Kind.CONTRACT, Kind.DATED):
            return None
        rest = after[label.end:]
        if re.search(r"[0-9:]", rest) or index + 1 < len(self._places) and self._places[index + 1].line == self._places[index].line:
            return None
        return label if len(rest.strip(" ).,;")) <= 20 else None

    def _kind_of_place(self, index: int) -> Kind:
        place, before, after = self._places[index], self._before(index), self._after(index)
        if place.line in self._rows:
            return Kind.ROW
        first = self._dated[place.line][0] is place
        if first and _PLACE.fullmatch(before) and not re.search(r"[^\W_]{3}.*[^\W_]{3}", after):
            return Kind.PLACE
        if not before.strip() and after.strip() and _AMOUNT_END.search(after):
            return Kind.ROW
        if place.line == 0 and _TIME_AFTER.match(after) and len(self._lines.starts) > 1:
            return Kind.PRINT
        return Kind.UNLABELLED

    def in_town(self, mention: Mention) -> bool:
        """Whether a single word or two, as of a town, stand before the date and nothing behind it."""
        line = self._lines.line(mention.line)
        start = mention.written.start - self._lines.start_of(mention.line)
        end = mention.written.end - self._lines.start_of(mention.line)
        return bool(_TOWN.fullmatch(line[:start])) and not re.search(r"[^\W_]", line[end:])

    def _spans(self) -> dict[int, int]:
        """Index of each span's end → index of its beginning."""
        spans = {}
        for index in range(1, len(self._found)):
            between = self._lines.text[self._found[index - 1].end:self._found[index].start]
            if len(between) <= 20 and _SPAN.fullmatch(between):
                spans[index] = index - 1
        return spans

    def _continues_list(self, index: int) -> bool:
        """Whether only a comma or an "and" parts this date from the one before."""
        return bool(_LIST.fullmatch(self._lines.text, self._found[index - 1].end, self._found[index].start))

    def _open_span(self, place: Place, written: Written) -> str | None:
        """What stands before a span that this date ends ("01.10. - 31.10.2022"); None if it ends none."""
        before = self._lines.line(place.line)[max(0, place.start - 80):place.start]
        if Trait.RANGE_END in written.traits:
            return before
        match = _OPEN_SPAN.search(before)
        if match is None and re.search(r"[^\W\d_]{3}", self._lines.text[written.start:written.end]):
            match = _NAMED_OPEN_SPAN.search(before)
        return before[:match.start()] if match else None

    @staticmethod
    def _kind_before(piece: str, otherwise: Kind) -> Kind:
        label = label_before(piece, _REACH)
        return label.kind if label else otherwise

    def _is_one_table(self, row: int, following: int) -> bool:
        """Whether no gap and no header row parts two rows; a row may go on over some lines."""
        between = [self._lines.line(line) for line in range(row + 1, following)]
        return len(between) <= 4 and all(line.strip() and len(find_labels(line)) < 2 for line in between)

    def _find_rows(self) -> set[int]:
        """Lines that begin with a date and go on, three or more close together: a table, not a letterhead."""
        rows: set[int] = set()
        run: list[int] = []
        for line in [*sorted(self._dated), -1]:
            first = self._dated[line][0] if line >= 0 else None
            starts = first is not None and not re.search(r"[^\W\d_]", self._lines.line(line)[:first.start]) \
                and first.start < 12 and not self._layout.is_alone(first)
            if run and (not starts or not self._is_one_table(run[-1], line)):
                if len(run) >= _FEWEST_ROWS:
                    rows.update(run)
                run = []
            if starts:
                run.append(line)
        return rows
