"""Documents like one: those that share the words by which it differs from the others."""

import uuid
from collections import Counter

from documents.errors import DocumentNotFound
from documents.search.engine import get_search
from documents.search.results import SearchHit, show_hits
from documents.search.words import fold
from documents.selectors import find_documents, find_newest_versions, read_page_texts
from tenants.scope import tenant_scope

#: Pages and characters of the document that are looked at, and words that are asked for at most.
_PAGES, _CHARACTERS, _WORDS = 5, 30_000, 200
_SHORTEST = 4


def find_similar(*, tenant_id: uuid.UUID, document_id: uuid.UUID, limit: int = 10) -> tuple[SearchHit, ...]:
    """Return the documents of the tenant that are most like one, itself left out. Opens the tenant's scope.

    Raises `DocumentNotFound`.
    """
    with tenant_scope(tenant_id):
        document = find_documents(tenant_id, [document_id]).get(document_id)
        if document is None:
            raise DocumentNotFound
        versions = find_newest_versions(tenant_id, [document_id])
        text = document.title
        for _, pages in read_page_texts(
            tenant_id, [version.pk for version in versions.values()], up_to_page=_PAGES
        ):
            text += "\n" + "\n".join(page for _, page in pages)
        counted = Counter(word for word in fold(text[:_CHARACTERS]).split() if len(word) >= _SHORTEST)
        words = dict(counted.most_common(_WORDS))
        if not words:
            return ()
        found = get_search().similar(tenant_id=tenant_id, document_id=document_id, words=words, limit=limit)
        return show_hits(tenant_id, found, None)
