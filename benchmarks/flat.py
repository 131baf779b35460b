"""Cost of a claim against backlog, tenants, history, and while a transaction holds the horizon."""

import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connections

from benchmarks import server
from benchmarks.systems import Archiv
from jobs.engine.claimer import Claimer
from jobs.engine.database import open_connection
from jobs.engine.options import WorkerOptions
from jobs.engine.store import ends
from jobs.engine.store.base import Connection, Held
from jobs.engine.store.upkeep import Worker

_CLAIMS = 150
_QUEUED = """
    INSERT INTO jobs_job (tenant_id, type, payload, home_lane, lane, status, next_attempt_at)
    SELECT ('00000000-0000-4000-8000-' || lpad((n %% %(tenants)s)::text, 12, '0'))::uuid,
           'bench-noop', '{}', 1, 1,
           %(status)s, statement_timestamp()
    FROM generate_series(1, %(number)s) AS n
"""


@contextmanager
def filled(queued: int, *, tenants: int, finished: int = 0) -> Iterator[psycopg.Connection]:
    """Make a database with so many jobs: loaded first, indexed after."""
    system = Archiv("flat", 0, "")
    system.prepare()
    try:
        with server.connect(system.database) as connection:
            connection.execute("SET archiv.operator = 'on'")
            indexes = connection.execute(
                "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'jobs_job'"
                " AND indexname NOT IN (SELECT conname FROM pg_constraint WHERE contype = 'p')"
            ).fetchall()
            for name, _ in indexes:
                connection.execute(f"DROP INDEX {name}")
            load(connection, finished, tenants=tenants, status="succeeded")
            load(connection, queued, tenants=tenants)
            for _, definition in indexes:
                connection.execute(definition)
            connection.execute("ANALYZE jobs_job")
            connection.execute("CHECKPOINT") if is_superuser(connection) else None
            connections["queue"].settings_dict["NAME"] = system.database
            yield connection
    finally:
        connections["queue"].close()
        server.drop_database(system.database)


def is_superuser(connection: psycopg.Connection) -> bool:
    row = connection.execute("SELECT current_setting('is_superuser') = 'on'").fetchone()
    return bool(row and row[0])


def load(connection: psycopg.Connection, number: int, *, tenants: int, status: str = "queued") -> None:
    """Insert so many jobs in one statement: all with one moment."""
    if number:
        connection.execute(_QUEUED, {"number": number, "tenants": tenants, "status": status})


def make_claimer(slots: int) -> Claimer:
    worker = Worker("bench", "host", 1, slots, "")
    return Claimer(WorkerOptions(worker, slots, lease=60, grace=1, poll=1, reaper=60, backoff_base=1))


def work(claimer: Claimer, connection: Connection, room: int) -> tuple[int, float]:
    """Claim once and finish what was claimed; returns how many, and the milliseconds of the claim."""
    claimer.tick(connection)
    began = time.perf_counter()
    jobs = claimer.claim(connection, room)
    milliseconds = 1000 * (time.perf_counter() - began)
    claimer.start(jobs)
    for job in jobs:
        claimer.end(job, seconds=0.001)
    ends.finish_batch(connection, [Held(job.id, job.lease) for job in jobs])
    return len(jobs), milliseconds


def claim_ms(claimer: Claimer, connection: Connection) -> float:
    """Return the median of claims for two children, once estimates have settled."""
    for _ in range(20):
        work(claimer, connection, 2)
    times = [work(claimer, connection, 2) for _ in range(_CLAIMS)]
    return round(statistics.median(one for jobs, one in times if jobs), 3)


def measure(queued: int, *, tenants: int, finished: int = 0) -> float:
    with filled(queued, tenants=tenants, finished=finished):
        connection = open_connection("bench")
        try:
            found = claim_ms(make_claimer(2), connection)
        finally:
            connection.close()
    print(f"{queued} queued, {tenants} tenants, {finished} finished: {found} ms a claim", file=sys.stderr)
    return found


def measure_pinned(jobs: int) -> tuple[float, float]:
    """Return the cost of a claim before and after so many jobs of one bulk insert under a held horizon."""
    with filled(jobs + 20_000, tenants=1):
        connection, holder = open_connection("bench"), open_connection("holder")
        try:
            holder.autocommit = False
            holder.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            holder.execute("SELECT count(*) FROM jobs_tenantqueue")
            claimer = make_claimer(64)
            before = claim_ms(claimer, connection)
            done = 0
            while done < jobs:
                done += work(claimer, connection, 64)[0]
            after = claim_ms(claimer, connection)
        finally:
            holder.close()
            connection.close()
    print(f"under a held horizon: {before} ms, after {done} jobs {after} ms", file=sys.stderr)
    return before, after


def run(*, full: bool) -> dict[str, Any]:
    """Measure everything; returns the report."""
    sizes = [1_000, 100_000, 1_000_000, *([5_000_000, 10_000_000] if full else [])]
    # Few jobs are gone in a few claims: the smallest size is refilled by being a little larger.
    by_size = {str(size): measure(max(size, 6_000), tenants=min(100, size)) for size in sizes}
    by_tenants = {str(number): measure(200_000, tenants=number) for number in (1, 1_000, 100_000)}
    history = measure(6_000, tenants=100, finished=1_000_000)
    before, after = measure_pinned(200_000)
    smallest, largest = by_size[str(sizes[0])], by_size[str(sizes[-1])]
    return {
        "claim_ms": by_size,
        "ratio": round(largest / smallest, 2),
        "tenants_claim_ms": by_tenants,
        "finished_claim_ms": {"1000000": history},
        "xmin_claim_ms": {"before": before, "after": after},
        "xmin_ratio": round(after / before, 2),
    }
