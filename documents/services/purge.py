"""Purge: a document goes for good, from the trash, and only when nothing says that it must be kept.

From `purging_at` on nobody can restore it, and no analysis writes to it. Every part can be repeated: the rows
go last, in the transaction that finishes the job, so an attempt that stopped is done again from the start.
"""

import uuid
from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from documents.errors import DocumentKept, DocumentNotFound
from documents.models import (
    Asset,
    Document,
    DocumentVersion,
    FileFacts,
    Filing,
    IndexedCopy,
    MailAttachment,
    Note,
    PageCheckpoint,
    PageText,
    SearchEntry,
    StepResult,
    WorkflowRun,
)
from documents.search.engine import get_search
from documents.services.changes import (
    HELD,
    NOT_IN_TRASH,
    NOT_THERE,
    RETAINED,
    ChangeReport,
    Changes,
    in_batches,
    lock_active_tenant,
    record_document,
)
from documents.services.learning import forget_document
from documents.services.retention import is_kept
from documents.vault import Vault
from jobs.failpoints import failpoint
from jobs.models import Job
from jobs.services import enqueue_job
from tenants.access import Access, requires
from tenants.scope import tenant_scope

PURGE = "purge-document"
#: Why a document was left alone that is on its way already.
QUEUED_ALREADY = "being purged already"


@requires("documents:write")
def purge_documents(*, access: Access, document_ids: Iterable[uuid.UUID]) -> ChangeReport:
    """Queue the purge of documents in the trash that nothing keeps; each refusal is in the audit trail.

    One transaction a batch. Raises `TenantNotActive`, `TenantNotFound`.
    """
    changes = Changes()
    for batch in in_batches(document_ids):
        with tenant_scope(access.tenant_id):
            lock_active_tenant(access.tenant_id)
            rows = Document.objects.filter(tenant_id=access.tenant_id, pk__in=batch)
            kept = set(rows.filter(is_kept()).values_list("pk", flat=True))
            documents = list(rows.order_by("pk"))
            changes.skipped(NOT_THERE, set(batch) - {document.pk for document in documents})
            events = [_queue(document, changes, kept=document.pk in kept) for document in documents]
            for document, (action, reason) in zip(documents, events, strict=True):
                if action:
                    record_document(action, document, **({"reason": reason} if reason else {}))
    return changes.report()


@requires("documents:write")
def find_purge_job(*, access: Access, document_id: uuid.UUID) -> int:
    """Return the newest job that purges a document. Raises `DocumentNotFound` if there is none."""
    with tenant_scope(access.tenant_id):
        jobs = Job.objects.filter(tenant_id=access.tenant_id, document_id=document_id, type=PURGE)
        found = jobs.order_by("-id").values_list("id", flat=True).first()
    if found is None:
        raise DocumentNotFound
    return found


def _queue(document: Document, changes: Changes, *, kept: bool) -> tuple[str, str]:
    """Queue one purge, if it may be; returns what the audit trail has to say, and the reason of a refusal."""
    if document.trashed_at is None:
        changes.skipped(NOT_IN_TRASH, [document.pk])
        return "document.purge_refused", "not_in_trash"
    if kept:
        changes.skipped(HELD if document.legal_hold else RETAINED, [document.pk])
        return "document.purge_refused", _reason(document)
    try:
        with transaction.atomic():
            enqueue_job(
                tenant_id=document.tenant_id,
                type=PURGE,
                payload={"document_id": str(document.pk)},
                document_id=document.pk,
            )
    except IntegrityError:  # jobs_job_live_purge: there is one under way
        changes.skipped(QUEUED_ALREADY, [document.pk])
        return "", ""
    changes.changed()
    return "document.purge_ordered", ""


def _reason(document: Document) -> str:
    return "legal_hold" if document.legal_hold else "retention"


def find_purgeable(tenant_id: uuid.UUID) -> QuerySet[Document]:
    """Return the documents in a tenant's trash that may be purged now. Needs its scope."""
    trashed = Document.objects.filter(tenant_id=tenant_id, trashed_at__isnull=False)
    return trashed.exclude(is_kept())


def begin_purge(*, tenant_id: uuid.UUID, document_id: uuid.UUID) -> tuple[str, ...] | None:
    """Mark a document as being purged, and return how the paths of its files begin; None if it is gone.

    Each such beginning has an id that is never used again. Needs the tenant's scope, in a transaction that
    proves the lease. Raises `DocumentKept`, also for one that is not in the trash.
    """
    rows = Document.objects.filter(tenant_id=tenant_id, pk=document_id)
    document = rows.select_for_update(of=("self",)).first()
    if document is None:
        return None
    if document.trashed_at is None:
        raise DocumentKept("The document is not in the trash any more.")
    if rows.filter(is_kept()).exists():
        if document.legal_hold:
            raise DocumentKept("The document is under legal hold.")
        raise DocumentKept(f"The document must be kept until {document.retain_until:%Y-%m-%d %H:%M:%S %Z}.")
    rows.filter(purging_at=None).update(purging_at=Now())
    get_search().remove(tenant_id=tenant_id, document_ids=[document_id])
    versions = DocumentVersion.objects.filter(tenant_id=tenant_id, document_id=document_id)
    originals = [version.vault_path for version in versions]
    assets = [f"{tenant_id}/assets/{version.pk}/" for version in versions]
    return (*originals, *assets)


def record_refusal(*, tenant_id: uuid.UUID, document_id: uuid.UUID) -> None:
    """Record that a purge was refused. Needs the transaction that fails the job."""
    document = Document.objects.filter(tenant_id=tenant_id, pk=document_id).first()
    if document is not None:
        reason = "not_in_trash" if document.trashed_at is None else _reason(document)
        record_document("document.purge_refused", document, reason=reason)


def remove_files(vault: Vault, prefix: str) -> int:
    """Remove the files whose paths begin so; returns how many there were. Names are listed before."""
    paths = [file.path for file in vault.list(prefix)]
    failpoint("purge.listed")
    return sum(vault.remove(path) for path in paths)


def finish_purge(*, tenant_id: uuid.UUID, document_id: uuid.UUID) -> None:
    """Remove every row of a document, children first. Needs the transaction that ends the job."""
    documents = Document.objects.filter(tenant_id=tenant_id, pk=document_id)
    document = documents.select_for_update(of=("self",)).first()
    if document is None:
        return
    versions = DocumentVersion.objects.filter(tenant_id=tenant_id, document_id=document_id)
    version_ids = list(versions.values_list("pk", flat=True))
    hashes = list(versions.values_list("content_hash", flat=True))
    jobs = Job.objects.filter(tenant_id=tenant_id, document_id=document_id).values_list("pk", flat=True)
    get_search().remove(tenant_id=tenant_id, document_ids=[document_id])
    forget_document(tenant_id, document_id)
    for rows in (
        Filing.objects.filter(tenant_id=tenant_id, document_id=document_id),
        WorkflowRun.objects.filter(tenant_id=tenant_id, document_id=document_id),
        Note.objects.filter(tenant_id=tenant_id, document_id=document_id),
        PageCheckpoint.objects.filter(tenant_id=tenant_id, job_id__in=list(jobs)),
        FileFacts.objects.filter(tenant_id=tenant_id, version_id__in=version_ids),
        StepResult.objects.filter(tenant_id=tenant_id, version_id__in=version_ids),
        PageText.objects.filter(tenant_id=tenant_id, version_id__in=version_ids),
        Asset.objects.filter(tenant_id=tenant_id, version_id__in=version_ids),
        MailAttachment.objects.filter(tenant_id=tenant_id, mail_id=document_id),
        # Also where another engine serves the search: an entry from before it did.
        SearchEntry.objects.filter(tenant_id=tenant_id, document_id=document_id),
        IndexedCopy.objects.filter(tenant_id=tenant_id, document_id=document_id),
        versions,
        documents,
    ):
        rows.delete()
    record_document("document.purged", document, versions=len(version_ids), hashes=" ".join(hashes))
