"""The daily chores, as a worker minds them: now and then it asks whether any is due, and starts a process.

A process of its own, since a chore may read a whole table and must not hold up the dispatcher; its standard
input is a pipe whose other end is ours, so that it ends when we do.
"""

import random
import subprocess
import sys
import time
from pathlib import Path

from jobs.chores import daily_chores, due_query
from jobs.engine import events
from jobs.engine.store.base import Connection

_COMMAND = [sys.executable, "manage.py", "run_chores", "--until-input-ends"]
_PROJECT = Path(__file__).resolve().parents[2]
_GOODBYE_SECONDS = 1.0


class Chores:
    """Starts the process of the chores when one is due; one at a time. `pause` in seconds."""

    def __init__(self, *, worker: str, pause: float) -> None:
        self._worker = worker
        self._pause = pause
        self._process: subprocess.Popen[bytes] | None = None
        #: When to look next (monotonic seconds). Not at once: a new worker has better things to do.
        self.next_at = time.monotonic() + self._spread()

    def run(self, connection: Connection) -> None:
        """Look whether a chore is due, unless one of ours runs."""
        self.next_at = time.monotonic() + self._spread()
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                return
            self._close()
            if code:
                events.chores_ended(self._worker, code=code)
        statement, values = due_query(daily_chores())
        row = connection.execute(statement, values).fetchone()
        if row is not None and row[0]:
            self._process = subprocess.Popen(_COMMAND, cwd=_PROJECT, stdin=subprocess.PIPE)

    def stop(self) -> None:
        """Have what runs give its chore back, and end; it is begun anew by another worker."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_GOODBYE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._close()

    def _close(self) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process = None

    def _spread(self) -> float:
        """Not all workers at once."""
        return self._pause * random.uniform(0.8, 1.2)  # noqa: S311  no secret
