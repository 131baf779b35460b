"""Plans of the statements that run all the time, as the dispatcher's role sees them: indexes and nothing
else.
"""

import re
import uuid
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from jobs.engine.store import claims, ends, heads, leases, upkeep
from jobs.engine.store.base import Connection, Held
from jobs.engine.store.claims import Terms, Wanted
from jobs.engine.store.ends import Failure
from tests.jobs.bench import Bench

READY, PRIMARY = "jobs_job_ready", "jobs_job_pkey"
TERMS = Terms("w", 30.0)


class Explaining:
    """A connection that explains statements instead of running them, for these parameters or for any.

    What is prepared ends up with the plan for any.
    """

    def __init__(self, connection: Connection, *, generic: bool) -> None:
        self._connection = connection
        self._generic = generic
        self.plans: list[str] = []

    def execute(
        self, sql: str, parameters: dict[str, object] | None = None, *, prepare: bool | None = None
    ) -> psycopg.Cursor[Any]:
        client = psycopg.ClientCursor(self._connection)
        with self._connection.transaction(force_rollback=True):
            if self._generic and parameters:
                names = list(parameters)
                numbered = re.sub(r"%\((\w+)\)s", lambda found: f"${names.index(found[1]) + 1}", sql)
                self._connection.execute(f"PREPARE explained AS {numbered.replace('%%', '%')}".encode())
                self._connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
                values = client.mogrify(", ".join(["%s"] * len(names)), list(parameters.values()))
                text = f"EXECUTE explained({values})"
            else:
                text = client.mogrify(sql, parameters)
            rows = self._connection.execute(f"EXPLAIN {text}".encode()).fetchall()
            if text.startswith("EXECUTE"):
                self._connection.execute("DEALLOCATE explained")
        self.plans.append("\n".join(row[0] for row in rows))
        return self._connection.execute("SELECT 1 WHERE false")


def fill(bench: Bench, rows: int) -> uuid.UUID:
    """Fill the table with jobs of 50 tenants, behind the back of statistics; returns one of the tenants."""
    tenant = uuid.uuid4()
    bench.run_sql("ANALYZE jobs_job")
    bench.run_sql(
        """
        INSERT INTO jobs_job (tenant_id, type, payload, status, next_attempt_at, document_id,
                              lease_expires_at)
        SELECT CASE WHEN n %% 2 = 0 THEN %s::uuid
                    ELSE ('00000000-0000-0000-0000-' || lpad((n %% 50)::text, 12, '0'))::uuid END,
               'probe', '{}', (ARRAY['queued', 'queued', 'succeeded', 'processing', 'failed'])[1 + n %% 5],
               statement_timestamp() - n * interval '1 ms', gen_random_uuid(),
               statement_timestamp() - interval '1 s'
        FROM generate_series(1, %s) AS n
        """,
        [str(tenant), rows],
    )
    return tenant


def claim(connection: Connection, tenant: uuid.UUID) -> None:
    claims.claim(connection, [Wanted(str(tenant), 1, 4, (5, 7)), Wanted(str(uuid.uuid4()), 2, 1)], TERMS)


def claim_some_types(connection: Connection, tenant: uuid.UUID) -> None:
    claims.claim(connection, [Wanted(str(tenant), 1, 4)], Terms("w", 30.0, ("probe",)))


def claim_urgent(connection: Connection, tenant: uuid.UUID) -> None:
    claims.claim_urgent(connection, 1, TERMS)


def claim_and_finish(connection: Connection, tenant: uuid.UUID) -> None:
    wanted = [Wanted(str(tenant), 1, 4, (5, 7)), Wanted(str(uuid.uuid4()), 2, 1)]
    claims.claim_and_finish(connection, wanted, TERMS, [Held(n, 1) for n in range(8)])


def due_heads(connection: Connection, tenant: uuid.UUID) -> None:
    heads.due_heads(connection, after=(str(uuid.UUID(int=1)), 1), bound=64)


def due_heads_between(connection: Connection, tenant: uuid.UUID) -> None:
    known = [heads.Known((str(tenant), 1), (1, 1))]
    heads.due_heads(connection, after=(str(uuid.UUID(int=1)), 1), bound=64, known=known)


def stage(connection: Connection, tenant: uuid.UUID) -> None:
    upkeep.stage(connection, limit=100)


def beat(connection: Connection, tenant: uuid.UUID) -> None:
    leases.beat(connection, [Held(n, 1) for n in range(8)], seconds=30)


def finish_batch(connection: Connection, tenant: uuid.UUID) -> None:
    ends.finish_batch(connection, [Held(n, 1) for n in range(8)])


def fail_batch(connection: Connection, tenant: uuid.UUID) -> None:
    ends.fail_batch(connection, [Failure(n, 1, "error", "x") for n in range(8)])


def find_expired(connection: Connection, tenant: uuid.UUID) -> None:
    ends.find_expired(connection, after=None, limit=100)


# The verb, and the indexes that its plan may use.
VERBS: list[tuple[Callable[[Connection, uuid.UUID], None], set[str]]] = [
    (claim, {READY, PRIMARY, "jobs_tenantqueue_pkey"}),
    (claim_and_finish, {READY, PRIMARY, "jobs_tenantqueue_pkey"}),
    (claim_some_types, {READY, PRIMARY, "jobs_tenantqueue_pkey"}),
    (claim_urgent, {"jobs_job_urgent", PRIMARY}),
    (due_heads, {READY}),
    (due_heads_between, {READY}),
    (stage, {"jobs_job_later", PRIMARY}),
    (beat, {PRIMARY}),
    (finish_batch, {PRIMARY}),
    (fail_batch, {PRIMARY, "jobs_job_queued_analysis", "jobs_job_document"}),
    (find_expired, {"jobs_job_running"}),
]


@pytest.mark.parametrize("generic", [False, True], ids=["these", "any"])
@pytest.mark.parametrize("rows", [1, 1_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_no_statement_scans_or_sorts_whatever_the_size_and_the_statistics(
    bench: Bench, rows: int, generic: bool
) -> None:
    tenant = fill(bench, rows)
    connection = bench.worker().connection
    for verb, indexes in VERBS:
        explaining = Explaining(connection, generic=generic)
        verb(explaining, tenant)  # type: ignore[arg-type]
        plan = "\n".join(explaining.plans)
        used = set(re.findall(r"Index (?:Only )?Scan(?: Backward)? using (\w+)", plan))
        assert used <= indexes, f"{verb.__name__}:\n{plan}"
        assert used, f"{verb.__name__}:\n{plan}"
        assert "Seq Scan" not in plan, f"{verb.__name__}:\n{plan}"
        assert "Bitmap" not in plan, f"{verb.__name__}:\n{plan}"
        assert not re.search(r"\bSort\b", plan), f"{verb.__name__}:\n{plan}"
