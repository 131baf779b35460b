"""Looking at servers from outside, for the tests of the PostgreSQL at hand."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

from archiv.embedded_place import BOOTSTRAP_ROLE, Place

PROJECT = Path(__file__).resolve().parent.parent.parent
_ENSURE = """
import sys
from pathlib import Path
from archiv import embedded, embedded_place
embedded.ensure(embedded_place.find_place(Path(sys.argv[1])))
"""


def start_ensuring(var: Path) -> subprocess.Popen[bytes]:
    """Ensure the server of `var` in a process of its own."""
    return subprocess.Popen([sys.executable, "-c", _ENSURE, str(var)], cwd=PROJECT)


def query(place: Place, statement: str) -> object:
    """Return the first value of a query by the bootstrap role."""
    with psycopg.connect(
        host=str(place.run), port=5432, user=BOOTSTRAP_ROLE, dbname="postgres", options="", autocommit=True
    ) as connection:
        cursor = connection.execute(statement.encode())
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def processes_with(argument: str) -> list[int]:
    """Return the ids of all processes that have `argument` on their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                command = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if os.fsencode(argument) in command:
                found.append(int(entry.name))
    return found


def wait_for(condition: Callable[[], object], *, seconds: float = 30) -> None:
    """Return as soon as `condition` holds; fail after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.005)
