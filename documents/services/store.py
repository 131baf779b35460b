"""Taking a file in: stream it into staging while hashing it, then register and move it in one transaction.

Whatever goes wrong on the way, either all of it is there or nothing: no row without its file, no document
without its job. What a killed process leaves in the vault is removed by the sweep.
"""

import uuid
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Protocol
from zoneinfo import ZoneInfo

from django.db import IntegrityError, transaction
from psycopg import errors

from documents.errors import DocumentsError, EmptyFile
from documents.filenames import clean_filename, clean_text, title_from_filename
from documents.models import Document, DocumentVersion
from documents.models.document import DocumentSource, IssuedSource
from documents.reading.sniff import sniff
from documents.search.base import Entry
from documents.search.engine import get_search
from documents.services.changes import lock_active_tenant, record_document
from documents.services.filing import file_new_document
from documents.services.given import check_issued, clean_title
from documents.services.given_labels import GivenLabels, find_given
from documents.services.retention import extend_retention, find_class, find_default_class
from documents.vault import Staged, get_vault
from jobs.failpoints import failpoint
from jobs.models import Lane
from jobs.services import enqueue_analysis
from tenants.scope import tenant_scope

_CHUNK = 1 << 20
#: The type of a file is read from its first bytes.
HEAD = 1 << 16
#: A twin may be purged just between two looks, but hardly twice.
_ATTEMPTS = 3


class Stream(Protocol):
    """Where bytes come from: an open file, an upload, the body of a request."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""


@dataclass(frozen=True)
class StoredDocument:
    """The document in which these bytes now lie.

    `duplicate`: they were there before, under this document, and nothing was added; `job_id` is None then.
    `trashed`: that document lies in the trash.
    """

    document_id: uuid.UUID
    version_id: uuid.UUID
    job_id: int | None
    duplicate: bool = False
    trashed: bool = False


@dataclass(frozen=True)
class KnownFacts:
    """What whoever brings a file knows of it: no analysis touches it. What is None is left to find out."""

    title: str | None = None
    issued_at: date | None = None
    #: The name of one of the tenant's classes.
    retention_class: str | None = None
    labels: GivenLabels = field(default_factory=GivenLabels)


_NOTHING_KNOWN = KnownFacts()


@dataclass(frozen=True)
class Incoming:
    """What is known of a file that lies in staging."""

    tenant_id: uuid.UUID
    staged: Staged
    media_type: str
    filename: str
    source: DocumentSource
    source_ref: str
    created_by: uuid.UUID | None
    lane: Lane | None
    known: KnownFacts = _NOTHING_KNOWN


def store_document(
    *,
    tenant_id: uuid.UUID,
    stream: Stream,
    filename: str,
    source: DocumentSource,
    source_ref: str = "",
    created_by: uuid.UUID | None = None,
    lane: Lane | None = None,
    known: KnownFacts = _NOTHING_KNOWN,
) -> StoredDocument:
    """Store one file of a tenant and enqueue its analysis; what the tenant has already is not stored again.

    `created_by` is the id of a user. Opens transactions of its own, and none while the stream is read. Raises
    `EmptyFile`, `BadTitle`, `BadIssuedDate`, `UnknownRetentionClass`, `UnknownLabel`, `VaultFull`,
    `VaultError`, `TenantNotActive`, `TenantNotFound`.
    """
    if known.title is not None:
        known = replace(known, title=clean_title(known.title))
    _check_tenant(tenant_id, known)
    with get_vault().stage() as staged:
        head = _receive(stream, staged)
        if staged.size == 0:
            raise EmptyFile
        name = clean_filename(filename)
        incoming = Incoming(
            tenant_id=tenant_id,
            staged=staged,
            media_type=str(sniff(head, name)),
            filename=name,
            source=source,
            source_ref=clean_text(source_ref, most=1024),
            created_by=created_by,
            lane=lane,
            known=known,
        )
        failpoint("store.hashed")
        staged.seal()
        failpoint("store.fsynced")
        stored = _register_once(incoming)
    failpoint("store.committed")
    return stored


def _receive(stream: Stream, staged: Staged) -> bytes:
    """Write the whole stream into staging, and return its first bytes."""
    head = b""
    while chunk := stream.read(_CHUNK):
        if len(head) < HEAD:
            head += chunk[: HEAD - len(head)]
        staged.write(chunk)
    failpoint("store.received")
    return head


def _register_once(incoming: Incoming) -> StoredDocument:
    """Register the file, or name the document that has its bytes already."""
    for _ in range(_ATTEMPTS):
        try:
            return _register(incoming)
        except IntegrityError as error:
            if not _is_twin(error):
                raise
    raise DocumentsError("The same bytes are being stored and removed again and again: try again later.")


def _register(incoming: Incoming) -> StoredDocument:
    """Register and move the file in one transaction. Raises IntegrityError if a twin came first."""
    vault = get_vault()
    placed = False
    try:
        with transaction.atomic(durable=True), tenant_scope(incoming.tenant_id):
            tenant = lock_active_tenant(incoming.tenant_id)
            if (twin := _find_twin(incoming)) is not None:
                return twin
            document, version, job_id = insert_document(incoming, now=tenant.now, zone=tenant.zone)
            failpoint("store.inserted")
            vault.place(incoming.staged, version.vault_path)
            placed = True
            record_document("document.stored", document, hash=version.content_hash, size=version.size)
            failpoint("store.moved")
            placed = False
            # From here on the commit is on its way. If its answer is lost, nobody knows whether it happened,
            # and a file too many is better than one too few: the sweep looks at it tomorrow.
    except BaseException:
        if placed:
            vault.remove(version.vault_path)
        raise
    return StoredDocument(document.id, version.id, job_id)


def insert_document(
    incoming: Incoming, *, now: datetime, zone: ZoneInfo
) -> tuple[Document, DocumentVersion, int]:
    """Register a file that the tenant does not have, and enqueue its analysis; returns the id of that job.

    Its bytes still lie in staging: move them to the version's path, then record it. Needs an open transaction
    in the tenant's scope. Raises IntegrityError if a twin came first.
    """
    document = Document(
        tenant_id=incoming.tenant_id,
        title=incoming.known.title or title_from_filename(incoming.filename),
        title_manually_set=incoming.known.title is not None,
        issued_at=incoming.known.issued_at,
        issued_source=IssuedSource.MANUAL if incoming.known.issued_at else IssuedSource.NONE,
        source=incoming.source,
        source_ref=incoming.source_ref,
        created_by_id=incoming.created_by,
    )
    version = DocumentVersion(
        tenant_id=incoming.tenant_id,
        document=document,
        content_hash=incoming.staged.digest,
        size=incoming.staged.size,
        media_type=incoming.media_type,
        filename=incoming.filename,
    )
    job_id = enqueue_analysis(
        tenant_id=incoming.tenant_id,
        document_id=document.id,
        document_version_id=version.id,
        lane=incoming.lane,
    )
    document.created_at = now
    chosen = incoming.known.retention_class
    document.retention_class = (
        find_class(incoming.tenant_id, chosen) if chosen else find_default_class(incoming.tenant_id)
    )
    extend_retention(document, zone=zone)
    document.save(force_insert=True)
    version.save(force_insert=True)
    labels = find_given(incoming.tenant_id, incoming.known.labels)
    if labels:
        file_new_document(incoming.tenant_id, document.id, labels)
    # Found by its title and name from the first moment, whatever becomes of its analysis.
    get_search().upsert(
        Entry(incoming.tenant_id, document.id, document.title, version.filename, "", document.issued_at)
    )
    return document, version, job_id


def _check_tenant(tenant_id: uuid.UUID, known: KnownFacts) -> None:
    """Refuse early, before a long body is read; `lock_active_tenant` has the last word."""
    with transaction.atomic(durable=True), tenant_scope(tenant_id):
        tenant = lock_active_tenant(tenant_id)
        if known.issued_at is not None:
            check_issued(known.issued_at, tenant)
        if known.retention_class is not None:
            find_class(tenant_id, known.retention_class)
        find_given(tenant_id, known.labels)


def _find_twin(incoming: Incoming) -> StoredDocument | None:
    """Return the document of the tenant that has these bytes, wherever it is."""
    version = (
        DocumentVersion.objects.filter(tenant_id=incoming.tenant_id, content_hash=incoming.staged.digest)
        .select_related("document")
        .first()
    )
    if version is None:
        return None
    document = version.document
    trashed = document.trashed_at is not None or document.purging_at is not None
    return StoredDocument(document.id, version.id, None, duplicate=True, trashed=trashed)


def _is_twin(error: IntegrityError) -> bool:
    cause = error.__cause__
    if not isinstance(cause, errors.UniqueViolation):
        return False
    return cause.diag.constraint_name == "documents_version_hash"
