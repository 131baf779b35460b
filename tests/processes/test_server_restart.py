"""PostgreSQL itself goes away in the middle of the work, on a server of its own."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from archiv import embedded
from archiv.embedded_place import Place, find_place
from archiv.embedded_tools import server_pid
from tests.processes.conftest import SETTINGS
from tests.processes.workers import PROJECT, WorkerProcess

JOBS = 400
_ADDRESSES = ("DATABASE_URL", "ARCHIV_APP_DATABASE_URL", "ARCHIV_QUEUE_DATABASE_URL", "ARCHIV_ROLE_PREFIX")


@pytest.fixture
def place() -> Iterator[Place]:
    """A server that may be killed."""
    folder = Path(tempfile.mkdtemp(prefix="archiv-restart-", dir="/tmp")).resolve()
    folder.chmod(0o755)
    place = find_place(folder / "var")
    embedded.ensure(place)
    yield place
    embedded.stop(place)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def environment(place: Place) -> dict[str, str]:
    """What processes need to find that server and no other."""
    var = place.home.parent
    kept = {name: value for name, value in os.environ.items() if name not in _ADDRESSES}
    given = {"ARCHIV_VAR_ROOT": str(var), "ARCHIV_LOG_LEVEL": "DEBUG", "ARCHIV_LEASE_SECONDS": "5"}
    return kept | given | {"DATABASE_URL": place.owner_address("").url()}


def query(place: Place, sql: str) -> list[tuple[object, ...]]:
    address = place.owner_address("").url()
    with psycopg.connect(address, autocommit=True, options="-c archiv.operator=on") as connection:
        cursor = connection.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_workers_outlive_a_server_that_is_killed_and_do_each_job_once(
    place: Place, environment: dict[str, str]
) -> None:
    whole = environment | {"DJANGO_SETTINGS_MODULE": "archiv.test_settings"}
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=PROJECT, env=whole, check=True)
    query(
        place,
        f"""
        INSERT INTO jobs_job (tenant_id, type, payload)
        SELECT gen_random_uuid(), 'probe', '{{"effect": 1, "sleep": 0.01}}' FROM generate_series(1, {JOBS})
        """,
    )
    slim = environment | {"DJANGO_SETTINGS_MODULE": SETTINGS}
    workers = [WorkerProcess(("--slots", "2", "--drain"), slim) for _ in range(2)]
    try:
        for worker in workers:
            for _ in range(20):
                worker.wait_for("job.finished", timeout=60)
        pid = server_pid(place)
        assert pid is not None
        os.kill(pid, signal.SIGQUIT)
        for worker in workers:
            worker.wait_for("database.lost", timeout=60)
        embedded.ensure(place)
        assert [worker.wait_exit(120) for worker in workers] == [0, 0]
    finally:
        for worker in workers:
            worker.destroy()
    assert query(place, "SELECT status, count(*) FROM jobs_job GROUP BY status") == [("succeeded", JOBS)]
    assert query(place, "SELECT count(*), count(DISTINCT job_id) FROM jobs_probeeffect") == [(JOBS, JOBS)]
