"""The server that everything is measured on: its databases, processor time, transactions, WAL syncs."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
from django.conf import settings
from psycopg import sql

from archiv import embedded
from archiv.embedded_place import BOOTSTRAP_ROLE

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Usage:
    """What was used until now: seconds of processors, transactions, WAL syncs."""

    worker_s: float
    server_s: float
    transactions: int
    syncs: int

    def since(self, before: "Usage") -> "Usage":
        """Return the difference."""
        return Usage(
            self.worker_s - before.worker_s,
            self.server_s - before.server_s,
            self.transactions - before.transactions,
            self.syncs - before.syncs,
        )


def ensure_server() -> None:
    """Start the embedded server unless DATABASE_URL names one."""
    if settings.ARCHIV_EMBEDDED is not None:
        embedded.ensure(settings.ARCHIV_EMBEDDED, prefix=settings.ARCHIV_ROLE_PREFIX)


def address(database: str) -> str:
    """Return the owner's address of a database."""
    return replace(settings.ARCHIV_OWNER_ADDRESS, database=database).url()


def connect(database: str) -> psycopg.Connection:
    """Connect as the owner."""
    return psycopg.connect(address(database), autocommit=True)


def make_database(name: str) -> None:
    """Make an empty database, in place of an earlier one."""
    drop_database(name)
    with connect("postgres") as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


def drop_database(name: str) -> None:
    """Drop it, once autovacuum has left it, whose process an owner may not end."""
    statement = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    until = time.monotonic() + 60
    with connect("postgres") as connection:
        while True:
            try:
                connection.execute(statement)
            except psycopg.errors.InsufficientPrivilege:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)
            else:
                return


def settle(database: str) -> None:
    """Have done now what a load leaves for later, and is not measured: autovacuum's work and a checkpoint.

    Where a superuser can be had; elsewhere the checkpoint comes when the server wants it.
    """
    with connect(database) as connection:
        connection.execute("VACUUM ANALYZE")
    owner = replace(settings.ARCHIV_OWNER_ADDRESS, database=database)
    able = replace(owner, user=BOOTSTRAP_ROLE, password="") if settings.ARCHIV_EMBEDDED else owner
    refused = suppress(psycopg.errors.InsufficientPrivilege)
    with psycopg.connect(able.url(), autocommit=True) as connection, refused:
        connection.execute("CHECKPOINT")


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def family(pid: int) -> list[int]:
    """Return a process and all that it has started."""
    found = [pid]
    for one in found:
        with suppress(OSError):
            for task in Path(f"/proc/{one}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process and its family, those that have ended included."""
    ticks = 0
    for one in family(pid):
        with suppress(OSError):
            ticks += sum(map(int, _stat(one)[11:15]))
    return ticks / _TICKS


@contextmanager
def paused(pids: Sequence[int]) -> Iterator[None]:
    """Stop processes with their families for a while: what is loaded meanwhile is there for all at once."""
    stopped = [one for pid in pids for one in family(pid)]
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in reversed(stopped):
            os.kill(pid, signal.SIGCONT)


def postmaster(connection: psycopg.Connection) -> int:
    """Return the process id of the server; 0 if it runs elsewhere."""
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    try:
        return int(_stat(row[0])[1]) if row else 0
    except OSError:
        return 0


def usage(
    connection: psycopg.Connection, worker_pids: list[int], *, measuring: Sequence[psycopg.Connection] = ()
) -> Usage:
    """Return what was used until now; `connection` is one of the measured database.

    What `measuring` connections used does not count.
    """
    server = postmaster(connection)
    own = sum(cpu_seconds(one.info.backend_pid) for one in measuring) if server else 0.0
    committed = connection.execute(
        "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
    ).fetchone()
    if connection.info.server_version >= 180000:
        syncs = connection.execute("SELECT coalesce(sum(fsyncs), 0) FROM pg_stat_io WHERE object = 'wal'")
    else:
        syncs = connection.execute("SELECT wal_sync FROM pg_stat_wal")
    synced = syncs.fetchone()
    return Usage(
        sum(cpu_seconds(pid) for pid in worker_pids),
        cpu_seconds(server) - own if server else 0.0,
        committed[0] if committed else 0,
        int(synced[0]) if synced else 0,
    )
