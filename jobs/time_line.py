"""The attempts of a job on one line of time: a bar each, gaps where it waited (pure)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

_WIDTH, _LEAST = 1000.0, 6.0


@dataclass(frozen=True)
class Span:
    """One attempt. `end` is None while it runs."""

    number: int
    outcome: str
    start: datetime
    end: datetime | None


@dataclass(frozen=True)
class Bar:
    """One attempt as it is drawn, in parts of the line's width."""

    number: int
    outcome: str
    x: float
    width: float
    seconds: float


@dataclass(frozen=True)
class TimeLine:
    """From when the job was enqueued to its end, or to now."""

    begin: datetime
    end: datetime
    bars: tuple[Bar, ...]
    width: float = _WIDTH

    @property
    def seconds(self) -> float:
        """How long all of it took, the waiting as well."""
        return (self.end - self.begin).total_seconds()


def draw_time_line(spans: Iterable[Span], *, begin: datetime, end: datetime) -> TimeLine | None:
    """Return the line, oldest attempt first; None without any. Short attempts stay wide enough to be seen."""
    ordered = sorted(spans, key=lambda span: (span.start, span.number))
    if not ordered:
        return None
    first = min(begin, ordered[0].start)
    last = max([end, *(span.end for span in ordered if span.end is not None), ordered[-1].start])
    whole = max((last - first).total_seconds(), 0.001)
    bars = []
    for span in ordered:
        seconds = ((span.end or last) - span.start).total_seconds()
        width = max(_WIDTH * seconds / whole, _LEAST)
        x = min(_WIDTH * (span.start - first).total_seconds() / whole, _WIDTH - width)
        bars.append(Bar(span.number, span.outcome, round(max(x, 0.0), 1), round(width, 1), seconds))
    return TimeLine(first, last, tuple(bars))
