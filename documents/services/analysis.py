"""What an analysis reads from the database before it begins, keeps on the way, and writes when it ends.

`write_analysis` runs inside `finishing()` or `failing()` of its job, whose lease is proved by then.
"""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.db.models.functions import Now

from documents.filenames import clean_text
from documents.filing import FilingState, decide
from documents.models import (
    Asset,
    Document,
    DocumentVersion,
    FilingSettings,
    PageCheckpoint,
    PageText,
    StepResult,
)
from documents.models.document import IssuedSource
from documents.models.reading import StepOutcome
from documents.pipeline import FILING, INDEX, WORKFLOWS, Findings, Page, Reading, Subject
from documents.pipeline.run import MAX_MESSAGE, Recorded
from documents.pipeline.work import GivenFlows, Picture
from documents.search.base import Entry
from documents.search.engine import get_search
from documents.services.assets import write_asset
from documents.services.attachments import Arrived, write_attachments
from documents.services.changes import record_document
from documents.services.facts import with_kept_facts, write_facts
from documents.services.filing_changes import write_changes
from documents.services.filing_knowledge import read_filed
from documents.services.learning import learn_late
from documents.services.naming import get_naming, name_document
from documents.services.retention import extend_retention
from documents.services.rules import stop_rules
from documents.services.workflow_runs import flow_proposals, load_flows, set_class, write_removals, write_runs
from documents.vault import Staged, get_vault
from tenants.models import Tenant
from tenants.scope import tenant_scope

#: The step that says whether the file could be read.
READ = "read"


@dataclass(frozen=True)
class Loaded:
    """What is known of a version when its analysis begins.

    `kept` are pages that an earlier attempt of the same job has read. `before` is what a former analysis has
    read of the whole file, where that is enough: then the file is not read again.
    """

    subject: Subject
    vault_path: str
    content_hash: str
    kept: tuple[Page, ...] = ()
    before: Reading | None = None
    flows: GivenFlows | None = None
    #: Whether the tenant has searchable PDFs made of all its scans.
    searchable_pdfs: bool = False


def load_analysis(
    *,
    tenant_id: uuid.UUID,
    version_id: uuid.UUID,
    job_id: int,
    force: bool,
    partly: bool = False,
    rerun: bool = False,
) -> Loaded | None:
    """Return what an analysis needs, in one scoped read; None if the document is gone or being purged.

    Without `force`, a file that was read before is not read again; `partly`, also one that could not be.
    `rerun` brings workflows that have not been run on the document though their time is over.
    """
    with tenant_scope(tenant_id):
        version = (
            DocumentVersion.objects.filter(tenant_id=tenant_id, pk=version_id, document__purging_at=None)
            .select_related("document")
            .first()
        )
        if version is None:
            return None
        tenant = Tenant.objects.get(pk=tenant_id)
        naming = get_naming(tenant_id)
        subject = Subject(
            tenant_id=tenant_id,
            document_id=version.document_id,
            version_id=version.id,
            filename=version.filename,
            media_type=version.media_type,
            size=version.size,
            languages=tuple(tenant.languages),
            today=datetime.now(ZoneInfo(tenant.timezone)).date(),
            title_template=version.document.workflow_title or naming.title_template,
            date_order=naming.date_order,
            filename_order=naming.filename_order,
        )
        flows = load_flows(version.document, version.pk, again=rerun)
        loaded = Loaded(
            subject,
            version.vault_path,
            version.content_hash,
            flows=flows,
            searchable_pdfs=naming.searchable_pdfs,
        )
        steps = StepResult.objects.filter(tenant_id=tenant_id, version_id=version_id)
        ended = steps.filter(step=READ).values_list("outcome", flat=True).first()
        if not force and ended is not None and (partly or ended != StepOutcome.FAILED):
            before = Reading(pages=_pages(_texts(subject).order_by("page")))
            before = with_kept_facts(before, tenant_id=tenant_id, version_id=version_id)
            return replace(loaded, before=before)
        checkpoints = PageCheckpoint.objects.filter(tenant_id=tenant_id, job_id=job_id).order_by("page")
        return replace(loaded, kept=_pages(checkpoints))


def keep_pages(*, tenant_id: uuid.UUID, job_id: int, pages: Sequence[Page]) -> None:
    """Keep pages for a later attempt of the same job, in the checkpoint that is open."""
    PageCheckpoint.objects.bulk_create(
        PageCheckpoint(
            tenant_id=tenant_id,
            job_id=job_id,
            page=page.number,
            text=page.text,
            source=page.source,
            confidence=page.confidence,
            boxes=page.boxes or None,
        )
        for page in pages
    )


@contextmanager
def staged_picture(picture: Picture | None) -> Iterator[Staged | None]:
    """Lay a picture into staging, for `write_analysis` to move; it goes again if it was not moved."""
    if picture is None:
        yield None
        return
    with get_vault().stage() as staged:
        staged.write(picture.data)
        staged.seal()
        yield staged


def write_analysis(
    *,
    subject: Subject,
    job_id: int,
    reading: Reading,
    findings: Findings,
    steps: Sequence[Recorded],
    staged: Staged | None,
    arrived: Sequence[Arrived] = (),
) -> bool:
    """Write everything an analysis found; False, and nothing is written, if a newer one has been here.

    What a person has set stays, and so does what a former analysis has read where this one could not. Needs
    the transaction that ends the job.
    """
    document = _lock_document(subject, job_id)
    if document is None:
        return False
    if reading.failure and _texts(subject).exists():
        _write_steps(subject, job_id, [step for step in steps if step.name == READ])
        _save(document, job_id)
        return True
    version = DocumentVersion.objects.get(tenant_id=subject.tenant_id, pk=subject.version_id)
    _write_pages(subject, job_id, reading)
    if reading.page_count is not None:
        version.pages = reading.page_count
    if reading.media_type:
        version.media_type = reading.media_type
    version.save(update_fields=["pages", "media_type"])
    if staged is not None and findings.thumbnail is not None:
        write_asset(
            tenant_id=subject.tenant_id,
            version_id=subject.version_id,
            kind=Asset.THUMBNAIL,
            job_id=job_id,
            media_type=findings.thumbnail.media_type,
            staged=staged,
            width=findings.thumbnail.width,
            height=findings.thumbnail.height,
        )
    write_facts(tenant_id=subject.tenant_id, version_id=subject.version_id, reading=reading)
    _apply(document, subject, findings, steps)
    _save(document, job_id)
    zone = ZoneInfo(Tenant.objects.get(pk=subject.tenant_id).timezone) if arrived else ZoneInfo("UTC")
    attachments = write_attachments(mail=document, zone=zone, arrived=arrived)
    steps = [_with_words(step, attachments.words) for step in steps]
    _write_steps(subject, job_id, [_index(document, version, findings, step) for step in steps])
    _write_filing(document, job_id, findings, steps)
    for stored in attachments.stored:
        record_document("document.stored", stored.document, hash=stored.content_hash, size=stored.size)
    return True


def _with_words(step: Recorded, words: str) -> Recorded:
    """Say what became of attachments where it is said what was read."""
    if step.name != READ or not words:
        return step
    return replace(step, message=clean_text("; ".join(filter(None, (step.message, words))), most=MAX_MESSAGE))


def write_again(*, subject: Subject, job_id: int, findings: Findings, steps: Sequence[Recorded]) -> bool:
    """Write what some steps found in what was read before; False if a newer analysis has been here.

    The index is brought up to date with the document as it is then. Needs the transaction that ends the job.
    """
    document = _lock_document(subject, job_id)
    if document is None:
        return False
    version = DocumentVersion.objects.get(tenant_id=subject.tenant_id, pk=subject.version_id)
    _apply(document, subject, findings, steps)
    _save(document, job_id)
    _write_steps(subject, job_id, [_index(document, version, findings, step) for step in steps])
    _write_filing(document, job_id, findings, steps)
    return True


def _apply(document: Document, subject: Subject, findings: Findings, steps: Sequence[Recorded]) -> None:
    """Give the document what the steps found, but nothing in place of what a person has set.

    A step that did not run, or failed, leaves alone what was found before.
    """
    ended = {step.name for step in steps if step.outcome != StepOutcome.FAILED}
    if "issued" in ended:
        document.issued_candidates = findings.issued_candidates
        if document.issued_source == IssuedSource.MANUAL:
            document.issued_doubt = ""
        else:
            document.issued_at, document.issued_source = findings.issued, findings.issued_source
            document.issued_doubt = findings.issued_doubt
    if findings.effects is not None and findings.effects.title_template:
        document.workflow_title = findings.effects.title_template
    if "title" in ended and findings.title and not document.title_manually_set:
        # Here and not in the step: a person may have set the date or the correspondent meanwhile.
        template = document.workflow_title or subject.title_template
        document.title = name_document(document, findings, template=template)
    set_class(document, findings)
    if document.retention_class_id is not None:
        tenant = Tenant.objects.get(pk=document.tenant_id)
        extend_retention(document, zone=ZoneInfo(tenant.timezone))


def _lock_document(subject: Subject, job_id: int) -> Document | None:
    """Lock the row, so that what an editor sets meanwhile is seen, and what is seen stays."""
    documents = Document.objects.select_for_update(no_key=True)
    document = documents.filter(tenant_id=subject.tenant_id, pk=subject.document_id, purging_at=None).first()
    if document is None or (document.analyzed_by or 0) > job_id:
        return None
    return document


def _write_filing(document: Document, job_id: int, findings: Findings, steps: Sequence[Recorded]) -> None:
    """File the document by what is true now. Last, because what is said of stopped rules is audited."""
    ended = {step.name for step in steps if step.outcome != StepOutcome.FAILED}
    if not ended & {FILING, WORKFLOWS}:
        return
    tenant_id, document_id = document.tenant_id, document.pk
    filed = read_filed(tenant_id, [document_id]).get(document_id, ())
    proposals = flow_proposals(findings)
    if proposals or (filed and FILING in ended):
        settings = FilingSettings.objects.filter(tenant_id=tenant_id).first()
        above = settings.apply_above if settings is not None else None
        # Without a look at what speaks for suggestions, those that are there stay.
        known = filed if FILING in ended else [row for row in filed if row.state != FilingState.SUGGESTED]
        write_changes(tenant_id, {document_id: decide(known, proposals, apply_above=above)})
    write_removals(document, findings)
    write_runs(document, job_id, findings)
    learn_late(tenant_id, document_id)
    stop_rules(tenant_id, findings.stopped)


def _save(document: Document, job_id: int) -> None:
    document.analyzed_by = job_id
    document.updated_at = Now()
    document.save(
        update_fields=[
            "title",
            "workflow_title",
            "issued_at",
            "issued_source",
            "issued_doubt",
            "issued_candidates",
            "retention_class",
            "retain_until",
            "analyzed_by",
            "updated_at",
        ]
    )


def _write_pages(subject: Subject, job_id: int, reading: Reading) -> None:
    _texts(subject).delete()
    PageText.objects.bulk_create(
        PageText(
            tenant_id=subject.tenant_id,
            version_id=subject.version_id,
            page=page.number,
            text=page.text,
            source=page.source,
            confidence=page.confidence,
            boxes=page.boxes or None,
        )
        for page in reading.pages
    )
    PageCheckpoint.objects.filter(tenant_id=subject.tenant_id, job_id=job_id).delete()


def _write_steps(subject: Subject, job_id: int, steps: Sequence[Recorded]) -> None:
    names = [step.name for step in steps]
    StepResult.objects.filter(
        tenant_id=subject.tenant_id, version_id=subject.version_id, step__in=names
    ).delete()
    StepResult.objects.bulk_create(
        StepResult(
            tenant_id=subject.tenant_id,
            version_id=subject.version_id,
            job_id=job_id,
            step=step.name,
            outcome=step.outcome,
            seconds=step.seconds,
            message=step.message,
        )
        for step in steps
    )


def _index(document: Document, version: DocumentVersion, findings: Findings, step: Recorded) -> Recorded:
    """Write the words when their step comes by; what did not fit is said there."""
    if step.name != INDEX:
        return step
    if document.trashed_at is not None:  # nobody finds it there; restoring it queues another analysis
        return replace(step, outcome=StepOutcome.SKIPPED, message="in the trash")
    indexed = get_search().upsert(_entry(document, version, findings.words))
    if indexed.words == indexed.of:
        return step
    return replace(step, message=f"the first {indexed.words} of {indexed.of} words; the rest as parts only")


def _entry(document: Document, version: DocumentVersion, words: str) -> Entry:
    return Entry(
        tenant_id=document.tenant_id,
        document_id=document.id,
        title=document.title,
        filename=version.filename,
        words=words,
        issued_at=document.issued_at,
    )


def _texts(subject: Subject) -> QuerySet[PageText]:
    return PageText.objects.filter(tenant_id=subject.tenant_id, version_id=subject.version_id)


def _pages(rows: Iterable[PageText] | Iterable[PageCheckpoint]) -> tuple[Page, ...]:
    return tuple(
        Page(row.page, row.text, row.source, row.confidence, bytes(row.boxes or b"")) for row in rows
    )
