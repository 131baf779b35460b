"""What a person changes about a document: its title, its issued date, its retention class."""

import hashlib
import uuid
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal

from django.db.models.functions import Now

from documents.errors import (
    DocumentChanged,
    DocumentInTrash,
    DocumentNotFound,
)
from documents.models import Document
from documents.models.document import IssuedSource
from documents.search.base import Entry
from documents.search.engine import get_search
from documents.selectors import find_newest_versions
from documents.services.changes import lock_active_tenant, record_document
from documents.services.given import check_issued, clean_title
from documents.services.retention import extend_retention, find_class
from jobs.services import enqueue_analysis
from tenants.access import Access, requires
from tenants.audit import Detail
from tenants.scope import tenant_scope

Unchanged = Literal["unchanged"]
UNCHANGED: Final = "unchanged"


@requires("documents:edit")
def edit_document(
    *,
    access: Access,
    document_id: uuid.UUID,
    title: str | None = None,
    issued_at: date | Unchanged | None = UNCHANGED,
    retention_class: str | None = None,
    expected: datetime | None = None,
) -> Document:
    """Change what is given of a document, and leave the rest; returns it as it is afterwards.

    What a person sets is never touched by an analysis again: a title, a date, and also that there is none
    (`issued_at` None). Retention is lengthened by a later date or a longer class, never shortened; the class
    needs `documents:write` besides. `expected` is the `updated_at` that was looked at before.

    The new title and date are found by a search from the commit on. The words of the former title go when
    the job that is queued here has run. Nothing is written, and nothing recorded, if nothing changes.

    Raises `BadTitle`, `BadIssuedDate`, `UnknownRetentionClass`, `DocumentNotFound`, `DocumentInTrash`,
    `DocumentChanged`, `CapabilityDenied`, `TenantNotActive`, `TenantNotFound`.
    """
    if retention_class is not None:
        access.require("documents:write")
    edit = _Edit(None if title is None else clean_title(title), issued_at, retention_class, expected)
    try:
        with tenant_scope(access.tenant_id):
            return _apply(access.tenant_id, document_id, edit)
    except _NothingChanges as same:
        return same.document


@dataclass(frozen=True)
class _Edit:
    """What is to be changed, cleaned."""

    title: str | None
    issued_at: date | Unchanged | None
    retention_class: str | None
    expected: datetime | None


class _NothingChanges(Exception):
    """All is as wanted already: what was begun is rolled back."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.document = document


def _apply(tenant_id: uuid.UUID, document_id: uuid.UUID, edit: _Edit) -> Document:
    tenant = lock_active_tenant(tenant_id)
    if isinstance(edit.issued_at, date):
        check_issued(edit.issued_at, tenant)
    version = find_newest_versions(tenant_id, [document_id]).get(document_id)
    if version is not None:
        # Before the document is touched, so that a queued job is joined; rolled back where we refuse.
        enqueue_analysis(tenant_id=tenant_id, document_id=document_id, document_version_id=version.pk)
    document = lock_document(tenant_id, document_id, edit.expected)
    before = _facts_of(document)
    if edit.title is not None:
        document.title, document.title_manually_set = edit.title, True
    if edit.issued_at != UNCHANGED:
        document.issued_at, document.issued_source = edit.issued_at, IssuedSource.MANUAL
        document.issued_doubt = ""
    if edit.retention_class is not None:
        document.retention_class = find_class(tenant_id, edit.retention_class)
    extend_retention(document, zone=tenant.zone)
    changed = _changes(before, _facts_of(document))
    if not changed:
        raise _NothingChanges(document)
    document.updated_at = Now()
    document.save(update_fields=_COLUMNS)
    document.refresh_from_db(fields=["updated_at"])
    if version is not None:
        get_search().amend(
            Entry(tenant_id, document.pk, document.title, version.filename, "", document.issued_at)
        )
    record_document("document.edited", document, **changed)
    return document


_COLUMNS = [
    "title",
    "title_manually_set",
    "issued_at",
    "issued_source",
    "issued_doubt",
    "retention_class",
    "retain_until",
    "updated_at",
]


def lock_document(tenant_id: uuid.UUID, document_id: uuid.UUID, expected: datetime | None) -> Document:
    """Return a document that may be changed, and keep others from changing it; needs the tenant's scope.

    Raises `DocumentNotFound`, `DocumentInTrash`, and `DocumentChanged` where it is not as `expected`.
    """
    rows = Document.objects.select_for_update(no_key=True, of=("self",)).filter(tenant_id=tenant_id)
    document = rows.filter(pk=document_id).first()
    if document is None:
        raise DocumentNotFound
    if document.purging_at is not None:
        raise DocumentInTrash("The document is being purged: it cannot be changed any more.")
    if document.trashed_at is not None:
        raise DocumentInTrash
    if expected is not None and document.updated_at != expected:
        raise DocumentChanged
    return document


def _facts_of(document: Document) -> dict[str, Detail]:
    """Return what the audit trail may know: it outlives the document, so of a title only the hash."""
    issued, until = document.issued_at, document.retain_until
    return {
        "title": hashlib.sha256(document.title.encode()).hexdigest(),
        "title_manually_set": document.title_manually_set,
        "issued_at": issued.isoformat() if issued else None,
        "issued_source": str(document.issued_source),
        "retention_class": str(document.retention_class_id) if document.retention_class_id else None,
        "retain_until": until.isoformat() if until else None,
    }


def _changes(before: dict[str, Detail], after: dict[str, Detail]) -> dict[str, Detail]:
    """Return what is different, as `name_before` and `name_after`."""
    found: dict[str, Detail] = {}
    for name, value in after.items():
        if before[name] != value:
            found[f"{name}_before"], found[f"{name}_after"] = before[name], value
    return found
