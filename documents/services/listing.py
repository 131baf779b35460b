"""Reading documents for whoever holds a capability: one, or a page of those that fit some filters."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from django.db.models import Exists, OuterRef, Q, QuerySet

from documents.admin_rows import with_processing_status
from documents.errors import DocumentNotFound
from documents.filing import FilingState, LabelKind
from documents.models import Asset, Document, DocumentVersion, Filing, Label, PageText
from documents.search.base import MAX_HITS
from documents.search.engine import get_search
from documents.search.results import read_query
from documents.selectors import ProcessingStatus, find_newest_versions
from documents.services.given_labels import find_all
from jobs.models import JobStatus
from tenants.access import Access, requires
from tenants.scope import tenant_scope

Sort = Literal["added", "-added", "issued", "-issued"]

_STATUS: Mapping[str | None, ProcessingStatus] = {
    None: ProcessingStatus.DONE,
    JobStatus.QUEUED: ProcessingStatus.QUEUED,
    JobStatus.PROCESSING: ProcessingStatus.PROCESSING,
    JobStatus.SUCCEEDED: ProcessingStatus.DONE,
    JobStatus.FAILED: ProcessingStatus.FAILED,
}


@dataclass(frozen=True)
class DocumentView:
    """One document as it is read: with its newest version, and how far its analysis is."""

    document: Document
    version: DocumentVersion | None
    status: ProcessingStatus
    #: What it is filed under, by kind and name.
    labels: Sequence[Label] = ()


@dataclass(frozen=True)
class Filters:
    """Which documents are wanted; None: whatever it is. Both ends of a range are included."""

    text: str | None = None
    status: ProcessingStatus | None = None
    source: str | None = None
    media_type: str | None = None
    retention_class: str | None = None
    held: bool | None = None
    trashed: bool = False
    issued_from: date | None = None
    issued_to: date | None = None
    added_from: datetime | None = None
    added_to: datetime | None = None
    #: Labels by id or name: with all of these tags, at least one of those, none of these.
    tags_all: Sequence[str] = ()
    tags_any: Sequence[str] = ()
    tags_none: Sequence[str] = ()
    correspondent: str | None = None
    document_type: str | None = None


@dataclass(frozen=True)
class Place:
    """Where a page ended: the values of its last row, or, in a search, how many hits have been shown."""

    added: datetime | None = None
    issued: date | None = None
    id: uuid.UUID | None = None
    hits: int = 0


@dataclass(frozen=True)
class Listing:
    """A page of documents, and where the next one begins; None if there is none."""

    documents: Sequence[DocumentView]
    next: Place | None


@requires("documents:read")
def list_documents(
    *,
    access: Access,
    filters: Filters,
    sort: Sort = "-added",
    limit: int = 50,
    after: Place | None = None,
) -> Listing:
    """Return a page of the tenant's documents. With a text: the best hits first, whatever `sort` says.

    Those without an issued date come last in both orders by it. Opens the tenant's scope. Raises
    `UnknownLabel`.
    """
    with tenant_scope(access.tenant_id):
        rows = _filtered(access.tenant_id, filters)
        if filters.text:
            return _search(access.tenant_id, filters.text, rows, limit, after.hits if after else 0)
        found = list(_ordered(rows, sort, after)[: limit + 1])
        among_dateless = after is not None and after.id is not None and after.issued is None
        if "issued" in sort and len(found) <= limit and not among_dateless:
            dateless = rows.filter(issued_at=None).order_by("id")
            found += dateless[: limit + 1 - len(found)]
        place = None
        if len(found) > limit:
            last = found[limit - 1]
            place = Place(last.created_at, last.issued_at, last.pk)
        return Listing(_views(access.tenant_id, found[:limit]), place)


@requires("documents:read")
def get_document(*, access: Access, document_id: uuid.UUID) -> DocumentView:
    """Return one document, also one in the trash. Opens the tenant's scope. Raises `DocumentNotFound`."""
    with tenant_scope(access.tenant_id):
        rows = with_processing_status(Document.objects.filter(tenant_id=access.tenant_id, purging_at=None))
        views = _views(access.tenant_id, rows.select_related("retention_class").filter(pk=document_id))
    if not views:
        raise DocumentNotFound
    return views[0]


@requires("documents:read")
def find_by_hash(*, access: Access, content_hash: str) -> DocumentView:
    """Return the document that has these bytes, also in the trash. Raises `DocumentNotFound`."""
    with tenant_scope(access.tenant_id):
        versions = DocumentVersion.objects.filter(tenant_id=access.tenant_id, content_hash=content_hash)
        found = versions.values_list("document_id", flat=True).first()
    if found is None:
        raise DocumentNotFound
    return get_document(access=access, document_id=found)


@requires("documents:read")
def list_versions(*, access: Access, document_id: uuid.UUID) -> Sequence[DocumentVersion]:
    """Return the versions of a document, newest first. Raises `DocumentNotFound`."""
    with tenant_scope(access.tenant_id):
        rows = DocumentVersion.objects.filter(tenant_id=access.tenant_id, document_id=document_id)
        versions = list(rows.filter(document__purging_at=None).order_by("-number"))
    if not versions:
        raise DocumentNotFound
    return versions


@requires("documents:read")
def read_text(
    *, access: Access, document_id: uuid.UUID, first_page: int = 1, limit: int = 20
) -> tuple[Sequence[PageText], int | None]:
    """Return some pages of a document's text and the number of the next one, if there is one.

    Raises `DocumentNotFound`.
    """
    newest = list_versions(access=access, document_id=document_id)[0]
    with tenant_scope(access.tenant_id):
        texts = PageText.objects.filter(tenant_id=access.tenant_id, version_id=newest.pk)
        pages = list(texts.filter(page__gte=first_page).order_by("page")[: limit + 1])
    return pages[:limit], pages[limit].page if len(pages) > limit else None


@requires("documents:read")
def get_thumbnail(*, access: Access, document_id: uuid.UUID) -> Asset | None:
    """Return the thumbnail of a document's newest version; None without one. Raises `DocumentNotFound`."""
    newest = list_versions(access=access, document_id=document_id)[0]
    with tenant_scope(access.tenant_id):
        assets = Asset.objects.filter(tenant_id=access.tenant_id, version_id=newest.pk)
        return assets.filter(kind=Asset.THUMBNAIL).first()


def _filtered(tenant_id: uuid.UUID, filters: Filters) -> QuerySet[Document]:
    rows = Document.objects.filter(tenant_id=tenant_id, purging_at=None).select_related("retention_class")
    rows = with_processing_status(rows.filter(trashed_at__isnull=not filters.trashed))
    wanted = {
        "source": filters.source,
        "retention_class__name": filters.retention_class,
        "legal_hold": filters.held,
        "issued_at__gte": filters.issued_from,
        "issued_at__lte": filters.issued_to,
        "created_at__gte": filters.added_from,
        "created_at__lte": filters.added_to,
        "versions__media_type": filters.media_type,
    }
    rows = rows.filter(**{name: value for name, value in wanted.items() if value is not None})
    if filters.status is not None:
        jobs = [status for status, meaning in _STATUS.items() if meaning == filters.status]
        among = Q(newest_analysis__in=[status for status in jobs if status is not None])
        rows = rows.filter(among | Q(newest_analysis=None) if None in jobs else among)
    rows = _filed(tenant_id, rows, filters)
    return rows.distinct() if filters.media_type else rows


def _filed(tenant_id: uuid.UUID, rows: QuerySet[Document], filters: Filters) -> QuerySet[Document]:
    """Return the rows that are filed as wanted; an index has the documents of each label."""

    def under(labels: Sequence[uuid.UUID]) -> Exists:
        filings = Filing.objects.filter(tenant_id=tenant_id, state=FilingState.FILED, label_id__in=labels)
        return Exists(filings.filter(document_id=OuterRef("pk")))

    for kind, name in (
        (LabelKind.CORRESPONDENT, filters.correspondent),
        (LabelKind.DOCUMENT_TYPE, filters.document_type),
    ):
        if name is not None:
            rows = rows.filter(under(find_all(tenant_id, kind, [name])))
    for label in find_all(tenant_id, LabelKind.TAG, filters.tags_all):
        rows = rows.filter(under([label]))
    if filters.tags_any:
        rows = rows.filter(under(find_all(tenant_id, LabelKind.TAG, filters.tags_any)))
    if filters.tags_none:
        rows = rows.filter(~under(find_all(tenant_id, LabelKind.TAG, filters.tags_none)))
    return rows


def _ordered(rows: QuerySet[Document], sort: Sort, after: Place | None) -> QuerySet[Document]:
    """Return the rows behind a place, in an order that an index has; by issued date only those with one."""
    column = "issued_at" if "issued" in sort else "created_at"
    if after is not None and column == "issued_at" and after.issued is None:
        return rows.filter(issued_at=None, id__gt=after.id).order_by("id")
    sign, beyond = ("-", "lt") if sort.startswith("-") else ("", "gt")
    rows = rows.exclude(issued_at=None) if column == "issued_at" else rows
    ordered = rows.order_by(f"{sign}{column}", f"{sign}id")
    if after is None or after.id is None:
        return ordered
    value = after.issued if column == "issued_at" else after.added
    behind = Q(**{f"{column}__{beyond}": value}) | Q(**{column: value, f"id__{beyond}": after.id})
    # The first condition says the same, and lets the index begin there.
    return ordered.filter(Q(**{f"{column}__{beyond}e": value}), behind)


def _search(tenant_id: uuid.UUID, text: str, rows: QuerySet[Document], limit: int, shown: int) -> Listing:
    """Return a page of the hits that fit the other filters too, best first."""
    found = get_search().search(tenant_id=tenant_id, query=read_query(tenant_id, text), limit=MAX_HITS)
    by_id = {
        document.pk: document for document in rows.filter(pk__in=[hit.document_id for hit in found.hits])
    }
    hits = [by_id[hit.document_id] for hit in found.hits if hit.document_id in by_id]
    more = len(hits) > shown + limit
    return Listing(
        _views(tenant_id, hits[shown : shown + limit]), Place(hits=shown + limit) if more else None
    )


def _views(tenant_id: uuid.UUID, documents: QuerySet[Document] | Sequence[Document]) -> list[DocumentView]:
    rows = list(documents)
    ids = [document.pk for document in rows]
    versions = find_newest_versions(tenant_id, ids)
    filings = Filing.objects.filter(tenant_id=tenant_id, state=FilingState.FILED, document_id__in=ids)
    labels: defaultdict[uuid.UUID, list[Label]] = defaultdict(list)
    for filing in filings.select_related("label").order_by("kind", "label__key"):
        labels[filing.document_id].append(filing.label)
    return [
        DocumentView(
            document,
            versions.get(document.pk),
            _STATUS[getattr(document, "newest_analysis", None)],
            tuple(labels[document.pk]),
        )
        for document in rows
    ]
