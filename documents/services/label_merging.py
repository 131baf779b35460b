"""Merging labels of one kind, and saying before what that would do."""

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef

from documents.errors import LabelNotFound
from documents.filing import FilingState, LabelKind
from documents.models import Filing, Label, MatchingRule, Workflow
from documents.services.changes import lock_active_tenant
from documents.services.labels import (
    drop_label,
    get_label,
    label_not_found,
    lock_some,
    record_label,
    requires_of_kind,
)
from documents.services.learning import learn_documents
from tenants.access import Access
from tenants.scope import tenant_scope


@dataclass(frozen=True)
class LabelUse:
    """How many documents are filed under a label, and how many rules and workflows name it."""

    id: uuid.UUID
    name: str
    documents: int
    rules: int
    workflows: int


@requires_of_kind("read")
def preview_merge(*, access: Access, kind: LabelKind, label_ids: Iterable[uuid.UUID]) -> Sequence[LabelUse]:
    """Return how each of these labels is used, the most used first; nothing is changed.

    Raises `LabelNotFound`.
    """
    tenant_id, ids = access.tenant_id, list(dict.fromkeys(label_ids))
    with tenant_scope(tenant_id):
        labels = [get_label(tenant_id, kind, label_id) for label_id in ids]
        filed = Filing.objects.filter(tenant_id=tenant_id, label_id__in=ids, state=FilingState.FILED)
        rules = MatchingRule.objects.filter(tenant_id=tenant_id, label_id__in=ids)
        documents, ruled = (
            dict(rows.values_list("label_id").annotate(number=Count("pk"))) for rows in (filed, rules)
        )
        flows = [_as_text(row) for row in Workflow.objects.filter(tenant_id=tenant_id)]
    uses = [
        LabelUse(
            id=label.pk,
            name=label.name,
            documents=documents.get(label.pk, 0),
            rules=ruled.get(label.pk, 0),
            workflows=sum(str(label.pk) in text for text in flows),
        )
        for label in labels
    ]
    return sorted(uses, key=lambda use: (-use.documents, use.name))


@requires_of_kind("write")
def merge_labels(*, access: Access, kind: LabelKind, label_id: uuid.UUID, into_id: uuid.UUID) -> int:
    """Let another label of the same kind take the place of this one: in documents, rules and workflows.

    This one goes. Returns how many documents had it. One transaction a batch. Raises `LabelNotFound`,
    `TenantNotActive`, `TenantNotFound`.
    """
    if label_id == into_id:
        raise LabelNotFound("A label cannot be merged into itself: choose another one.")
    documents = 0
    while True:
        with tenant_scope(access.tenant_id):
            lock_active_tenant(access.tenant_id)
            get_label(access.tenant_id, kind, into_id)
            batch = lock_some(access.tenant_id, label_id)
            documents += _move(access.tenant_id, batch, label_id, into_id)
            learn_documents(access.tenant_id, batch, kinds=[kind])
            if batch:
                continue
            label = _lock_both(access.tenant_id, kind, label_id, into_id)
            if Filing.objects.filter(tenant_id=access.tenant_id, label_id=label_id).exists():
                continue  # somebody filed under it meanwhile; nobody can any more
            MatchingRule.objects.filter(tenant_id=access.tenant_id, label_id=label_id).update(
                label_id=into_id
            )
            _rename_in_workflows(access.tenant_id, label_id, into_id)
            drop_label(label)
            record_label("label.merged", label, into=str(into_id), documents=documents)
            return documents


def _lock_both(tenant_id: uuid.UUID, kind: LabelKind, label_id: uuid.UUID, into_id: uuid.UUID) -> Label:
    """Lock two labels, by id and in one statement, and return the first. Raises `LabelNotFound`.

    One by one, how many statements it takes until one is missed would depend on which id is the lower.
    """
    rows = Label.objects.select_for_update(of=("self",)).filter(tenant_id=tenant_id, kind=kind)
    found = {label.pk: label for label in rows.filter(pk__in=(label_id, into_id)).order_by("pk")}
    for each in (label_id, into_id):
        if each not in found:
            raise label_not_found(kind, each)
    return found[label_id]


def _move(
    tenant_id: uuid.UUID, document_ids: list[uuid.UUID], label_id: uuid.UUID, into_id: uuid.UUID
) -> int:
    """Let documents stand to the other label as they stand to this; who has both keeps what says more."""
    rows = Filing.objects.filter(tenant_id=tenant_id, document_id__in=document_ids)
    old, new = rows.filter(label_id=label_id), rows.filter(label_id=into_id)
    moved = old.filter(state=FilingState.FILED).count()
    twin = Filing.objects.filter(tenant_id=tenant_id, document_id=OuterRef("document_id"))
    new.exclude(state=FilingState.FILED).filter(
        Exists(twin.filter(label_id=label_id, state=FilingState.FILED))
    ).delete()
    old.filter(~Exists(twin.filter(label_id=into_id))).update(label_id=into_id)
    old.delete()
    return moved


def _rename_in_workflows(tenant_id: uuid.UUID, label_id: uuid.UUID, into_id: uuid.UUID) -> None:
    """Have workflows name the other label, so that none is passed by because this one is gone."""
    for row in Workflow.objects.select_for_update(of=("self",)).filter(tenant_id=tenant_id).order_by("pk"):
        text = _as_text(row)
        if str(label_id) in text:
            row.conditions, row.actions = json.loads(text.replace(str(label_id), str(into_id)))
            row.save(update_fields=["conditions", "actions"])


def _as_text(row: Workflow) -> str:
    return json.dumps([row.conditions, row.actions])
