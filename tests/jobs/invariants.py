"""What must be true of jobs whatever happened: read from every change of a row that was committed."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from jobs.engine.store.base import Held
from tests.jobs.bench import Bench

_INSTALL_SQL = """
    CREATE SCHEMA proof;
    GRANT USAGE ON SCHEMA proof TO PUBLIC;
    CREATE TABLE proof.change (
        number bigserial, job bigint, was text, now text, lease_was bigint, lease_now bigint,
        retries_was integer, retries_now integer
    );
    CREATE FUNCTION proof.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
        INSERT INTO proof.change (job, was, now, lease_was, lease_now, retries_was, retries_now)
        VALUES (coalesce(new.id, old.id), old.status, new.status, old.lease, new.lease,
                old.retry_count, new.retry_count);
        RETURN NULL;
    END $$;
    CREATE TRIGGER proof AFTER INSERT OR UPDATE OR DELETE ON jobs_job
    FOR EACH ROW EXECUTE FUNCTION proof.note();
"""
_REMOVE_SQL = "DROP TRIGGER proof ON jobs_job; DROP SCHEMA proof CASCADE"

#: From which status to which, and by how much the lease grows. None: no row yet, or no row any more.
_ALLOWED = {
    (None, "queued", None),
    ("queued", "queued", 0),
    ("queued", "processing", 1),
    ("queued", "failed", 0),
    ("processing", "processing", 0),
    ("processing", "queued", 0),
    ("processing", "succeeded", 0),
    ("processing", "failed", 0),
    ("processing", "failed", 1),  # a wipe, so that nobody holds it
    ("failed", "queued", 0),
    ("queued", None, None),
    ("processing", None, None),
    ("succeeded", None, None),
    ("failed", None, None),
}


class Change(NamedTuple):
    """One committed change of a row."""

    job: int
    was: str | None
    now: str | None
    lease_was: int | None
    lease_now: int | None
    retries_was: int | None
    retries_now: int | None


@dataclass(frozen=True)
class Seen:
    """What somebody was told: leases that claims gave, leases under which jobs were finished."""

    claimed: Iterable[Held] = ()
    finished: Iterable[Held] = ()


@contextmanager
def noting_changes(bench: Bench) -> Iterator[None]:
    """Note every change of a job, in the order in which its row was locked, in a schema of their own."""
    bench.run_sql(_INSTALL_SQL)
    try:
        yield
    finally:
        bench.run_sql(_REMOVE_SQL)


@dataclass(frozen=True)
class Committed:
    """What is committed at one moment: changes since they were forgotten, ids of jobs, attempts, effects."""

    changes: list[Change]
    jobs: frozenset[int]
    #: Job, lease, and whether it succeeded.
    attempts: list[tuple[int, int, bool]]
    effects: Counter[Held]
    #: Jobs whose status and times contradict each other.
    odd: list[int]


_READ_SQL = """
    SELECT
        (SELECT json_agg(json_build_array(job, was, now, lease_was, lease_now, retries_was, retries_now)
                         ORDER BY number) FROM proof.change),
        (SELECT json_agg(id) FROM jobs_job),
        (SELECT json_agg(json_build_array(job_id, lease, outcome = 'succeeded') ORDER BY job_id, lease)
         FROM jobs_jobattempt),
        (SELECT json_agg(json_build_array(job_id, lease)) FROM jobs_probeeffect),
        (SELECT json_agg(id) FROM jobs_job WHERE (status = 'processing') <> (lease_expires_at IS NOT NULL)
            OR (status IN ('succeeded', 'failed')) <> (finished_at IS NOT NULL))
"""


def read_committed(bench: Bench) -> Committed:
    """Read all of it in one statement."""
    ((changes, jobs, attempts, effects, odd),) = bench.run_sql(_READ_SQL)
    return Committed(
        [Change._make(row) for row in changes or ()],
        frozenset(jobs or ()),
        [(job, lease, succeeded) for job, lease, succeeded in attempts or ()],
        Counter(Held(*row) for row in effects or ()),
        odd or [],
    )


def check(bench: Bench, seen: Seen) -> Committed:
    """Raise AssertionError if anything that must always be true of the queue is not."""
    now = read_committed(bench)
    check_changes(now.changes)
    assert now.odd == [], f"status and times contradict each other: {now.odd}"
    _check_attempts(now)
    _check_effects(now, seen)
    claimed = Counter(seen.claimed)
    assert set(claimed.values()) <= {1}, f"one lease was given to two: {claimed}"
    given = {Held(one.job, one.lease_now or 0) for one in now.changes if one.now == "processing" != one.was}
    assert set(claimed) <= given, f"a claim was told that was not committed: {set(claimed) - given}"
    return now


def check_changes(changes: Iterable[Change]) -> None:
    """Raise AssertionError if a job went where none may, or a lease or retry was counted wrongly."""
    for change in changes:
        grown = (
            None if None in (change.was, change.now) else (change.lease_now or 0) - (change.lease_was or 0)
        )
        assert (change.was, change.now, grown) in _ALLOWED, f"no job may do this: {change}"
        if change.was != "processing" and (change.was, change.now) != ("failed", "queued"):
            assert change.retries_was in (None, change.retries_now) or change.now is None, change
        if change.was == "processing" and change.now is not None:
            assert (change.retries_now or 0) - (change.retries_was or 0) in (0, 1), change
            assert change.now == "queued" or change.retries_now == change.retries_was, change
        if (change.was, change.now) == ("failed", "queued"):
            assert change.retries_now == 0, change


def _check_attempts(now: Committed) -> None:
    """Each claim that ended is one attempt under its lease, and agrees with what became of the job."""
    ended = sorted(
        (one.job, one.lease_was, one.now == "succeeded")
        for one in now.changes
        if one.was == "processing" != one.now and one.job in now.jobs
    )
    recorded = [attempt for attempt in now.attempts if attempt[0] in now.jobs]
    assert recorded == ended, f"attempts and jobs disagree: {recorded} is recorded of {ended}"


def _check_effects(now: Committed, seen: Seen) -> None:
    """Each effect belongs to one finish of its job under its lease; each finish has its effect."""
    finished = {Held(one.job, one.lease_was or 0) for one in now.changes if one.now == "succeeded" != one.was}
    assert set(now.effects.values()) <= {1}, f"done twice: {now.effects}"
    unfinished = set(now.effects) - finished
    assert not unfinished, f"effects of jobs that are not finished: {unfinished}"
    told = {held for held in seen.finished if held.id in now.jobs}
    assert told <= set(now.effects), f"finished without effects: {told - set(now.effects)}"
    told_of = Counter(held.id for held in seen.finished)
    assert set(told_of.values()) <= {1} or any(
        (one.was, one.now) == ("failed", "queued") for one in now.changes
    ), f"one job was finished twice: {told_of}"


def forget_changes(bench: Bench) -> None:
    """Begin anew."""
    bench.run_sql("DELETE FROM proof.change")
