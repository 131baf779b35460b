"""Searchable PDFs: asked for by people, or wished by a tenant for all its scans; made by a job in the lane
`bulk`, kept as an asset of the version.
"""

from __future__ import annotations

import socket
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from documents.errors import DocumentNotFound
from documents.models import Asset, DocumentVersion, PageText
from documents.reading.client import read_file
from documents.reading.errors import ReaderCrashed
from documents.reading.messages import Attached, Note, ReadOptions
from documents.reading.searchable import encode_boxes
from documents.selectors import find_documents, find_newest_versions
from documents.services.assets import write_asset
from documents.services.changes import NOT_THERE, ChangeReport, Changes, record_document
from documents.vault import Staged, get_vault
from jobs.batches import batched
from jobs.services import enqueue_job
from tenants.access import Access, requires
from tenants.scope import tenant_scope

SEARCHABLE_PDF = "make-searchable-pdf"
"""The type of the job."""

MEDIA_TYPE = "application/pdf"
_BATCH = 100
_NOTHING_SCANNED = "no page was read by OCR since the places of words are kept: nothing to lay over it"


@dataclass(frozen=True)
class Scanned:
    """A version whose pages OCR has read, and its packed boxes by page."""

    version: DocumentVersion
    boxes: dict[int, bytes]


@requires("documents:write")
def request_searchable_pdfs(*, access: Access, document_ids: Iterable[uuid.UUID]) -> ChangeReport:
    """Queue the making of a searchable PDF for the newest version of each document that has scanned pages."""
    changes = Changes()
    for batch in batched(dict.fromkeys(document_ids), _BATCH):
        with tenant_scope(access.tenant_id):
            documents = find_documents(access.tenant_id, batch)
            changes.skipped(NOT_THERE, set(batch) - set(documents))
            versions = find_newest_versions(access.tenant_id, documents)
            scanned = set(_scanned(access.tenant_id, [version.pk for version in versions.values()]))
            for document_id, version in sorted(versions.items()):
                if version.pk not in scanned:
                    changes.skipped(_NOTHING_SCANNED, [document_id])
                    continue
                queue_searchable(tenant_id=access.tenant_id, document_id=document_id, version_id=version.pk)
                changes.changed()
    return changes.report()


def queue_searchable(*, tenant_id: uuid.UUID, document_id: uuid.UUID, version_id: uuid.UUID) -> None:
    """Queue the making of the searchable PDF of one version. Needs the tenant's scope."""
    enqueue_job(
        tenant_id=tenant_id,
        type=SEARCHABLE_PDF,
        payload={"document_id": str(document_id), "document_version_id": str(version_id)},
        document_id=document_id,
    )


def load_scanned(*, tenant_id: uuid.UUID, version_id: uuid.UUID) -> Scanned | None:
    """Return a version with its boxes; None if it is gone, or has none any more."""
    with tenant_scope(tenant_id):
        rows = DocumentVersion.objects.filter(tenant_id=tenant_id, pk=version_id, document__purging_at=None)
        version = rows.select_related("document").first()
        pages = PageText.objects.filter(tenant_id=tenant_id, version_id=version_id, boxes__isnull=False)
        boxes = {page: bytes(packed) for page, packed in pages.values_list("page", "boxes") if packed}
    return Scanned(version, boxes) if version is not None and boxes else None


@contextmanager
def made_searchable(
    requests: socket.socket, original: BinaryIO, scanned: Scanned
) -> Iterator[tuple[Staged, tuple[str, ...]]]:
    """Have a reader make the PDF; yields it in staging, and what keeps it from being PDF/A.

    Raises one of documents.reading.errors.
    """
    options = ReadOptions(scanned.version.media_type, thumbnail=False, searchable=True)
    notes: list[str] = []
    with get_vault().stage() as staged, tempfile.TemporaryFile() as boxes:
        boxes.write(encode_boxes(scanned.boxes))
        boxes.flush()
        whole = False
        for part in read_file(requests, original.fileno(), options, boxes=boxes.fileno()):
            if isinstance(part, Attached):
                staged.write(part.data)
                whole = part.last
            elif isinstance(part, Note):
                notes.append(part.message)
        if not whole:
            raise ReaderCrashed(None, "it made no PDF")
        staged.seal()
        yield staged, tuple(notes)


def write_searchable(*, scanned: Scanned, job_id: int, staged: Staged) -> bool:
    """Keep the PDF as an asset, in place of an earlier one; False if the version went meanwhile.

    Needs the transaction that ends the job.
    """
    version = scanned.version
    rows = DocumentVersion.objects.filter(tenant_id=version.tenant_id, pk=version.pk)
    if not rows.filter(document__purging_at=None).exists():
        return False
    write_asset(
        tenant_id=version.tenant_id,
        version_id=version.pk,
        kind=Asset.SEARCHABLE,
        job_id=job_id,
        media_type=MEDIA_TYPE,
        staged=staged,
    )
    record_document("document.made_searchable", version.document, version=str(version.pk))
    return True


@requires("documents:read")
def open_searchable(*, access: Access, document_id: uuid.UUID) -> tuple[BinaryIO, Asset]:
    """Open the newest searchable PDF of a document, its bytes compared with its hash.

    Raises `DocumentNotFound` where none was made, `FileDamaged`, `FileMissing`.
    """
    with tenant_scope(access.tenant_id):
        assets = Asset.objects.filter(
            tenant_id=access.tenant_id,
            version__document_id=document_id,
            version__document__purging_at=None,
            kind=Asset.SEARCHABLE,
        )
        asset = assets.select_related("version__document").order_by("-version__number").first()
    if asset is None:
        raise DocumentNotFound
    file = get_vault().open_verified(asset.vault_path, content_hash=asset.content_hash)
    with tenant_scope(access.tenant_id):
        record_document("document.downloaded", asset.version.document, version=str(asset.version_id))
    return file, asset


def _scanned(tenant_id: uuid.UUID, version_ids: Iterable[uuid.UUID]) -> Iterable[uuid.UUID]:
    pages = PageText.objects.filter(
        tenant_id=tenant_id, version_id__in=list(version_ids), boxes__isnull=False
    )
    return pages.values_list("version_id", flat=True).distinct()
