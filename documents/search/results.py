"""Searching as people do it: from a line of text to titles and excerpts with what was found marked."""

import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from documents.models import Document, DocumentVersion
from documents.search.base import MAX_HITS, Found
from documents.search.engine import get_search
from documents.search.excerpts import Excerpt, Marker, Part
from documents.search.parsing import parse_query
from documents.search.query import Query
from documents.search.resolving import resolve_query
from documents.selectors import (
    ProcessingStatus,
    find_documents,
    find_newest_versions,
    find_statuses,
    read_page_texts,
)
from tenants.models import Tenant
from tenants.scope import tenant_scope

#: Pages of a hit that are looked through for its excerpt.
_PAGES = 200


@dataclass(frozen=True)
class SearchHit:
    """One document that was found, ready to be shown. `excerpt` is None where only its title fits."""

    document: Document
    version: DocumentVersion
    status: ProcessingStatus
    rank: float
    title: tuple[Part, ...]
    excerpt: Excerpt | None


@dataclass(frozen=True)
class SearchResults:
    """A page of hits, best first, whether there are more, and what of the query was not understood."""

    hits: tuple[SearchHit, ...]
    more: bool
    notes: tuple[str, ...]


#: Tells which of the documents found are wanted: other filters than words.
Keep = Callable[[Sequence[uuid.UUID]], Collection[uuid.UUID]]


def read_query(tenant_id: uuid.UUID, text: str) -> Query:
    """Return what `text` asks a tenant's documents for, ready for an engine. Runs in the tenant's scope."""
    zone = ZoneInfo(Tenant.objects.values_list("timezone", flat=True).get(id=tenant_id))
    return resolve_query(parse_query(text, today=datetime.now(zone).date()), tenant_id=tenant_id, zone=zone)


def search_documents(
    *, tenant_id: uuid.UUID, text: str, limit: int = 20, offset: int = 0, keep: Keep | None = None
) -> SearchResults:
    """Return what a tenant has that fits `text`; see `documents.search.parsing` for how it is read.

    Hits are always looked up in the database: what lies in the trash is not shown. With `keep` only those
    wanted among the first MAX_HITS count. Opens the tenant's scope.
    """
    with tenant_scope(tenant_id):
        query = read_query(tenant_id, text)
        found = _find(tenant_id, query, limit, offset, keep)
        return SearchResults(show_hits(tenant_id, found, query), found.more, query.notes)


def show_hits(tenant_id: uuid.UUID, found: Found, query: Query | None) -> tuple[SearchHit, ...]:
    """Return hits with their documents and, where a query is given, with what it found marked.

    Looked up in the database, whatever the engine says. Runs in the tenant's scope.
    """
    ids = [hit.document_id for hit in found.hits]
    documents = find_documents(tenant_id, ids)
    versions = find_newest_versions(tenant_id, documents)
    statuses = find_statuses(tenant_id, documents)
    marker = Marker(query or Query(), found.stems)
    excerpts = {
        version_id: marker.excerpt(pages)
        for version_id, pages in read_page_texts(
            tenant_id,
            [version.pk for version in versions.values()] if query and query.terms else [],
            up_to_page=_PAGES,
        )
    }
    return tuple(
        SearchHit(
            document=documents[hit.document_id],
            version=versions[hit.document_id],
            status=statuses[hit.document_id],
            rank=hit.rank,
            title=marker.mark(documents[hit.document_id].title),
            excerpt=excerpts.get(versions[hit.document_id].pk),
        )
        for hit in found.hits
        if hit.document_id in documents and hit.document_id in versions
    )


def _find(tenant_id: uuid.UUID, query: Query, limit: int, offset: int, keep: Keep | None) -> Found:
    """Return a page of what was found, or of what is wanted of it."""
    if keep is None:
        return get_search().search(tenant_id=tenant_id, query=query, limit=limit, offset=offset)
    found = get_search().search(tenant_id=tenant_id, query=query, limit=MAX_HITS)
    wanted = set(keep([hit.document_id for hit in found.hits]))
    hits = [hit for hit in found.hits if hit.document_id in wanted]
    return Found(tuple(hits[offset : offset + limit]), len(hits) > offset + limit, found.stems)
