"""Having documents read again."""

import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django.db import transaction

from documents.models import Document
from documents.pipeline import PARTS
from documents.selectors import find_documents, find_newest_versions
from jobs.batches import batched
from jobs.models import Lane
from jobs.services import enqueue_analysis
from tenants.scope import tenant_scope

_BATCH = 200


@dataclass(frozen=True)
class ReanalyzeReport:
    """How many analyses are queued now, and how many documents were left alone, by reason (in words)."""

    enqueued: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)


def reanalyze_documents(
    *,
    tenant_id: uuid.UUID,
    document_ids: Iterable[uuid.UUID] | None = None,
    force: bool = True,
    only: Collection[str] = (),
    lane: Lane = Lane.BULK,
) -> ReanalyzeReport:
    """Queue the analysis of these documents of a tenant, or of all, in batches with a transaction each.

    With `force` the file is read anew; without, what was read before is only indexed again. `only` names
    parts of the analysis (`documents.pipeline.PARTS`): these alone are done again, on what was read before,
    and no file is read; `force` does not count then. A document whose analysis is queued already joins it.
    """
    if unknown := sorted(set(only).difference(PARTS)):
        raise ValueError(f"no parts of an analysis: {', '.join(unknown)}")
    enqueued = 0
    skipped: Counter[str] = Counter()
    known = None if document_ids is None else dict.fromkeys(document_ids)
    for batch in _all_ids(tenant_id) if known is None else batched(known, _BATCH):
        with transaction.atomic(durable=True), tenant_scope(tenant_id):
            documents = find_documents(tenant_id, batch)
            versions = find_newest_versions(tenant_id, documents)
            for document_id, version in sorted(versions.items()):
                enqueue_analysis(
                    tenant_id=tenant_id,
                    document_id=document_id,
                    document_version_id=version.pk,
                    force=force and not only,
                    only=sorted(only),
                    lane=lane,
                )
            enqueued += len(versions)
            skipped["not there, or in the trash"] += len(batch) - len(versions)
    return ReanalyzeReport(enqueued, dict(+skipped))


def _all_ids(tenant_id: uuid.UUID) -> Iterator[list[uuid.UUID]]:
    last: uuid.UUID | None = None
    while True:
        with tenant_scope(tenant_id):
            documents = Document.objects.filter(tenant_id=tenant_id, trashed_at=None).order_by("pk")
            rows = documents.filter(pk__gt=last) if last else documents
            batch = list(rows.values_list("pk", flat=True)[:_BATCH])
        if not batch:
            return
        last = batch[-1]
        yield batch
