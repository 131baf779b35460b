"""Restoring a backup into an empty installation, and proving that it is what was saved."""

import os
import shutil
from pathlib import Path

import psycopg
from django.conf import settings
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from archiv.backup import manifest as saved
from archiv.backup.errors import BackupDiffers, BackupError
from archiv.backup.files import restore_files
from archiv.backup.make import Bars, owner_address
from archiv.backup.manifest import Manifest
from archiv.backup.programs import find_program, run_program
from archiv.backup.tables import measure_tables
from archiv.database_roles import ensure_configured_roles
from documents.vault import LocalVault, get_vault
from tenants.audit import record
from tenants.scope import operator_scope


def restore_backup(folder: Path, *, bars: Bars) -> Manifest:
    """Restore the backup in `folder` and compare; returns its manifest.

    The database must have no tables and the vault no files: nothing is ever overwritten. Raises BackupError
    before anything is changed where they have, or where the backup is not whole; BackupDiffers where what was
    restored is not what was saved.
    """
    manifest = saved.read_manifest(folder)
    program = find_program("pg_restore")
    vault = get_vault()
    if not isinstance(vault, LocalVault):
        raise BackupError("This vault is no folder: restore its files by the means of its store.")
    root = vault.root
    _check_target(manifest, root)
    with bars("Checking") as tell:
        if saved.hash_file(folder / saved.DUMP) != manifest.dump_digest:
            raise BackupError(f"{folder / saved.DUMP} is not what was saved.")
        if saved.hash_file(folder / saved.FILES) != manifest.files_digest:
            raise BackupError(f"{folder / saved.FILES} is not what was saved.")
        tell(1, 1)
    # Files first: a database without its files would be taken for whole.
    with bars("Files") as tell:
        files = saved.read_files(folder / saved.FILES)
        restore_files(folder.parent / saved.VAULT, files, root, of=manifest.files, tell=tell)
    _restore_secrets(folder)
    with bars("Database") as tell:
        address = owner_address()
        ensure_configured_roles(address.database)
        _let_search_own_its_functions()
        run_program(
            program,
            *("--exit-on-error", "--single-transaction", "--no-comments", str(folder / saved.DUMP)),
            address=address,
        )
        tell(1, 1)
    with bars("Tables") as tell, psycopg.connect(owner_address().url()) as connection:
        _compare(manifest, measure_tables(connection, tell))
        connection.execute("ANALYZE")
    with operator_scope():
        details = {"files": manifest.files, "rows": sum(state.rows for state in manifest.tables.values())}
        record("backup.restored", tenant_id=None, details=details)
    return manifest


def _check_target(manifest: Manifest, root: Path) -> None:
    if manifest.role_prefix != settings.ARCHIV_ROLE_PREFIX:
        raise BackupError(
            f"The backup was made with ARCHIV_ROLE_PREFIX={manifest.role_prefix!r}: set it so to restore."
        )
    known = {
        f"{app}.{name}" for app, name in MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    }
    if newer := sorted(set(manifest.migrations) - known):
        raise BackupError(
            f"The backup is of a newer version of archiv ({newer[-1]}): install that one first."
        )
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace")
        if cursor.fetchone()[0]:
            raise BackupError("The database is not empty: restore into a new one, nothing is overwritten.")
    connections["owner"].close()
    if root.is_dir() and any(files for _, _, files in os.walk(root)):
        raise BackupError(f"The vault in {root} is not empty: restore into a new folder.")


def _let_search_own_its_functions() -> None:
    """Grant what the dump grants only after the functions that need it."""
    with connections["owner"].cursor() as cursor:
        role = sql.Identifier(f"{settings.ARCHIV_ROLE_PREFIX}archiv_search")
        cursor.execute(sql.SQL("GRANT CREATE ON SCHEMA public TO {}").format(role))
    connections["owner"].close()


def _restore_secrets(folder: Path) -> None:
    if (folder / saved.HEADS).is_dir():
        shutil.copytree(folder / saved.HEADS, settings.ARCHIV_AUDIT_HEADS, dirs_exist_ok=True)
    key = folder / saved.KEY
    if key.exists() and settings.ARCHIV_SECRET_KEY_IS_LOCAL and key.read_text() != settings.SECRET_KEY:
        place = settings.ARCHIV_VAR_ROOT / "secret_key"
        draft = place.with_name(".secret_key.restored")
        draft.touch(mode=0o600)
        draft.write_text(key.read_text())
        draft.replace(place)


def _compare(manifest: Manifest, found: dict[str, saved.TableState]) -> None:
    differing = [
        f"{name}: {_words(manifest.tables.get(name))} saved, {_words(found.get(name))} restored"
        for name in sorted(manifest.tables.keys() | found.keys())
        if manifest.tables.get(name) != found.get(name)
    ]
    if differing:
        raise BackupDiffers("Restored, but not what was saved:\n" + "\n".join(differing))


def _words(state: saved.TableState | None) -> str:
    return "no table" if state is None else f"{state.rows} rows ({state.digest[-6:]})"
