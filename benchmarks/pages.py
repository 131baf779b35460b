"""What the admin's pages ask of the database, statement by statement, at a million documents and jobs.

    python -m benchmarks.pages [--rows 1000000] [--jobs-each 1] [--tenants 100] [--rounds 5] [--all]

Works on a scratch database of its own, loaded by INSERT … SELECT and dropped again. One tenant has half of
everything. Each page is asked for as an operator would; shown is the fastest of the rounds, the first left
out, because the machine may have other work. `--all` lists every statement of every page.
"""

import argparse
import os
import re
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archiv.test_settings")
django.setup()

from django.db import connections  # noqa: E402
from django.test import Client  # noqa: E402

from benchmarks.isolation_data import scratch_database  # noqa: E402
from benchmarks.pages_data import load  # noqa: E402
from tenants.models import User  # noqa: E402

#: Wanted of a page, and of each of its statements.
PAGE_MS, STATEMENT_MS = 300, 50


@dataclass(frozen=True)
class Measured:
    """One page: milliseconds in all, and of each statement in its order."""

    name: str
    page_ms: float
    statements: Sequence[tuple[str, float]]

    @property
    def slowest(self) -> float:
        """Milliseconds of the slowest statement."""
        return max((ms for _, ms in self.statements), default=0.0)


def pages(tenant: uuid.UUID, label: uuid.UUID, document: uuid.UUID, failed: int) -> dict[str, str]:
    """Return the pages by what they show."""
    documents, jobs, failures = (
        "/admin/documents/document/",
        "/admin/jobs/job/",
        "/admin/jobs/failedjob/",
    )
    of_tenant = f"{documents}?tenant={tenant}"
    return {
        "first page": "/admin/",
        "documents": documents,
        "documents of the largest tenant": f"{documents}?tenant={tenant}",
        "documents as a grid": f"{documents}?tenant={tenant}&look=grid",
        "documents failed": f"{documents}?status=failed",
        "documents done, of the tenant": f"{documents}?tenant={tenant}&status=done",
        "documents with a frequent tag": f"{documents}?tenant={tenant}&tag={label}",
        "documents by days of issue": f"{of_tenant}&issued_from=2021-01-01&issued_to=2021-02-01",
        "a day of issue that nothing has": f"{documents}?tenant={tenant}&issued_to=1990-01-01",
        "documents added before a day": f"{documents}?added_to=2020-01-01",
        "a document": f"{documents}{document}/change/",
        "jobs": jobs,
        "jobs waiting": f"{jobs}?status=queued",
        "jobs succeeded, of the tenant": f"{jobs}?tenant={tenant}&status=succeeded",
        "jobs more than a day old": f"{jobs}?age=over-day",
        "jobs in the bulk lane": f"{jobs}?lane=2",
        "failed jobs": failures,
        "failed jobs of the tenant": f"{failures}?tenant={tenant}",
        "failed jobs by text": f"{failures}?error=page+7",
        "failed jobs by a text that none has": f"{failures}?error=nobody+says+this",
        "a kind of error": f"{failures}kind/{'0' * 64}/",
        "preview of its requeue": f"{failures}requeue/?fingerprint={'0' * 64}",
        "a job": f"{failures}{failed}/change/",
        "tenants": "/admin/tenants/tenant/",
        "a tenant": f"/admin/tenants/tenant/{tenant}/change/",
    }


class Clock:
    """Notes each statement and its milliseconds: Django's own log of queries knows whole ones only."""

    def __init__(self) -> None:
        self.statements: list[tuple[str, float]] = []

    def __call__(
        self,
        execute: Callable[..., Any],
        statement: str,
        parameters: object,
        many: bool,
        context: dict[str, Any],
    ) -> Any:
        """Run one statement."""
        began = time.perf_counter()
        try:
            return execute(statement, parameters, many, context)
        finally:
            self.statements.append((statement, 1000 * (time.perf_counter() - began)))


def measure(client: Client, name: str, address: str, rounds: int) -> Measured:
    """Ask for a page some times; the first time does not count."""
    times: list[float] = []
    statements: list[list[tuple[str, float]]] = []
    for _ in range(rounds + 1):
        clock = Clock()
        with connections["default"].execute_wrapper(clock):
            began = time.perf_counter()
            answer = client.get(address)
            times.append(1000 * (time.perf_counter() - began))
        if answer.status_code != 200:
            raise SystemExit(f"{address}: {answer.status_code}")
        statements.append(clock.statements)
    columns = zip(*statements[1:], strict=False)
    middles = [(column[0][0], min(ms for _, ms in column)) for column in columns]
    return Measured(name, min(times[1:]), middles)


def shorten(statement: str) -> str:
    """Return what a statement reads from, and the beginning of its condition."""
    flat = re.sub(r"\s+", " ", statement).replace('"', "")
    found = re.search(r"\bFROM ([a-z_]+)", flat)
    table = found[1] if found else flat[:30]
    condition = flat.partition(" WHERE ")[2]
    return f"{table}: {condition[:110]}" if condition else table


def report(measured: Sequence[Measured], *, show_all: bool) -> None:
    """Write a table for the docs, and the statements that matter."""
    write = sys.stdout.write
    write("| page | ms | statements | their ms | the slowest |\n| --- | --: | --: | --: | --: |\n")
    for one in measured:
        total = sum(ms for _, ms in one.statements)
        write(
            f"| {one.name} | {one.page_ms:.0f} | {len(one.statements)} | {total:.1f} | {one.slowest:.1f} |\n"
        )
    write("\n")
    for one in measured:
        for statement, ms in sorted(one.statements, key=lambda each: -each[1]):
            if show_all or ms > STATEMENT_MS:
                write(f"{one.name}: {ms:.1f} ms {shorten(statement)}\n")
    late = [one.name for one in measured if one.page_ms > PAGE_MS or one.slowest > STATEMENT_MS]
    write(f"over {PAGE_MS} ms or with a statement over {STATEMENT_MS} ms: {', '.join(late) or 'none'}\n")


def main() -> None:
    """Load, measure, report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--jobs-each", type=int, default=1, help="jobs of each document")
    parser.add_argument("--tenants", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    with scratch_database():
        began = time.perf_counter()
        known = load(rows=options.rows, tenants=options.tenants, each=options.jobs_each)
        sys.stderr.write(f"loaded in {time.perf_counter() - began:.0f} s\n")
        client = Client(headers={"host": "localhost"})
        client.force_login(User.objects.create_superuser("operator"))
        asked = pages(known.tenant, known.label, known.document, known.failed)
        report(
            [measure(client, name, address, options.rounds) for name, address in asked.items()],
            show_all=options.all,
        )


if __name__ == "__main__":
    main()
