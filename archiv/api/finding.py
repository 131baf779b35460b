"""What helps to find: how hits are spread, how a search may go on, and documents like one."""

import uuid
from collections.abc import Iterable
from datetime import date, datetime
from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Query, Schema
from pydantic import Field

from archiv.api.callers import access_of
from archiv.api.routes import Routes
from archiv.api.types import Line
from documents.search import facets as counting
from documents.search.similar import find_similar
from documents.search.suggestions import suggest

routes = Routes("search")

Kind = Literal["word", "tag", "from", "type", "has", "document"]


class LabelCount(Schema):
    """How many of the documents are filed under a label."""

    label_id: uuid.UUID
    name: str
    documents: int


class YearCount(Schema):
    """How many of the documents were issued in a year."""

    year: int
    documents: int


class Facets(Schema):
    """How the documents that fit are spread: the most frequent values of each kind, the newest years first.

    `exact`: all that fit were counted; else 400 of them, with PostgreSQL the newest.
    """

    documents: int
    exact: bool
    tags: list[LabelCount]
    correspondents: list[LabelCount]
    document_types: list[LabelCount]
    years: list[YearCount]


class Suggestion(Schema):
    """One way to go on: what to show, and the whole text of the search box then.

    `document_id` is that of a document to be opened, null for anything else.
    """

    kind: Kind
    shown: str
    query: str
    document_id: uuid.UUID | None


class Suggestions(Schema):
    """The ways to go on, the most frequent first."""

    suggestions: list[Suggestion]


class SimilarDocument(Schema):
    """A document that is like another."""

    id: uuid.UUID
    title: str
    issued_at: date | None
    created_at: datetime
    filename: str
    media_type: str


class Similar(Schema):
    """Documents like one, the most alike first."""

    documents: list[SimilarDocument]


@routes.add("GET", "/documents/facets", capability="documents:read", response=Facets)
def facets(request: HttpRequest, q: Annotated[Line, Query()]) -> Facets:
    """Count the tags, correspondents, document types and years of all documents that a search finds.

    `q` is read as in `GET /documents`. What lies in the trash is not counted.
    """
    found = counting.count_facets(tenant_id=access_of(request).tenant_id, text=q)
    return Facets(
        documents=found.documents,
        exact=found.exact,
        tags=_show(found.tags),
        correspondents=_show(found.correspondents),
        document_types=_show(found.document_types),
        years=[YearCount(year=one.year, documents=one.documents) for one in found.years],
    )


@routes.add("GET", "/documents/suggestions", capability="documents:read", response=Suggestions)
def suggestions(
    request: HttpRequest,
    q: Annotated[Annotated[Line, Field(max_length=200)], Query()],
    limit: Annotated[int, Query(ge=1, le=20)] = 8,
) -> Suggestions:
    """Say how the last word of a search may go on: words, labels and titles of the tenant's documents."""
    found = suggest(tenant_id=access_of(request).tenant_id, text=q, limit=limit)
    shown = [
        Suggestion.model_validate(
            {"kind": one.kind, "shown": one.shown, "query": one.query, "document_id": one.document_id}
        )
        for one in found
    ]
    return Suggestions(suggestions=shown)


@routes.add("GET", "/documents/{uuid:document_id}/similar", capability="documents:read", response=Similar)
def similar(
    request: HttpRequest, document_id: uuid.UUID, limit: Annotated[int, Query(ge=1, le=50)] = 10
) -> Similar:
    """List the documents that share the most telling words with one; 404 also if that lies in the trash."""
    hits = find_similar(tenant_id=access_of(request).tenant_id, document_id=document_id, limit=limit)
    return Similar(
        documents=[
            SimilarDocument(
                id=hit.document.pk,
                title=hit.document.title,
                issued_at=hit.document.issued_at,
                created_at=hit.document.created_at,
                filename=hit.version.filename,
                media_type=hit.version.media_type,
            )
            for hit in hits
        ]
    )


def _show(counts: Iterable[counting.LabelCount]) -> list[LabelCount]:
    return [LabelCount(label_id=one.label_id, name=one.name, documents=one.documents) for one in counts]
