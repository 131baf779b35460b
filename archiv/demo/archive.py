"""What the demo asks of the archive: its tenants, the imports, what became of them, the searches."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from archiv.demo.outcome import Outcome, text_source_of
from archiv.samples import Sample, Status
from documents.models import Document, DocumentVersion, PageText
from documents.selectors import ProcessingStatus, find_statuses
from documents.services import StoredDocument
from documents.services.folder import FolderFile, import_file
from jobs.models import Job, JobStatus
from tenants.errors import TenantNotFound
from tenants.models import Tenant, TenantStatus
from tenants.scope import tenant_scope
from tenants.selectors import get_tenant_by_name
from tenants.services import create_tenant

_FINISHED = (JobStatus.SUCCEEDED, JobStatus.FAILED)


@dataclass(frozen=True, slots=True)
class Work:
    """How far the analyses of some documents are, and what one of them is at."""

    finished: int
    of: int
    at: str = ""

    @property
    def is_open(self) -> bool:
        """Whether something is still to be done."""
        return self.finished < self.of


def find_or_create_tenant(name: str, *, owner: uuid.UUID) -> Tenant:
    """Return the tenant of this name; if there is none, one whose provisioning is enqueued."""
    try:
        return get_tenant_by_name(name)
    except TenantNotFound:
        return create_tenant(name=name, members=[owner])


def count_active(tenants: Iterable[Tenant]) -> int:
    """How many of the tenants can take documents now."""
    found = (get_tenant_by_name(str(tenant.id)).status for tenant in tenants)
    return sum(status == TenantStatus.ACTIVE for status in found)


def import_sample(tenant: Tenant, path: Path) -> StoredDocument:
    """Take one file in, as `import_documents` does."""
    return import_file(tenant_id=tenant.id, file=FolderFile(path))


def look_at_work(documents: Mapping[uuid.UUID, Iterable[uuid.UUID]]) -> Work:
    """See how far the newest analysis of each document is; keys are tenants, values their documents."""
    finished = of = 0
    at = ""
    for tenant_id, document_ids in documents.items():
        with tenant_scope(tenant_id):
            for job in _newest_analyses(tenant_id, document_ids).values():
                of += 1
                finished += job.status in _FINISHED
                if job.status == JobStatus.PROCESSING and not at:
                    at = _words_on(job)
    return Work(finished, of, at)


def outcome_of(tenant: Tenant, sample: Sample, stored: StoredDocument) -> Outcome:
    """Say what the archive holds of a sample now, at this import or an earlier one."""
    with tenant_scope(tenant.id):
        document = Document.objects.get(tenant_id=tenant.id, id=stored.document_id)
        version = DocumentVersion.objects.get(tenant_id=tenant.id, id=stored.version_id)
        if version.filename != sample.filename:
            # The same bytes lie there under the name under which they came first.
            return Outcome(Status.DUPLICATE, title=f"= {version.filename}")
        pages = list(
            PageText.objects.filter(tenant_id=tenant.id, version_id=version.id)
            .order_by("page")
            .values_list("text", "source")
        )
        status = find_statuses(tenant.id, [document.id])[document.id]
        job = _newest_analyses(tenant.id, [document.id]).get(document.id)
    return Outcome(
        status=status,
        pages=version.pages,
        text_source=text_source_of({source for _, source in pages}),
        issued=document.issued_at,
        title=document.title,
        text="\n".join(text for text, _ in pages),
        reason=job.error_message if job is not None and status == ProcessingStatus.FAILED else "",
        seconds=_seconds(job),
    )


def _newest_analyses(tenant_id: uuid.UUID, document_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, Job]:
    jobs = Job.objects.filter(
        tenant_id=tenant_id, document_id__in=list(document_ids), type="analyze-document"
    )
    return {job.document_id: job for job in jobs.order_by("id") if job.document_id is not None}


def _seconds(job: Job | None) -> float | None:
    if job is None or job.started_at is None or job.finished_at is None:
        return None
    return (job.finished_at - job.started_at).total_seconds()


def _words_on(job: Job) -> str:
    if job.progress_total > 1:
        return f"page {min(job.progress_done + 1, job.progress_total)} of {job.progress_total}"
    return ""
