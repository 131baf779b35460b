"""Storing: all of it or nothing, once for each tenant, whatever happens on the way."""

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import OperationalError, connections, transaction

from documents.errors import EmptyFile, VaultFull
from documents.models import Document, DocumentVersion
from documents.models.document import DocumentSource
from documents.search.results import search_documents
from documents.services import StoredDocument, store_document
from documents.services.sweep import sweep_vault
from documents.vault import STAGING, LocalStaged, LocalVault
from jobs.failpoints import FAILPOINTS
from jobs.models import Job
from tenants.errors import TenantNotActive, TenantNotFound
from tenants.models import Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.documents.conftest import Store
from tests.factories import TenantFactory

PROJECT = Path(settings.BASE_DIR)


def registered() -> tuple[int, int, int]:
    """Return how many documents, versions and jobs there are, of all tenants."""
    with operator_scope():
        return Document.objects.count(), DocumentVersion.objects.count(), Job.objects.count()


def files(vault: LocalVault) -> list[str]:
    return sorted(file.path for file in [*vault.list(""), *vault.list(f"{STAGING}/")])


def test_a_file_becomes_document_version_job_and_original(
    store: Store, tenant: Tenant, vault: LocalVault
) -> None:
    stored = store(b"%PDF-1.7 paper", "Ra\u0308ume\n2024.pdf")
    with tenant_scope(tenant.id):
        document = Document.objects.get()
        version = DocumentVersion.objects.get()
        job = Job.objects.get()
    assert (stored.document_id, stored.version_id, stored.job_id) == (document.id, version.id, job.id)
    assert (document.title, version.filename) == ("Räume 2024", "Räume 2024.pdf")
    assert (version.media_type, version.size) == ("application/pdf", 14)
    assert version.content_hash == hashlib.sha256(b"%PDF-1.7 paper").hexdigest()
    assert (job.type, job.status, job.document_id) == ("analyze-document", "queued", document.id)
    assert job.payload == {
        "document_id": str(document.id),
        "document_version_id": str(version.id),
        "force": False,
    }
    assert files(vault) == [version.vault_path]
    with vault.open_verified(version.vault_path, content_hash=version.content_hash) as file:
        assert file.read() == b"%PDF-1.7 paper"


def test_a_document_is_found_by_title_and_name_before_it_is_read(store: Store, tenant: Tenant) -> None:
    stored = store(b"x", "Mietvertrag Hauptstraße.txt")
    for words in ("mietvertrag", "hauptstrasse"):
        results = search_documents(tenant_id=tenant.id, text=words)
        assert [hit.document.id for hit in results.hits] == [stored.document_id]


def test_an_empty_file_is_refused_with_words(store: Store, vault: LocalVault) -> None:
    with pytest.raises(EmptyFile, match="is empty"):
        store(b"")
    assert registered() == (0, 0, 0)
    assert files(vault) == []


def test_the_same_bytes_again_are_named_and_not_stored(store: Store, vault: LocalVault) -> None:
    first = store(b"paper", "a.txt")
    again = store(b"paper", "another name.txt")
    assert again == StoredDocument(first.document_id, first.version_id, None, duplicate=True)
    assert registered() == (1, 1, 1)
    assert len(files(vault)) == 1


@pytest.mark.parametrize("field", ["trashed_at", "purging_at"])
def test_a_duplicate_in_the_trash_says_so(store: Store, tenant: Tenant, field: str) -> None:
    first = store(b"paper")
    with tenant_scope(tenant.id):
        Document.objects.update(**{field: "2024-01-01T00:00Z"})
    again = store(b"paper")
    assert (again.document_id, again.duplicate, again.trashed) == (first.document_id, True, True)


def test_two_tenants_with_the_same_bytes_do_not_learn_of_each_other(store: Store, vault: LocalVault) -> None:
    other = TenantFactory.create()
    first, second = store(b"paper"), store(b"paper", tenant_id=other.id)
    assert not second.duplicate
    assert first.document_id != second.document_id
    assert len(files(vault)) == 2


@pytest.mark.django_db(transaction=True)
def test_the_same_bytes_from_eight_threads_are_one_document_and_one_job(
    tenant: Tenant, vault: LocalVault
) -> None:
    data = os.urandom(300_000)
    gate = threading.Barrier(8)

    def upload(number: int) -> StoredDocument:
        gate.wait()
        try:
            return store_document(
                tenant_id=tenant.id,
                stream=io.BytesIO(data),
                filename=f"{number}.bin",
                source=DocumentSource.API,
            )
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(upload, range(8)))
    assert sorted(answer.duplicate for answer in answers) == [False] + [True] * 7
    assert len({(answer.document_id, answer.version_id) for answer in answers}) == 1
    assert registered() == (1, 1, 1)
    assert len(files(vault)) == 1


@pytest.mark.parametrize("status", ["creating", "suspended", "deleting"])
def test_a_tenant_that_is_not_active_takes_nothing(
    store: Store, tenant: Tenant, vault: LocalVault, status: str
) -> None:
    with tenant_scope(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(status=status)
    with pytest.raises(TenantNotActive, match=status):
        store(b"paper")
    assert (registered(), files(vault)) == ((0, 0, 0), [])


@pytest.mark.django_db(transaction=True)
def test_a_tenant_that_is_suspended_while_the_body_comes_takes_nothing(
    tenant: Tenant, vault: LocalVault
) -> None:
    class Body:
        """Suspends the tenant, from a connection of its own, when it is read."""

        left = [b"pa", b"per"]

        def read(self, size: int, /) -> bytes:
            assert not connections["default"].in_atomic_block, (
                "a transaction is open while a body is received"
            )
            with tenant_scope(tenant.id):
                Tenant.objects.filter(id=tenant.id).update(status="suspended")
            return self.left.pop(0) if self.left else b""

    with pytest.raises(TenantNotActive):
        store_document(tenant_id=tenant.id, stream=Body(), filename="a.txt", source=DocumentSource.API)
    assert (registered(), files(vault)) == ((0, 0, 0), [])


def test_an_unknown_tenant_is_refused(store: Store) -> None:
    with pytest.raises(TenantNotFound):
        store(b"paper", tenant_id=TenantFactory.build().id)


def test_storing_inside_a_transaction_is_refused(store: Store, vault: LocalVault) -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        store(b"paper")
    assert files(vault) == []


def test_a_body_that_breaks_off_leaves_nothing(tenant: Tenant, vault: LocalVault) -> None:
    class Broken:
        chunks = [b"half"]

        def read(self, size: int, /) -> bytes:
            if self.chunks:
                return self.chunks.pop()
            raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        store_document(tenant_id=tenant.id, stream=Broken(), filename="a.txt", source=DocumentSource.API)
    assert (registered(), files(vault)) == ((0, 0, 0), [])


def test_a_full_disk_leaves_nothing_and_the_next_try_works(
    store: Store, vault: LocalVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: LocalStaged, chunk: bytes) -> None:
        raise VaultFull

    with monkeypatch.context() as patched:
        patched.setattr(LocalStaged, "write", full)
        with pytest.raises(VaultFull):
            store(b"paper")
    assert (registered(), files(vault)) == ((0, 0, 0), [])
    assert not store(b"paper").duplicate


def test_an_error_of_the_move_takes_the_rows_back(
    store: Store, vault: LocalVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: LocalVault, staged: LocalStaged, path: str) -> None:
        raise VaultFull

    with monkeypatch.context() as patched:
        patched.setattr(LocalVault, "place", full)
        with pytest.raises(VaultFull):
            store(b"paper")
    assert (registered(), files(vault)) == ((0, 0, 0), [])
    assert not store(b"paper").duplicate


def test_an_error_after_the_move_takes_the_file_back(
    store: Store, vault: LocalVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(name: str) -> None:
        if name == "store.moved":
            raise RuntimeError(name)

    monkeypatch.setattr("documents.services.store.failpoint", broken)
    with pytest.raises(RuntimeError, match="moved"):
        store(b"paper")
    assert (registered(), files(vault)) == ((0, 0, 0), [])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("point", ["store.inserted", "store.moved"])
def test_a_database_that_stops_in_the_middle_leaves_nothing_and_the_next_try_works(
    store: Store, vault: LocalVault, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    def stop(name: str) -> None:
        if name == point:
            with suppress(OperationalError), connections["default"].cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with monkeypatch.context() as patched:
        patched.setattr("documents.services.store.failpoint", stop)
        with pytest.raises(OperationalError):
            store(b"paper")
    assert registered() == (0, 0, 0)
    assert sweep_vault(older_than=timedelta(0)).is_whole
    assert files(vault) == []
    assert not store(b"paper").duplicate
    assert len(files(vault)) == 1


STORE_POINTS = sorted(name for name in FAILPOINTS if name.startswith("store."))


@pytest.fixture(scope="module")
def import_in_a_fork(process_environment: dict[str, str]) -> Iterator[Callable[[Tenant, Path, str], int]]:
    """Import a file in a process of its own, and return how that ended."""
    command = [sys.executable, "-m", "tests.documents.forked_imports"]
    with subprocess.Popen(
        command,
        cwd=PROJECT,
        env=process_environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines, answers = process.stdin, process.stdout

        def run(tenant: Tenant, path: Path, failpoint: str) -> int:
            request = {"tenant": str(tenant.id), "path": str(path), "failpoint": failpoint}
            lines.write(json.dumps(request) + "\n")
            lines.flush()
            return int(answers.readline())

        yield run
        lines.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("point", STORE_POINTS)
def test_a_process_killed_at_any_point_leaves_all_or_nothing(
    tenant: Tenant,
    vault: LocalVault,
    import_in_a_fork: Callable[[Tenant, Path, str], int],
    tmp_path: Path,
    point: str,
) -> None:
    source = tmp_path / "paper.txt"
    source.write_bytes(b"paper")
    assert import_in_a_fork(tenant, source, f"{point}:kill") == -signal.SIGKILL
    whole = point == "store.committed"
    assert registered() == ((1, 1, 1) if whole else (0, 0, 0))
    assert source.read_bytes() == b"paper"

    assert sweep_vault(older_than=timedelta(0)).is_whole
    assert len(files(vault)) == (1 if whole else 0), "a file too many, or too few, after the sweep"

    assert import_in_a_fork(tenant, source, "") == 0
    assert registered() == (1, 1, 1)
    assert sweep_vault(older_than=timedelta(0)).is_whole
    assert len(files(vault)) == 1
