"""Cost of a claim against backlog, tenants, history, and while a transaction holds the horizon."""

import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
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

_AGAIN = """
    INSERT INTO jobs_job (tenant_id, type, payload, home_lane, lane, next_attempt_at)
    SELECT tenant_id, 'bench-noop', '{}', 1, 1, statement_timestamp()
    FROM unnest(%(tenants)s::text[]::uuid[]) AS again(tenant_id)
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


@dataclass(frozen=True)
class Cost:
    """What a claim costs: milliseconds by the clock, and of processors on both sides."""

    ms: float
    cpu_ms: float

    def __str__(self) -> str:
        return f"{self.ms} ms a claim, {self.cpu_ms} ms of processors"


def used_ms(connection: Connection) -> float:
    """Return the processor time that this process and its session have used, in milliseconds.

    The scheduler's own count, in nanoseconds: what else the machine does is not in it.
    """
    server = Path(f"/proc/{connection.info.backend_pid}/schedstat").read_text().split()[0]
    return int(server) / 1e6 + 1000 * time.process_time()


def work(
    claimer: Claimer, connection: Connection, room: int, *, loading: psycopg.Connection | None = None
) -> tuple[int, Cost]:
    """Claim once and finish what was claimed; returns how many, and the cost of the claim.

    With `loading` as many jobs of the same tenants are queued again, so that the backlog stays as it is.
    """
    claimer.tick(connection)
    used, began = used_ms(connection), time.perf_counter()
    jobs = claimer.claim(connection, room)
    cost = Cost(1000 * (time.perf_counter() - began), used_ms(connection) - used)
    claimer.start(jobs)
    for job in jobs:
        claimer.end(job, seconds=0.001)
    ends.finish_batch(connection, [Held(job.id, job.lease) for job in jobs])
    if loading is not None:
        loading.execute(_AGAIN, {"tenants": [job.tenant_id for job in jobs]})
    return len(jobs), cost


def claim_cost(
    claimer: Claimer, connection: Connection, *, loading: psycopg.Connection | None = None
) -> Cost:
    """Return the medians of claims for two children, once estimates have settled."""
    for _ in range(20):
        work(claimer, connection, 2, loading=loading)
    worked = [work(claimer, connection, 2, loading=loading) for _ in range(_CLAIMS)]
    costs = [cost for jobs, cost in worked if jobs]
    return Cost(
        round(statistics.median(one.ms for one in costs), 3),
        round(statistics.median(one.cpu_ms for one in costs), 3),
    )


def measure(queued: int, *, tenants: int, finished: int = 0) -> Cost:
    with filled(queued, tenants=tenants, finished=finished) as loading:
        connection = open_connection("bench")
        try:
            found = claim_cost(make_claimer(2), connection, loading=loading)
        finally:
            connection.close()
    print(f"{queued} queued, {tenants} tenants, {finished} finished: {found}", file=sys.stderr)
    return found


def measure_pinned(jobs: int) -> tuple[Cost, Cost]:
    """Return the cost of a claim before and after so many jobs of one bulk insert under a held horizon."""
    with filled(jobs + 20_000, tenants=1):
        connection, holder = open_connection("bench"), open_connection("holder")
        try:
            holder.autocommit = False
            holder.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            holder.execute("SELECT count(*) FROM jobs_tenantqueue")
            claimer = make_claimer(64)
            before = claim_cost(claimer, connection)
            done = 0
            while done < jobs:
                done += work(claimer, connection, 64)[0]
            after = claim_cost(claimer, connection)
        finally:
            holder.close()
            connection.close()
    print(f"under a held horizon: {before}; after {done} jobs {after}", file=sys.stderr)
    return before, after


def run(*, full: bool) -> dict[str, Any]:
    """Measure everything; returns the report. On a busy machine the ratios of processor time say more."""
    sizes = [1_000, 100_000, 1_000_000, *([5_000_000, 10_000_000] if full else [])]
    by_size = {str(size): measure(size, tenants=100) for size in sizes}
    by_tenants = {str(number): measure(200_000, tenants=number) for number in (1, 1_000, 100_000)}
    history = measure(1_000, tenants=100, finished=1_000_000)
    before, after = measure_pinned(200_000)
    smallest, largest = by_size[str(sizes[0])], by_size[str(sizes[-1])]
    costs = {
        "claim": by_size,
        "tenants_claim": by_tenants,
        "finished_claim": {"1000000": history},
        "xmin_claim": {"before": before, "after": after},
    }
    report: dict[str, Any] = {}
    for name, found in costs.items():
        report[f"{name}_ms"] = {what: cost.ms for what, cost in found.items()}
        report[f"{name}_cpu_ms"] = {what: cost.cpu_ms for what, cost in found.items()}
    return report | {
        "ratio": round(largest.ms / smallest.ms, 2),
        "cpu_ratio": round(largest.cpu_ms / smallest.cpu_ms, 2),
        "xmin_ratio": round(after.ms / before.ms, 2),
        "xmin_cpu_ratio": round(after.cpu_ms / before.cpu_ms, 2),
    }
