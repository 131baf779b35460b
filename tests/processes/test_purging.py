"""A purge at work in a real worker, killed at each of its places: the next attempt ends it."""

import io
from collections.abc import Callable

import pytest

from documents.models.document import DocumentSource
from documents.services import store_document
from documents.services.purge import purge_documents
from documents.services.trash import trash_documents
from jobs.models import Job
from tenants.access import operator_access
from tenants.scope import tenant_scope
from tests.factories import TenantFactory
from tests.processes.workers import WorkerProcess
from tests.tenants.wiping import job_of, state_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.mark.parametrize("place", ["purge.begun", "purge.listed", "purge.files", "job.body", "job.effects"])
def test_a_purge_killed_at_any_place_is_ended_by_the_next_attempt(
    start: Callable[..., WorkerProcess], place: str
) -> None:
    tenant = TenantFactory.create()
    access = operator_access(tenant.id)
    kept, gone = (
        store_document(
            tenant_id=tenant.id,
            stream=io.BytesIO(content),
            filename="paper.txt",
            source=DocumentSource.IMPORT,
        )
        for content in (b"kept", b"gone")
    )
    trash_documents(access=access, document_ids=[gone.document_id])
    assert purge_documents(access=access, document_ids=[gone.document_id]).changed == 1
    with tenant_scope(tenant.id):
        job_id = Job.objects.get(type="purge-document").pk
    options = ("--slots", "1", "--types", "purge-document")
    settings = {"DJANGO_SETTINGS_MODULE": "archiv.test_settings", "ARCHIV_FAILPOINT": f"{place}:kill:1"}
    worker = start(*options, ready=False, **settings)
    worker.wait_for("child.ended", timeout=90)
    worker.wait_for("job.finished", job=job_id, lease=2, timeout=60)
    assert (job_of(job_id).status, job_of(job_id).lease) == ("succeeded", 2)
    after = state_of(tenant.id)
    assert len(after.rows["documents_document"]) == len(after.rows["documents_documentversion"]) == 1
    assert len(after.rows["documents_searchentry"]) == 1
    assert list(after.files.values()) == [b"kept"]
    assert str(kept.version_id) in next(iter(after.files))
