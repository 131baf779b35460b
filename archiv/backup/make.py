"""Making a backup while archiv works: files, then the database, then the files that came meanwhile."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.db import connections

from archiv.backup import manifest as saved
from archiv.backup.errors import BackupError
from archiv.backup.files import forget_files, save_files
from archiv.backup.history import note_backup
from archiv.backup.manifest import Manifest, SavedFile
from archiv.backup.programs import find_program, run_program
from archiv.backup.tables import Tell, measure_tables
from archiv.databases import Address
from documents.vault import get_vault
from tenants.scope import operator_scope

_NAME = "%Y%m%dT%H%M%SZ"
#: Draws one bar: called with its label, gives what hears how far it is.
Bars = Callable[[str], AbstractContextManager[Tell]]


@dataclass(frozen=True)
class BackupReport:
    """What was saved, and where."""

    folder: Path
    tables: int
    rows: int
    files: int
    bytes: int
    removed: int


def make_backup(target: Path, *, keep: int, verify: bool, bars: Bars) -> BackupReport:
    """Save the installation below `target`, and remove all but the newest `keep` backups there.

    Files of the vault are kept once for all backups; those that no kept backup lists go. Raises BackupError,
    and what is half-made has no manifest and goes with the next one.
    """
    program = find_program("pg_dump")
    store = target / saved.VAULT
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        store.mkdir(mode=0o700, exist_ok=True)
        known = _known_files(target)
        with bars("Files") as tell:
            known |= {
                file.path: file for file in save_files(get_vault(), store, known, verify=verify, tell=tell)
            }
        folder = target / datetime.now(UTC).strftime(_NAME)
        folder.mkdir(mode=0o700)
        with _snapshot() as (connection, snapshot):
            with bars("Database"):
                run_program(
                    program,
                    *("--format=custom", "--compress=3", "--no-comments", "--enable-row-security"),
                    *(f"--snapshot={snapshot}", f"--file={folder / saved.DUMP}"),
                    address=owner_address(),
                )
            with bars("Tables") as tell:
                tables = measure_tables(connection, tell)
            facts = connection.execute("SELECT statement_timestamp()::text").fetchone()
            migrations = connection.execute(
                "SELECT app || '.' || name FROM django_migrations ORDER BY 1"
            ).fetchall()
            version = connection.info.server_version
        with bars("New files") as tell:
            files = save_files(get_vault(), store, known, verify=False, tell=tell)
            count, size, files_digest = saved.write_files(folder / saved.FILES, files)
        _save_secrets(folder)
        made = Manifest(
            made_at=facts[0] if facts else "",
            server_version=version,
            role_prefix=settings.ARCHIV_ROLE_PREFIX,
            migrations=[row[0] for row in migrations],
            tables=tables,
            dump_digest=saved.hash_file(folder / saved.DUMP),
            files=count,
            bytes=size,
            files_digest=files_digest,
        )
        saved.write_manifest(folder, made)
        removed = _forget(target, keep=keep, newest=folder)
    except OSError as error:
        raise BackupError(f"{error.filename or target} cannot be used: {error.strerror}.") from error
    rows = sum(state.rows for state in tables.values())
    with operator_scope():
        note_backup(files=count, size=size, rows=rows)
    return BackupReport(folder, len(tables), rows, count, size, removed)


def owner_address() -> Address:
    """Return where the tables' owner signs in: in a test run, the test's database."""
    return replace(settings.ARCHIV_OWNER_ADDRESS, database=str(connections["owner"].settings_dict["NAME"]))


def list_backups(target: Path) -> list[Path]:
    """Return the folders of whole backups, oldest first."""
    return sorted(path.parent for path in target.glob(f"*/{saved.MANIFEST}"))


@contextmanager
def _snapshot() -> Iterator[tuple[psycopg.Connection[Any], str]]:
    """Hold one state of the database open, which pg_dump and the sums over the tables both see."""
    with psycopg.connect(owner_address().url()) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        row = connection.execute("SELECT pg_export_snapshot()").fetchone()
        assert row is not None, "a statement without FROM gives a row"
        yield connection, str(row[0])


def _known_files(target: Path) -> dict[str, SavedFile]:
    """Return the files that earlier backups list."""
    known: dict[str, SavedFile] = {}
    for folder in list_backups(target):
        known |= {file.path: file for file in saved.read_files(folder / saved.FILES)}
    return known


def _save_secrets(folder: Path) -> None:
    """Save the signed ends of the trails, and the key where it lies in a file: signatures need it."""
    if settings.ARCHIV_AUDIT_HEADS.is_dir():
        shutil.copytree(settings.ARCHIV_AUDIT_HEADS, folder / saved.HEADS)
    if settings.ARCHIV_SECRET_KEY_IS_LOCAL:
        (folder / saved.KEY).touch(mode=0o600)
        (folder / saved.KEY).write_text(settings.SECRET_KEY)


def _forget(target: Path, *, keep: int, newest: Path) -> int:
    """Remove older backups, what killed ones left, and unlisted files; returns how many files went."""
    kept = list_backups(target)[-keep:]
    for path in target.iterdir():
        if (
            path.is_dir()
            and path.name != saved.VAULT
            and path < newest
            and path not in kept
            and _is_ours(path)
        ):
            shutil.rmtree(path)
    listed = {file.path for folder in kept for file in saved.read_files(folder / saved.FILES)}
    return forget_files(target / saved.VAULT, listed)


def _is_ours(path: Path) -> bool:
    try:
        datetime.strptime(path.name, _NAME)  # noqa: DTZ007 - only whether it has the form
    except ValueError:
        return False
    return True
