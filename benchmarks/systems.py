"""The systems that are measured: how each is prepared, loaded, started, and known to be done."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from archiv.database_roles import role_urls
from benchmarks import server
from benchmarks.redis_server import RedisServer
from jobs.engine.hints import CHANNEL

ROOT = Path(__file__).resolve().parents[1]
PEERS = ROOT / "benchmarks" / "peers"
PEER_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
TENANT = "11111111-1111-4111-8111-111111111111"

LOAD = """
    INSERT INTO jobs_job (tenant_id, type, payload, home_lane, lane, next_attempt_at)
    SELECT %(tenant)s::uuid, %(type)s, %(payload)s::jsonb, 1, 1, statement_timestamp()
    FROM generate_series(1, %(number)s)
"""

_MAKE_TENANT = """
    INSERT INTO tenants_tenant (id, name, status, status_before, timezone, languages, retention_released_by,
        retention_released_reason)
    VALUES (%s::uuid, 'Measured', 'active', '', 'Europe/Berlin', '{deu}', '', '')
"""


@dataclass
class System:
    """One system with a database of its own."""

    name: str
    jobs: int
    #: True while something is left.
    left_sql: str
    #: Part of the name of its database: benchmarks of different purposes may run at once.
    purpose: str = "queue"
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def database(self) -> str:
        """Its database."""
        return f"bench_{self.purpose}_" + self.name.replace("-", "_")

    def environment(self) -> dict[str, str]:
        """What its processes find in their environment."""
        return os.environ | {"BENCH_DSN": server.address(self.database), "BENCH_PEER": self.name}

    def commands(self) -> list[list[str]]:
        """Its workers."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Make its database."""
        server.make_database(self.database)

    def load(self, connection: psycopg.Connection, number: int) -> None:
        """Enqueue jobs that do nothing."""
        raise NotImplementedError

    def trickle(self, number: int, pause: float, *, seconds: float = 0.0) -> None:
        """Enqueue noting jobs that take so long, one after each pause, both in seconds."""
        raise NotImplementedError

    def is_done(self, connection: psycopg.Connection) -> bool:
        """Whether nothing is left."""
        with connection.transaction():
            connection.execute("SELECT set_config('archiv.operator', 'on', true)")
            row = connection.execute(f"SELECT {self.left_sql}").fetchone()
        return row is not None and not row[0]

    @property
    def server_pids(self) -> list[int]:
        """Servers of its own beside PostgreSQL."""
        return []

    def start(self) -> None:
        """Start its workers and wait until they say that they are ready."""
        for command in self.commands():
            process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment(), stdout=subprocess.PIPE, text=True
            )
            self.processes.append(process)
            assert process.stdout is not None
            while not process.stdout.readline().startswith("ready"):
                if process.poll() is not None:
                    raise RuntimeError(f"{self.name}: the worker ended with {process.returncode}")

    def close(self) -> None:
        """Drop its database."""
        server.drop_database(self.database)

    @property
    def pids(self) -> list[int]:
        """Its workers."""
        return [process.pid for process in self.processes]

    def stop(self) -> None:
        """Stop its workers, and make sure of it."""
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                for pid in reversed(server.family(process.pid)):
                    os.kill(pid, signal.SIGKILL)
                process.wait()
        self.processes = []


@dataclass
class Archiv(System):
    """archiv: one worker, as it is installed."""

    slots: int = 4
    type: str = "bench-noop"
    batch: int = 16
    as_owner: bool = False
    workers: int = 1

    def environment(self) -> dict[str, str]:
        """All three roles, on the benchmark's database."""
        return (
            super().environment()
            | role_urls(database=self.database)
            | {"DJANGO_SETTINGS_MODULE": "benchmarks.settings", "ARCHIV_LOG_LEVEL": "WARNING"}
            | ({"BENCH_AS_OWNER": "1"} if self.as_owner else {})
        )

    def commands(self) -> list[list[str]]:
        """Its workers."""
        options = ["--grace", "1", "--slots", str(self.slots), "--batch", str(self.batch)]
        return [[sys.executable, "manage.py", "runworker", *options]] * self.workers

    def prepare(self) -> None:
        """Make its database, tables and policies."""
        super().prepare()
        command = [sys.executable, "manage.py", "migrate", "--database", "owner", "--verbosity", "0"]
        subprocess.run(command, cwd=ROOT, env=self.environment(), check=True)
        with server.connect(self.database) as connection, connection.transaction():
            connection.execute("SELECT set_config('archiv.operator', 'on', true)")
            connection.execute(_MAKE_TENANT, [TENANT])
        if self.as_owner:
            with server.connect(self.database) as connection:
                guarded = connection.execute("SELECT oid::regclass::text FROM pg_class WHERE relrowsecurity")
                for (table,) in guarded.fetchall():
                    connection.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
                    connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
                left = connection.execute("SELECT count(*) FROM pg_class WHERE relrowsecurity").fetchone()
                assert left == (0,), "this system is measured without policies"

    def load(self, connection: psycopg.Connection, number: int) -> None:
        """Enqueue jobs of one tenant."""
        connection.execute("SELECT set_config('archiv.operator', 'on', true)")
        fields = {"tenant": TENANT, "type": self.type, "payload": "{}", "number": number}
        connection.execute(LOAD, fields)
        connection.execute("SELECT pg_notify(%s, %s)", [CHANNEL, TENANT])

    def trickle(self, number: int, pause: float, *, seconds: float = 0.0) -> None:
        """Enqueue through the service, as the site does."""
        command = [sys.executable, "-m", "benchmarks.trickle", str(number), str(pause), str(seconds)]
        subprocess.run(command, cwd=ROOT, env=self.environment(), check=True)

    def enqueue_crash(self) -> None:
        """Enqueue a job that kills its child, and one behind it that notes when it began."""
        with server.connect(self.database) as connection, connection.transaction():
            connection.execute("SELECT set_config('archiv.operator', 'on', true)")
            for who, type_name in (("crash", "bench-crash"), ("next", "bench-note")):
                payload = f'{{"who": "{who}", "sent": 0, "seconds": 0}}'
                fields = {"tenant": TENANT, "type": type_name, "payload": payload, "number": 1}
                connection.execute(LOAD, fields)
            connection.execute("UPDATE jobs_job SET max_retries = 0 WHERE type = 'bench-crash'")
            connection.execute("SELECT pg_notify(%s, %s)", [CHANNEL, TENANT])


@dataclass
class Peer(System):
    """A peer: `script` in benchmarks/peers, run with .venv-peers."""

    script: str = ""
    workers: int = 1

    def _command(self, *arguments: str) -> list[str]:
        return [str(PEER_PYTHON), str(PEERS / self.script), *arguments]

    def _run(self, *arguments: str) -> None:
        subprocess.run(self._command(*arguments), cwd=ROOT, env=self.environment(), check=True)

    def commands(self) -> list[list[str]]:
        """Its workers."""
        return [self._command("work")] * self.workers

    def prepare(self) -> None:
        """Make its database and tables."""
        super().prepare()
        self._run("prepare")

    def load(self, connection: psycopg.Connection, number: int) -> None:
        """Enqueue by its own means."""
        self._run("load", str(number))

    def trickle(self, number: int, pause: float, *, seconds: float = 0.0) -> None:
        """Enqueue by its own means."""
        self._run("trickle", str(number), str(pause), str(seconds))


@dataclass
class CeleryPeer(Peer):
    """Celery, with a Redis server of its own that syncs each write."""

    redis: RedisServer | None = None

    def environment(self) -> dict[str, str]:
        """The address of its server besides."""
        assert self.redis is not None, "prepare first"
        return super().environment() | {"BENCH_REDIS": self.redis.address}

    def prepare(self) -> None:
        """Start its server; the database stays empty."""
        self.redis = RedisServer()
        server.make_database(self.database)

    def is_done(self, connection: psycopg.Connection) -> bool:
        """Whether nothing waits and everything is acknowledged."""
        assert self.redis is not None, "prepare first"
        return self.redis.ask("LLEN celery") == b":0" == self.redis.ask("HLEN unacked")

    @property
    def server_pids(self) -> list[int]:
        """Its server."""
        return [self.redis.process.pid] if self.redis else []

    def close(self) -> None:
        """Stop its server as well."""
        super().close()
        if self.redis is not None:
            self.redis.close()


# Each of the two is answered by an index of its own.
_ARCHIV_LEFT = """
    EXISTS (SELECT FROM jobs_job WHERE status = 'queued' AND lane IN (1, 2))
    OR EXISTS (SELECT FROM jobs_job WHERE status = 'processing')
"""


def all_systems(scale: float) -> dict[str, System]:
    """Return every system by name, with as many jobs a round as suit its speed."""

    def jobs(number: int) -> int:
        return max(50, int(number * scale))

    systems: list[System] = [
        Archiv("archiv", jobs(40_000), _ARCHIV_LEFT),
        Archiv("archiv_room_32", jobs(40_000), _ARCHIV_LEFT, slots=2),
        Archiv("archiv_one_a_child", jobs(12_000), _ARCHIV_LEFT, batch=1),
        Archiv("archiv_effect", jobs(10_000), _ARCHIV_LEFT, slots=2, type="bench-effect"),
        Archiv("archiv_no_rls", jobs(40_000), _ARCHIV_LEFT, as_owner=True),
        Peer("pgqueuer", jobs(40_000), "EXISTS (SELECT FROM pgqueuer)", script="pgqueuer_peer.py"),
        Peer(
            "procrastinate",
            jobs(2_000),
            "EXISTS (SELECT FROM procrastinate_jobs WHERE status IN ('todo', 'doing'))",
            script="procrastinate_peer.py",
        ),
        Peer(
            "django-tasks-db",
            jobs(1_000),
            "EXISTS (SELECT FROM django_tasks_database_dbtaskresult WHERE status IN ('READY', 'RUNNING'))",
            script="django_peer.py",
            workers=2,
        ),
        CeleryPeer("celery", jobs(2_000), "", script="celery_peer.py"),
        Peer("django-q2", jobs(1_000), "EXISTS (SELECT FROM django_q_ormq)", script="django_peer.py"),
    ]
    return {system.name: system for system in systems}
