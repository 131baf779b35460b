"""How long a failed job waits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.backoff import LONGEST_SECONDS, backoff_seconds


@given(
    retry_count=st.integers(0, 10**9),
    base=st.floats(0.001, 3600),
    jitter=st.floats(0, 1),
)
def test_a_pause_is_positive_and_never_longer_than_an_hour(
    retry_count: int, base: float, jitter: float
) -> None:
    assert 0 < backoff_seconds(retry_count, base=base, jitter=jitter) <= LONGEST_SECONDS


@pytest.mark.parametrize("retry_count", [31, 62, 63, 64, 1024, 10**9])
def test_large_counts_do_not_overflow(retry_count: int) -> None:
    assert backoff_seconds(retry_count, base=1, jitter=0) == LONGEST_SECONDS


def test_a_pause_doubles_until_it_reaches_the_hour() -> None:
    pauses = [backoff_seconds(count, base=1, jitter=0) for count in range(13)]
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600]


def test_jitter_shortens_a_pause_by_at_most_a_quarter() -> None:
    drawn = {backoff_seconds(3, base=1) for _ in range(200)}
    assert len(drawn) > 100
    assert min(drawn) >= 6
    assert max(drawn) <= 8
