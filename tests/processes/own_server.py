"""A PostgreSQL of its own for tests that take it away from workers."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from archiv import embedded
from archiv.embedded_place import Place, find_place
from tests.processes.workers import PROJECT

SETTINGS = "tests.processes.settings"
_ADDRESSES = ("DATABASE_URL", "ARCHIV_APP_DATABASE_URL", "ARCHIV_QUEUE_DATABASE_URL", "ARCHIV_ROLE_PREFIX")


@dataclass(frozen=True)
class OwnServer:
    """A server that may be killed, with archiv's tables, and what processes need to find it and no other."""

    place: Place
    environment: dict[str, str]

    def query(self, sql: str) -> list[tuple[object, ...]]:
        address = self.place.owner_address("").url()
        with psycopg.connect(address, autocommit=True, options="-c archiv.operator=on") as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def enqueue_probes(self, number: int, payload: str) -> None:
        """Queue jobs of as many tenants, without telling workers."""
        self.query(
            f"""
            INSERT INTO jobs_job (tenant_id, type, payload)
            SELECT gen_random_uuid(), 'probe', '{payload}' FROM generate_series(1, {number})
            """
        )


@contextmanager
def own_server(**settings: str) -> Iterator[OwnServer]:
    """Start one, with the variables given for its processes; it goes again at the end."""
    folder = Path(tempfile.mkdtemp(prefix="archiv-own-", dir="/tmp")).resolve()
    folder.chmod(0o755)
    place = find_place(folder / "var")
    try:
        embedded.ensure(place)
        kept = {name: value for name, value in os.environ.items() if name not in _ADDRESSES}
        given = {
            "ARCHIV_VAR_ROOT": str(folder / "var"),
            "ARCHIV_LOG_LEVEL": "DEBUG",
            "ARCHIV_LEASE_SECONDS": "5",
            "DATABASE_URL": place.owner_address("").url(),
            "DJANGO_SETTINGS_MODULE": SETTINGS,
        }
        server = OwnServer(place, kept | given | settings)
        whole = server.environment | {
            "DJANGO_SETTINGS_MODULE": "archiv.test_settings",
            "ARCHIV_LOG_LEVEL": "WARNING",
        }
        migrate = [sys.executable, "manage.py", "migrate", "-v0"]
        subprocess.run(migrate, cwd=PROJECT, env=whole, check=True)
        yield server
    finally:
        embedded.stop(place)
        shutil.rmtree(folder, ignore_errors=True)
