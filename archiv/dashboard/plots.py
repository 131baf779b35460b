"""Plots as SVG: geometry only, drawn by a template with classes of the stylesheet. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

WIDTH, HEIGHT = 600, 120
SPARK_WIDTH, SPARK_HEIGHT = 144, 22
_LEFT, _TOP, _BOTTOM = 44, 8, 18
# So that one failure is seen beside a thousand.
_LEAST_BAR = 2.0


@dataclass(frozen=True)
class Point:
    """What was counted from a moment on."""

    at: datetime
    value: float


@dataclass(frozen=True)
class Line:
    """One line: its name, its points as SVG wants them, its sum, and a class for its look."""

    name: str
    style: str
    points: str
    total: float


@dataclass(frozen=True)
class LinePlot:
    """Lines over time on one scale that begins at zero, and the same, summed up, as rows of a table."""

    title: str
    lines: tuple[Line, ...]
    most: float
    ticks: tuple[tuple[float, str], ...]
    rows: tuple[tuple[datetime, tuple[float, ...]], ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = _LEFT
    base: int = HEIGHT - _BOTTOM
    top: int = _TOP

    @property
    def is_empty(self) -> bool:
        """Whether nothing was counted at all."""
        return not any(line.total for line in self.lines)


@dataclass(frozen=True)
class Series:
    """What a line is drawn from."""

    name: str
    style: str
    points: Sequence[Point]


def line_plot(
    title: str, series: Sequence[Series], *, ticks: Sequence[tuple[int, str]], row: int = 1
) -> LinePlot:
    """Return the geometry of a plot; all series have the same moments. `ticks` are positions and labels.

    `row` is how many moments one row of the table sums up: nobody reads a hundred rows, and to write them
    took longer than all the rest of the first page.
    """
    most = nice_ceiling(max((point.value for one in series for point in one.points), default=0.0))
    count = max((len(one.points) for one in series), default=0)
    step = (WIDTH - _LEFT) / max(count - 1, 1)
    span = HEIGHT - _TOP - _BOTTOM

    def place(number: int, value: float) -> str:
        return f"{_LEFT + number * step:.1f},{_TOP + span * (1 - value / most):.1f}"

    lines = tuple(
        Line(
            one.name,
            one.style,
            " ".join(place(number, point.value) for number, point in enumerate(one.points)),
            _sum(one.points),
        )
        for one in series
    )
    rows = tuple(
        (series[0].points[start].at, tuple(_sum(one.points[start : start + row]) for one in series))
        for start in range(0, count, row)
    )
    marks = tuple((round(_LEFT + number * step, 1), label) for number, label in ticks)
    return LinePlot(title, lines, most, marks, rows)


@dataclass(frozen=True)
class Sparkline:
    """A bar for each moment, on a scale of their own that begins at zero, as the path of one shape.

    `finding` says in words what there is to see, `label` the same in short.
    """

    title: str
    label: str
    finding: str
    bars: str
    width: int = SPARK_WIDTH
    height: int = SPARK_HEIGHT


def sparkline(title: str, points: Sequence[Point], *, label: str, finding: str) -> Sparkline:
    """Return the geometry of a small plot; nothing is drawn where nothing was counted."""
    most = max((point.value for point in points), default=0.0)
    step = SPARK_WIDTH / max(len(points), 1)

    def bar(number: int, value: float) -> str:
        height = max(_LEAST_BAR, SPARK_HEIGHT * value / most)
        left = number * step
        return f"M{left:.1f} {SPARK_HEIGHT}v{-height:.1f}h{step * 0.8:.1f}v{height:.1f}z"

    bars = "".join(bar(number, point.value) for number, point in enumerate(points) if point.value > 0)
    return Sparkline(title, label, finding, bars)


def _sum(points: Sequence[Point]) -> float:
    return sum(point.value for point in points)


def nice_ceiling(value: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, … that is not below `value`."""
    if value <= 1:
        return 1.0
    power = 1.0
    while power * 10 < value:
        power *= 10
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value)
