"""The doctor finds what is not well, says what to do, and complains of nothing else."""

import json
import uuid
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connections
from django.db.models.functions import Now

from archiv.doctor import database, machine, rounds, work
from archiv.doctor.finding import Finding, Look, Verdict
from documents.models import VaultFinding
from documents.vault import LocalVault
from jobs.models import Job, JobStatus, QueueSample, TenantQueue, WorkerProcess
from tenants.audit import record
from tenants.models import Tenant
from tenants.scope import operator_scope
from tests.factories import TenantFactory

pytestmark = pytest.mark.django_db(databases=["owner", "default", "queue"])


def bad(look: Look) -> list[Finding]:
    return [finding for finding in look() if finding.verdict != Verdict.WELL]


def worker(name: str, *, version: str = "1", silent_for: timedelta = timedelta(0)) -> WorkerProcess:
    return WorkerProcess.objects.create(
        name=name, host="host", pid=1, slots=2, version=version, beat_at=Now() - silent_for
    )


def test_a_database_as_it_should_be_has_nothing_to_complain_of() -> None:
    for look in (database.look_at_roles, database.look_at_migrations, database.look_at_clock):
        assert bad(look) == []
    assert bad(database.look_at_indexes) == []


def test_without_a_worker_that_beats_it_is_an_error() -> None:
    worker("dead", silent_for=timedelta(hours=1))
    (found,) = bad(work.look_at_workers)
    assert found.verdict == Verdict.ERROR
    assert "runworker" in found.advice
    worker("alive")
    assert bad(work.look_at_workers) == []


def test_workers_of_two_versions_are_a_warning() -> None:
    worker("old", version="1")
    worker("new", version="2")
    (found,) = bad(work.look_at_workers)
    assert "1, 2" in found.message


def test_a_job_that_has_waited_long_and_a_queue_that_was_paused_are_named() -> None:
    QueueSample.objects.create(oldest_due_seconds=4000)
    with operator_scope():
        tenant: Tenant = TenantFactory.create(name="Kanzlei Pause")
        TenantQueue.objects.create(tenant=tenant, paused=True)
    said = " ".join(finding.message for finding in bad(work.look_at_queue))
    assert "67 minutes" in said
    assert "Kanzlei Pause" in said


def test_a_lease_that_ended_and_was_not_reaped_is_an_error() -> None:
    QueueSample.objects.create()
    with operator_scope():
        Job.objects.create(
            tenant_id=uuid.uuid4(),
            type="probe",
            status=JobStatus.PROCESSING,
            lease_expires_at=Now() - timedelta(hours=1),
        )
    (found,) = bad(work.look_at_queue)
    assert found.verdict == Verdict.ERROR


def test_failures_of_a_day_are_counted_by_kind() -> None:
    assert bad(work.look_at_failures) == []
    with operator_scope():
        for kind, age in (("limit", 1), ("limit", 2), ("error", 3), ("error", 30)):
            Job.objects.create(
                tenant_id=uuid.uuid4(),
                type="analyze-document",
                status=JobStatus.FAILED,
                failure_kind=kind,
                finished_at=Now() - timedelta(hours=age),
            )
    (found,) = bad(work.look_at_failures)
    assert "3 jobs failed" in found.message
    assert "2 analyze-document (limit), 1 analyze-document (error)" in found.message


def test_a_backup_must_be_there_and_young() -> None:
    (found,) = bad(work.look_at_backup)
    assert "none was ever made" in found.message
    with operator_scope():
        record("backup.made", tenant_id=None)
    assert bad(work.look_at_backup) == []


def test_trails_must_have_been_signed_lately(settings: Any, tmp_path: Path) -> None:
    settings.ARCHIV_AUDIT_HEADS = tmp_path
    assert "never signed" in bad(work.look_at_audit_heads)[0].message
    (tmp_path / "2026-01-01.json").write_text("{}")
    assert bad(work.look_at_audit_heads) == []


def test_a_damaged_file_is_an_error_until_it_is_well_again() -> None:
    with operator_scope():
        tenant: Tenant = TenantFactory.create()
        finding = VaultFinding.objects.create(tenant=tenant, path="x", problem="missing")
    assert bad(work.look_at_files)[0].verdict == Verdict.ERROR
    with operator_scope():
        VaultFinding.objects.filter(pk=finding.pk).update(resolved_at=Now())
    assert bad(work.look_at_files) == []


def test_a_vault_that_others_may_read_is_a_warning_and_a_new_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = LocalVault(tmp_path / "new" / "vault")
    monkeypatch.setattr(machine, "get_vault", lambda: vault)
    monkeypatch.setattr(machine, "_LEAST_FREE", 0.0)
    monkeypatch.setattr(machine, "_LEAST_FREE_BYTES", 0)
    assert bad(machine.look_at_vault) == []
    vault.root.chmod(0o755)
    assert "chmod" in bad(machine.look_at_vault)[0].advice
    vault.root.chmod(0o750)
    monkeypatch.setattr(machine, "_LEAST_FREE", 1.0)
    assert "free" in bad(machine.look_at_vault)[0].message


def test_a_language_whose_data_are_missing_is_named() -> None:
    assert bad(machine.look_at_languages) == []
    with operator_scope():
        TenantFactory.create(languages=["deu", "xyz"])
    assert "xyz" in bad(machine.look_at_languages)[0].message


def test_what_breaks_one_look_does_not_keep_the_others_from_looking(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> list[Finding]:
        raise OSError("no such disk")

    monkeypatch.setattr(rounds, "_LOOKS", (broken, work.look_at_backup))
    found = rounds.examine(lambda done, of: None)
    assert [one.message for one in found if one.verdict == Verdict.ERROR] == ["no such disk"]
    assert any(one.subject == "backup" for one in found)


@pytest.mark.parametrize(
    ("verdict", "options", "code"),
    [("well", ["--strict"], 0), ("warning", [], 0), ("warning", ["--strict"], 1)],
)
def test_the_exit_code_says_whether_all_is_well(
    monkeypatch: pytest.MonkeyPatch, verdict: str, options: list[str], code: int
) -> None:
    found = [Finding("thing", Verdict(verdict), "as it is", "do this")]
    monkeypatch.setattr("archiv.management.commands.doctor.examine", lambda tell: found)
    shown = said(code, *options)
    assert "do this" in shown
    assert json.loads(said(code, *options, "--json"))["findings"][0]["subject"] == "thing"


def said(code: int, *options: str) -> str:
    out = StringIO()
    call: Callable[..., Any] = call_command
    if code:
        with pytest.raises(SystemExit) as ended:
            call("doctor", *options, stdout=out)
        assert ended.value.code == code
    else:
        call("doctor", *options, stdout=out)
    return out.getvalue()


@pytest.mark.django_db(transaction=True)
def test_an_index_whose_build_was_broken_off_is_named() -> None:
    with connections["owner"].cursor() as cursor:
        try:
            cursor.execute("CREATE TABLE twice AS SELECT 1 AS one UNION ALL SELECT 1")
            with pytest.raises(IntegrityError):
                cursor.execute("CREATE UNIQUE INDEX CONCURRENTLY twice_one ON twice (one)")
            assert "twice_one" in bad(database.look_at_indexes)[0].message
        finally:
            cursor.execute("DROP TABLE twice")
