"""Break a worker between two statements, where a file says so: `TEST_BREAKS` names the folder of such files.

A file `verb.number.side.action` breaks the process that comes to that place first, once: `verb` is the
function of jobs/engine/store that sends the statement, `number` its place in one call, `side` before or after
it. In a job of the type `probe-steps` the verb is `step`, and all statements of the job are counted. Actions:
`kill` (SIGKILL to itself), `terminate` (the server ends this session). Every place that is passed is
written into the file `passed`, if there is one.
"""

import os
import signal
import sys
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import psycopg
from psycopg import BaseConnection, Cursor

_STORE = "jobs.engine.store."
#: What its verbs share is no verb.
_SHARED = f"{_STORE}base"


class _Breaker:
    """What one process knows of where it is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        #: Statements of the job so far; None: outside of one that counts them.
        self.steps: int | None = None
        self._frame: FrameType | None = None
        self._number = 0
        self._within = False

    def arrive(self) -> str:
        """Return the place of the statement that is about to be sent; empty for one that nobody asks for."""
        if self.steps is not None:
            self.steps += 1
            return f"step.{self.steps}"
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            module = str(frame.f_globals.get("__name__", ""))
            if module.startswith(_STORE) and module != _SHARED:
                verb = frame.f_code.co_name
                if not verb.startswith(("_", "<")):
                    self._number = self._number + 1 if frame is self._frame else 1
                    self._frame = frame
                    return f"{verb}.{self._number}"
            frame = frame.f_back
        return ""

    def meet(self, place: str, side: str, connection: BaseConnection[Any]) -> None:
        """Break here if a file says so."""
        if not place or self._within:
            return
        with suppress(FileNotFoundError):
            # Appended in one piece: the dispatcher's threads and its children write at the same time.
            passed = os.open(self.folder / "passed", os.O_WRONLY | os.O_APPEND)
            try:
                os.write(passed, f"{place}.{side}\n".encode())
            finally:
                os.close(passed)
        for action in ("kill", "terminate"):
            try:
                (self.folder / f"{place}.{side}.{action}").unlink()
            except FileNotFoundError:
                continue
            if action == "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            self._terminate(connection)

    def _terminate(self, connection: BaseConnection[Any]) -> None:
        info = connection.info
        self._within = True
        try:
            with psycopg.connect(info.dsn, password=info.password or None, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s, 5000)", [info.backend_pid])
        finally:
            self._within = False


_breaker: _Breaker | None = None


def begin_steps() -> None:
    """Count the statements of this job from here on, in this process."""
    if _breaker is not None:
        _breaker.steps = 0


def install(folder: Path) -> None:
    """Watch every statement that this process sends."""
    global _breaker
    _breaker = breaker = _Breaker(folder)
    execute, exec_command = Cursor.execute, BaseConnection._exec_command

    def execute_watched(self: Cursor[Any], *args: Any, **options: Any) -> Cursor[Any]:
        place = breaker.arrive()
        breaker.meet(place, "before", self.connection)
        result = execute(self, *args, **options)
        breaker.meet(place, "after", self.connection)
        return result

    def exec_command_watched(
        self: BaseConnection[Any], *args: Any, **options: Any
    ) -> Generator[Any, Any, Any]:
        place = breaker.arrive()
        breaker.meet(place, "before", self)
        result = yield from exec_command(self, *args, **options)
        breaker.meet(place, "after", self)
        return result

    Cursor.execute = execute_watched  # type: ignore[assignment,method-assign]
    BaseConnection._exec_command = exec_command_watched  # type: ignore[method-assign]
