"""Copies for the engine of search outside the database: what it is to have, sent and noted.

Each call is one step of a job or of `reindex`, so that no transaction is open while the engine works. Sending
the same twice does no harm: which copy counts says its mark.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F, Q

from documents.models import Document, DocumentVersion, IndexedCopy, PageText
from documents.pipeline import Page, Reading
from documents.pipeline.steps.index import words_of
from documents.search.base import Entry
from documents.search.quickwit.backend import QuickwitSearch, index_of, queue_indexing, want_copies
from documents.search.quickwit.texts import compile_copy
from documents.selectors import find_newest_versions
from documents.services.facts import with_kept_facts
from tenants.scope import tenant_scope

#: Documents that one job sends at most, and characters of text after which no other is added.
MOST_COPIES, MOST_CHARACTERS = 50, 8_000_000
_WAITING = Q(found=None) | ~Q(found=F("wanted"))


@dataclass
class Waiting:
    """What is to be sent: copies, the mark of each by its document, and documents to be forgotten."""

    copies: list[Mapping[str, Any]] = field(default_factory=list)
    marks: dict[uuid.UUID, uuid.UUID] = field(default_factory=dict)
    gone: list[uuid.UUID] = field(default_factory=list)


def load_waiting(*, tenant_id: uuid.UUID, document_ids: Sequence[uuid.UUID]) -> Waiting:
    """Return what the engine is to have of these documents now, and of others that wait, up to a bound.

    Opens the tenant's scope. A document without a copy that is wanted is to be forgotten.
    """
    waiting = Waiting()
    with tenant_scope(tenant_id):
        rows = IndexedCopy.objects.filter(tenant_id=tenant_id)
        known = dict(rows.filter(document_id__in=document_ids).values_list("document_id", "wanted"))
        waiting.gone = [each for each in document_ids if each not in known]
        own = rows.filter(_WAITING, document_id__in=document_ids).values_list("document_id", "wanted")
        others = rows.filter(_WAITING).order_by("pk").values_list("document_id", "wanted")
        wanted = dict([*own, *others[:MOST_COPIES]][:MOST_COPIES])
        documents = Document.objects.filter(tenant_id=tenant_id, trashed_at=None).in_bulk(list(wanted))
        versions = find_newest_versions(tenant_id, documents)
        characters = 0
        for document_id, mark in wanted.items():
            if document_id not in versions or characters > MOST_CHARACTERS:
                continue
            document = documents[document_id]
            entry = stored_entry(document, versions[document_id])
            copy, _ = compile_copy(entry, mark=mark, added=document.created_at)
            characters += sum(len(str(value)) for value in copy.values())
            waiting.copies.append(copy)
            waiting.marks[document_id] = mark
    return waiting


def send_waiting(*, tenant_id: uuid.UUID, engine: QuickwitSearch, waiting: Waiting) -> None:
    """Have the engine forget and take in. Raises `SearchUnreachable`, `SearchRejected`."""
    if waiting.gone:
        engine.client.forget(index_of(tenant_id), [str(each) for each in waiting.gone])
    engine.client.ingest(index_of(tenant_id), waiting.copies)


def note_sent(*, tenant_id: uuid.UUID, waiting: Waiting) -> None:
    """Let the sent copies count, unless newer ones are wanted by now. Needs the tenant's scope.

    What was removed or came back meanwhile may have met the other in the engine: it is queued once more.
    """
    rows = IndexedCopy.objects.filter(tenant_id=tenant_id)
    for document_id, mark in sorted(waiting.marks.items()):
        rows.filter(document_id=document_id, wanted=mark).update(found=mark)
    there = set(rows.filter(document_id__in=waiting.marks).values_list("document_id", flat=True))
    removed = sorted(set(waiting.marks) - there)
    back = sorted(rows.filter(document_id__in=waiting.gone).values_list("document_id", flat=True))
    want_copies(tenant_id, back)
    if removed or back:
        queue_indexing(tenant_id, [*removed, *back])


def stored_entry(document: Document, version: DocumentVersion) -> Entry:
    """Return what an engine is to know of a document, from the texts that are kept. Needs the scope."""
    texts = PageText.objects.filter(tenant_id=document.tenant_id, version_id=version.pk).order_by("page")
    pages = tuple(
        Page(page, text, source) for page, text, source in texts.values_list("page", "text", "source")
    )
    reading = with_kept_facts(Reading(pages=pages), tenant_id=document.tenant_id, version_id=version.pk)
    return Entry(
        tenant_id=document.tenant_id,
        document_id=document.pk,
        title=document.title,
        filename=version.filename,
        words=words_of(reading),
        issued_at=document.issued_at,
    )
