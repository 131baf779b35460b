"""Whose jobs are due: the walk through the ready index, and what the dispatcher remembers of it."""

import time
import uuid

import pytest

from jobs.engine.bounds import Bounds, Sight
from jobs.engine.due import DueList
from jobs.engine.store.heads import due_heads
from jobs.engine.store.upkeep import QueueRule
from jobs.fairness import FairShare
from jobs.models import Lane
from tests.jobs.bench import Bench

CLOSED = QueueRule(weight=1.0, max_running=None, open=False)


def make_queue(bench: Bench, tenants: int, *, lane: int = 1, due: str = "0") -> list[str]:
    """Queue one job for each of so many tenants; returns their ids in order."""
    rows = bench.run_sql(
        f"""
        INSERT INTO jobs_job (tenant_id, type, payload, lane, home_lane, next_attempt_at)
        SELECT gen_random_uuid(), 'probe', '{{}}', {lane}, 1, statement_timestamp() + interval '{due} s'
        FROM generate_series(1, {tenants}) RETURNING tenant_id::text
        """
    )
    return sorted(row[0] for row in rows)


def test_each_tenants_lane_shows_its_first_job_only(bench: Bench) -> None:
    tenant = bench.tenant()
    bench.enqueue(tenant, 5)
    bench.enqueue(tenant, 2, lane=Lane.BULK)
    heads, end = due_heads(bench.worker().connection, after=None, bound=10)
    assert end is None
    assert [(head.tenant_id, head.lane) for head in heads] == [(str(tenant), 1), (str(tenant), 2)]
    assert all(head.due_in <= 0 for head in heads)


def test_the_walk_is_bounded_and_goes_on_behind_the_last_head(bench: Bench) -> None:
    tenants = make_queue(bench, 7)
    connection = bench.worker().connection
    first, end = due_heads(connection, after=None, bound=4)
    assert end == (tenants[3], 1)
    assert [head.tenant_id for head in first] == tenants[:4]
    second, end = due_heads(connection, after=end, bound=4)
    assert end is None
    assert [head.tenant_id for head in second] == tenants[4:]


def test_jobs_that_wait_until_later_are_not_met(bench: Bench) -> None:
    make_queue(bench, 5, lane=3, due="3600")
    assert due_heads(bench.worker().connection, after=None, bound=10) == ([], None)


def walker(bound: int = 4) -> tuple[FairShare, DueList]:
    share = FairShare(slots=4)
    return share, DueList(share, Bounds(), bound=bound)


def known(share: FairShare) -> set[tuple[str, int]]:
    """Whoever the walks have found: each is granted one job, and then has none."""
    found = set()
    while share:
        for grant in share.choose(1, now=0):
            found.add((grant.tenant_id, grant.lane))
            share.rest(grant.tenant_id, grant.lane)
    return found


def test_walks_of_a_worker_meet_every_tenant_in_turn(bench: Bench) -> None:
    tenants = make_queue(bench, 300)
    (share, due), connection = walker(), bench.worker().connection
    met: set[str] = set()
    for _ in range(6):
        due.walk(connection, {})
        met |= {tenant for tenant, _ in known(share)}
        due.take()
    assert met == set(tenants)


def test_walks_beside_work_meet_every_tenant_too(bench: Bench) -> None:
    tenants = make_queue(bench, 300)
    (share, due), connection = walker(), bench.worker().connection
    share.wake(str(bench.tenant()), 1)
    for _ in range(6):
        due.walk(connection, {})
        due.take()
    assert {tenant for tenant, _ in known(share)} > set(tenants)


@pytest.mark.parametrize("others", [0, 300])
def test_a_walk_tells_who_has_nothing_due_any_more(bench: Bench, others: int) -> None:
    make_queue(bench, others)
    share, bounds = FairShare(slots=4), Bounds()
    due, connection = DueList(share, bounds, bound=4), bench.worker().connection
    empty, later, busy = (str(bench.tenant()) for _ in range(3))
    bench.enqueue(uuid.UUID(later), delay_seconds=1.5)
    bench.enqueue(uuid.UUID(busy))
    for tenant in (empty, later, busy):
        # As after a hint, which does not tell a lane.
        for lane in (Lane.NORMAL, Lane.BULK):
            share.wake(tenant, int(lane))
        # As a claim does that got all it asked for.
        bounds.see(tenant, 1, Sight((1, 1), 1, 1, time.monotonic()), claimed_at=1)
    for _ in range(8):
        due.walk(connection, {})
    assert {key for key in known(share) if key[0] in {empty, later, busy}} == {(busy, 1)}


def test_closed_tenants_are_passed_over_until_one_is_open(bench: Bench) -> None:
    tenants = make_queue(bench, 400)
    rules = dict.fromkeys(tenants[:-1], CLOSED)
    share, due = walker()
    due.walk(bench.worker().connection, rules)
    assert known(share) == {(tenants[-1], 1)}


def test_a_round_that_finds_nothing_is_quiet(bench: Bench) -> None:
    (_, due), connection = walker(), bench.worker().connection
    due.walk(connection, {})
    assert due.is_quiet
    tenants = make_queue(bench, 3)
    rules = dict.fromkeys(tenants, CLOSED)
    due.walk(connection, rules)
    assert due.is_quiet


def test_a_round_that_finds_a_job_due_in_a_moment_is_not_quiet(bench: Bench) -> None:
    make_queue(bench, 1, due="1.5")
    share, due = walker()
    due.walk(bench.worker().connection, {})
    assert not share
    assert not due.is_quiet
    assert due.next_due_in is not None
    assert 0 < due.next_due_in < 1.6


def test_a_claim_in_between_makes_a_quiet_round_old(bench: Bench) -> None:
    _, due = walker()
    due.walk(bench.worker().connection, {})
    due.take()
    assert not due.is_quiet
