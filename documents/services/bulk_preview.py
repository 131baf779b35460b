"""What a change of many documents would do: how many it would touch, and which it would leave alone."""

import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import QuerySet

from documents.filing import FilingState, SetBy
from documents.models import Document, Filing, Label
from documents.services.changes import BEING_PURGED, HELD, IN_TRASH, NOT_THERE, ChangeReport
from documents.services.filing import ALREADY, file_documents
from documents.services.reanalyze import GONE_OR_TRASHED, reanalyze_documents
from documents.services.trash import trash_documents
from jobs.batches import batched
from jobs.models import Lane
from tenants.access import Access, requires
from tenants.models import Tenant, TenantStatus
from tenants.scope import tenant_scope

TENANT_NOT_ACTIVE = "the tenant is not active"
OTHER_TENANT = "of another tenant than the label"
#: Documents in one statement of a preview.
_LOOKED_UP = 1000


class BulkVerb(StrEnum):
    """What can be done to many documents after a look at what it would do."""

    FILE = "file"
    TAKE_AWAY = "take-away"
    TRASH = "trash"
    REANALYZE = "reanalyze"


@dataclass(frozen=True)
class BulkChange:
    """One thing to do. `label_id` is the label of the first two verbs."""

    verb: BulkVerb
    label_id: uuid.UUID | None = None


def _documents(tenant_id: uuid.UUID, ids: list[uuid.UUID]) -> QuerySet[Document]:
    rows = Document.objects.filter(tenant_id=tenant_id, pk__in=ids)
    return rows.only("purging_at", "trashed_at", "legal_hold")


@requires("documents:read")
def preview_change(*, access: Access, change: BulkChange, document_ids: Iterable[uuid.UUID]) -> ChangeReport:
    """Return what `make_change` would report at this moment; nothing is changed. Opens the tenant's scope."""
    ids = list(dict.fromkeys(document_ids))
    with tenant_scope(access.tenant_id):
        if not Tenant.objects.filter(pk=access.tenant_id, status=TenantStatus.ACTIVE).exists():
            return ChangeReport(0, {TENANT_NOT_ACTIVE: len(ids)})
        if (
            change.label_id
            and not Label.objects.filter(tenant_id=access.tenant_id, pk=change.label_id).exists()
        ):
            return ChangeReport(0, {OTHER_TENANT: len(ids)})
        filings: dict[uuid.UUID, Filing] = {}
        documents: list[Document] = []
        for some in batched(ids, _LOOKED_UP):
            if change.label_id:
                rows = Filing.objects.filter(
                    tenant_id=access.tenant_id, label_id=change.label_id, document_id__in=some
                )
                filings |= {row.document_id: row for row in rows.only("document_id", "state", "set_by")}
            documents += _documents(access.tenant_id, some)
    reasons = Counter({NOT_THERE: len(ids) - len(documents)})
    changed = 0
    for document in documents:
        reason = _obstacle(change, document, filings.get(document.pk))
        reasons.update([reason] if reason else [])
        changed += not reason
    return ChangeReport(changed, dict(+reasons))


def _obstacle(change: BulkChange, document: Document, filing: Filing | None) -> str:
    """Return why a document would be left alone; nothing where it would not."""
    if document.purging_at is not None:
        return BEING_PURGED
    match change.verb:
        case BulkVerb.TRASH:
            in_trash = IN_TRASH if document.trashed_at else ""
            return HELD if document.legal_hold else in_trash
        case BulkVerb.REANALYZE:
            return GONE_OR_TRASHED if document.trashed_at else ""
        case BulkVerb.FILE:
            is_filed = filing is not None and filing.state == FilingState.FILED
            return ALREADY if is_filed and filing and filing.set_by == SetBy.PERSON else ""
        case BulkVerb.TAKE_AWAY:
            is_there = filing is not None and filing.state in (FilingState.FILED, FilingState.SUGGESTED)
            return "" if is_there else ALREADY


@requires("documents:write")
def make_change(*, access: Access, change: BulkChange, document_ids: Iterable[uuid.UUID]) -> ChangeReport:
    """Do one thing to many documents of a tenant, some in each transaction.

    What is in the way of one leaves the others alone. Raises what the services of the verbs raise.
    """
    ids = list(document_ids)
    labels = [change.label_id] if change.label_id else []
    match change.verb:
        case BulkVerb.TRASH:
            return trash_documents(access=access, document_ids=ids)
        case BulkVerb.FILE:
            return file_documents(access=access, document_ids=ids, add=labels)
        case BulkVerb.TAKE_AWAY:
            return file_documents(access=access, document_ids=ids, remove=labels)
        case BulkVerb.REANALYZE:
            report = reanalyze_documents(tenant_id=access.tenant_id, document_ids=ids, lane=Lane.BULK)
            return ChangeReport(report.enqueued, report.skipped)
