"""A purge at work in a real worker, killed or stopped at its places: the next attempt ends it."""

import io
from collections.abc import Callable

import pytest

from documents.models import Document, DocumentVersion
from documents.models.document import DocumentSource
from documents.services import StoredDocument, store_document
from documents.services.purge import purge_documents
from documents.services.trash import trash_documents
from documents.vault import get_vault
from jobs.models import Job
from tenants.access import operator_access
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tenants.services import order_wipe
from tests.factories import TenantFactory
from tests.jobs.bench import Bench
from tests.processes.workers import WorkerProcess
from tests.tenants.wiping import job_of, state_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

WHOLE = "archiv.test_settings"


def store(tenant: Tenant, content: bytes = b"paper") -> StoredDocument:
    return store_document(
        tenant_id=tenant.id, stream=io.BytesIO(content), filename="paper.txt", source=DocumentSource.IMPORT
    )


@pytest.mark.parametrize("place", ["purge.begun", "purge.listed", "purge.files", "job.body", "job.effects"])
def test_a_purge_killed_at_any_place_is_ended_by_the_next_attempt(
    start: Callable[..., WorkerProcess], place: str
) -> None:
    tenant = TenantFactory.create()
    access = operator_access(tenant.id)
    kept, gone = (store(tenant, content) for content in (b"kept", b"gone"))
    trash_documents(access=access, document_ids=[gone.document_id])
    assert purge_documents(access=access, document_ids=[gone.document_id]).changed == 1
    with tenant_scope(tenant.id):
        job_id = Job.objects.get(type="purge-document").pk
    options = ("--slots", "1", "--types", "purge-document")
    settings = {"DJANGO_SETTINGS_MODULE": WHOLE, "ARCHIV_FAILPOINT": f"{place}:kill:1"}
    worker = start(*options, ready=False, **settings)
    worker.wait_for("child.ended", timeout=90)
    worker.wait_for("job.finished", job=job_id, lease=2, timeout=60)
    assert (job_of(job_id).status, job_of(job_id).lease) == ("succeeded", 2)
    after = state_of(tenant.id)
    assert len(after.rows["documents_document"]) == len(after.rows["documents_documentversion"]) == 1
    assert len(after.rows["documents_searchentry"]) == 1
    assert list(after.files.values()) == [b"kept"]
    assert str(kept.version_id) in next(iter(after.files))


@pytest.mark.parametrize("how", ["purge", "reset"])
def test_who_was_stopped_before_it_removed_a_file_does_not_meet_the_new_one(
    bench: Bench, start: Callable[..., WorkerProcess], how: str
) -> None:
    tenant = TenantFactory.create()
    stored = store(tenant)
    bench.run_sql("DELETE FROM jobs_job")
    access = operator_access(tenant.id)
    if how == "purge":
        trash_documents(access=access, document_ids=[stored.document_id])
        bench.run_sql("DELETE FROM jobs_job")
        purge_documents(access=access, document_ids=[stored.document_id])
    else:
        order_wipe(access=access, action="reset", final_status="active")
    (job,) = bench.jobs(status="queued")
    place = {"purge": "purge.listed", "reset": "wipe.files"}[how]
    options = ("--slots", "1", "--lease", "3", "--types", job.type)
    first = start(*options, DJANGO_SETTINGS_MODULE=WHOLE, ARCHIV_FAILPOINT=f"{place}:stop:1")
    first.wait_for("job.claimed", job=job.id)
    first.wait_stopped()
    let_go = first.freeze()
    second = start(*options, DJANGO_SETTINGS_MODULE=WHOLE)
    second.wait_for("job.finished", job=job.id, timeout=90)
    again = store(tenant)
    let_go()
    first.wait_for("job.lease_lost", job=job.id, lease=1)
    with tenant_scope(tenant.id):
        (version,) = DocumentVersion.objects.all()
        assert Document.objects.get().pk == again.document_id != stored.document_id
    with get_vault().open_verified(version.vault_path, content_hash=version.content_hash) as file:
        assert file.read() == b"paper"
    assert list(state_of(tenant.id).files.values()) == [b"paper"]
