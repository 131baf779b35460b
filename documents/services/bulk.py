"""One change to several documents: all of them, or none."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum

from documents.errors import NotAllChanged, UnknownRetentionClass
from documents.filing import LabelKind
from documents.selectors import find_documents, find_newest_versions
from documents.services.changes import NOT_THERE, ChangeReport, lock_active_tenant
from documents.services.filing import ALREADY, file_documents
from documents.services.given_labels import GivenLabels, find_all, find_given
from documents.services.retention import classify_documents
from documents.services.trash import restore_documents, trash_documents
from jobs.models import Lane
from jobs.services import enqueue_analyses
from tenants.access import Access, requires
from tenants.audit import record
from tenants.scope import tenant_scope

#: More would take several transactions, and then it could not be all or none.
MOST_AT_ONCE = 100
_NOT_THERE = "not there, or in the trash"


class BulkAction(StrEnum):
    """What can be done to several documents at once."""

    TRASH = "trash"
    RESTORE = "restore"
    REANALYZE = "reanalyze"
    CLASSIFY = "classify"


@requires("documents:write")
def change_all(
    *,
    access: Access,
    action: BulkAction,
    document_ids: Sequence[uuid.UUID],
    retention_class: str | None = None,
) -> None:
    """Do one thing to all of at most `MOST_AT_ONCE` documents, in one transaction, or nothing.

    Raises `NotAllChanged` with a reason for each that is in the way, `UnknownRetentionClass`,
    `TenantNotActive`, `TenantNotFound`, ValueError for too many.
    """
    _check_number(document_ids)
    if action is BulkAction.CLASSIFY and retention_class is None:
        raise UnknownRetentionClass("Name the retention class.")
    with _all_or_none(access.tenant_id, action.value, len(document_ids)):
        _refuse(_change(access, action, document_ids, retention_class).reasons)


@requires("documents:edit")
def file_all(
    *,
    access: Access,
    document_ids: Sequence[uuid.UUID],
    add: GivenLabels,
    remove_tags: Sequence[str] = (),
    clear: Sequence[LabelKind] = (),
) -> frozenset[uuid.UUID]:
    """File all of at most `MOST_AT_ONCE` documents, in one transaction, or none; see `file_documents`.

    Returns those that were filed like this already. Raises `NotAllChanged` with a reason for each that is in
    the way, `UnknownLabel`, `BadFiling`, `TenantNotActive`, `TenantNotFound`, ValueError for too many.
    """
    _check_number(document_ids)
    with _all_or_none(access.tenant_id, "file", len(document_ids)):
        wanted = find_given(access.tenant_id, add)
        unwanted = find_all(access.tenant_id, LabelKind.TAG, remove_tags)
        report = file_documents(
            access=access, document_ids=document_ids, add=wanted, remove=unwanted, clear=clear
        )
        _refuse({key: reason for key, reason in report.reasons.items() if reason != ALREADY})
        return frozenset(report.reasons)


def _check_number(document_ids: Sequence[uuid.UUID]) -> None:
    if len(document_ids) > MOST_AT_ONCE:
        raise ValueError(f"At most {MOST_AT_ONCE} documents are changed at once, not {len(document_ids)}.")


def _refuse(reasons: Mapping[uuid.UUID, str]) -> None:
    if reasons:
        raise NotAllChanged({str(key): reason for key, reason in reasons.items()})


@contextmanager
def _all_or_none(tenant_id: uuid.UUID, action: str, number: int) -> Iterator[None]:
    """Do what is inside in one transaction; where that is refused, only the refusal stays."""
    try:
        with tenant_scope(tenant_id):
            yield
    except NotAllChanged as refusal:
        # What was to be recorded of it went with the transaction.
        with tenant_scope(tenant_id):
            record(
                "documents.bulk_refused",
                tenant_id=tenant_id,
                object_type="documents",
                details={"action": action, "refused": len(refusal.reasons), "of": number},
            )
        raise


def _change(
    access: Access, action: BulkAction, document_ids: Sequence[uuid.UUID], retention_class: str | None
) -> ChangeReport:
    if action is BulkAction.TRASH:
        return trash_documents(access=access, document_ids=document_ids)
    if action is BulkAction.RESTORE:
        return restore_documents(access=access, document_ids=document_ids)
    if action is BulkAction.CLASSIFY:
        assert retention_class is not None
        return classify_documents(access=access, document_ids=document_ids, name=retention_class)
    return _reanalyze(access.tenant_id, document_ids)


def _reanalyze(tenant_id: uuid.UUID, document_ids: Sequence[uuid.UUID]) -> ChangeReport:
    lock_active_tenant(tenant_id)
    versions = find_newest_versions(tenant_id, find_documents(tenant_id, document_ids))
    missing = {one: _NOT_THERE for one in document_ids if one not in versions}
    if missing:
        return ChangeReport(0, {NOT_THERE: len(missing)}, missing)
    enqueue_analyses(
        tenant_id=tenant_id,
        versions={document_id: version.pk for document_id, version in versions.items()},
        force=True,
        lane=Lane.BULK,
    )
    return ChangeReport(len(versions))
