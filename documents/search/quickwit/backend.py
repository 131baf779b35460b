"""Search by Quickwit, as the rest of archiv sees it.

Changes are noted in the database, in the transaction of the document, and sent by the job `index-document`
after it. Quickwit keeps old copies: which one counts says the database, so a hit is one only if its row says
so, and what was removed is not found from the commit on.
"""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection

from documents.models import IndexedCopy
from documents.search.base import MAX_HITS, Entry, Found, Hit, Indexed
from documents.search.conditions import Among
from documents.search.postgres import load_forms
from documents.search.query import Query, widen
from documents.search.quickwit.client import MOST_HITS, Quickwit
from documents.search.quickwit.queries import Compiler, Dsl, like, named, without
from documents.search.sets import compile_sets
from jobs.services import enqueue_job

INDEX_DOCUMENT = "index-document"
"""The type of the job."""

#: Hits that are asked for at once; some may be old copies.
_PAGE = 1000
#: Words by which similar documents are found.
_TELLING = 48


def index_of(tenant_id: uuid.UUID) -> str:
    """Return the name of a tenant's index."""
    return f"archiv-{tenant_id}"


class QuickwitSearch:
    """See `SearchBackend` for what each verb promises. What is written is found once its job has run."""

    def __init__(self, url: str) -> None:
        self.client = Quickwit(url)

    def upsert(self, entry: Entry) -> Indexed:
        """See `SearchBackend.upsert`. The job reads the words where they are kept."""
        want_copies(entry.tenant_id, [entry.document_id])
        queue_indexing(entry.tenant_id, [entry.document_id])
        words = len(entry.words.split())
        return Indexed(words=words, of=words)

    def amend(self, entry: Entry) -> None:
        """See `SearchBackend.amend`."""
        rows = IndexedCopy.objects.filter(tenant_id=entry.tenant_id, document_id=entry.document_id)
        if rows.exists():
            self.upsert(entry)

    def remove(self, *, tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID]) -> int:
        """See `SearchBackend.remove`. A job has the copies removed, too; also those of a former attempt."""
        ids = list(document_ids)
        rows = IndexedCopy.objects.filter(tenant_id=tenant_id, document_id__in=ids)
        # In the order in which jobs note what they have sent.
        locked = rows.select_for_update(of=("self",)).order_by("document_id")
        findable = sum(mark is not None for mark in locked.values_list("found", flat=True))
        rows.delete()
        if ids:
            queue_indexing(tenant_id, ids)
        return findable

    def wipe(self, *, tenant_id: uuid.UUID, limit: int) -> int:
        """See `SearchBackend.wipe`. When no row is left, the index itself is dropped."""
        rows = IndexedCopy.objects.filter(tenant_id=tenant_id)
        gone = rows.filter(pk__in=list(rows.values_list("pk", flat=True)[:limit])).delete()[0]
        if not gone:
            self.client.drop(index_of(tenant_id))
        return gone

    def search(self, *, tenant_id: uuid.UUID, query: Query, limit: int, offset: int = 0) -> Found:
        """See `SearchBackend.search`. What has a word only within another comes after what has it whole."""
        if query.is_empty or offset >= MAX_HITS:
            return Found()
        wanted = min(offset + limit, MAX_HITS) + 1
        compiler = _compiler(tenant_id, query)
        ids = self._find(tenant_id, compiler.compile(query), wanted)
        wider = widen(query)
        if len(ids) < wanted and wider != query:
            asked: Dsl = compiler.compile(wider)
            if ids:
                asked = {"bool": {"must": [asked, without(named(ids))]}}
            ids += self._find(tenant_id, asked, wanted - len(ids))
        hits = tuple(Hit(each, 1 / place) for place, each in enumerate(ids, 1))
        stems = {word: forms.stems for word, forms in compiler.forms.items()}
        return Found(hits[offset : offset + limit], len(hits) > offset + limit, stems)

    def matching(self, *, tenant_id: uuid.UUID, query: Query, most: int) -> list[uuid.UUID]:
        """See `SearchBackend.matching`. At most as many as Quickwit pages through."""
        return self._find(tenant_id, _compiler(tenant_id, query).compile(query), most)

    def similar(
        self, *, tenant_id: uuid.UUID, document_id: uuid.UUID, words: Mapping[str, int], limit: int
    ) -> Found:
        """See `SearchBackend.similar`. How telling a word is Quickwit knows."""
        often = sorted(words, key=lambda word: -words[word])[:_TELLING]
        folded = dict.fromkeys(forms.folded for forms in load_forms(often).values())
        asked = {"bool": {"must": [like(folded), without(named([document_id]))]}}
        ids = self._find(tenant_id, asked, limit)
        return Found(tuple(Hit(each, 1 / place) for place, each in enumerate(ids, 1)))

    def _find(self, tenant_id: uuid.UUID, query: Dsl, most: int) -> list[uuid.UUID]:
        """Return the documents that fit, best first, each once and only if its copy counts."""
        found: dict[uuid.UUID, None] = {}
        start, size = 0, min(most + 20, _PAGE)
        while len(found) < most and start + size <= MOST_HITS:
            body = {
                "query": query,
                "from": start,
                "size": size,
                "sort": [{"_score": {"order": "desc"}}, {"added": {"order": "desc"}}],
            }
            page = self.client.search(index_of(tenant_id), body)
            found.update(dict.fromkeys(_counting(tenant_id, page)))
            if len(page) < size:
                break
            start, size = start + size, min(_PAGE, max(1, MOST_HITS - start - size))
        return list(found)[:most]


def want_copies(tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID]) -> None:
    """Note that new copies of documents are wanted; the former ones count until these are there."""
    IndexedCopy.objects.bulk_create(
        [
            IndexedCopy(tenant_id=tenant_id, document_id=each, wanted=uuid.uuid4())
            for each in sorted(document_ids)
        ],
        update_conflicts=True,
        unique_fields=["tenant", "document"],
        update_fields=["wanted"],
    )


def queue_indexing(tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID]) -> None:
    """Queue the job that makes Quickwit agree with the database on these documents."""
    enqueue_job(
        tenant_id=tenant_id,
        type=INDEX_DOCUMENT,
        payload={"document_ids": [str(each) for each in document_ids]},
    )


def _counting(tenant_id: uuid.UUID, page: Iterable[Mapping[str, Any]]) -> list[uuid.UUID]:
    """Return the documents of a page of hits whose copies are those that count, in order."""
    pairs = [(uuid.UUID(hit["document"]), uuid.UUID(hit["mark"])) for hit in page]
    rows = IndexedCopy.objects.filter(tenant_id=tenant_id, document_id__in=[pair[0] for pair in pairs])
    marks = dict(rows.values_list("document_id", "found"))
    return [document for document, mark in pairs if marks.get(document) == mark]


def _compiler(tenant_id: uuid.UUID, query: Query) -> Compiler:
    def members(among: Among) -> list[uuid.UUID]:
        if among.documents:
            return list(among.documents)
        sql, parameters = compile_sets(tenant_id, {1: among})
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return [document for document, _ in cursor.fetchall()]

    return Compiler(load_forms(query.words), members)
