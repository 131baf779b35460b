"""Putting documents away, taking them back, holding them, and letting them go for good."""

import uuid

from django.http import HttpRequest

from archiv.api.callers import access_of
from archiv.api.document_schemas import (
    Bulk,
    BulkDone,
    ClassName,
    Document,
    NewClass,
    Ordered,
    RetentionClass,
    RetentionClasses,
    show_document,
)
from archiv.api.errors import NotAllDone, Refused
from archiv.api.routes import Routes
from documents.errors import DocumentNotFound, NotAllChanged
from documents.filing import LabelKind
from documents.services.bulk import BulkAction, change_all, file_all
from documents.services.changes import BEING_PURGED, NOT_THERE, ChangeReport
from documents.services.given_labels import GivenLabels
from documents.services.holds import hold_documents, release_documents
from documents.services.listing import get_document
from documents.services.purge import QUEUED_ALREADY, find_purge_job, purge_documents
from documents.services.retention import (
    classify_documents,
    create_retention_class,
    list_retention_classes,
)
from documents.services.trash import restore_documents, trash_documents
from jobs.numbers import show_number

routes = Routes("documents")


@routes.add("POST", "/documents/{uuid:document_id}/trash", capability="documents:write", response=Document)
def trash(request: HttpRequest, document_id: uuid.UUID) -> Document:
    """Put a document into the trash: no search finds it, and it can come back. 409 if it is held."""
    report = trash_documents(access=access_of(request), document_ids=[document_id])
    return _answer(request, document_id, report)


@routes.add("POST", "/documents/{uuid:document_id}/restore", capability="documents:write", response=Document)
def restore(request: HttpRequest, document_id: uuid.UUID) -> Document:
    """Take a document out of the trash."""
    report = restore_documents(access=access_of(request), document_ids=[document_id])
    return _answer(request, document_id, report)


@routes.add("DELETE", "/documents/{uuid:document_id}", capability="documents:write", response={202: Ordered})
def purge(request: HttpRequest, document_id: uuid.UUID) -> Ordered:
    """Let a document in the trash go for good: a job does it. 409 outside the trash, held, or to be kept."""
    access = access_of(request)
    report = purge_documents(access=access, document_ids=[document_id])
    if report.reasons.get(document_id) != QUEUED_ALREADY:
        _check(document_id, report)
    job_id = find_purge_job(access=access, document_id=document_id)
    return Ordered(job_id=show_number(access.tenant_id, job_id))


@routes.add("PUT", "/documents/{uuid:document_id}/hold", capability="tenants:write", response=Document)
def hold(request: HttpRequest, document_id: uuid.UUID) -> Document:
    """Put a document under legal hold: it is neither trashed nor purged, whatever its date."""
    report = hold_documents(access=access_of(request), document_ids=[document_id])
    return _answer(request, document_id, report)


@routes.add("DELETE", "/documents/{uuid:document_id}/hold", capability="tenants:write", response=Document)
def release(request: HttpRequest, document_id: uuid.UUID) -> Document:
    """Lift the legal hold of a document; its retention stays."""
    report = release_documents(access=access_of(request), document_ids=[document_id])
    return _answer(request, document_id, report)


@routes.add("PUT", "/documents/{uuid:document_id}/retention", capability="documents:write", response=Document)
def classify(request: HttpRequest, document_id: uuid.UUID, chosen: ClassName) -> Document:
    """Put a document into a retention class. Its retention can grow by that, and never shrink."""
    report = classify_documents(access=access_of(request), document_ids=[document_id], name=chosen.name)
    return _answer(request, document_id, report)


@routes.add("GET", "/retention-classes", capability="documents:read", response=RetentionClasses)
def retention_classes(request: HttpRequest) -> RetentionClasses:
    """List the retention classes of the tenant, those that the law names first."""
    rows = list_retention_classes(access=access_of(request))
    shown = [RetentionClass(name=row.name, years=row.years, is_default=row.is_default) for row in rows]
    return RetentionClasses(classes=shown)


@routes.add("POST", "/retention-classes", capability="tenants:write", response={201: RetentionClass})
def make_retention_class(request: HttpRequest, wanted: NewClass) -> RetentionClass:
    """Give the tenant a class of its own. It is not changed afterwards: papers are kept because of it."""
    made = create_retention_class(access=access_of(request), name=wanted.name, years=wanted.years)
    return RetentionClass(name=made.name, years=made.years, is_default=made.is_default)


@routes.add("POST", "/documents/bulk", capability="documents:edit", response=BulkDone)
def bulk(request: HttpRequest, wanted: Bulk) -> BulkDone:
    """Do one thing to several documents, all or none; 409 `not_all_done` gives the reason of each.

    All but `file` needs the capability `documents:write` besides.
    """
    access = access_of(request)
    ids = list(dict.fromkeys(wanted.document_ids))
    already: frozenset[uuid.UUID] = frozenset()
    try:
        if wanted.action == "file":
            already = file_all(
                access=access,
                document_ids=ids,
                add=GivenLabels(tuple(wanted.add_tags), wanted.correspondent, wanted.document_type),
                remove_tags=wanted.remove_tags,
                clear=[
                    kind
                    for kind in (LabelKind.CORRESPONDENT, LabelKind.DOCUMENT_TYPE)
                    if kind.value in wanted.model_fields_set and getattr(wanted, kind.value) is None
                ],
            )
        else:
            change_all(
                access=access,
                action=BulkAction(wanted.action),
                document_ids=ids,
                retention_class=wanted.retention_class,
            )
    except NotAllChanged as refusal:
        raise NotAllDone(documents=dict(refusal.reasons)) from refusal
    return BulkDone(documents={str(one): "already" if one in already else "done" for one in ids})


def _answer(request: HttpRequest, document_id: uuid.UUID, report: ChangeReport) -> Document:
    """Return the document as it is now. Raises `DocumentNotFound`, `Refused`."""
    _check(document_id, report)
    access = access_of(request)
    access.require("documents:read")
    return show_document(get_document(access=access, document_id=document_id))


def _check(document_id: uuid.UUID, report: ChangeReport) -> None:
    reason = report.reasons.get(document_id)
    if reason in (NOT_THERE, BEING_PURGED):
        raise DocumentNotFound
    if reason is not None:
        raise Refused(f"Nothing was changed: the document is {reason}.")
