"""What a webhook tells, and what is recorded of how it was taken."""

import json
import time
import uuid
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from documents.filing import FilingState, LabelKind
from documents.models import Filing, WorkflowRun
from documents.selectors import find_newest_versions
from documents.webhooks import Delivered, send, sign, signing_key
from tenants.scope import tenant_scope


@dataclass(frozen=True)
class Call:
    """One call that is to be made: where to, what it says, and the key that signs it."""

    run_id: int
    action: int
    url: str
    body: bytes
    key: str


def load_call(*, tenant_id: uuid.UUID, run_id: int, action: int) -> Call | None:
    """Return a call with what is known of the document now; None if the run or its document is gone."""
    with tenant_scope(tenant_id):
        rows = WorkflowRun.objects.select_related("document", "workflow")
        run = rows.filter(tenant_id=tenant_id, pk=run_id, document__purging_at=None).first()
        if run is None or action >= len(run.results):
            return None
        url = str(run.results[action]["what"])
        body = json.dumps(_message(run, action), ensure_ascii=False).encode()
        return Call(run.pk, action, url, body, workflow_key(tenant_id, run.workflow_id))


def workflow_key(tenant_id: uuid.UUID, workflow_id: uuid.UUID) -> str:
    """Return the key by which the calls of a workflow are signed; whoever is called needs it to check."""
    return signing_key(settings.SECRET_KEY, tenant_id=tenant_id, workflow_id=workflow_id)


def make_call(call: Call) -> Delivered:
    """Post it. Raises `CallFailed`, `CallRefused`. No transaction is open meanwhile."""
    now = int(time.time())
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "archiv",
        "X-Archiv-Delivery": f"{call.run_id}-{call.action}",
        "X-Archiv-Signature": sign(call.key, body=call.body, at=now),
    }
    return send(call.url, body=call.body, headers=headers, allowed=settings.ARCHIV_WEBHOOK_NETWORKS)


def record_call(*, tenant_id: uuid.UUID, call: Call, outcome: str, message: str) -> None:
    """Note with the run how a call ended. Needs the transaction that ends the job."""
    run = (
        WorkflowRun.objects.select_for_update(of=("self",))
        .filter(tenant_id=tenant_id, pk=call.run_id)
        .first()
    )
    if run is None:
        return
    run.results[call.action] |= {"outcome": outcome, "message": message[:300]}
    run.save(update_fields=["results"])


def _message(run: WorkflowRun, action: int) -> dict[str, Any]:
    document = run.document
    version = find_newest_versions(run.tenant_id, [document.pk]).get(document.pk)
    filed = Filing.objects.filter(
        tenant_id=run.tenant_id, document_id=document.pk, state=FilingState.FILED
    ).select_related("label")
    names: dict[str, list[str]] = {str(kind): [] for kind in LabelKind}
    for row in filed.order_by("label__key"):
        names[row.kind].append(row.label.name)
    return {
        "event": "document.uploaded",
        "delivery": f"{run.pk}-{action}",
        "tenant": str(run.tenant_id),
        "workflow": {"id": str(run.workflow_id), "name": run.workflow.name},
        "document": {
            "id": str(document.pk),
            "title": document.title,
            "issued": document.issued_at.isoformat() if document.issued_at else None,
            "source": document.source,
            "tags": names[LabelKind.TAG],
            "correspondent": next(iter(names[LabelKind.CORRESPONDENT]), None),
            "document_type": next(iter(names[LabelKind.DOCUMENT_TYPE]), None),
            "filename": version.filename if version else None,
            "sha256": version.content_hash if version else None,
        },
    }
