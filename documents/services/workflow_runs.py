"""What an analysis reads of workflows before it begins, and writes of their effects when it ends."""

import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import structlog

from documents.errors import BadWorkflowDefinition, UnknownRetentionClass
from documents.filing import FilingState, LabelKind, Proposal, SetBy
from documents.models import Document, Filing, Note, StepResult, Workflow, WorkflowRun
from documents.models.reading import StepOutcome
from documents.pipeline import WORKFLOWS
from documents.pipeline.work import Findings, GivenFlows
from documents.services.filing import lock_labels
from documents.services.retention import find_class
from documents.services.workflows import parse_definition
from documents.workflows import ActionResult, Flow, FlowResult
from jobs.services import enqueue_job

log = structlog.get_logger("archiv.documents")

WEBHOOK = "deliver-webhook"


def load_flows(document: Document, version_id: uuid.UUID, *, again: bool) -> GivenFlows | None:
    """Return the workflows that are to be run on a document; None if their time is over.

    That is once, after the first reading that succeeds, and later only when asked for (`again`), and then
    those that have not been run on it. Needs the tenant's scope.
    """
    tenant_id = document.tenant_id
    if not again and document.analyzed_by is not None:
        steps = StepResult.objects.filter(tenant_id=tenant_id, version_id=version_id, step=WORKFLOWS)
        if not steps.filter(outcome=StepOutcome.FAILED).exists():
            return None
    rows = Workflow.objects.filter(tenant_id=tenant_id, enabled=True).order_by("position", "key")
    runs = WorkflowRun.objects.filter(tenant_id=tenant_id, document_id=document.pk)
    flows = [make_flow(row) for row in rows.exclude(pk__in=list(runs.values_list("workflow_id", flat=True)))]
    return GivenFlows(
        flows=tuple(flow for flow in flows if flow is not None),
        source=str(document.source),
        issued=document.issued_at,
    )


def make_flow(row: Workflow) -> Flow | None:
    """Return a workflow ready to be run; None if a label or class of it is gone. Needs the scope."""
    try:
        conditions, actions = parse_definition(row.tenant_id, row.conditions, row.actions)
    except BadWorkflowDefinition as error:  # a label or a class of it is gone: its page says so
        log.warning("workflow.broken", workflow=str(row.pk), reason=str(error))
        return None
    return Flow.make(row.pk, row.name, conditions, actions)


def flow_proposals(findings: Findings) -> tuple[Proposal, ...]:
    """Return all proposals for a document: those of workflows first, without the tags they take away."""
    effects = findings.effects
    if effects is None:
        return findings.proposals
    added = [Proposal(label, kind, SetBy.WORKFLOW) for label, kind in effects.added.items()]
    kept = [each for each in findings.proposals if each.label not in effects.removed]
    return (*added, *kept)


def write_removals(document: Document, findings: Findings) -> None:
    """Take away the tags that workflows want gone, and keep rules from bringing them back."""
    if findings.effects is None or not findings.effects.removed:
        return
    tenant_id, removed = document.tenant_id, findings.effects.removed
    rows = Filing.objects.filter(tenant_id=tenant_id, document_id=document.pk, kind=LabelKind.TAG)
    of_these = rows.filter(label_id__in=removed)
    of_these.exclude(set_by=SetBy.PERSON).update(state=FilingState.REMOVED, set_by=SetBy.WORKFLOW)
    known = set(of_these.values_list("label_id", flat=True))
    wanted = {proposal.label for proposal in findings.proposals if proposal.label in removed} - known
    Filing.objects.bulk_create(
        Filing(
            tenant_id=tenant_id,
            document_id=document.pk,
            label_id=label_id,
            kind=LabelKind.TAG,
            state=FilingState.REMOVED,
            set_by=SetBy.WORKFLOW,
        )
        for label_id in lock_labels(tenant_id, wanted)
    )


def set_class(document: Document, findings: Findings) -> None:
    """Give a document without a class, or in the tenant's default, the one that workflows want."""
    wanted = findings.effects.retention_class if findings.effects is not None else ""
    if not wanted:
        return
    current = document.retention_class
    if current is not None and not current.is_default:
        return  # a person has chosen it while the document waited
    with suppress(UnknownRetentionClass):  # its run says so
        document.retention_class = find_class(document.tenant_id, wanted)


@dataclass(frozen=True)
class _Now:
    """What is true of a document once everything else has been written."""

    document: Document
    filed: frozenset[str]


def write_runs(document: Document, job_id: int, findings: Findings) -> None:
    """Record the runs, leave the notes, queue the webhooks. After everything else of the document."""
    if findings.effects is None:
        return
    tenant_id = document.tenant_id
    filed = Filing.objects.filter(tenant_id=tenant_id, document_id=document.pk, state=FilingState.FILED)
    now = _Now(document, frozenset(str(label) for label in filed.values_list("label_id", flat=True)))
    alive = set(Workflow.objects.filter(tenant_id=tenant_id).values_list("pk", flat=True))
    for result in findings.flow_results:
        if result.unmet or result.flow.id not in alive:
            continue
        run, created = WorkflowRun.objects.get_or_create(
            tenant_id=tenant_id,
            document_id=document.pk,
            workflow_id=result.flow.id,
            defaults={"job_id": job_id, "results": _results(result, now)},
        )
        if created:
            _leave(document, run, result)


def _leave(document: Document, run: WorkflowRun, result: FlowResult) -> None:
    for number, action in enumerate(result.actions):
        if action.do == "add_note":
            Note.objects.create(
                tenant_id=document.tenant_id,
                document_id=document.pk,
                text=action.what,
                written_by=f"workflow:{result.flow.id}",
            )
        elif action.do == "call_webhook":
            enqueue_job(
                tenant_id=document.tenant_id,
                type=WEBHOOK,
                payload={"run_id": run.pk, "action": number},
                document_id=document.pk,
            )


def _results(result: FlowResult, now: _Now) -> list[dict[str, Any]]:
    return [
        {"do": action.do, "what": action.what, "outcome": outcome, "message": message}
        for action, (outcome, message) in ((each, _outcome(each, now)) for each in result.actions)
    ]


def _outcome(action: ActionResult, now: _Now) -> tuple[str, str]:
    labels = action.what.split()
    match action.do:
        case "call_webhook":
            return "queued", ""
        case "add_note":
            return "done", ""
        case "set_title":
            if now.document.title_manually_set:
                return "left", "a person has set the title"
            return "done", ""
        case "set_retention_class":
            held = now.document.retention_class
            if held is not None and held.name == action.what:
                return "done", ""
            return "left", "a person has chosen the class, or there is none of this name"
        case "remove_tags":
            kept = [label for label in labels if label in now.filed]
            return ("left", "a person has set them") if kept else ("done", "")
        case _:
            missing = [label for label in labels if label not in now.filed]
            return ("left", "a person has decided otherwise") if missing else ("done", "")
