"""What the workflows of a tenant would do to a document that is there: a dry run, and nothing is changed."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from documents.errors import DocumentNotFound
from documents.filing import FilingState, LabelKind
from documents.models import Document, Label, PageText, Workflow
from documents.selectors import find_newest_versions
from documents.services.filing_knowledge import read_filed
from documents.services.workflow_runs import make_flow
from documents.services.workflows import parse_definition
from documents.workflows import ActionResult, Facts, Flow, run_flows
from tenants.access import Access, requires
from tenants.scope import tenant_scope


@dataclass(frozen=True)
class PreviewedFlow:
    """What one workflow would do. `unmet` names the condition that does not hold; empty: it would run."""

    workflow_id: uuid.UUID
    name: str
    enabled: bool
    unmet: str = ""
    actions: tuple[ActionResult, ...] = ()


@requires("workflows:read")
def preview_workflows(*, access: Access, document_id: uuid.UUID) -> Sequence[PreviewedFlow]:
    """Say what each workflow would do to a document as it is now, switched on or not, by itself.

    Labels are named in what the actions say. Raises `DocumentNotFound`.
    """
    with tenant_scope(access.tenant_id):
        facts = _facts(access.tenant_id, document_id)
        names = _names(access.tenant_id)
        rows = list(Workflow.objects.filter(tenant_id=access.tenant_id).order_by("position", "key"))
        flows = [(row, make_flow(row)) for row in rows]
    previews = []
    for row, flow in flows:
        if flow is None:
            previews.append(PreviewedFlow(row.pk, row.name, row.enabled, "a label or class of it is gone"))
            continue
        unmet, actions = _run(flow, facts, names)
        previews.append(PreviewedFlow(row.pk, row.name, row.enabled, unmet, actions))
    return previews


@requires("workflows:read")
def try_workflow(
    *, access: Access, document_id: uuid.UUID, conditions: Any, actions: Any
) -> tuple[str, tuple[ActionResult, ...]]:
    """Say what a workflow that nobody has made yet would do to a document: what is unmet, else its actions.

    Raises `BadWorkflowDefinition`, `DocumentNotFound`.
    """
    with tenant_scope(access.tenant_id):
        facts = _facts(access.tenant_id, document_id)
        parsed = parse_definition(access.tenant_id, conditions, actions)
        names = _names(access.tenant_id)
    return _run(Flow.make(uuid.UUID(int=0), "", *parsed), facts, names)


def _run(flow: Flow, facts: Facts, names: Mapping[str, str]) -> tuple[str, tuple[ActionResult, ...]]:
    _, (result,) = run_flows([flow], facts)
    actions = tuple(
        ActionResult(each.do, " ".join(names.get(word, word) for word in each.what.split(" ")), each.changed)
        for each in result.actions
    )
    return result.unmet, actions


def _names(tenant_id: uuid.UUID) -> dict[str, str]:
    """Return the names of all labels by their ids."""
    rows = Label.objects.filter(tenant_id=tenant_id).values_list("pk", "name")
    return {str(pk): name for pk, name in rows}


def _facts(tenant_id: uuid.UUID, document_id: uuid.UUID) -> Facts:
    document = Document.objects.filter(tenant_id=tenant_id, pk=document_id, purging_at=None).first()
    version = find_newest_versions(tenant_id, [document_id]).get(document_id)
    if document is None or version is None:
        raise DocumentNotFound
    pages = PageText.objects.filter(tenant_id=tenant_id, version_id=version.pk).order_by("page")
    rows = read_filed(tenant_id, [document_id]).get(document_id, ())
    return Facts(
        source=str(document.source),
        filename=version.filename,
        media_type=version.media_type,
        text="\f".join(pages.values_list("text", flat=True)),
        issued=document.issued_at,
        labels={
            kind: frozenset(row.label for row in rows if row.kind is kind and row.state is FilingState.FILED)
            for kind in LabelKind
        },
    )
