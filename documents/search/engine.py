"""Which engine of full-text search serves a tenant."""

import uuid
from collections.abc import Iterable, Mapping
from functools import cache

from django.conf import settings

from documents.models import IndexState, TenantIndex
from documents.search.base import Entry, Found, Indexed, SearchBackend
from documents.search.postgres import PostgresSearch
from documents.search.query import Query
from documents.search.quickwit.backend import QuickwitSearch

_POSTGRES = PostgresSearch()


def get_search() -> SearchBackend:
    """Return the engine: PostgreSQL, or with `ARCHIV_SEARCH_URL` whichever each tenant has come to."""
    url: str = settings.ARCHIV_SEARCH_URL
    return MovingSearch(get_quickwit(url)) if url else _POSTGRES


@cache
def get_quickwit(url: str) -> QuickwitSearch:
    """Return the engine at an address."""
    return QuickwitSearch(url)


def get_postgres() -> PostgresSearch:
    """Return the engine in the database."""
    return _POSTGRES


class MovingSearch:
    """Both engines: while a tenant moves, each change goes to both, and one of them answers."""

    def __init__(self, outside: QuickwitSearch) -> None:
        self.outside = outside

    def upsert(self, entry: Entry) -> Indexed:
        """See `SearchBackend.upsert`."""
        written = [engine.upsert(entry) for engine in self._written(entry.tenant_id)]
        return min(written, key=lambda each: each.words)

    def amend(self, entry: Entry) -> None:
        """See `SearchBackend.amend`."""
        for engine in self._written(entry.tenant_id):
            engine.amend(entry)

    def remove(self, *, tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID]) -> int:
        """See `SearchBackend.remove`."""
        ids = list(document_ids)
        return max(
            engine.remove(tenant_id=tenant_id, document_ids=ids) for engine in self._written(tenant_id)
        )

    def search(self, *, tenant_id: uuid.UUID, query: Query, limit: int, offset: int = 0) -> Found:
        """See `SearchBackend.search`."""
        return self._asked(tenant_id).search(tenant_id=tenant_id, query=query, limit=limit, offset=offset)

    def matching(self, *, tenant_id: uuid.UUID, query: Query, most: int) -> list[uuid.UUID]:
        """See `SearchBackend.matching`."""
        return self._asked(tenant_id).matching(tenant_id=tenant_id, query=query, most=most)

    def similar(
        self, *, tenant_id: uuid.UUID, document_id: uuid.UUID, words: Mapping[str, int], limit: int
    ) -> Found:
        """See `SearchBackend.similar`."""
        engine = self._asked(tenant_id)
        return engine.similar(tenant_id=tenant_id, document_id=document_id, words=words, limit=limit)

    def wipe(self, *, tenant_id: uuid.UUID, limit: int) -> int:
        """See `SearchBackend.wipe`. Of both, where the tenant has come to the other; its index goes last."""
        gone = _POSTGRES.wipe(tenant_id=tenant_id, limit=limit)
        if gone or find_state(tenant_id) is None:
            return gone
        return self.outside.wipe(tenant_id=tenant_id, limit=limit)

    def _written(self, tenant_id: uuid.UUID) -> list[SearchBackend]:
        state = find_state(tenant_id)
        if state is None:
            return [_POSTGRES]
        return [self.outside] if state == IndexState.SERVING else [_POSTGRES, self.outside]

    def _asked(self, tenant_id: uuid.UUID) -> SearchBackend:
        state = find_state(tenant_id)
        return self.outside if state in {IndexState.SERVING, IndexState.LEAVING} else _POSTGRES


def find_state(tenant_id: uuid.UUID) -> str | None:
    """Return how far a tenant has moved to the engine outside; None if not at all. Needs its scope."""
    return TenantIndex.objects.filter(tenant_id=tenant_id).values_list("state", flat=True).first()
