"""Real code that is run statement by statement: a thread that stops before each until it is told to go on.

COMMIT and ROLLBACK are statements too. BEGIN goes along with the one behind it: it takes neither a lock nor a
snapshot, so where it stands changes nothing.
"""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from queue import SimpleQueue
from typing import Any

import psycopg
from django.db import connections

from jobs.engine.store.base import Connection
from tests.jobs.bench import SimulatedWorker

_TABLE = re.compile(r"\b(?:jobs|documents|tenants|archiv)_[a-z_]+\b")
_WRITES = re.compile(r"\b(?:INSERT|UPDATE|DELETE|FOR (?:NO KEY )?UPDATE|FOR SHARE|archiv_audit_append)\b")
_SILENT = frozenset({"archiv_tenant", "archiv_operator"})
_ENDS = {"_commit_gen": "COMMIT", "_rollback_gen": "ROLLBACK", "_exit_gen": "COMMIT"}
_wait = psycopg.Connection.wait
_here = threading.local()


@dataclass(frozen=True)
class Step:
    """One statement about to be sent, and which tables it reads and changes, or makes visible."""

    sql: str
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()

    def meets(self, other: "Step") -> bool:
        """Whether it makes a difference which of the two is first."""
        return bool(self.writes & (other.reads | other.writes) or other.writes & self.reads)


class State(Enum):
    """Where a side is."""

    WAITING = auto()
    RUNNING = auto()
    DONE = auto()


@dataclass
class Side(threading.Thread):
    """One side: a thread with sessions of its own, which runs what it is given, statement by statement."""

    worker: SimulatedWorker
    news: threading.Condition
    state: State = State.DONE
    next: Step | None = None
    error: BaseException | None = None
    #: The sessions that a statement of this side may be running in.
    pids: set[int] = field(default_factory=set)
    _free: bool = False
    _touched: set[str] = field(default_factory=set)
    _acts: SimpleQueue[Callable[["Side"], object] | None] = field(default_factory=SimpleQueue)

    def __post_init__(self) -> None:
        super().__init__(name=self.worker.name, daemon=True)

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        """Run one act after the other until there is none."""
        do_without_disk()
        self.worker.connection.execute("SET synchronous_commit = off")
        self.pids = {
            self.worker.connection.info.backend_pid,
            connections["default"].connection.info.backend_pid,
        }
        try:
            while (act := self._acts.get()) is not None:
                _here.side = self
                try:
                    act(self)
                except BaseException as error:  # noqa: BLE001  looked at by whoever gave the act
                    self.error = error
                _here.side = None
                self._touched.clear()
                self._move(State.DONE)
        finally:
            connections.close_all()

    def begin(self, act: Callable[["Side"], object]) -> None:
        """Run an act up to its first statement."""
        self.error, self._free, self.state = None, False, State.RUNNING
        self._acts.put(act)

    def stop(self) -> None:
        """End the thread and its sessions."""
        self._acts.put(None)
        self.join(10)

    def go_on(self, *, free: bool = False) -> None:
        """Send the statement at which the side stands; `free`: and all that follow."""
        with self.news:
            self._free = self._free or free
            if self.state is State.WAITING:
                self.state = State.RUNNING
            self.news.notify_all()

    def pause(self, connection: Connection, what: Any) -> None:
        """Stop before a statement until told to go on."""
        step = self._describe(connection, what)
        with self.news:
            if self._free:
                return
            self.next, self.state = step, State.WAITING
            self.news.notify_all()
            self.news.wait_for(lambda: self.state is State.RUNNING or self._free)
            self.state = State.RUNNING

    def _move(self, state: State) -> None:
        with self.news:
            self.state = state
            self.news.notify_all()

    def _describe(self, connection: Connection, what: Any) -> Step:
        if what.__name__ in _ENDS:
            # What was changed can be seen from here on, and its locks are free.
            step = Step(_ENDS[what.__name__], writes=frozenset(self._touched))
            self._touched.clear()
            return step
        sql = str(what.gi_frame.f_locals.get("query", what.__name__))
        tables = frozenset(_TABLE.findall(sql)) - _SILENT
        if sql.startswith("ROLLBACK TO"):
            return Step(sql, writes=frozenset(self._touched))
        writes = tables if _WRITES.search(sql) else frozenset()
        if not connection.autocommit or connection.info.transaction_status:
            self._touched |= writes
        return Step(sql, tables - writes, writes)


def _stepped(connection: Connection, what: Any, *args: Any, **options: Any) -> Any:
    side: Side | None = getattr(_here, "side", None)
    if side is not None and (what.__name__ == "_execute_gen" or what.__name__ in _ENDS):
        side.pause(connection, what)
    return _wait(connection, what, *args, **options)


def do_without_disk() -> None:
    """Have the sessions of this thread not wait for the disk: the order is on trial here, not a crash."""
    for alias in connections:
        with connections[alias].cursor() as cursor:
            cursor.execute("SET synchronous_commit = off")


@contextmanager
def stepping() -> Iterator[None]:
    """Have psycopg ask the side that runs in its thread before it sends anything."""
    psycopg.Connection.wait = _stepped  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        psycopg.Connection.wait = _wait  # type: ignore[method-assign]
