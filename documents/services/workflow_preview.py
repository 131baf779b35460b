"""What the workflows of a tenant would do to a document that is there: a dry run, and nothing is changed."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from documents.errors import DocumentNotFound
from documents.filing import FilingState, LabelKind
from documents.models import Document, Label, PageText, Workflow
from documents.selectors import find_newest_versions
from documents.services.filing_knowledge import read_filed
from documents.services.workflow_runs import make_flow
from documents.workflows import ActionResult, Facts, run_flows
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
        names = {
            str(pk): name
            for pk, name in Label.objects.filter(tenant_id=access.tenant_id).values_list("pk", "name")
        }
        rows = list(Workflow.objects.filter(tenant_id=access.tenant_id).order_by("position", "key"))
        flows = [(row, make_flow(row)) for row in rows]
    previews = []
    for row, flow in flows:
        if flow is None:
            previews.append(PreviewedFlow(row.pk, row.name, row.enabled, "a label or class of it is gone"))
            continue
        _, (result,) = run_flows([flow], facts)
        actions = tuple(
            ActionResult(
                each.do, " ".join(names.get(word, word) for word in each.what.split(" ")), each.changed
            )
            for each in result.actions
        )
        previews.append(PreviewedFlow(row.pk, row.name, row.enabled, result.unmet, actions))
    return previews


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
