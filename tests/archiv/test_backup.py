"""A backup holds everything, a restore proves it, and neither ever overwrites anything."""

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from psycopg import sql
from pytest_django import Settings

from archiv.database_roles import role_urls
from documents.models import DocumentVersion
from documents.vault import get_vault
from tenants.audit_store import write_heads
from tenants.models import AuditEvent
from tenants.scope import operator_scope, tenant_scope
from tests.archiv.two_tenants import Filled, empty_vault, fill

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def filled(settings: Settings, tmp_path: Path) -> Filled:
    settings.ARCHIV_AUDIT_HEADS = tmp_path / "heads"
    empty_vault()
    fill("nachbar")
    return fill("muster")


@pytest.fixture
def elsewhere(process_environment: dict[str, str], tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of an installation that has nothing yet: an empty database, an empty folder."""
    address = replace(
        settings.ARCHIV_OWNER_ADDRESS, database=f"restored_{os.getpid()}_{uuid.uuid4().hex[:6]}"
    )
    name = sql.Identifier(address.database)
    with psycopg.connect(replace(address, database="postgres").url(), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
        try:
            yield {
                **process_environment,
                **role_urls(database=address.database),
                "DJANGO_SETTINGS_MODULE": "archiv.settings",
                "ARCHIV_VAR_ROOT": str(tmp_path / "elsewhere"),
                "ARCHIV_VAULT_ROOT": str(tmp_path / "elsewhere" / "vault"),
                "ARCHIV_AUDIT_HEADS": str(tmp_path / "elsewhere" / "audit-heads"),
            }
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


def backup(folder: Path, *options: str) -> Path:
    call_command("backup", str(folder), *options)
    return max(path.parent for path in folder.glob("*/manifest.json"))


def manage(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_what_was_saved_is_restored_whole_and_proves_it(
    filled: Filled, elsewhere: dict[str, str], tmp_path: Path
) -> None:
    signed = write_heads(settings.ARCHIV_AUDIT_HEADS, date(2026, 11, 30))
    saved = backup(tmp_path / "backups")
    done = manage(elsewhere, "restore_backup", str(saved), "--json")
    assert done.returncode == 0, done.stderr
    assert (Path(elsewhere["ARCHIV_AUDIT_HEADS"]) / signed.name).read_bytes() == signed.read_bytes()
    answer = json.loads(done.stdout)
    assert answer["files"] == len(list(get_vault().list("")))
    assert answer["rows"] > 20
    for check in (["migrate", "--check"], ["verify_audit"]):
        done = manage(elsewhere, *check)
        assert done.returncode == 0, (check, done.stdout, done.stderr)
    found = manage(elsewhere, "search", filled.tenant.name, filled.known.word, "--json")
    assert filled.known.document in found.stdout
    again = manage(elsewhere, "restore_backup", str(saved))
    assert again.returncode == 1
    assert "not empty" in again.stderr
    assert "Traceback" not in again.stderr


def test_a_restore_that_differs_from_what_was_saved_says_where(
    filled: Filled, elsewhere: dict[str, str], tmp_path: Path
) -> None:
    saved = backup(tmp_path / "backups")
    manifest = json.loads((saved / "manifest.json").read_text())
    manifest["tables"]["documents_document"]["rows"] += 1
    (saved / "manifest.json").write_text(json.dumps(manifest))
    done = manage(elsewhere, "restore_backup", str(saved))
    assert done.returncode == 1
    assert "documents_document" in done.stderr
    assert "jobs_job" not in done.stderr


@pytest.mark.parametrize("broken", ["database.dump", "files.jsonl", "vault"])
def test_a_backup_that_is_not_whole_is_refused_before_the_database_is_touched(
    filled: Filled, elsewhere: dict[str, str], tmp_path: Path, broken: str
) -> None:
    saved = backup(tmp_path / "backups")
    path = saved / broken
    if broken == "vault":
        path = next(file for file in (saved.parent / "vault").rglob("*") if file.is_file())
        path.chmod(0o640)
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    done = manage(elsewhere, "restore_backup", str(saved))
    assert done.returncode == 1
    assert path.name in done.stderr
    assert "Traceback" not in done.stderr
    with psycopg.connect(elsewhere["DATABASE_URL"]) as connection:
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
        assert tables == (0,)


def test_files_are_copied_once_and_what_was_purged_leaves_with_the_last_backup_that_lists_it(
    filled: Filled, tmp_path: Path, capsys: Any
) -> None:
    folder = tmp_path / "backups"
    backup(folder)
    copies = {path: path.stat().st_ino for path in (folder / "vault").rglob("*") if path.is_file()}
    with tenant_scope(filled.tenant.id):
        version = DocumentVersion.objects.get(pk=filled.known.version)
    get_vault().remove(version.vault_path)
    first = next(path for path in copies if str(path).endswith(version.vault_path))
    (folder / "notes").mkdir()
    for number in range(2):
        _pretend_earlier(folder, hours=2 - number)
        backup(folder, "--keep", "2", "--verify")
        assert first.exists() == (number == 0)
    left = {path: path.stat().st_ino for path in (folder / "vault").rglob("*") if path.is_file()}
    assert left == {path: inode for path, inode in copies.items() if path != first}
    assert len(list(folder.glob("*/manifest.json"))) == 2
    assert (folder / "notes").is_dir()
    assert "Removed 1 files" in capsys.readouterr().out


def test_a_backup_is_in_the_trail_and_names_no_tenant(filled: Filled, tmp_path: Path) -> None:
    backup(tmp_path / "backups")
    with operator_scope():
        event = AuditEvent.objects.filter(action="backup.made").latest("id")
    assert json.loads(event.details)["files"] > 0


def test_a_folder_that_is_no_backup_is_refused_with_words(db: None, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"is no whole backup.*manifest\.json"):
        call_command("restore_backup", str(tmp_path))
    with pytest.raises(CommandError, match="1 or more"):
        call_command("backup", str(tmp_path), "--keep", "0")


def _pretend_earlier(folder: Path, *, hours: int) -> None:
    """Name the newest backup as if it had been made so many hours ago: names have one second's grain."""
    newest = max(path.parent for path in folder.glob("*/manifest.json"))
    newest.rename(folder / f"20260101T{9 - hours:02}0000Z")
