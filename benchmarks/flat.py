"""Cost of a claim against backlog, tenants, history, and while a transaction holds the horizon."""

import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
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

_ROUNDS, _CLAIMS, _SETTLING = 5, 40, 40
# A job that takes so long has a child to itself: each claim for two children takes two, however the backlog
# is made. Of shorter ones a claim takes 2, 10 or 32, and what it costs could not be compared.
_JOB_SECONDS = 0.05
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


@dataclass(frozen=True)
class Case:
    """How many jobs wait, of how many tenants, beside how many finished ones."""

    queued: int
    tenants: int
    finished: int = 0

    def __str__(self) -> str:
        return f"{self.queued} queued, {self.tenants} tenants, {self.finished} finished"


@contextmanager
def filled(name: str, queued: int, *, tenants: int, finished: int = 0) -> Iterator["Backlog"]:
    """Make a database with so many jobs: loaded first, indexed after."""
    system = Archiv(f"flat_{name}", 0, "")
    system.prepare()
    try:
        with server.connect(system.database) as loading:
            loading.execute("SET archiv.operator = 'on'")
            indexes = loading.execute(
                "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'jobs_job'"
                " AND indexname NOT IN (SELECT conname FROM pg_constraint WHERE contype = 'p')"
            ).fetchall()
            for index, _ in indexes:
                loading.execute(f"DROP INDEX {index}")
            load(loading, finished, tenants=tenants, status="succeeded")
            load(loading, queued, tenants=tenants)
            for _, definition in indexes:
                loading.execute(definition)
            server.settle(system.database)
            connections["queue"].settings_dict["NAME"] = system.database
            with open_connection("bench") as connection:
                yield Backlog(name, make_claimer(2), connection, loading)
    finally:
        connections["queue"].close()
        server.drop_database(system.database)


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
        claimer.end(job, seconds=_JOB_SECONDS)
    ends.finish_batch(connection, [Held(job.id, job.lease) for job in jobs])
    if loading is not None:
        loading.execute(_AGAIN, {"tenants": [job.tenant_id for job in jobs]})
    return len(jobs), cost


@dataclass(frozen=True)
class Backlog:
    """A database with jobs, and who claims them."""

    name: str
    claimer: Claimer
    connection: Connection
    loading: psycopg.Connection

    def claim(self, claims: int, *, as_it_was: bool = True) -> Cost:
        """Return the medians of claims of two jobs for two children; the backlog stays `as_it_was`."""
        costs: list[Cost] = []
        while len(costs) < claims:
            jobs, cost = work(self.claimer, self.connection, 2, loading=self.loading if as_it_was else None)
            if jobs == 2:  # the last ones of a tenant may be fewer
                costs.append(cost)
        return middle(costs)


def middle(costs: Sequence[Cost]) -> Cost:
    """Return the medians."""
    return Cost(
        round(statistics.median(one.ms for one in costs), 3),
        round(statistics.median(one.cpu_ms for one in costs), 3),
    )


def measure(cases: Mapping[str, Case]) -> dict[str, Cost]:
    """Return what a claim costs in each case: the medians of five rounds, in which the cases take turns."""
    with ExitStack() as stack:
        backlogs = [
            stack.enter_context(filled(name, case.queued, tenants=case.tenants, finished=case.finished))
            for name, case in cases.items()
        ]
        for backlog in backlogs:
            backlog.claim(_SETTLING)
        rounds = [[backlog.claim(_CLAIMS) for backlog in backlogs] for _ in range(_ROUNDS)]
    found = {name: middle(costs) for name, costs in zip(cases, zip(*rounds, strict=True), strict=True)}
    for name, cost in found.items():
        print(f"{cases[name]}: {cost}", file=sys.stderr)
    return found


def measure_pinned(jobs: int) -> tuple[Cost, Cost]:
    """Return the cost of a claim before and after so many jobs of one bulk insert under a held horizon."""
    with filled("pinned", jobs + 20_000, tenants=1) as backlog, open_connection("holder") as holder:
        holder.execute("SET idle_in_transaction_session_timeout = 0")
        holder.autocommit = False
        holder.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        holder.execute("SELECT count(*) FROM jobs_tenantqueue")
        backlog.claim(_SETTLING, as_it_was=False)
        before = middle([backlog.claim(_CLAIMS, as_it_was=False) for _ in range(_ROUNDS)])
        done, claimer = 0, make_claimer(64)
        while done < jobs:
            done += work(claimer, backlog.connection, 64)[0]
        after = middle([backlog.claim(_CLAIMS, as_it_was=False) for _ in range(_ROUNDS)])
    print(f"under a held horizon: {before}; after {done} jobs {after}", file=sys.stderr)
    return before, after


def run(*, full: bool) -> dict[str, Any]:
    """Measure everything; returns the report. On a busy machine the ratios of processor time say more."""
    sizes = [1_000, 100_000, 1_000_000, *([5_000_000, 10_000_000] if full else [])]
    numbers = (1, 1_000, 100_000)
    cases = {f"queued_{size}": Case(size, tenants=100) for size in sizes}
    cases |= {f"tenants_{number}": Case(200_000, tenants=number) for number in numbers}
    cases["finished"] = Case(1_000, tenants=100, finished=1_000_000)
    costs = measure(cases)
    before, after = measure_pinned(200_000)
    smallest, largest = costs[f"queued_{sizes[0]}"], costs[f"queued_{sizes[-1]}"]
    tables = {
        "claim": {str(size): costs[f"queued_{size}"] for size in sizes},
        "tenants_claim": {str(number): costs[f"tenants_{number}"] for number in numbers},
        "finished_claim": {"1000000": costs["finished"]},
        "xmin_claim": {"before": before, "after": after},
    }
    report: dict[str, Any] = {}
    for name, found in tables.items():
        report[f"{name}_ms"] = {what: cost.ms for what, cost in found.items()}
        report[f"{name}_cpu_ms"] = {what: cost.cpu_ms for what, cost in found.items()}
    return report | {
        "ratio": round(largest.ms / smallest.ms, 2),
        "cpu_ratio": round(largest.cpu_ms / smallest.cpu_ms, 2),
        "xmin_ratio": round(after.ms / before.ms, 2),
        "xmin_cpu_ratio": round(after.cpu_ms / before.cpu_ms, 2),
    }
