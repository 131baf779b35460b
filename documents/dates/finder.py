"""The search for a document's date of issue: find, read, judge, rank."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from itertools import chain

from documents.dates.calendar import EARLIEST_YEAR
from documents.dates.context import Context, Mention
from documents.dates.eastern import find_eastern
from documents.dates.filenames import find_in_name
from documents.dates.finding import Candidate, DateFinding, Reason, Source
from documents.dates.folding import Folded, fold
from documents.dates.guards import is_no_date
from documents.dates.kinds import Kind
from documents.dates.lines import Lines
from documents.dates.named import NamedDates
from documents.dates.numeric import find_compact, find_months_in_digits, find_three_numbers, find_year_first
from documents.dates.order import choose_orders, read_all
from documents.dates.ranking import judge, rank
from documents.dates.written import Ambiguous, Trait, Written

ORDERS = ("DMY", "MDY", "YMD")
_MOST_FOUND = 2000      # dates looked at in one text, the first ones
_MOST_CANDIDATES = 20
_FROM_NAME = 200
_CLOSE = 6              # points between the first two candidates that leave a doubt


def find_issued_date(text: str, *, filename: str | None = None, order: str = "DMY", filename_order: str | None = None,
                     languages: Sequence[str] = ("de", "en"), ignore: Collection[date] = (),
                     pages_by_ocr: Collection[int] = (), today: date) -> DateFinding:
    """Find the date on which the document with this text was issued: 1901 to `today`, or none.

    `text` has its pages parted by form feeds. `order` is how 03/04/2024 is read unless the document itself shows
    otherwise; `filename_order` (None: names are not believed) makes a date in `filename` win over the text.
    `languages` are ISO 639-1 codes whose abbreviated months count. `ignore` are dates never taken, `pages_by_ocr`
    the pages (from 1) read by OCR. Raises ValueError for an unknown order, and nothing else.
    """
    for name in (order, filename_order):
        if name is not None and name not in ORDERS:
            raise ValueError(f"Unknown order of dates {name!r}: one of {', '.join(ORDERS)}.")
    tongues = tuple(sorted({language.partition("-")[0].lower() for language in languages}))
    in_text = _from_text(text, order, tongues, today, ignore, pages_by_ocr)
    in_name = _from_name(filename or "", filename_order, tongues, today, ignore)
    candidates = sorted(chain(in_name, in_text), key=lambda candidate: -candidate.score)[:_MOST_CANDIDATES]
    best = candidates[0] if candidates and candidates[0].eligible else None
    if best is None:
        return DateFinding(None, None, False, tuple(candidates))
    return DateFinding(best.date, best.source, _is_certain(candidates, pages_by_ocr), tuple(candidates))


def _from_text(text: str, order: str, languages: tuple[str, ...], today: date, ignore: Collection[date],
               pages_by_ocr: Collection[int]) -> list[Candidate]:
    folded = fold(text)
    found = _find(folded.text, order, languages, today)[:_MOST_FOUND]
    context = Context(Lines(folded.text), found, frozenset(pages_by_ocr))
    judged = []
    for mention in context.mentions():
        if _counts(mention.written, today, ignore) and (reasons := judge(mention, context.in_town(mention))):
            judged.append((mention, reasons))
    return rank(judged, lambda mention: _describe(text, folded, mention))


def _find(text: str, order: str, languages: tuple[str, ...], today: date) -> list[Written]:
    """All that is written as a date, in order of place; where two overlap, the first and surest."""
    certain = [written for written in chain(
        find_year_first(text), find_eastern(text, languages), NamedDates(languages, today).find(text))
        if not _is_numeric_part(text, written, "-")]
    numbers = [item for item in find_three_numbers(text)
               if not is_no_date(text, item.start, item.end, item.separator, item.traits, item.year_digits == 4)]
    known = [written.date for written in certain if written.date and Trait.MONTH_ONLY not in written.traits]
    orders = choose_orders(numbers, known, order, today)
    loose = [written for written in chain(find_compact(text), find_months_in_digits(text))
             if not is_no_date(text, written.start, written.end, "-", written.traits, True)]
    return _without_overlaps(chain(certain, read_all(numbers, orders, order, today), loose))


def _is_numeric_part(text: str, written: Written, separator: str) -> bool:
    """Whether something found by its form alone is a part of a number; a month's name excludes that."""
    wording = text[written.start:written.end]
    separator = next((mark for mark in "./-" if mark in wording), separator)
    return not any(character.isalpha() for character in wording) and is_no_date(
        text, written.start, written.end, separator, written.traits, True)


def _without_overlaps(found: Iterable[Written]) -> list[Written]:
    """Sort by place; whole dates before months, dates as read before repaired ones, longer before shorter."""
    kept: list[Written] = []
    for written in sorted(found, key=lambda item: (item.start, Trait.MONTH_ONLY in item.traits, Trait.SHORT_YEAR in item.traits,
                                                   Trait.REPAIRED in item.traits, item.start - item.end)):
        if not kept or written.start >= kept[-1].end:
            kept.append(written)
    return kept


def _counts(written: Written, today: date, ignore: Collection[date]) -> bool:
    day = written.date
    return day is not None and day.year >= EARLIEST_YEAR and day <= today and day not in ignore


def _describe(text: str, folded: Folded, mention: Mention) -> tuple[int, str, str]:
    start, end = folded.origin(mention.written.start), folded.origin(mention.written.end - 1) + 1
    return start, text[start:end], mention.label.text.strip() if mention.label else ""


def _from_name(name: str, order: str | None, languages: tuple[str, ...], today: date,
               ignore: Collection[date]) -> list[Candidate]:
    """Candidates of the file name; without an order they are offered, never taken."""
    candidates: list[Candidate] = []
    taken: list[Written] = []
    for written in find_in_name(name, order or "YMD", languages, today):
        if any(written.start < other.end and other.start < written.end for other in taken):
            continue
        taken.append(written)
        if written.date is None or not _counts(written, today, ignore):
            continue
        month_only = Trait.MONTH_ONLY in written.traits
        if order is None:
            reason = Reason("filename_not_believed", "", 0)
        else:
            reason = Reason("filename", "", 12 if month_only else _FROM_NAME - len(candidates))
        candidates.append(Candidate(
            date=written.date, score=reason.points, source=Source.FILENAME, kind=Kind.UNLABELLED, label="",
            written=name[written.start:written.end], position=written.start, page=0, mentions=1,
            month_only=month_only, reasons=(reason,)))
    return candidates


def _is_certain(candidates: Sequence[Candidate], pages_by_ocr: Collection[int]) -> bool:
    """Whether nothing speaks for a second look: no close rival, no weak kind, no single mention read by OCR."""
    best = candidates[0]
    if best.month_only or best.source is Source.TEXT and best.score < 50:
        return False
    if best.source is Source.TEXT and best.page in pages_by_ocr and best.mentions < 2:
        return False
    rival = next((candidate for candidate in candidates[1:] if candidate.date != best.date), None)
    return rival is None or best.score - rival.score >= _CLOSE
