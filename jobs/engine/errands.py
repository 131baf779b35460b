"""Errands: what a worker starts a process for, when a look at the database says that there is work.

A process of its own, since it may read a whole table and must not hold up the dispatcher; its standard input
is a pipe whose other end is ours, so that it ends when we do.
"""

import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from jobs.engine import events
from jobs.engine.store.base import Connection

_PROJECT = Path(__file__).resolve().parents[2]
_GOODBYE_SECONDS = 1.0


class Errand:
    """Starts `manage.py <command>` when its statement says true; one at a time. `pause` in seconds."""

    def __init__(self, command: str, due: tuple[str, dict[str, Any]], *, worker: str, pause: float) -> None:
        self._command = [sys.executable, "manage.py", command, "--until-input-ends"]
        self._name = command
        self._due = due
        self._worker = worker
        self._pause = pause
        self._process: subprocess.Popen[bytes] | None = None
        #: When to look next (monotonic seconds). Not at once: a new worker has better things to do.
        self.next_at = time.monotonic() + self._spread()

    def run(self, connection: Connection) -> None:
        """Look whether there is something to do, unless a process of ours is at it."""
        self.next_at = time.monotonic() + self._spread()
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                return
            self._close()
            if code:
                events.errand_ended(self._worker, command=self._name, code=code)
        row = connection.execute(*self._due, prepare=True).fetchone()
        if row is not None and row[0]:
            self._process = subprocess.Popen(self._command, cwd=_PROJECT, stdin=subprocess.PIPE)

    def stop(self) -> None:
        """Have what runs give its work back, and end; another worker goes on with it."""
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
