"""Bounds: claims do not read again what was claimed, and nothing that commits late is lost."""

import time
import uuid
from collections.abc import Iterator

import psycopg
import pytest

from jobs.engine.bounds import LOOK_BACK_SECONDS, SLACK_SECONDS, START, Bounds, Sight
from jobs.engine.claimer import Claimer
from jobs.engine.database import open_connection
from jobs.engine.hints import CHANNEL
from jobs.engine.options import WorkerOptions
from jobs.engine.store import claims
from jobs.engine.store.claims import Claimed, Terms, Wanted
from jobs.engine.store.upkeep import Worker
from tests.jobs.bench import Bench

SECOND = 1_000_000
MINUTE = 60 * SECOND
INSERT = """
    INSERT INTO jobs_job (tenant_id, type, payload, lane, home_lane, next_attempt_at)
    SELECT %s::uuid, 'probe', '{}', 1, 1, statement_timestamp() - interval '10 s'
    FROM generate_series(1, %s) RETURNING id
"""


def sight(row: tuple[int, int], *, xmin: int, xmax: int, at: float) -> Sight:
    return Sight(row, xmin, xmax, at)


def begins(bounds: Bounds, now: float) -> tuple[int, int]:
    return bounds.begin("t", 1, now=now)


def test_a_bound_moves_once_a_later_snapshot_has_seen_whatever_was_open() -> None:
    bounds = Bounds()
    bounds.see("t", 1, sight((SECOND, 5), xmin=10, xmax=20, at=0.0), claimed_at=MINUTE)
    assert begins(bounds, 0.1) == START
    bounds.see("t", 1, sight((SECOND, 9), xmin=15, xmax=30, at=0.1), claimed_at=MINUTE)
    assert begins(bounds, 0.2) == START, "a transaction of the first claim's time is still open"
    bounds.see("t", 1, sight((SECOND, 12), xmin=20, xmax=40, at=0.2), claimed_at=MINUTE)
    assert begins(bounds, 0.3) == (SECOND, 5)
    bounds.see("t", 1, sight((SECOND, 15), xmin=40, xmax=50, at=0.3), claimed_at=MINUTE)
    assert begins(bounds, 0.4) == (SECOND, 12)


def test_a_bound_stays_behind_the_moment_of_its_claim() -> None:
    bounds = Bounds()
    for number in range(3):
        bounds.see("t", 1, sight((MINUTE, 5), xmin=number, xmax=number, at=0.0), claimed_at=MINUTE)
    assert begins(bounds, 0.1) < (MINUTE - SECOND // 10, 0)


def test_a_transaction_that_stays_open_holds_a_bound_back_for_a_while_only() -> None:
    bounds = Bounds()
    bounds.see("t", 1, sight((SECOND, 5), xmin=10, xmax=20, at=0.0), claimed_at=MINUTE)
    bounds.see("t", 1, sight((SECOND, 9), xmin=10, xmax=30, at=SLACK_SECONDS), claimed_at=MINUTE)
    assert begins(bounds, SLACK_SECONDS) == (SECOND, 5)


def test_each_lane_is_read_from_its_beginning_now_and_then() -> None:
    bounds = Bounds()
    for number in range(3):
        bounds.see("t", 1, sight((SECOND, 5), xmin=number, xmax=number, at=0.0), claimed_at=MINUTE)
    assert begins(bounds, 0.1) == (SECOND, 5)
    assert begins(bounds, LOOK_BACK_SECONDS) == START
    assert begins(bounds, LOOK_BACK_SECONDS + 0.1) == (SECOND, 5)


def test_a_due_job_met_before_its_bound_takes_the_bound_back() -> None:
    bounds = Bounds()
    for number in range(3):
        bounds.see("t", 1, sight((SECOND, 5), xmin=number, xmax=number, at=0.0), claimed_at=MINUTE)
    bounds.meet("t", 1, (SECOND, 6))
    assert begins(bounds, 0.1) == (SECOND, 5)
    bounds.meet("t", 1, (SECOND, 4))
    assert begins(bounds, 0.1) == START


def options_of(name: str) -> WorkerOptions:
    worker = Worker(name, "host", 1, 2, "")
    return WorkerOptions(worker, 2, lease=30, grace=1, poll=60, reaper=60, backoff_base=1)


@pytest.fixture
def claimer(bench: Bench) -> Iterator[tuple[Claimer, psycopg.Connection]]:
    connection = open_connection("test")
    yield Claimer(options_of("w")), connection
    connection.close()


def claim_all(claimer: tuple[Claimer, psycopg.Connection], tenant: uuid.UUID) -> list[int]:
    """Claim whatever is found of a tenant after a hint."""
    found: list[int] = []
    claimer[0].hear(str(tenant))
    while jobs := claimer[0].claim(claimer[1], 4):
        found += [job.id for job in jobs]
    return found


def test_what_commits_late_is_claimed_though_later_rows_were_claimed_before(
    bench: Bench, claimer: tuple[Claimer, psycopg.Connection]
) -> None:
    tenant = bench.tenant()
    late = open_connection("test")
    late.autocommit = False
    try:
        (first,) = (row[0] for row in late.execute(INSERT, [str(tenant), 1]).fetchall())
        later = [row[0] for row in bench.run_sql(INSERT, [str(tenant), 30])]
        assert sorted(claim_all(claimer, tenant)) == sorted(later)
        late.commit()
        assert claim_all(claimer, tenant) == [first]
    finally:
        late.close()


def test_a_staged_job_is_claimed_though_it_was_due_before_others(
    bench: Bench, claimer: tuple[Claimer, psycopg.Connection]
) -> None:
    tenant = bench.tenant()
    (staged,) = bench.enqueue(tenant, delay_seconds=3600)
    bench.run_sql(INSERT, [str(tenant), 20])
    bench.run_sql("SELECT pg_sleep(0.3)")
    assert len(claim_all(claimer, tenant)) == 20
    bench.change(staged, next_attempt_at="statement_timestamp() - interval '1 minute'")
    claimer[0].poll_now()
    claimer[0].tick(claimer[1])
    assert [job.id for job in claimer[0].claim(claimer[1], 4)] == [staged]


def test_a_job_that_another_worker_staged_is_claimed_by_whoever_hears_of_it(
    bench: Bench, claimer: tuple[Claimer, psycopg.Connection]
) -> None:
    tenant = bench.tenant()
    (staged,) = bench.enqueue(tenant, delay_seconds=3600)
    bench.run_sql(INSERT, [str(tenant), 20])
    bench.run_sql("SELECT pg_sleep(0.3)")
    assert len(claim_all(claimer, tenant)) == 20
    bench.change(staged, next_attempt_at="statement_timestamp() - interval '1 minute'")
    with open_connection("test") as connection, open_connection("test") as listener:
        listener.execute(f"LISTEN {CHANNEL}")
        other = Claimer(options_of("other"))
        other.poll_now()
        other.tick(connection)
        (notice,) = listener.notifies(timeout=5, stop_after=1)
    claimer[0].hear(notice.payload)
    assert [job.id for job in claimer[0].claim(claimer[1], 4)] == [staged]


def test_a_claim_reads_no_entries_of_jobs_that_were_claimed_while_a_transaction_holds_the_horizon(
    bench: Bench,
) -> None:
    """Buffers, not milliseconds: what a claim reads says how it grows, whatever else the machine does."""
    tenant, worker = bench.tenant(), bench.worker()
    holder = open_connection("test")
    holder.autocommit = False
    try:
        holder.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        holder.execute("SELECT 1 FROM jobs_job")
        bench.run_sql(INSERT, [str(tenant), 6000])
        first = read_by_claim(worker.connection, tenant, START)
        last: list[Claimed] = []
        for _ in range(5):
            last = worker.claim(tenant, 1000)
        bound = max((job.due, job.id) for job in last)
        assert read_by_claim(worker.connection, tenant, START) > 5 * first, "nothing holds the horizon"
        assert read_by_claim(worker.connection, tenant, bound) <= 1.5 * first
    finally:
        holder.close()


def read_by_claim(connection: psycopg.Connection, tenant: uuid.UUID, behind: tuple[int, int]) -> int:
    """Return the pages that a claim of one job reads; it is undone."""
    with connection.transaction(force_rollback=True):
        before = blocks(connection)
        claims.claim(connection, [Wanted(str(tenant), 1, 1, behind)], Terms("w", 30.0))
        return blocks(connection) - before


def blocks(connection: psycopg.Connection) -> int:
    row = connection.execute(
        "SELECT pg_stat_get_xact_blocks_fetched('jobs_job_ready'::regclass)"
        "     + pg_stat_get_xact_blocks_fetched('jobs_job'::regclass)"
    ).fetchone()
    assert row is not None
    return int(row[0])


def test_beside_others_who_wait_a_walk_follows_soon_and_tells_that_a_claim_took_all(
    bench: Bench, claimer: tuple[Claimer, psycopg.Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.engine.claimer.QUIET_SECONDS", 0.0)
    one, connection = claimer
    while one.quiet_since is None:
        one.tick(connection)
        one.claim_urgent(connection)
        assert one.claim(connection, 1) == []
    tenants = [bench.tenant(), bench.tenant()]
    for tenant in tenants:
        bench.enqueue(tenant)
        one.hear(str(tenant))
    # The looks of the first poll and of the hints have come; the next poll is a minute away.
    while one.look_at(room=False, urgent_room=True) < time.monotonic() + 1:
        one.tick(connection)
        one.claim_urgent(connection)
    assert len(one.claim(connection, 1)) == 1
    assert one.look_at(room=False, urgent_room=False) < time.monotonic() + 0.2
