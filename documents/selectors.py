"""Reading documents. The tenant comes first in every call, and each needs its scope."""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import groupby

from documents.models import Document, DocumentVersion, PageText
from jobs.models import Job, JobStatus


class ProcessingStatus(StrEnum):
    """How far a document is, by its newest analysis. One without any is done."""

    QUEUED = "queued"
    PROCESSING = "processing"
    DONE = "done"
    FAILED = "failed"


_STATUS_OF_JOB = {
    JobStatus.QUEUED: ProcessingStatus.QUEUED,
    JobStatus.PROCESSING: ProcessingStatus.PROCESSING,
    JobStatus.SUCCEEDED: ProcessingStatus.DONE,
    JobStatus.FAILED: ProcessingStatus.FAILED,
}


def find_documents(tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Document]:
    """Return those of the documents that are there and not in the trash."""
    documents = Document.objects.filter(tenant_id=tenant_id, pk__in=list(document_ids))
    return {document.pk: document for document in documents.filter(trashed_at=None, purging_at=None)}


def find_newest_versions(
    tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID]
) -> dict[uuid.UUID, DocumentVersion]:
    """Return the newest version of each document."""
    versions = DocumentVersion.objects.filter(tenant_id=tenant_id, document_id__in=list(document_ids))
    return {version.document_id: version for version in versions.order_by("number")}


def find_statuses(
    tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID]
) -> Mapping[uuid.UUID, ProcessingStatus]:
    """Return how far each of the documents is."""
    ids = list(document_ids)
    statuses = dict.fromkeys(ids, ProcessingStatus.DONE)
    jobs = Job.objects.filter(tenant_id=tenant_id, document_id__in=ids, type="analyze-document")
    for document_id, status in jobs.order_by("id").values_list("document_id", "status"):
        if document_id is not None:
            statuses[document_id] = _STATUS_OF_JOB[JobStatus(status)]
    return statuses


def read_page_texts(
    tenant_id: uuid.UUID, version_ids: Iterable[uuid.UUID], *, up_to_page: int
) -> Iterator[tuple[uuid.UUID, list[tuple[int, str]]]]:
    """Yield the first pages of each version that has text: number and text, in order."""
    texts = PageText.objects.filter(
        tenant_id=tenant_id, version_id__in=list(version_ids), page__lte=up_to_page
    )
    rows = texts.order_by("version_id", "page").values_list("version_id", "page", "text")
    for version_id, pages in groupby(rows.iterator(chunk_size=100), key=lambda row: row[0]):
        yield version_id, [(page, text) for _, page, text in pages]
