"""Points: which of the dates of a document is the one it was issued on, and why."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import date

from documents.dates.context import Mention
from documents.dates.finding import Candidate, Reason, Source
from documents.dates.kinds import POINTS, Kind
from documents.dates.written import Trait

_TRAIT_POINTS = {Trait.REPAIRED: -4, Trait.SHORT_YEAR: -2, Trait.BARE: -12, Trait.MONTH_FIRST: -1}
_HEAD_LINES = 45
_HEAD_POINTS = 9
_MENTION_POINTS = 2
_MOST_MENTIONS = 3
_ABOVE = -6
_ALONE = 16
_TOWN = 14
_SHORT_IN_TEXT = -16  # 10-12-20 among words may be an article or a size
_BARE_IN_TEXT = -60  # 8.1.12 among words is a version rather than a date, but for an "am" before it
_MONTH_ONLY = 15  # before labels; below every whole date that may count at all but a reference
_NEEDS_LABEL = {Trait.BLANKS_ONLY, Trait.COMPACT}
_LABELS_OF_DATES = {Kind.ISSUED, Kind.DATED, Kind.CREATED}

_OF_ROW = (Reason(f"kind.{Kind.ROW}", "", POINTS[Kind.ROW]),)


def judge(mention: Mention) -> tuple[Reason, ...] | None:
    """Return the reasons for and against one mention; None if it is no date at all."""
    traits = mention.written.traits
    kind = mention.kind
    if kind is Kind.ROW and not traits:  # tables have many of them
        return _OF_ROW
    if traits & _NEEDS_LABEL and (kind not in _LABELS_OF_DATES or mention.above):
        return None
    reasons = [Reason(f"kind.{kind}", mention.label.text.strip() if mention.label else "", POINTS[kind])]
    if Trait.MONTH_ONLY in traits:
        if POINTS[kind] > 0:
            points = _MONTH_ONLY + (3 if kind in _LABELS_OF_DATES else 0)
            reasons = [Reason("month_only", "", points)]
    elif kind is Kind.UNLABELLED:
        if mention.alone:
            reasons.append(Reason("alone_on_line", "", _ALONE))
        elif mention.in_town:
            reasons.append(Reason("after_town", "", _TOWN))
        elif Trait.BARE in traits and not mention.introduced:
            reasons.append(Reason("bare_in_text", "", _BARE_IN_TEXT))
        elif Trait.SHORT_YEAR in traits:
            points = 2 * _SHORT_IN_TEXT if Trait.HYPHENS in traits else _SHORT_IN_TEXT
            reasons.append(Reason("short_year_in_text", "", points))
    if mention.above:
        reasons.append(Reason("label_above", "", _ABOVE))
    reasons += [
        Reason(f"written.{trait}", "", points) for trait, points in _TRAIT_POINTS.items() if trait in traits
    ]
    if POINTS[kind] > 0 and kind is not Kind.ROW:
        reasons.append(_place(mention))
    return tuple(reason for reason in reasons if reason.points or reason.code.startswith("kind."))


def _place(mention: Mention) -> Reason:
    """A date at the head of the first page counts more, one on a later page less."""
    if mention.page > 1:
        return Reason("later_page", str(mention.page), -4)
    points = max(0, round(_HEAD_POINTS * (1 - mention.line / _HEAD_LINES)))
    return Reason("head_of_document", "", 0 if Trait.MONTH_ONLY in mention.written.traits else points)


_Judged = tuple[Mention, tuple[Reason, ...]]


def rank(
    judged: Sequence[_Judged], describe: Callable[[Mention], tuple[int, str, str]], *, most: int
) -> list[Candidate]:
    """Return one candidate a date, the `most` best first; `describe` gives position, wording and label."""
    by_date: dict[date, list[_Judged]] = defaultdict(list)
    for mention, reasons in judged:
        if mention.written.date is not None:
            by_date[mention.written.date].append((mention, reasons))
    best = sorted(((day, *_best(items), len(items)) for day, items in by_date.items()), key=_rank_key)
    return [_candidate(*each, describe) for each in best[:most]]


def _rank_key(best: tuple[date, Mention, tuple[Reason, ...], int]) -> tuple[int, int, int]:
    day, mention, reasons, _ = best
    # Of rows, bookings, spans and balances the last date is nearest to the date of issue; of others the first
    # one read.
    late = mention.kind in (Kind.ROW, Kind.BOOKING, Kind.PERIOD, Kind.PAYMENT, Kind.AS_OF)
    return (-_sum(reasons), -day.toordinal() if late else 0, mention.written.start)


def _sum(reasons: Sequence[Reason]) -> int:
    return sum([reason.points for reason in reasons])


def _best(items: Sequence[_Judged]) -> _Judged:
    """The mention of a date that says most, and its reasons; the others count a little for it."""
    if len(items) == 1:
        return items[0]
    mention, reasons = max(items, key=lambda item: (_sum(item[1]), -item[0].written.start))
    others = sum(1 for other, _ in items if other is not mention and POINTS[other.kind] > 0)
    if others and POINTS[mention.kind] > 0:
        points = _MENTION_POINTS * min(others, _MOST_MENTIONS)
        reasons = (*reasons, Reason("mentioned_again", str(others), points))
    return mention, reasons


def _candidate(
    day: date,
    mention: Mention,
    reasons: tuple[Reason, ...],
    mentions: int,
    describe: Callable[[Mention], tuple[int, str, str]],
) -> Candidate:
    position, wording, label = describe(mention)
    return Candidate(
        date=day,
        score=_sum(reasons),
        source=Source.TEXT,
        kind=mention.kind,
        label=label,
        written=wording,
        position=position,
        page=mention.page,
        mentions=mentions,
        month_only=Trait.MONTH_ONLY in mention.written.traits,
        reasons=reasons,
    )
