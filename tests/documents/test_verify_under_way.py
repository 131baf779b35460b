"""A look at the files of the vault while others are stored and purged."""

import hashlib
import io
import threading

import pytest
from django.db import connections, transaction

from documents.models import Document, DocumentVersion
from documents.models.document import DocumentSource
from documents.services import StoredDocument, store_document
from documents.services.purge import purge_documents
from documents.services.trash import trash_documents
from documents.vault import LocalVault
from jobs.models import Job
from tenants.access import operator_access
from tenants.models import Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.documents.test_purge import work_off
from tests.documents.test_sweep import put
from tests.documents.test_verify import look
from tests.factories import TenantFactory


@pytest.mark.django_db(transaction=True)
def test_uploads_and_purges_under_way_are_no_alarm(vault: LocalVault) -> None:
    """Files come and go all the time while the vault is looked at again and again."""
    tenant = TenantFactory.create()
    stopped = threading.Event()
    errors: list[Exception] = []

    def upload(name: str) -> None:
        number = 0
        try:
            while not stopped.is_set():
                number += 1
                stored = store_paper(tenant, f"{name} {number}".encode())
                if number % 3 == 0:
                    ids = [stored.document_id]
                    trash_documents(access=operator_access(tenant.id), document_ids=ids)
                    purge_documents(access=operator_access(tenant.id), document_ids=ids)
                    with tenant_scope(tenant.id):
                        job = Job.objects.get(type="purge-document", document_id=stored.document_id)
                    work_off(job)
        except Exception as error:  # noqa: BLE001  told by the test itself
            errors.append(error)
        finally:
            connections.close_all()

    uploads = [threading.Thread(target=upload, args=[name]) for name in ("a", "b")]
    for thread in uploads:
        thread.start()
    try:
        looks = [look(tenant)]
        while len(looks) < 4 or count_versions() < 3:
            looks.append(look(tenant))
    finally:
        stopped.set()
        for thread in uploads:
            thread.join()
    assert errors == []
    assert [found for found in looks if found] == []


def count_versions() -> int:
    with operator_scope():
        return DocumentVersion.objects.count()


@pytest.mark.django_db(transaction=True)
def test_a_file_whose_upload_has_not_committed_is_waited_for(vault: LocalVault) -> None:
    tenant = TenantFactory.create()
    placed, go_on = threading.Event(), threading.Event()
    seen: list[dict[str, str]] = []

    def upload() -> None:
        version = DocumentVersion(tenant_id=tenant.id, content_hash=hashlib.sha256(b"x").hexdigest(), size=1)
        try:
            with transaction.atomic(), tenant_scope(tenant.id), connections["default"].cursor() as cursor:
                cursor.execute("SELECT 1 FROM tenants_tenant WHERE id = %s FOR SHARE", [tenant.id])
                document = Document(tenant_id=tenant.id, title="x", source="import")
                document.save()
                version.document = document
                version.save()
                put(vault, version.vault_path, b"x")
                placed.set()
                go_on.wait(20)
        finally:
            connections.close_all()

    def watch() -> None:
        try:
            seen.append(look(tenant))
        finally:
            connections.close_all()

    uploading, watching = threading.Thread(target=upload), threading.Thread(target=watch)
    uploading.start()
    assert placed.wait(20)
    watching.start()
    wait_for_a_lock()
    assert seen == []
    go_on.set()
    uploading.join()
    watching.join()
    assert seen == [{}]


def wait_for_a_lock() -> None:
    """Return when some session waits for the lock of another."""
    for _ in range(2000):
        with connections["owner"].cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone() != (0,):
                return
            cursor.execute("SELECT pg_sleep(0.01)")
    raise AssertionError("nobody waits for a lock")


def store_paper(tenant: Tenant, content: bytes) -> StoredDocument:
    return store_document(
        tenant_id=tenant.id, stream=io.BytesIO(content), filename="paper.txt", source=DocumentSource.IMPORT
    )
