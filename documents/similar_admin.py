"""Documents like one, on its page: looked for when somebody asks, since that costs a search."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest

from documents.errors import DocumentNotFound, SearchError
from documents.models import Document
from documents.search.similar import find_similar
from jobs.display import show_error

#: Links on the page.
_SHOWN = 5


@dataclass(frozen=True)
class Alike:
    """What the page says: `documents` is None where nobody has asked yet."""

    documents: tuple[Document, ...] | None = None


def find_alike(request: HttpRequest, document: Document) -> Alike | None:
    """Return the documents most like one, if they were asked for; None for one that no search finds."""
    if document.trashed_at is not None or document.purging_at is not None:
        return None
    if "similar" not in request.GET:
        return Alike()
    try:
        hits = find_similar(tenant_id=document.tenant_id, document_id=document.pk, limit=_SHOWN)
    except DocumentNotFound:  # it went meanwhile
        return None
    except SearchError as error:
        messages.warning(request, show_error(error))
        return Alike()
    return Alike(tuple(hit.document for hit in hits))
