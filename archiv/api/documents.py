"""Finding documents, and reading them."""

import threading
import time
import uuid
from datetime import date, datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Schema
from pydantic import Field

from archiv.api.callers import access_of
from archiv.api.document_schemas import (
    Attachment,
    Document,
    DocumentPage,
    Files,
    MailLinks,
    Progress,
    TextPage,
    TextPages,
    show_document,
    show_file,
)
from archiv.api.label_schemas import Named, SomeTags
from archiv.api.routes import Routes
from archiv.api.types import Cursor, Day, Hash, Limit, Line, Moment, read_cursor, write_cursor
from documents.models.document import DocumentSource
from documents.selectors import ProcessingStatus
from documents.services.listing import (
    Filters,
    Place,
    Sort,
    find_by_hash,
    get_document,
    list_documents,
    list_versions,
    read_text,
)
from documents.services.mails import list_mail_links
from jobs.selectors import find_progress
from tenants.access import Access
from tenants.scope import tenant_scope

routes = Routes("documents")

_LOOK_SECONDS = 0.5
#: So many may wait for progress in one process at once; whoever comes then gets an answer without waiting.
_WAITING = threading.BoundedSemaphore(4)


class Search(Schema):
    """Which documents are wanted."""

    q: Line | None = Field(default=None, description="Words as in a search; the best hits come first.")
    status: Literal["queued", "processing", "done", "failed"] | None = None
    source: Literal["admin", "api", "import", "mail"] | None = None
    media_type: Annotated[Line, Field(max_length=127)] | None = None
    retention_class: Annotated[Line, Field(max_length=100)] | None = None
    held: bool | None = None
    trashed: bool = False
    tags_all: SomeTags = []
    tags_any: SomeTags = []
    tags_none: SomeTags = []
    correspondent: Named | None = None
    document_type: Named | None = None
    issued_from: Day | None = None
    issued_to: Day | None = None
    added_from: Moment | None = None
    added_to: Moment | None = None
    sort: Sort = "-added"
    limit: Limit = 50
    cursor: Cursor | None = None


@routes.add("GET", "/documents", capability="documents:read", response=DocumentPage)
def list_all(request: HttpRequest, wanted: Query[Search]) -> DocumentPage:
    """List documents, newest first if not told otherwise; both ends of every range are included."""
    kind = f"documents.{wanted.sort}.{bool(wanted.q)}.{wanted.trashed}"
    filters = Filters(
        text=wanted.q,
        status=ProcessingStatus(wanted.status) if wanted.status else None,
        source=DocumentSource(wanted.source) if wanted.source else None,
        media_type=wanted.media_type,
        retention_class=wanted.retention_class,
        held=wanted.held,
        trashed=wanted.trashed,
        tags_all=wanted.tags_all,
        tags_any=wanted.tags_any,
        tags_none=wanted.tags_none,
        correspondent=wanted.correspondent,
        document_type=wanted.document_type,
        issued_from=wanted.issued_from,
        issued_to=wanted.issued_to,
        added_from=wanted.added_from,
        added_to=wanted.added_to,
    )
    listing = list_documents(
        access=access_of(request),
        filters=filters,
        sort=wanted.sort,
        limit=wanted.limit,
        after=_read_place(read_cursor(kind, wanted.cursor)),
    )
    return DocumentPage(
        documents=[show_document(view) for view in listing.documents],
        next=write_cursor(kind, _write_place(listing.next)) if listing.next else None,
    )


@routes.add("GET", "/documents/by-hash/{sha256}", capability="documents:read", response=Document)
def look_up(request: HttpRequest, sha256: Hash) -> Document:
    """Say whether the archive has a file already, before it is sent: 404 if not."""
    return show_document(find_by_hash(access=access_of(request), content_hash=sha256))


@routes.add("GET", "/documents/{uuid:document_id}", capability="documents:read", response=Document)
def get(request: HttpRequest, response: HttpResponse, document_id: uuid.UUID) -> Document:
    """Return one document, also one in the trash; its ETag is what If-Match takes."""
    shown = show_document(get_document(access=access_of(request), document_id=document_id))
    response.headers["ETag"] = shown.etag
    return shown


@routes.add("GET", "/documents/{uuid:document_id}/versions", capability="documents:read", response=Files)
def versions(request: HttpRequest, document_id: uuid.UUID) -> Files:
    """List the versions of a document, newest first."""
    found = list_versions(access=access_of(request), document_id=document_id)
    return Files(versions=[show_file(version) for version in found])


@routes.add("GET", "/documents/{uuid:document_id}/text", capability="documents:read", response=TextPages)
def text(
    request: HttpRequest,
    document_id: uuid.UUID,
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> TextPages:
    """Return the text of a document, page by page, from page `page` on."""
    pages, following = read_text(
        access=access_of(request), document_id=document_id, first_page=page, limit=limit
    )
    shown = [
        TextPage(page=one.page, text=one.text, source=one.source, confidence=one.confidence) for one in pages
    ]
    return TextPages(pages=shown, next=following)


@routes.add(
    "GET", "/documents/{uuid:document_id}/attachments", capability="documents:read", response=MailLinks
)
def attachments(request: HttpRequest, document_id: uuid.UUID) -> MailLinks:
    """List what came with a mail, and for what came with one, that mail."""
    links = list_mail_links(access=access_of(request), document_id=document_id)
    shown = [
        Attachment(number=one.number, filename=one.filename, document_id=one.document_id)
        for one in links.attachments
    ]
    return MailLinks(attachments=shown, mails=[mail.pk for mail in links.mails])


@routes.add("GET", "/documents/{uuid:document_id}/progress", capability="documents:read", response=Progress)
def progress(
    request: HttpRequest,
    document_id: uuid.UUID,
    seen: Annotated[str, Query(max_length=40, pattern=r"^[a-z]*(:[0-9]+)?$")] = "",
    wait: Annotated[int, Query(ge=0, le=20)] = 0,
) -> Progress:
    """Say how far the analysis is; with `wait`, as soon as that differs from `seen` ("status:done").

    At most so many seconds, and at once where too many are waiting.
    """
    access = access_of(request)
    until = time.monotonic() + wait
    first = progress_of(access, document_id)
    state = f"{first.status}:{first.done}"
    if not wait or seen not in (state, first.status) or not _WAITING.acquire(blocking=False):
        return first
    try:
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(_LOOK_SECONDS, left))
            now = progress_of(access, document_id)
            if f"{now.status}:{now.done}" != state:
                now.changed = True
                return now
    finally:
        _WAITING.release()
    first.changed = False
    return first


def progress_of(access: Access, document_id: uuid.UUID) -> Progress:
    """Return how far the analysis of a document is. Raises `DocumentNotFound`."""
    view = get_document(access=access, document_id=document_id)
    with tenant_scope(access.tenant_id):
        found = find_progress(access.tenant_id, document_id)
    return Progress(status=view.status.value, done=found.done, of=found.of, error=found.error, changed=True)


def _read_place(values: dict[str, Any] | None) -> Place | None:
    if values is None:
        return None
    added, issued, row = values["added"], values["issued"], values["id"]
    return Place(
        added=datetime.fromisoformat(added) if added else None,
        issued=date.fromisoformat(issued) if issued else None,
        id=uuid.UUID(row) if row else None,
        hits=values["hits"],
    )


def _write_place(place: Place) -> dict[str, Any]:
    return {
        "added": place.added.isoformat() if place.added else None,
        "issued": place.issued.isoformat() if place.issued else None,
        "id": str(place.id) if place.id else None,
        "hits": place.hits,
    }
