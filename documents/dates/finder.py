"""The search for a document's date of issue: find, read, judge, rank."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from itertools import chain, islice

from documents.dates.calendar import EARLIEST_YEAR
from documents.dates.context import Context, Mention
from documents.dates.eastern import find_eastern
from documents.dates.filenames import find_in_name
from documents.dates.finding import Candidate, DateFinding, Doubt, Reason, Source
from documents.dates.folding import Folded, fold
from documents.dates.guards import is_no_date
from documents.dates.kinds import Kind
from documents.dates.lines import Lines
from documents.dates.named import NamedDates
from documents.dates.numeric import find_compact, find_months_in_digits, find_three_numbers, find_year_first
from documents.dates.order import choose_orders, read_all
from documents.dates.ranking import judge, rank
from documents.dates.spots import around_years
from documents.dates.written import Trait, Written

ORDERS = ("DMY", "MDY", "YMD")
#: Points from which on something says that a date is that of issue: its label, or its place in a letter.
SURE = 50
_MOST_READ = 6000  # of each form in one text
_MOST_FOUND = 2000  # dates judged in one text, the first ones
_LABEL_REACH = 600  # characters in which a label is looked up as it was written
_MOST_CANDIDATES = 20
_FROM_NAME = 200
_CLOSE = 6  # points between the first two candidates that leave a doubt


def find_issued_date(
    text: str,
    *,
    filename: str | None = None,
    order: str = "DMY",
    filename_order: str | None = None,
    languages: Sequence[str] = ("de", "en"),
    ignore: Collection[date] = (),
    pages_by_ocr: Collection[int] = (),
    today: date,
) -> DateFinding:
    """Find the date on which the document with this text was issued: 1901 to `today`, or none.

    `text` has its pages parted by form feeds. `order` is how 03/04/2024 is read unless the document itself
    shows otherwise. `filename_order` makes a date in `filename` win over the text (None or "none": names are
    not believed). `languages` are ISO 639-1 codes whose abbreviated months count. `ignore` are dates never
    taken, `pages_by_ocr` the pages (from 1) read by OCR. Raises ValueError for an unknown order, no other.
    """
    filename_order = None if filename_order == "none" else filename_order
    for name in (order, filename_order or order):
        if name not in ORDERS:
            raise ValueError(f"Unknown order of dates {name!r}: one of {', '.join(ORDERS)}.")
    tongues = tuple(sorted({language.partition("-")[0].lower() for language in languages}))
    in_text = _from_text(text, order, tongues, today, ignore, pages_by_ocr)
    in_name = _from_name(filename or "", filename_order, tongues, today, ignore)
    candidates = sorted(chain(in_name, in_text), key=lambda candidate: -candidate.score)[:_MOST_CANDIDATES]
    best = candidates[0] if candidates and candidates[0].eligible else None
    if best is None:
        return DateFinding(None, None, None, tuple(candidates))
    return DateFinding(best.date, best.source, _doubt(candidates, pages_by_ocr), tuple(candidates))


def _from_text(
    text: str,
    order: str,
    languages: tuple[str, ...],
    today: date,
    ignore: Collection[date],
    pages_by_ocr: Collection[int],
) -> list[Candidate]:
    folded = fold(text)
    found = _find(folded.text, order, languages, today)[:_MOST_FOUND]
    context = Context(Lines(folded.text), found, frozenset(pages_by_ocr))
    judged = [
        (mention, reasons)
        for mention in context.mentions()
        if _counts(mention.written, today, ignore) and (reasons := judge(mention))
    ]
    return rank(judged, lambda mention: _describe(text, folded, mention), most=_MOST_CANDIDATES)


def _find(text: str, order: str, languages: tuple[str, ...], today: date) -> list[Written]:
    """All that is written as a date, in order of place; where two overlap, the first and surest."""
    years = around_years(text)
    named = chain(NamedDates(languages, today).find(text, years), find_eastern(text, languages))
    year_first = (written for written in find_year_first(text, years) if not _in_number(text, written))
    certain = [*islice(named, _MOST_READ), *islice(year_first, _MOST_READ)]
    numbers = [
        item
        for item in islice(find_three_numbers(text, years), _MOST_READ)
        if not is_no_date(
            text, item.start, item.end, item.separator, item.traits, whole_year=item.year_digits == 4
        )
    ]
    known = [written.date for written in certain if written.date and Trait.MONTH_ONLY not in written.traits]
    begins = [text[each.start] for each in certain if Trait.MONTH_ONLY not in each.traits]
    by_month = bool(begins) and not any(character.isdigit() for character in begins)
    orders = choose_orders(text, numbers, known, order, today, names_month_first=by_month)
    loose = chain(
        islice(find_compact(text, years), _MOST_READ), islice(find_months_in_digits(text, years), _MOST_READ)
    )
    unlikely = (written for written in loose if not _in_number(text, written))
    return _without_overlaps(chain(certain, read_all(numbers, orders, order, today), unlikely))


def _in_number(text: str, written: Written) -> bool:
    """Whether digits that look like a date belong to a longer number, an address, a version."""
    separator = next((mark for mark in text[written.start : written.end] if mark in "./-"), "-")
    return is_no_date(text, written.start, written.end, separator, written.traits, whole_year=True)


def _without_overlaps(found: Iterable[Written]) -> list[Written]:
    """Sort by place; whole dates before months, dates as read before repaired ones, longer before shorter."""
    kept: list[Written] = []
    for written in sorted(
        found, key=lambda item: (item.start, _worth_less(item.traits), item.start - item.end)
    ):
        if not kept or written.start >= kept[-1].end:
            kept.append(written)
    return kept


def _worth_less(traits: frozenset[Trait]) -> int:
    if not traits:  # nearly all
        return 0
    return 4 * (Trait.MONTH_ONLY in traits) + 2 * (Trait.SHORT_YEAR in traits) + (Trait.REPAIRED in traits)


def _counts(written: Written, today: date, ignore: Collection[date]) -> bool:
    day = written.date
    return day is not None and day.year >= EARLIEST_YEAR and day <= today and day not in ignore


def _describe(text: str, folded: Folded, mention: Mention) -> tuple[int, str, str]:
    """Position and wording of a mention in the source, and its label as it stands there."""
    start, end = mention.written.start, mention.written.end
    origin = folded.origin
    label = mention.label.text.strip() if mention.label else ""
    at = folded.text.rfind(label, max(0, start - _LABEL_REACH), start) if label else -1
    if at >= 0:
        label = text[origin(at) : origin(at + len(label) - 1) + 1]
    return origin(start), text[origin(start) : origin(end - 1) + 1], label


def _from_name(
    name: str, order: str | None, languages: tuple[str, ...], today: date, ignore: Collection[date]
) -> list[Candidate]:
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
        candidates.append(
            Candidate(
                date=written.date,
                score=reason.points,
                source=Source.FILENAME,
                kind=Kind.UNLABELLED,
                label="",
                written=name[written.start : written.end],
                position=written.start,
                page=0,
                mentions=1,
                month_only=month_only,
                reasons=(reason,),
            )
        )
    return candidates


def _doubt(candidates: Sequence[Candidate], pages_by_ocr: Collection[int]) -> Doubt | None:
    """Why the first candidate asks for a second look, if it does."""
    best = candidates[0]
    if best.month_only:
        return Doubt.MONTH_ONLY
    if best.source is Source.TEXT and best.score < SURE:
        return Doubt.WEAK
    if best.source is Source.TEXT and best.page in pages_by_ocr and best.mentions < 2:
        return Doubt.READ_ONCE
    rival = next((candidate for candidate in candidates[1:] if candidate.date != best.date), None)
    return None if rival is None or best.score - rival.score >= _CLOSE else Doubt.RIVAL
