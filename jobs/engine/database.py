"""Connections of the dispatcher, as `archiv_queue`: opened with Django's parameters, held without Django."""

import random
import re
import time

import django.db
import psycopg
from django.conf import settings
from django.db import connections
from psycopg.abc import RV, PQGen

from jobs.engine import events
from jobs.engine.store.base import Connection

#: Losing one of these means to open a new connection, not to report a bug.
LOST = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.ReadOnlySqlTransaction,
    # Statements that Django words are compiled at their first use, over a connection of its own.
    django.db.OperationalError,
    django.db.InterfaceError,
)
_CONNECT_SECONDS = 5
#: The loop of a dispatcher serves all its jobs: it waits for no row that somebody else keeps.
_LOCK_MILLISECONDS = 200
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
# What servers and poolers say to whom they will never let in, in English: there is no code for it. Nothing is
# concluded of one that speaks otherwise: there a worker waits, and its events show the words.
_REFUSAL = re.compile(
    r"password authentication failed|no password supplied|(Peer|Ident|SASL) authentication failed"
    r'|role "[^"]*" does not exist|role "[^"]*" is not permitted to log in'
    r'|database "[^"]*" does not exist|permission denied for database|no pg_hba\.conf entry'
    r"|no such (user|database)"
)


class DatabaseRefuses(Exception):
    """The server runs and will not let this role in: waiting would not help."""


def check_refusal(error: BaseException) -> None:
    """Raise DatabaseRefuses if an error of opening a connection says that it will never be opened."""
    if _REFUSAL.search(str(error)):
        raise DatabaseRefuses(str(error).strip()) from error


class BoundedConnection(psycopg.Connection[tuple[object, ...]]):
    """A connection that is given up when an answer takes longer than a lease: the server's limit is below.

    A server that hangs, or a pooler or tunnel that swallows what it is sent, would be waited for for ever:
    what the kernel does about networks sees nothing wrong there.
    """

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """Wait for the answer; OperationalError after a lease, and then the connection is closed."""
        try:
            return super().wait(gen, interval, timeout or settings.ARCHIV_LEASE_SECONDS)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
                self.pgconn.finish()
            raise


def open_connection(purpose: str, *, alias: str = "queue") -> Connection:
    """Open a connection in autocommit mode; `purpose` shows in pg_stat_activity."""
    wrapper = connections[alias]
    parameters = wrapper.get_connection_params()
    # Rows stay as the server writes them: no adapters of Django's, no client-side binding.
    for name in ("cursor_factory", "context", "server_side_binding"):
        parameters.pop(name, None)
    parameters |= {"application_name": f"archiv {purpose}", "connect_timeout": _CONNECT_SECONDS}
    # The owner's statements have no limit at the server, and take what they take.
    kind = BoundedConnection if alias == "queue" else psycopg.Connection[tuple[object, ...]]
    connection = kind.connect(**parameters, autocommit=True)
    # A lease that a crash of the server undoes would be handed out twice. And the planner's way to say that a
    # scan is forbidden is a cost at which it would compile the statement first. Each statement has one plan,
    # whatever its arrays hold: planning it again for every claim takes longer than claiming.
    connection.execute(
        "SET synchronous_commit = on; SET jit = off; SET plan_cache_mode = force_generic_plan; "
        f"SET lock_timeout = {_LOCK_MILLISECONDS}"
    )
    return connection


class Lifeline:
    """One connection that is opened again when it breaks, with growing pauses; for one thread."""

    def __init__(self, purpose: str, *, worker: str) -> None:
        self._purpose = purpose
        self._worker = worker
        self._connection: Connection | None = None
        self._pause = _FIRST_PAUSE
        self._lost_at: float | None = None
        #: Not before this moment (monotonic) is opening tried again.
        self.retry_at = 0.0
        #: Whether it has ever stood.
        self.has_stood = False
        #: Whether `get` raises DatabaseRefuses, and does not wait, where the server will not let us in.
        self.must_be_let_in = False
        #: When the connection that stands now was opened after a loss (monotonic); None: never lost.
        self.restored_at: float | None = None

    @property
    def is_up(self) -> bool:
        """Whether a connection stands, as far as is known."""
        return self._connection is not None

    def get(self) -> Connection | None:
        """Return the connection, opening it if it is time to; None while the database is away."""
        if self._connection is not None:
            return self._connection
        if time.monotonic() < self.retry_at:
            return None
        try:
            self._connection = open_connection(self._purpose)
        except LOST as error:
            if self.must_be_let_in:
                check_refusal(error)
            self.lose(error)
            return None
        if self._lost_at is not None:
            self.restored_at = time.monotonic()
            events.database_back(self._worker, where=self._purpose, seconds=self.restored_at - self._lost_at)
        self._lost_at, self._pause = None, _FIRST_PAUSE
        return self._connection

    def lose(self, error: BaseException) -> None:
        """Let go of a broken connection and plan the next try."""
        self.close()
        if self._lost_at is None:
            self._lost_at = time.monotonic()
            events.database_lost(self._worker, where=self._purpose, error=error)
        self.retry_at = time.monotonic() + self._pause * random.uniform(0.5, 1.0)  # noqa: S311  spreads load
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    def close(self) -> None:
        """Close the connection if there is one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
