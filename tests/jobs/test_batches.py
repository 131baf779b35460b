"""Which jobs share a child, and what a cell tells of them."""

import os

from hypothesis import given
from hypothesis import strategies as st

from jobs.accounts import ROOM_JOBS, ROOM_SECONDS
from jobs.engine.batches import make_batches
from jobs.engine.cell import Cell
from jobs.engine.store.claims import Claimed

JOB = Claimed(0, "t", "probe", "{}", None, 1, 0, 5, 1, 0.0)


def jobs_taking(*seconds: float | None) -> tuple[list[Claimed], dict[str, float | None]]:
    """Jobs whose types say how long they take."""
    jobs = [JOB._replace(id=n, type=f"k{n}") for n in range(len(seconds))]
    return jobs, {job.type: one for job, one in zip(jobs, seconds, strict=True)}


def numbers(batches: list[list[Claimed]]) -> list[list[int]]:
    return sorted(sorted(job.id for job in batch) for batch in batches)


def test_small_jobs_are_spread_over_the_idle_children() -> None:
    jobs, known = jobs_taking(*[0.001] * 6)
    batches, rest = make_batches(jobs, 2, lambda tenant, kind: known[kind])
    assert sorted(len(batch) for batch in batches) == [3, 3]
    assert rest == []


def test_long_and_unknown_jobs_go_alone() -> None:
    jobs, known = jobs_taking(0.001, 5.0, None, 0.001)
    batches, rest = make_batches(jobs, 3, lambda tenant, kind: known[kind])
    assert numbers(batches) == [[0, 3], [1], [2]]
    assert rest == []


def test_what_turns_out_longer_than_there_is_room_waits() -> None:
    jobs, known = jobs_taking(5.0, None, 3.0)
    batches, rest = make_batches(jobs, 2, lambda tenant, kind: known[kind])
    assert (len(batches), len(rest)) == (2, 1)


def test_large_payloads_do_not_share_a_message() -> None:
    jobs = [JOB._replace(id=n, payload="x" * 60_000) for n in range(2)]
    batches, rest = make_batches(jobs, 1, lambda tenant, kind: 0.001)
    assert (len(batches[0]), len(rest)) == (1, 1)


@given(seconds=st.lists(st.one_of(st.none(), st.floats(0, 0.05)), max_size=80), children=st.integers(0, 5))
def test_no_job_is_lost_and_no_batch_too_long(seconds: list[float | None], children: int) -> None:
    jobs, known = jobs_taking(*seconds)
    batches, rest = make_batches(jobs, children, lambda tenant, kind: known[kind])
    assert sorted(job.id for batch in [*batches, rest] for job in batch) == list(range(len(seconds)))
    assert len(batches) <= children
    for batch in batches:
        assert len(batch) <= ROOM_JOBS
        if len(batch) > 1:
            assert sum(known[job.type] or 0 for job in batch) <= ROOM_SECONDS + 1e-6


def test_a_cell_tells_another_process_what_it_was_told() -> None:
    cell, descriptor = Cell.create()
    other = Cell(descriptor)
    os.close(descriptor)
    cell.clear(3)
    assert (cell.current, other.begin(0)) == (None, True)
    assert (cell.current, cell.began > 0) == (0, True)
    other.end(0, "d")
    letter, seconds = cell.outcome(0)
    assert letter == "d"
    assert 0 <= seconds < 60
    assert (cell.current, other.begin(1), cell.take_back()) == (None, True, 2)
    assert not other.begin(2)
    cell.clear(1)
    assert (cell.current, cell.outcome(0)) == (None, ("", 0.0))
