"""What services that change many documents have in common: batches in short transactions, and a report."""

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db import connection

from documents.models import Document
from jobs.batches import batched
from tenants.audit import Detail, record
from tenants.errors import TenantNotActive, TenantNotFound
from tenants.models import TenantStatus

_BATCH = 100
_NOT_ACTIVE = {
    TenantStatus.CREATING: (
        "The tenant %(name)r is %(status)s, so nothing can be added to it or changed. A worker makes it"
        " ready: see that one runs, or run `runworker --drain`."
    ),
    TenantStatus.SUSPENDED: (
        "The tenant %(name)r is %(status)s, so nothing can be added to it or changed. `resume_tenant`"
        " opens it again."
    ),
    TenantStatus.DELETING: "The tenant %(name)r is %(status)s, so nothing can be added to it or changed.",
}

#: Why a document was left alone, in words for people.
NOT_THERE = "not there"
BEING_PURGED = "being purged"
HELD = "under legal hold"
RETAINED = "to be kept until a later date"
IN_TRASH = "in the trash already"
NOT_IN_TRASH = "not in the trash"


@dataclass(frozen=True)
class ChangeReport:
    """How many documents were changed, and how many were left alone, by reason (words for people)."""

    changed: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    #: Why each of those left alone was, where that is asked document by document.
    reasons: Mapping[uuid.UUID, str] = field(default_factory=dict, compare=False)


class Changes:
    """Counts what becomes of each document, and becomes the report."""

    def __init__(self) -> None:
        self._changed = 0
        self._skipped: Counter[str] = Counter()
        self._reasons: dict[uuid.UUID, str] = {}

    def changed(self, number: int = 1) -> None:
        """Count documents that were changed."""
        self._changed += number

    def skipped(self, reason: str, document_ids: Iterable[uuid.UUID]) -> None:
        """Note documents that were left alone."""
        ids = list(document_ids)
        self._skipped[reason] += len(ids)
        self._reasons |= dict.fromkeys(ids, reason)

    def report(self) -> ChangeReport:
        """Return what was counted."""
        return ChangeReport(self._changed, dict(+self._skipped), self._reasons)


@dataclass(frozen=True)
class ActiveTenant:
    """What services need to know of the tenant they work in. `now` is the database's clock."""

    zone: ZoneInfo
    now: datetime


def lock_active_tenant(tenant_id: uuid.UUID) -> ActiveTenant:
    """Keep the tenant active until the transaction ends. Raises `TenantNotActive`, `TenantNotFound`.

    Many may hold this lock at once; whoever closes the tenant waits for them.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, status, timezone, statement_timestamp() FROM tenants_tenant"
            " WHERE id = %s FOR SHARE",
            [tenant_id],
        )
        row = cursor.fetchone()
    if row is None:
        raise TenantNotFound
    name, status, zone, now = row
    if status != TenantStatus.ACTIVE:
        raise TenantNotActive(_NOT_ACTIVE[status], name=name, status=TenantStatus(status))
    return ActiveTenant(ZoneInfo(zone), now)


def lock_documents(tenant_id: uuid.UUID, document_ids: list[uuid.UUID], changes: Changes) -> list[Document]:
    """Lock those of the documents that are there, by id; the rest is counted as skipped."""
    rows = Document.objects.select_for_update(no_key=True, of=("self",)).filter(tenant_id=tenant_id)
    documents = list(rows.filter(pk__in=document_ids).order_by("pk"))
    changes.skipped(NOT_THERE, set(document_ids) - {document.pk for document in documents})
    purging = [document.pk for document in documents if document.purging_at is not None]
    changes.skipped(BEING_PURGED, purging)
    return [document for document in documents if document.purging_at is None]


def in_batches(document_ids: Iterable[uuid.UUID]) -> Iterator[list[uuid.UUID]]:
    """Yield the ids some at a time, each once, in the order in which rows are locked."""
    return batched(sorted(set(document_ids)), _BATCH)


def record_document(action: str, document: Document, **details: Detail) -> None:
    """Append one event about a document to the audit trail. The last statement of its transaction."""
    record(
        action,
        tenant_id=document.tenant_id,
        object_type="document",
        object_id=document.pk,
        details=details,
    )
