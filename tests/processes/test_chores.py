"""Daily chores in real workers."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from jobs.engine.database import open_connection
from tests.jobs.bench import Bench
from tests.processes.workers import PROJECT, WorkerProcess, wait_gone

pytestmark = pytest.mark.slow
Start = Callable[..., WorkerProcess]
OFTEN = {"ARCHIV_CHORES_SECONDS": "0.2"}


def heads_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.json"))


def wait_until(query: str) -> None:
    """Wait until the query, asked on a connection of its own, returns a row."""
    with open_connection("test") as connection:
        for _ in range(300):
            if connection.execute(query).fetchone() is not None:
                return
            time.sleep(0.1)
    raise AssertionError(f"never: {query}")


def test_the_ends_are_signed_once_a_day_though_two_workers_run(
    bench: Bench, start: Start, tmp_path: Path
) -> None:
    workers = [start("--slots", "1", ARCHIV_AUDIT_HEADS=tmp_path, **OFTEN) for _ in range(2)]
    wait_until("SELECT FROM jobs_dailychore WHERE outcome = 'done'")
    (day,) = bench.run_sql("SELECT day FROM jobs_dailychore WHERE name = 'sign-audit-heads'")[0]
    assert heads_in(tmp_path) == [f"{day}.json"]
    bench.run_sql("UPDATE jobs_dailychore SET day = day - 3, started_at = started_at - interval '3 days'")
    wait_until("SELECT FROM jobs_dailychore WHERE outcome = 'done' AND started_at > now() - interval '1 day'")
    for worker in workers:
        worker.kill(signal.SIGTERM)
        assert worker.wait_exit() == 0
    assert sum(worker.count("chore.ended") for worker in workers) == 2, "one of them each day"


def test_chores_end_with_a_worker_that_is_killed(bench: Bench, start: Start, tmp_path: Path) -> None:
    # The chore waits for the table that it wants to read: it is in the middle of it for sure.
    with psycopg.connect(bench.owner_address(), autocommit=False) as holder:
        holder.execute("LOCK TABLE tenants_auditevent IN ACCESS EXCLUSIVE MODE")
        worker = start("--slots", "1", ARCHIV_AUDIT_HEADS=tmp_path, **OFTEN)
        wait_until("SELECT FROM jobs_dailychore WHERE outcome = 'running'")
        wait_until("""SELECT FROM pg_locks WHERE relation = 'tenants_auditevent'::regclass AND NOT granted""")
        family = worker.family()
        worker.kill(signal.SIGKILL)
        assert wait_gone(family, 1.5) == []
    assert heads_in(tmp_path) == []


def test_the_command_runs_what_is_due_and_says_so(
    bench: Bench, worker_environment: dict[str, str], tmp_path: Path
) -> None:
    environment = worker_environment | {"ARCHIV_AUDIT_HEADS": str(tmp_path)}

    def call(*options: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", "run_chores", *options],
            cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        return done.stdout

    assert json.loads(call("--json"))["sign-audit-heads"]["ok"] is True
    assert heads_in(tmp_path) != []
    assert call() == "sign-audit-heads: not due\n"


def test_a_chore_that_ends_before_its_worker_ends_well(
    bench: Bench, worker_environment: dict[str, str], tmp_path: Path
) -> None:
    """While standard input is still open, and waited for by a thread."""
    with subprocess.Popen(
        [sys.executable, "manage.py", "run_chores", "--until-input-ends"],
        cwd=PROJECT,
        env=worker_environment | {"ARCHIV_AUDIT_HEADS": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(60) == 0, said.decode()
