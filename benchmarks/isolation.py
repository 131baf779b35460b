"""What row-level security and roles cost on claim, list and search, and how fast an audit trail is verified.

    python -m benchmarks.isolation [--tenants 100] [--documents 200000] [--rounds 7] [--json]

Works on a scratch database of its own, which is dropped again. The same work is done in turn as shipped
(roles, scopes, policies) and bare (everything as the owner, policies off, no scope); figures are medians of
the rounds.
"""

import argparse
import json
import os
import statistics
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archiv.test_settings")
django.setup()

import psycopg  # noqa: E402
from django.db import connections, transaction  # noqa: E402

from archiv.databases import QUEUE_PLANNER  # noqa: E402
from benchmarks.isolation_data import (  # noqa: E402
    WORDS,
    fill,
    scratch_database,
    switch_policies,
    tables_under_policies,
    write_trail,
)
from documents.models import Document  # noqa: E402
from jobs.engine.database import open_connection  # noqa: E402
from jobs.engine.store.claims import Terms, Wanted, claim  # noqa: E402
from jobs.models import Lane  # noqa: E402
from tenants.audit_store import verify_chains  # noqa: E402
from tenants.scope import tenant_scope  # noqa: E402

SHIPPED, BARE, THROUGH_POLICY = "as shipped", "bare", "through the policy"
_PAGE = 50
_TICKS = os.sysconf("SC_CLK_TCK")
_SEARCH_SQL = (
    "SELECT document_id, rank FROM archiv_search('{1}', '{words}', '{f}', '{f}', ARRAY[%s], '{}', '{}',"
    " %s::tsquery, %s::tsquery, '{}', %s::tsquery, 20)"
)


@dataclass(frozen=True)
class Figure:
    """Microseconds of one operation: median of the rounds, by the clock and of processor time."""

    operation: str
    variant: str
    wall: float
    cpu: float


@dataclass
class Series:
    """One operation in one variant, done so many times a round."""

    operation: str
    variant: str
    run: Callable[[uuid.UUID, int], object]
    backend: int
    times: int

    def measure(self, tenants: Sequence[uuid.UUID], start: int) -> tuple[float, float]:
        """Do one round; return microseconds an operation: wall, and CPU of client and server together."""
        cpu, began = self._cpu(), time.perf_counter()
        for number in range(start, start + self.times):
            self.run(tenants[number % len(tenants)], number)
        wall = time.perf_counter() - began
        return wall / self.times * 1e6, (self._cpu() - cpu) / self.times * 1e6

    def _cpu(self) -> float:
        """Return the seconds used so far by this process and by the server's for this connection."""
        fields = Path(f"/proc/{self.backend}/stat").read_text().rpartition(")")[2].split()
        return time.process_time() + (int(fields[11]) + int(fields[12])) / _TICKS


def _backend(alias: str) -> int:
    with connections[alias].cursor() as cursor:
        cursor.execute("SET jit = off")  # as the search's own function has it
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def _claims(stack: ExitStack, alias: str, variant: str, times: int) -> Series:
    connection = stack.enter_context(open_connection("benchmark", alias=alias))
    for name, value in QUEUE_PLANNER.items():
        connection.execute(f"SET {name} = {value}".encode())
    terms = Terms("benchmark", 3600.0)

    def run(tenant: uuid.UUID, _number: int) -> None:
        assert len(claim(connection, [Wanted(str(tenant), int(Lane.NORMAL), 1)], terms)) == 1

    return Series("claim of one job", variant, run, connection.info.backend_pid, times)


def _list_in_scope(tenant: uuid.UUID, _number: int) -> None:
    with tenant_scope(tenant):
        rows = Document.objects.filter(tenant_id=tenant).order_by("-created_at", "-id")
        assert len(rows[:_PAGE]) == _PAGE


def _list_bare(tenant: uuid.UUID, _number: int) -> None:
    with transaction.atomic(using="owner"):
        rows = Document.objects.using("owner").filter(tenant_id=tenant).order_by("-created_at", "-id")
        assert len(rows[:_PAGE]) == _PAGE


def _word(tenant: uuid.UUID, number: int) -> str:
    return f"'{str(tenant)[-6:]}wort{number * 7919 % WORDS}'"


def _search_in_scope(tenant: uuid.UUID, number: int) -> None:
    with tenant_scope(tenant), connections["default"].cursor() as cursor:
        cursor.execute(_SEARCH_SQL, [_word(tenant, number)] * 4)
        cursor.fetchall()


def _plain_search(alias: str) -> Callable[[uuid.UUID, int], None]:
    """Return a search by the statement that the function runs, with the tenant given in the statement."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT archiv_search_statement('{1}', '{words}', '{f}', '{f}')")
        statement = str(cursor.fetchone()[0]).replace(
            "public.archiv_tenant()", "$9::uuid AND $2::uuid[] IS NOT NULL AND $3::integer[] IS NOT NULL"
        )
    for number, cast in {
        1: "text[]",
        4: "tsquery",
        5: "tsquery",
        6: "text[]",
        7: "tsquery",
        8: "int",
    }.items():
        statement = statement.replace(f"${number}", f"(${number}::{cast})")

    def run(tenant: uuid.UUID, number: int) -> None:
        word = _word(tenant, number)
        values = [[word], [tenant], [1], word, word, [""], word, 20, tenant]
        with transaction.atomic(using=alias), psycopg.RawCursor(connections[alias].connection) as cursor:
            cursor.execute(statement.encode(), values)
            cursor.fetchall()

    return run


def _in_scope(search: Callable[[uuid.UUID, int], None]) -> Callable[[uuid.UUID, int], None]:
    def run(tenant: uuid.UUID, number: int) -> None:
        with tenant_scope(tenant):
            search(tenant, number)

    return run


def measure(tenants: Sequence[uuid.UUID], rounds: int, times: int) -> list[Figure]:
    """Measure every operation in each variant in turn, and return the medians."""
    tables, found = tables_under_policies(), dict[tuple[str, str], list[tuple[float, float]]]()
    with ExitStack() as stack:
        shipped, bare = _shipped(stack, times), _bare(stack, times)
        for number in range(rounds + 1):
            for policies, series in ((True, shipped), (False, bare)):
                switch_policies(tables, on=policies)
                for one in series:
                    figures = one.measure(tenants, number * times)
                    if number:  # the first round warms up
                        found.setdefault((one.operation, one.variant), []).append(figures)
        switch_policies(tables, on=True)
    return [
        Figure(*key, *(statistics.median(column) for column in zip(*values, strict=True)))
        for key, values in sorted(found.items())
    ]


def _shipped(stack: ExitStack, times: int) -> list[Series]:
    backend, through = _backend("default"), _in_scope(_plain_search("default"))
    return [
        _claims(stack, "queue", SHIPPED, times),
        Series("list of 50 documents", SHIPPED, _list_in_scope, backend, times),
        Series("search for a word", SHIPPED, _search_in_scope, backend, times),
        Series("search for a word", THROUGH_POLICY, through, backend, max(10, times // 10)),
    ]


def _bare(stack: ExitStack, times: int) -> list[Series]:
    backend = _backend("owner")
    return [
        _claims(stack, "owner", BARE, times),
        Series("list of 50 documents", BARE, _list_bare, backend, times),
        Series("search for a word", BARE, _plain_search("owner"), backend, times),
    ]


def measure_trail(tenants: list[uuid.UUID], events: int, rounds: int) -> tuple[float, float]:
    """Return verified events a second, by the clock and by CPU of this process; medians."""
    written = write_trail(tenants, events)
    rates = []
    for _ in range(rounds):
        began, cpu = time.perf_counter(), time.process_time()
        found = list(verify_chains(Path("/nonexistent")))
        assert not found, found[0]
        rates.append((written / (time.perf_counter() - began), written / (time.process_time() - cpu)))
    wall, processor = zip(*rates, strict=True)
    return statistics.median(wall), statistics.median(processor)


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tenants", type=int, default=100)
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--events", type=int, default=200_000, help="of the audit trail")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--times", type=int, default=300, help="operations of each kind a round")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with scratch_database():
        tenants = fill(options.tenants, options.documents)
        figures = measure(tenants, options.rounds, options.times)
        wall, cpu = measure_trail(tenants, options.events, options.rounds)
    if options.json:
        trail = {"events": options.events, "per_second": wall, "per_cpu_second": cpu}
        print(json.dumps({"figures": [asdict(figure) for figure in figures], "verify_audit": trail}))
        return
    print("| operation | variant | µs | CPU µs |\n| --- | --- | --: | --: |")
    for figure in figures:
        print(f"| {figure.operation} | {figure.variant} | {figure.wall:.0f} | {figure.cpu:.0f} |")
    print(f"\nverify_audit: {wall:,.0f} events a second ({cpu:,.0f} a CPU second), {options.events:,} events")


if __name__ == "__main__":
    main()
