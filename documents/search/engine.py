"""Which engine of full-text search serves this installation."""

from documents.search.base import SearchBackend
from documents.search.postgres import PostgresSearch

_POSTGRES = PostgresSearch()


def get_search() -> SearchBackend:
    """Return the engine."""
    return _POSTGRES
