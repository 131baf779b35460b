"""What helps to find documents, and what the archive answers; the classes are those of the API's schema."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from uuid import UUID

from archiv_client.reading import read
from archiv_client.transport import Caller


@dataclass(frozen=True)
class LabelCount:
    """How many of the documents are filed under a label."""

    label_id: UUID
    name: str
    documents: int


@dataclass(frozen=True)
class YearCount:
    """How many of the documents were issued in a year."""

    year: int
    documents: int


@dataclass(frozen=True)
class Facets:
    """How the documents that fit are spread. `exact`: all of them were counted."""

    documents: int
    exact: bool
    tags: tuple[LabelCount, ...]
    correspondents: tuple[LabelCount, ...]
    document_types: tuple[LabelCount, ...]
    years: tuple[YearCount, ...]


@dataclass(frozen=True)
class Suggestion:
    """One way to go on: what to show, and the whole text of the search box then."""

    kind: Literal["word", "tag", "from", "type", "has", "document"]
    shown: str
    query: str
    document_id: UUID | None


@dataclass(frozen=True)
class SimilarDocument:
    """A document that is like another."""

    id: UUID
    title: str
    issued_at: date | None
    created_at: datetime
    filename: str
    media_type: str


class Finding:
    """What helps to find documents."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def facets(self, q: str) -> Facets:
        """Count the tags, correspondents, document types and years of all that a search finds."""
        return read(Facets, self._caller.call("GET", "/documents/facets", query={"q": q}))

    def suggest(self, q: str, *, limit: int = 8) -> tuple[Suggestion, ...]:
        """Say how the last word of a search may go on; of at most 200 characters."""
        found = self._caller.call("GET", "/documents/suggestions", query={"q": q, "limit": limit})
        return tuple(read(Suggestion, one) for one in found["suggestions"])

    def similar(self, document_id: UUID, *, limit: int = 10) -> tuple[SimilarDocument, ...]:
        """Return the documents that are most like one, but not itself."""
        found = self._caller.call("GET", f"/documents/{document_id}/similar", query={"limit": limit})
        return tuple(read(SimilarDocument, one) for one in found["documents"])
