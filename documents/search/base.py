"""What any engine of full-text search must be able to do for archiv. Each call runs in the tenant's scope."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from documents.search.query import Query

#: Hits that can be paged through; who wants more asks more precisely.
MAX_HITS = 1000


@dataclass(frozen=True)
class Entry:
    """What is known of one document. `words` are those of its pages, as `fold_for_index` leaves them."""

    tenant_id: uuid.UUID
    document_id: uuid.UUID
    title: str
    filename: str
    words: str
    issued_at: date | None


@dataclass(frozen=True)
class Indexed:
    """How many of the words of an entry can be found as words: fewer than all where a limit was met."""

    words: int
    of: int


@dataclass(frozen=True)
class Hit:
    """One document that was found. `rank` compares hits of one search only."""

    document_id: uuid.UUID
    rank: float


@dataclass(frozen=True)
class Found:
    """The hits of one page, and whether there are more.

    `stems` holds for each word of the query the stems it was looked for as, for marking what was found.
    """

    hits: tuple[Hit, ...] = ()
    more: bool = False
    stems: Mapping[str, frozenset[str]] = field(default_factory=dict)


class SearchBackend(Protocol):
    """One engine."""

    def upsert(self, entry: Entry) -> Indexed:
        """Make a document findable by these words, and by no others."""

    def amend(self, entry: Entry) -> None:
        """Make a document findable by a new title, name and date too; what its words were stays.

        For an edit, whose document is indexed anew by a job soon after. Nothing happens to one that is not
        there.
        """

    def remove(self, *, tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID]) -> int:
        """Make documents unfindable; returns how many were findable."""

    def search(self, *, tenant_id: uuid.UUID, query: Query, limit: int, offset: int = 0) -> Found:
        """Return the documents of the tenant that fit, best first; at most MAX_HITS can be paged through."""

    def matching(self, *, tenant_id: uuid.UUID, query: Query, most: int) -> list[uuid.UUID]:
        """Return documents that fit a query as it stands, at most so many."""

    def similar(
        self, *, tenant_id: uuid.UUID, document_id: uuid.UUID, words: Mapping[str, int], limit: int
    ) -> Found:
        """Return the other documents that share most of the telling ones among these words of a document.

        `words` are folded, each with how often it occurs there.
        """

    def wipe(self, *, tenant_id: uuid.UUID, limit: int) -> int:
        """Forget at most `limit` documents of the tenant; returns how many, 0 when none is left."""
