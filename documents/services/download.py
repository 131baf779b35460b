"""Handing out originals: hashed before they are trusted, and noted in the audit trail."""

import uuid
from dataclasses import dataclass
from typing import BinaryIO

import structlog

from documents.errors import DocumentNotFound, FileDamaged, FileMissing
from documents.models import DocumentVersion, FileProblem
from documents.services.changes import record_document
from documents.services.vault_checks import keep_finding
from documents.vault import get_vault
from tenants.access import Access, requires
from tenants.scope import tenant_scope

log = structlog.get_logger("archiv.documents")


@dataclass(frozen=True)
class Original:
    """An open original, for whoever sends it on to close."""

    file: BinaryIO
    version: DocumentVersion


@requires("documents:read")
def open_original(
    *,
    access: Access,
    document_id: uuid.UUID,
    version_id: uuid.UUID | None = None,
    trust_seconds: float = 0.0,
) -> Original:
    """Open the newest original of a document, or that of a version, its bytes compared with its hash.

    `trust_seconds` is for those who fetch it part by part, see `Vault.open_verified`.
    No transaction is open while it is read. A damaged or missing one is never handed out: it is kept as a
    finding, and each refusal is in the audit trail. Raises `DocumentNotFound`, `FileDamaged`, `FileMissing`.
    """
    with tenant_scope(access.tenant_id):
        rows = DocumentVersion.objects.filter(tenant_id=access.tenant_id, document_id=document_id)
        if version_id is not None:
            rows = rows.filter(pk=version_id)
        version = (
            rows.filter(document__purging_at=None).select_related("document").order_by("-number").first()
        )
    if version is None:
        raise DocumentNotFound
    try:
        file = get_vault().open_verified(
            version.vault_path, content_hash=version.content_hash, trust_seconds=trust_seconds
        )
    except (FileDamaged, FileMissing) as error:
        _refuse(version, FileProblem.MISSING if isinstance(error, FileMissing) else FileProblem.CHANGED)
        raise
    with tenant_scope(access.tenant_id):
        record_document("document.downloaded", version.document, version=str(version.pk))
    return Original(file, version)


def _refuse(version: DocumentVersion, problem: FileProblem) -> None:
    """Keep the finding and record the refusal, unless the document went while it was opened."""
    with tenant_scope(version.tenant_id):
        rows = DocumentVersion.objects.filter(tenant_id=version.tenant_id, pk=version.pk)
        there = rows.filter(document__purging_at=None).exists()
    if not there:
        return
    log.error("vault.damaged_file", path=version.vault_path, problem=problem.value)
    keep_finding(tenant_id=version.tenant_id, path=version.vault_path, problem=problem)
    with tenant_scope(version.tenant_id):
        record_document(
            "document.download_refused", version.document, version=str(version.pk), problem=problem.value
        )
