"""A change of very many documents: ordered once as an operation, done by jobs, a part in each."""

import uuid
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Func, IntegerField, Max, QuerySet, Sum
from django.db.models.fields.json import KT, KeyTransform

from documents.errors import LabelNotFound
from documents.services.bulk_preview import TENANT_NOT_ACTIVE, BulkChange, BulkVerb
from documents.services.changes import ChangeReport, Changes, in_batches, lock_active_tenant
from documents.services.filing import file_batch
from documents.services.reanalyze import GONE_OR_TRASHED, reanalyze_batch
from documents.services.trash import trash_batch
from jobs.models import Job, JobStatus, Operation
from jobs.operations import note_part, open_operation
from jobs.services import RequeueReport, enqueue_many, requeue_jobs
from tenants.errors import TenantNotActive, TenantNotFound

#: The type of the jobs.
CHANGE = "change-documents"
#: Documents of one operation: of more, the jobs alone would be a long transaction.
MOST = 100_000
#: Why documents were left alone whose label went before their turn, in words for people.
LABEL_GONE = "the label is gone"


def order_change(
    *,
    id: uuid.UUID,
    change: BulkChange,
    documents: Mapping[uuid.UUID, Collection[uuid.UUID]],
    as_of: datetime,
) -> Operation:
    """Order a change of documents, named by tenant; the same id twice is one order.

    Documents of tenants that are not active are left alone. Needs an operator's scope; what the operator may
    do was asked before. Raises ValueError for more than `MOST`.
    """
    total = sum(map(len, documents.values()))
    if total > MOST:
        raise ValueError(f"At most {MOST} documents are changed by one order, not {total}.")
    operation, is_new = open_operation(
        id=id, verb=Operation.Verb.CHANGE, wanted=write_change(change), as_of=as_of, total=total
    )
    if not is_new:
        return operation
    left = 0
    for tenant_id, ids in sorted(documents.items()):
        try:
            lock_active_tenant(tenant_id)
        except (TenantNotActive, TenantNotFound):
            left += len(ids)
            continue
        parts = [[str(one) for one in part] for part in in_batches(ids)]
        payloads = [{"operation_id": str(id), "document_ids": part} for part in parts]
        enqueue_many(tenant_id=tenant_id, type=CHANGE, payloads=payloads)
    if left or not total:
        note_part(id=id, done=0, skipped={TENANT_NOT_ACTIVE: left})
    return operation


def change_part(*, tenant_id: uuid.UUID, operation: Operation, document_ids: Collection[uuid.UUID]) -> None:
    """Change one part of the documents, and note what became of them.

    Needs the transaction that ends the job. It has proved its lease, and who closes a tenant takes its
    leases: the tenant needs no lock.
    """
    change = read_change(operation.wanted)
    skipped: Counter[str] = Counter()
    done = 0
    for batch in in_batches(document_ids):
        try:
            report = _change(tenant_id, change, batch)
        except LabelNotFound:
            report = ChangeReport(0, {LABEL_GONE: len(batch)})
        done += report.changed
        skipped.update(report.skipped)
    note_part(id=operation.pk, done=done, skipped=skipped)


@dataclass(frozen=True)
class FailedParts:
    """Jobs of an operation that failed of one cause, and the documents that they have not changed."""

    reason: str
    documents: int
    job_ids: list[int]


def list_failed_parts(operation: Operation) -> list[FailedParts]:
    """Return what an operation has not done because its jobs failed, by cause. Needs an operator's scope."""
    ids = KeyTransform("document_ids", "payload")
    rows = (
        _failed_jobs(operation)
        .values("fingerprint", "failure_kind")
        .annotate(
            reason=Max("error_message"),
            documents=Sum(Func(ids, function="jsonb_array_length", output_field=IntegerField())),
            job_ids=ArrayAgg("id", order_by="id"),
        )
        .order_by("-documents", "fingerprint")
    )
    return [FailedParts(row["reason"], row["documents"], row["job_ids"]) for row in rows]


def requeue_failed_parts(operation: Operation) -> RequeueReport:
    """Have the jobs of an operation that failed run again, and the operation with them."""
    return requeue_jobs(job_ids=list(_failed_jobs(operation).order_by("id").values_list("id", flat=True)))


def _failed_jobs(operation: Operation) -> QuerySet[Job]:
    rows = Job.objects.filter(type=CHANGE, status=JobStatus.FAILED)
    return rows.alias(operation=KT("payload__operation_id")).filter(operation=str(operation.pk))


def write_change(change: BulkChange) -> dict[str, str | None]:
    """Return a change as an operation keeps it."""
    return {"verb": change.verb.value, "label_id": str(change.label_id) if change.label_id else None}


def read_change(wanted: Mapping[str, str | None]) -> BulkChange:
    """Return the change that `write_change` wrote."""
    label_id = wanted.get("label_id")
    return BulkChange(BulkVerb(str(wanted["verb"])), uuid.UUID(label_id) if label_id else None)


def _change(tenant_id: uuid.UUID, change: BulkChange, document_ids: list[uuid.UUID]) -> ChangeReport:
    changes, labels = Changes(), [change.label_id] if change.label_id else []
    match change.verb:
        case BulkVerb.TRASH:
            trash_batch(tenant_id, document_ids, changes)
        case BulkVerb.FILE:
            file_batch(tenant_id, document_ids, changes, wanted=labels)
        case BulkVerb.TAKE_AWAY:
            file_batch(tenant_id, document_ids, changes, unwanted=labels)
        case BulkVerb.REANALYZE:
            queued = reanalyze_batch(tenant_id, document_ids)
            gone = len(document_ids) - queued
            return ChangeReport(queued, {GONE_OR_TRASHED: gone} if gone else {})
    return changes.report()
