"""What jobs do with documents: `analyze-document`, `purge-document`, `verify-archive`."""

import uuid
from collections.abc import Sequence
from dataclasses import replace

import structlog
from django.conf import settings

from documents.errors import DocumentKept, FileDamaged, FileMissing, SearchUnreachable
from documents.filing import Knowledge
from documents.models import Asset
from documents.pipeline import INDEX, STEPS, TITLE, WORKFLOWS, Page, Reading, Subject, Work, run_steps
from documents.pipeline.reader import read_original
from documents.readers import reader_environment
from documents.reading.client import TEMPLATE
from documents.reading.errors import LimitExceeded, ReaderCrashed, ReadError, ReaderUnavailable
from documents.search.engine import get_quickwit
from documents.search.quickwit.backend import INDEX_DOCUMENT
from documents.services.analysis import (
    Loaded,
    keep_pages,
    load_analysis,
    staged_picture,
    write_again,
    write_analysis,
)
from documents.services.attachments import AttachmentBox, attachment_box
from documents.services.bulk_operations import CHANGE, change_part
from documents.services.filing_knowledge import load_knowledge
from documents.services.indexing import load_waiting, note_sent, send_waiting
from documents.services.purge import PURGE, begin_purge, finish_purge, record_refusal, remove_files
from documents.services.searchable import (
    SEARCHABLE_PDF,
    load_scanned,
    made_searchable,
    queue_searchable,
    write_searchable,
)
from documents.services.vault_checks import VERIFY, keep_asset_hashes, keep_check
from documents.services.verify import Share, verify_files
from documents.services.webhooks import load_call, make_call, record_call
from documents.services.workflow_runs import WEBHOOK
from documents.vault import get_vault
from documents.webhooks import CallFailed, CallRefused
from jobs.errors import GiveUp, Outage
from jobs.failpoints import failpoint
from jobs.models import FailureKind, Lane, Operation
from jobs.operations import find_open
from jobs.registry import JobContext, register_template
from tenants.audit import Actor, acting_as
from tenants.scope import tenant_handler, tenant_scope

log = structlog.get_logger("archiv.documents")
READER = "reader"
#: Seconds of one attempt: some hundred scanned pages, and the next attempt goes on behind them.
TIMEOUT = 1800.0
#: Seconds for laying words over the pages of a document.
SEARCHABLE_TIMEOUT = 600.0
#: Seconds for hashing a share of a large archive on a slow disk.
VERIFY_TIMEOUT = 6 * 3600.0

#: Seconds for copies of some documents to be taken in by the engine of search, and seen.
INDEX_TIMEOUT = 600.0

#: Seconds for changing a hundred documents, while others write to the same audit trail.
CHANGE_TIMEOUT = 600.0

#: Retries of a webhook: with growing pauses, some seventeen minutes.
WEBHOOK_RETRIES = 9

register_template(READER, TEMPLATE, environment=reader_environment())


@tenant_handler("analyze-document", timeout=TIMEOUT)
def analyze_document(context: JobContext) -> None:
    """Read a version of a document, and write what was found in it.

    A file that cannot be read ends the job as failed, with the reason and all that could be found out; the
    document stays, and is found by its title. Without `force`, what was read before is only indexed again,
    after the steps that `only` names.
    """
    payload = context.job.payload
    loaded = load_analysis(
        tenant_id=context.job.tenant_id,
        version_id=uuid.UUID(payload["document_version_id"]),
        job_id=context.job.id,
        force=bool(payload.get("force")),
        partly=bool(payload.get("only")),
        rerun=WORKFLOWS in payload.get("only", ()),
    )
    if loaded is None:
        log.info("analysis.document_gone", document=payload["document_id"])
    elif loaded.before is not None:
        _look_again(context, loaded, loaded.before, frozenset(payload.get("only", ())))
    else:
        _analyze(context, loaded)


@tenant_handler(CHANGE, timeout=CHANGE_TIMEOUT, lane=Lane.BULK)
def change_documents(context: JobContext) -> None:
    """Do one part of what was ordered for many documents, in the name of whoever ordered it.

    What was stopped meanwhile is left alone.
    """
    operation_id = uuid.UUID(context.job.payload["operation_id"])
    operation = find_open(id=operation_id, verb=Operation.Verb.CHANGE)
    if operation is None:
        log.info("change.stopped", operation=str(operation_id))
        return
    with acting_as(Actor(operation.actor, operation.origin)), context.finishing():
        change_part(
            tenant_id=context.job.tenant_id,
            operation=operation,
            document_ids=[uuid.UUID(one) for one in context.job.payload["document_ids"]],
        )


@tenant_handler(PURGE, timeout=600)
def purge_document(context: JobContext) -> None:
    """Remove a document for good: its files first, then, as the job finishes, its rows."""
    tenant_id, document_id = context.job.tenant_id, uuid.UUID(context.job.payload["document_id"])
    with acting_as(Actor("worker")):
        try:
            with context.checkpointing():
                places = begin_purge(tenant_id=tenant_id, document_id=document_id)
        except DocumentKept as error:
            with context.failing(GiveUp(str(error))):
                record_refusal(tenant_id=tenant_id, document_id=document_id)
            return
        if places is None:
            log.info("purge.document_gone", document=str(document_id))
            return
        failpoint("purge.begun")
        for prefix in places:
            removed = 1
            while removed:
                with context.checkpointing():
                    pass  # the lease is proved before every listing
                removed = remove_files(get_vault(), prefix)
        failpoint("purge.files")
        with context.finishing():
            finish_purge(tenant_id=tenant_id, document_id=document_id)


@tenant_handler(VERIFY, timeout=VERIFY_TIMEOUT, lane=Lane.BULK)
def verify_archive(context: JobContext) -> None:
    """Look at a share of a tenant's files, and keep what was found. A damaged file does not fail the job."""
    payload, tenant_id = context.job.payload, context.job.tenant_id

    def keep_hashes(assets: Sequence[Asset]) -> None:
        with context.checkpointing():
            keep_asset_hashes(tenant_id=tenant_id, assets=assets)

    verified = verify_files(
        tenant_id=tenant_id,
        keep_hashes=keep_hashes,
        share=Share(int(payload["share"]), int(payload["shares"])),
        progress=context.publish_progress,
    )
    if verified is None:
        return
    with acting_as(Actor("worker")), context.finishing():
        kept = keep_check(tenant_id=tenant_id, verified=verified)
    if verified.problems:
        log.error("vault.damaged", problems=len(verified.problems) + verified.more, new=kept.new)


@tenant_handler(WEBHOOK, timeout=120, max_retries=WEBHOOK_RETRIES)
def deliver_webhook(context: JobContext) -> None:
    """Tell another system of a document, as a workflow wants it; tried again while it does not answer."""
    job = context.job
    payload = job.payload
    call = load_call(tenant_id=job.tenant_id, run_id=int(payload["run_id"]), action=int(payload["action"]))
    if call is None:
        log.info("webhook.gone", run=payload["run_id"])
        return
    try:
        delivered = make_call(call)
    except (CallFailed, CallRefused) as error:
        if isinstance(error, CallFailed) and job.retry_count < WEBHOOK_RETRIES:
            raise
        # Nobody tries again: the run must not say "queued" for ever.
        with context.failing(GiveUp(str(error))):
            record_call(tenant_id=job.tenant_id, call=call, outcome="failed", message=str(error))
        return
    with context.finishing():
        words = f"{delivered.status} from {delivered.address}"
        record_call(tenant_id=job.tenant_id, call=call, outcome="delivered", message=words)


@tenant_handler(SEARCHABLE_PDF, timeout=SEARCHABLE_TIMEOUT, lane=Lane.BULK)
def make_searchable_pdf(context: JobContext) -> None:
    """Make the searchable PDF of a version, and keep it. What cannot be made fails at once, with words."""
    payload = context.job.payload
    scanned = load_scanned(
        tenant_id=context.job.tenant_id, version_id=uuid.UUID(payload["document_version_id"])
    )
    if scanned is None:
        log.info("searchable.nothing_to_do", document=payload["document_id"])
        return
    try:
        with (
            get_vault().open_verified(
                scanned.version.vault_path, content_hash=scanned.version.content_hash
            ) as original,
            made_searchable(context.template(READER), original, scanned) as (staged, obstacles),
            acting_as(Actor("worker")),
            context.finishing(),
        ):
            write_searchable(scanned=scanned, job_id=context.job.id, staged=staged)
    except ReaderUnavailable:
        raise
    except (ReadError, FileMissing, FileDamaged) as error:
        raise GiveUp(str(error)) from error
    log.info("searchable.made", document=payload["document_id"], obstacles=list(obstacles))


@tenant_handler(INDEX_DOCUMENT, timeout=INDEX_TIMEOUT)
def index_document(context: JobContext) -> None:
    """Make the engine agree with the database on documents, and on others that wait for the same.

    While the engine is away the job is tried again with growing pauses.
    """
    if not settings.ARCHIV_SEARCH_URL:
        log.info("index.no_engine")
        return
    tenant_id = context.job.tenant_id
    document_ids = [uuid.UUID(each) for each in context.job.payload["document_ids"]]
    waiting = load_waiting(tenant_id=tenant_id, document_ids=document_ids)
    try:
        send_waiting(tenant_id=tenant_id, engine=get_quickwit(settings.ARCHIV_SEARCH_URL), waiting=waiting)
    except SearchUnreachable as error:
        raise Outage(str(error)) from error
    with context.finishing():
        note_sent(tenant_id=tenant_id, waiting=waiting)


def _analyze(context: JobContext, loaded: Loaded) -> None:
    with acting_as(Actor("worker")), attachment_box() as box:
        reading, reason = _read(context, loaded, box)
        knowledge = _knowledge(loaded.subject, reading)
        work = Work(loaded.subject, reading, knowledge=knowledge, flows=loaded.flows)
        steps = run_steps(STEPS, work)
        with (
            staged_picture(work.findings.thumbnail) as staged,
            context.failing(reason) if reason else context.finishing(),
        ):
            written = write_analysis(
                subject=loaded.subject,
                job_id=context.job.id,
                reading=reading,
                findings=work.findings,
                steps=steps,
                staged=staged,
                arrived=box.arrived,
            )
            if written and loaded.searchable_pdfs and any(page.boxes for page in reading.pages):
                subject = loaded.subject
                queue_searchable(
                    tenant_id=subject.tenant_id,
                    document_id=subject.document_id,
                    version_id=subject.version_id,
                )
    if not written:
        log.info("analysis.superseded", document=str(loaded.subject.document_id))


def _look_again(context: JobContext, loaded: Loaded, before: Reading, only: frozenset[str]) -> None:
    """Run some steps on what was read before, and bring the index up to date. No reader is started."""
    subject = loaded.subject
    knowledge = _knowledge(subject, before) if only else None
    work = Work(subject, before, knowledge=knowledge, flows=loaded.flows)
    # A title by a template has the date in it, which may be what was edited; a workflow may bring a template.
    is_titled = subject.title_template or WORKFLOWS in only
    wanted = {INDEX, *((TITLE,) if is_titled else ())}
    steps = run_steps([step for step in STEPS if step.only in only or step.name in wanted], work)
    with context.finishing():
        written = write_again(subject=subject, job_id=context.job.id, findings=work.findings, steps=steps)
    if not written:
        log.info("analysis.superseded", document=str(subject.document_id))


def _knowledge(subject: Subject, reading: Reading) -> Knowledge:
    """Return what the tenant knows about filing a document with this text."""
    with tenant_scope(subject.tenant_id):
        return load_knowledge(
            subject.tenant_id, subject.document_id, text=reading.text, filename=subject.filename
        )


def _read(context: JobContext, loaded: Loaded, box: AttachmentBox) -> tuple[Reading, GiveUp | None]:
    """Read the original; the reason is there if trying again would not help."""

    def keep(pages: Sequence[Page]) -> None:
        with context.checkpointing():
            keep_pages(tenant_id=loaded.subject.tenant_id, job_id=context.job.id, pages=pages)

    try:
        original = get_vault().open_verified(loaded.vault_path, content_hash=loaded.content_hash)
    except (FileMissing, FileDamaged) as error:
        # Somebody has to look at the vault; the document tells them so, and a requeue reads it afterwards.
        reason = GiveUp(str(error))
        return Reading(pages=loaded.kept, failure=str(reason)), reason
    with original:
        reading, failure = read_original(
            context.template(READER),
            original,
            loaded.subject,
            kept=loaded.kept,
            keep=keep,
            progress=context.publish_progress,
            attach=lambda piece: box.take(piece.number, piece.name, piece.data, last=piece.last),
        )
    if failure is None:
        return reading, None
    reason = GiveUp(str(failure), kind=_kind(failure))
    return replace(reading, failure=str(reason)), reason


def _kind(failure: ReadError) -> str:
    if isinstance(failure, LimitExceeded):
        return FailureKind.LIMIT
    if isinstance(failure, ReaderCrashed):
        return FailureKind.CRASH
    return FailureKind.GAVE_UP
