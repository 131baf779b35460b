"""Attempts on a line of time: in order, inside the line, and wide enough to be seen."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from jobs.time_line import Span, draw_time_line

BEGIN = datetime(2026, 1, 31, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def test_without_attempts_there_is_no_line() -> None:
    assert draw_time_line([], begin=BEGIN, end=at(60)) is None


def test_bars_stand_where_their_time_was() -> None:
    spans = [Span(2, "succeeded", at(80), at(100)), Span(1, "error", at(0), at(20))]
    line = draw_time_line(spans, begin=BEGIN, end=at(100))
    assert line is not None
    assert [(bar.number, bar.x, bar.width) for bar in line.bars] == [(1, 0, 200), (2, 800, 200)]
    assert line.seconds == 100


def test_what_runs_goes_on_to_the_end() -> None:
    line = draw_time_line([Span(1, "processing", at(50), None)], begin=BEGIN, end=at(100))
    assert line is not None
    assert (line.bars[0].x, line.bars[0].width) == (500, 500)


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e5)), min_size=1, max_size=20), st.floats(0, 1e6))
def test_every_bar_lies_within_the_line_whatever_the_clocks_say(
    given_spans: list[tuple[float, float]], end: float
) -> None:
    spans = [Span(i, "error", at(start), at(start + took)) for i, (start, took) in enumerate(given_spans)]
    line = draw_time_line(spans, begin=BEGIN, end=at(end))
    assert line is not None
    assert len(line.bars) == len(spans)
    for bar in line.bars:
        assert bar.width >= 6
        assert 0 <= bar.x <= bar.x + bar.width <= line.width + 0.2
