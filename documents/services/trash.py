"""The trash: what lies there is found by nobody, keeps its file, and can come back."""

import uuid
from collections.abc import Iterable

from django.db.models.functions import Now

from documents.models import Document, DocumentVersion
from documents.search.base import Entry
from documents.search.engine import get_search
from documents.selectors import find_newest_versions
from documents.services.changes import (
    HELD,
    IN_TRASH,
    NOT_IN_TRASH,
    ChangeReport,
    Changes,
    in_batches,
    lock_active_tenant,
    lock_documents,
    record_document,
)
from jobs.services import enqueue_analyses
from tenants.access import Access, requires
from tenants.scope import tenant_scope


@requires("documents:write")
def trash_documents(*, access: Access, document_ids: Iterable[uuid.UUID]) -> ChangeReport:
    """Put documents into the trash: from then on no search finds them. A legal hold is respected.

    One transaction a batch. Raises `TenantNotActive`, `TenantNotFound`.
    """
    changes = Changes()
    for batch in in_batches(document_ids):
        with tenant_scope(access.tenant_id):
            lock_active_tenant(access.tenant_id)
            trash_batch(access.tenant_id, batch, changes)
    return changes.report()


def trash_batch(tenant_id: uuid.UUID, document_ids: list[uuid.UUID], changes: Changes) -> None:
    """Put some documents into the trash, and count what became of each.

    Needs the tenant's scope, and its lock or the lease of a job of the tenant.
    """
    documents = lock_documents(tenant_id, document_ids, changes)
    held = [document for document in documents if document.legal_hold]
    free = [document for document in documents if not document.legal_hold]
    trashed = [document for document in free if document.trashed_at is None]
    ids = [document.pk for document in trashed]
    Document.objects.filter(tenant_id=tenant_id, pk__in=ids).update(trashed_at=Now(), updated_at=Now())
    get_search().remove(tenant_id=tenant_id, document_ids=ids)
    changes.changed(len(trashed))
    changes.skipped(HELD, [document.pk for document in held])
    changes.skipped(IN_TRASH, {document.pk for document in free} - set(ids))
    for document in held:
        record_document("document.trash_refused", document, reason="legal_hold")
    for document in trashed:
        record_document("document.trashed", document)


@requires("documents:write")
def restore_documents(*, access: Access, document_ids: Iterable[uuid.UUID]) -> ChangeReport:
    """Take documents out of the trash, unless their purge has begun.

    They are found by title and name at once, and by their text when the job that is queued here has run. One
    transaction a batch. Raises `TenantNotActive`, `TenantNotFound`.
    """
    changes = Changes()
    for batch in in_batches(document_ids):
        with tenant_scope(access.tenant_id):
            lock_active_tenant(access.tenant_id)
            versions = find_newest_versions(access.tenant_id, batch)
            trashed = Document.objects.filter(tenant_id=access.tenant_id, pk__in=batch, purging_at=None)
            ids = trashed.exclude(trashed_at=None).values_list("pk", flat=True)
            # Before the documents are touched: a queued job is joined.
            to_read = {one: versions[one].pk for one in ids if one in versions}
            enqueue_analyses(tenant_id=access.tenant_id, versions=to_read)
            documents = lock_documents(access.tenant_id, batch, changes)
            restored = [document for document in documents if document.trashed_at is not None]
            restored_ids = [document.pk for document in restored]
            Document.objects.filter(tenant_id=access.tenant_id, pk__in=restored_ids).update(
                trashed_at=None, updated_at=Now()
            )
            for document in restored:
                if document.pk in versions:
                    get_search().upsert(_title_entry(document, versions[document.pk]))
            for document in restored:
                record_document("document.restored", document)
        changes.changed(len(restored))
        changes.skipped(NOT_IN_TRASH, {document.pk for document in documents} - set(restored_ids))
    return changes.report()


def _title_entry(document: Document, version: DocumentVersion) -> Entry:
    return Entry(
        tenant_id=document.tenant_id,
        document_id=document.pk,
        title=document.title,
        filename=version.filename,
        words="",
        issued_at=document.issued_at,
    )
