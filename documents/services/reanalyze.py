"""Having documents read again."""

import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from documents.models import Document, DocumentVersion
from documents.pipeline import PARTS
from documents.selectors import find_documents, find_newest_versions
from jobs.batches import batched
from jobs.models import Lane
from jobs.services import enqueue_analyses
from tenants.scope import tenant_scope

_BATCH = 200
#: Why a document was left alone, in words for people.
GONE_OR_TRASHED = "not there, or in the trash"


@dataclass(frozen=True)
class ReanalyzeReport:
    """How many analyses are queued now, and how many documents were left alone, by reason (in words)."""

    enqueued: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Chosen:
    """Which documents of a tenant: by the beginning of their type, and by the day they were stored (UTC)."""

    media_type: str = ""
    stored_since: date | None = None
    stored_before: date | None = None


EVERYTHING = Chosen()
Tell = Callable[[int, int | None], None]


def reanalyze_documents(
    *,
    tenant_id: uuid.UUID,
    document_ids: Iterable[uuid.UUID] | None = None,
    force: bool = True,
    only: Collection[str] = (),
    lane: Lane = Lane.BULK,
    chosen: Chosen = EVERYTHING,
    tell: Tell | None = None,
) -> ReanalyzeReport:
    """Queue the analysis of these documents of a tenant, or of all chosen, a batch in each transaction.

    With `force` the file is read anew; without, what was read before is only indexed again. `only` names
    parts of the analysis (`documents.pipeline.PARTS`): these alone are done again, on what was read before,
    and no file is read; `force` does not count then. A document whose analysis is queued already joins it.
    `tell` is called with how many documents are done, and of how many.
    """
    if unknown := sorted(set(only).difference(PARTS)):
        raise ValueError(f"no parts of an analysis: {', '.join(unknown)}")
    enqueued = 0
    skipped: Counter[str] = Counter()
    known = None if document_ids is None else dict.fromkeys(document_ids)
    if tell is not None:
        with tenant_scope(tenant_id):
            count = len(known) if known is not None else _find(tenant_id, chosen).count()
        tell(0, count)
    for batch in _all_ids(tenant_id, chosen) if known is None else batched(known, _BATCH):
        with transaction.atomic(durable=True), tenant_scope(tenant_id):
            queued = reanalyze_batch(tenant_id, batch, force=force, only=only, lane=lane)
            enqueued += queued
            skipped[GONE_OR_TRASHED] += len(batch) - queued
        if tell is not None:
            tell(enqueued + sum(skipped.values()), count)
    return ReanalyzeReport(enqueued, dict(+skipped))


def reanalyze_batch(
    tenant_id: uuid.UUID,
    document_ids: Collection[uuid.UUID],
    *,
    force: bool = True,
    only: Collection[str] = (),
    lane: Lane = Lane.BULK,
) -> int:
    """Queue the analysis of some documents; returns of how many, the others being gone or in the trash.

    Needs the tenant's scope.
    """
    versions = find_newest_versions(tenant_id, find_documents(tenant_id, document_ids))
    enqueue_analyses(
        tenant_id=tenant_id,
        versions={document_id: version.pk for document_id, version in versions.items()},
        force=force and not only,
        only=sorted(only),
        lane=lane,
    )
    return len(versions)


def _find(tenant_id: uuid.UUID, chosen: Chosen) -> QuerySet[Document]:
    documents = Document.objects.filter(tenant_id=tenant_id, trashed_at=None)
    if chosen.media_type:
        versions = DocumentVersion.objects.filter(
            tenant_id=tenant_id, document_id=OuterRef("pk"), media_type__startswith=chosen.media_type
        )
        documents = documents.filter(Exists(versions))
    if chosen.stored_since is not None:
        documents = documents.filter(created_at__gte=_begin(chosen.stored_since))
    if chosen.stored_before is not None:
        documents = documents.filter(created_at__lt=_begin(chosen.stored_before))
    return documents


def _begin(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)


def _all_ids(tenant_id: uuid.UUID, chosen: Chosen) -> Iterator[list[uuid.UUID]]:
    last: uuid.UUID | None = None
    while True:
        with tenant_scope(tenant_id):
            documents = _find(tenant_id, chosen).order_by("pk")
            rows = documents.filter(pk__gt=last) if last else documents
            batch = list(rows.values_list("pk", flat=True)[:_BATCH])
        if not batch:
            return
        last = batch[-1]
        yield batch
