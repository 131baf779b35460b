"""Commands about documents: what they answer, and how they refuse."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from documents.errors import VaultFull
from documents.models import Document, DocumentVersion
from documents.vault import LocalStaged, LocalVault
from jobs.acting import command_actor
from jobs.models import Job, JobStatus, Lane
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store
from tests.factories import PageTextFactory, UserFactory


def run(*arguments: object) -> str:
    out = StringIO()
    call_command(*map(str, arguments), stdout=out)
    return out.getvalue()


def run_failing(*arguments: object) -> tuple[str, str]:
    out = StringIO()
    with pytest.raises(CommandError) as raised:
        call_command(*map(str, arguments), stdout=out)
    return out.getvalue(), str(raised.value)


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    """A folder with two papers, one of them twice, and one empty file."""
    folder = tmp_path / "inbox"
    (folder / "2024").mkdir(parents=True)
    (folder / "a.txt").write_text("first")
    (folder / "2024" / "again [1].txt").write_text("first")
    (folder / "2024" / "b.txt").write_text("second")
    (folder / "empty.pdf").touch()
    return folder


def test_importing_answers_for_each_file(tenant: Tenant, vault: LocalVault, inbox: Path) -> None:
    out, error = run_failing("import_documents", tenant.name, inbox)
    lines = out.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == ["stored", "refused", "duplicate", "stored"]
    assert f"{inbox}/2024/again [1].txt" in lines[2]
    assert "(The file is empty" in lines[1]
    assert lines[-1] == "2 stored, 1 duplicate, 1 refused."
    assert error == "1 of 4 files were refused."
    with tenant_scope(tenant.id):
        assert Job.objects.filter(lane=Lane.BULK, status="queued").count() == 2
        assert set(Document.objects.values_list("source", flat=True)) == {"import"}


def test_importing_an_empty_folder_says_that_nothing_is_there(tenant: Tenant, tmp_path: Path) -> None:
    said, error = run_failing("import_documents", tenant.name, tmp_path)
    assert "0 stored" in said
    assert "no file to import" in error


def test_an_import_is_recorded_under_the_account_that_ran_it(
    tenant: Tenant, vault: LocalVault, inbox: Path
) -> None:
    run("import_documents", tenant.name, inbox / "a.txt")
    with tenant_scope(tenant.id):
        stored = AuditEvent.objects.get(tenant_id=tenant.id, action="document.stored")
    assert stored.actor == command_actor().name
    assert stored.actor.startswith("command:")


@pytest.mark.parametrize("command", ["trash", "restore", "purge", "hold"])
def test_commands_that_change_documents_want_to_know_which(tenant: Tenant, command: str) -> None:
    with pytest.raises(CommandError, match=r"required: document|--all"):
        call_command(command, tenant.name)


def test_importing_again_is_harmless(tenant: Tenant, vault: LocalVault, inbox: Path) -> None:
    (inbox / "empty.pdf").unlink()
    run("import_documents", tenant.name, inbox)
    assert run("import_documents", tenant.id, inbox).endswith("0 stored, 3 duplicate, 0 refused.\n")


def test_importing_answers_in_json_one_object_a_line(tenant: Tenant, vault: LocalVault, inbox: Path) -> None:
    user = UserFactory.create()
    out, _ = run_failing(
        "import_documents", tenant.name, inbox / "a.txt", inbox / "empty.pdf", "--json", "--lane", "normal",
        "--created-by", user.username,
    )  # fmt: skip
    stored, refused, sums = map(json.loads, out.splitlines())
    with tenant_scope(tenant.id):
        document = Document.objects.get()
        job = Job.objects.get()
    assert stored == {
        "path": str(inbox / "a.txt"),
        "outcome": "stored",
        "document_id": str(document.id),
        "job_id": job.id,
        "reason": "",
    }
    assert (refused["outcome"], refused["document_id"]) == ("refused", None)
    assert sums == {"stored": 1, "duplicate": 0, "refused": 1}
    assert (job.lane, document.created_by_id) == (Lane.NORMAL, user.id)


def test_importing_stops_when_the_vault_is_full(
    tenant: Tenant, vault: LocalVault, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: LocalStaged, chunk: bytes) -> None:
        raise VaultFull

    monkeypatch.setattr(LocalStaged, "write", full)
    _, error = run_failing("import_documents", tenant.name, inbox)
    assert error.startswith(f"Stopped at {inbox}/a.txt: There is no room left")


def test_importing_into_a_tenant_that_is_not_active_is_refused(
    tenant: Tenant, vault: LocalVault, inbox: Path
) -> None:
    with tenant_scope(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(status="suspended")
    _, error = run_failing("import_documents", tenant.name, inbox)
    assert "is suspended" in error


@pytest.mark.parametrize("command", [("import_documents", "x"), ("search", "x"), ("reanalyze",)])
def test_an_unknown_tenant_is_said(db: None, command: tuple[str, ...]) -> None:
    _, error = run_failing(command[0], "nobody", *command[1:])
    assert "no tenant called 'nobody'" in error


@pytest.fixture
def searchable(tenant: Tenant, store: Store) -> Tenant:
    """A tenant with one document that was read."""
    stored = store(b"paper", "Miete März.txt")
    with tenant_scope(tenant.id):
        Document.objects.update(issued_at="2024-03-01")
        version = DocumentVersion.objects.get(id=stored.version_id)
        PageTextFactory.create(tenant=tenant, version=version, page=3, text="Die Miete\nfür März [bold]")
    return tenant


def test_a_search_shows_date_title_excerpt_and_page(searchable: Tenant) -> None:
    out = run("search", searchable.name, "miete")
    assert "2024-03-01" in out
    assert "»Miete« März" in out
    assert "Die »Miete« für März [bold]" in out
    assert " 3" in out


def test_a_search_answers_in_json(searchable: Tenant) -> None:
    answer: dict[str, Any] = json.loads(run("search", searchable.name, "miete", "märz", "--json"))
    (hit,) = answer["hits"]
    assert (hit["title"], hit["issued"], hit["page"]) == ("Miete März", "2024-03-01", 3)
    assert hit["status"] == "queued"
    assert ["Miete", True] in hit["excerpt"]
    assert answer["more"] is False


def test_a_search_without_hits_and_with_nonsense_says_so(searchable: Tenant) -> None:
    out = run("search", searchable.name, "date:morgen", "angebot")
    assert "'morgen' is not a date" in out
    assert "Nothing found." in out


def test_trash_is_not_shown(searchable: Tenant) -> None:
    with tenant_scope(searchable.id):
        Document.objects.update(trashed_at="2024-01-01T00:00Z")
    assert run("search", searchable.name, "miete") == "Nothing found.\n"


def test_reanalyze_queues_each_document_once_and_says_what_it_skipped(tenant: Tenant, store: Store) -> None:
    first, second = store(b"first"), store(b"second")
    trashed = store(b"third")
    with tenant_scope(tenant.id):
        Job.objects.update(status=JobStatus.SUCCEEDED)
        Document.objects.filter(id=trashed.document_id).update(trashed_at="2024-01-01T00:00Z")
    answer = json.loads(
        run(
            "reanalyze",
            tenant.name,
            "--json",
            "--document",
            first.document_id,
            "--document",
            trashed.document_id,
        )
    )
    assert answer == {"enqueued": 1, "skipped": {"not there, or in the trash": 1}}
    assert run("reanalyze", tenant.name) == f"Queued 2 analyses of {tenant.name}.\n"
    with tenant_scope(tenant.id):
        jobs = Job.objects.filter(status=JobStatus.QUEUED)
        assert {job.document_id for job in jobs} == {first.document_id, second.document_id}
        assert jobs.count() == 2
        assert all(job.payload["force"] for job in jobs)


def test_sweep_reports_and_fails_if_something_is_missing(
    tenant: Tenant, store: Store, vault: LocalVault
) -> None:
    store(b"paper")
    assert json.loads(run("sweep_vault", "--json"))["files"] == 1
    assert "Removed 0" in run("sweep_vault")
    with tenant_scope(tenant.id):
        path = DocumentVersion.objects.get().vault_path
    vault.remove(path)
    out, error = run_failing("sweep_vault")
    assert path in out
    assert error == "1 files of the vault are missing or damaged."
