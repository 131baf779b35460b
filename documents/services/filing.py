"""What people do with documents and labels: file, take away, take a suggestion or refuse it.

What a person has decided stays: rules, suggestions and workflows pass by it.
"""

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import connection
from django.db.models.functions import Now

from documents.errors import BadFiling, LabelNotFound
from documents.filing import FilingState, LabelKind, SetBy
from documents.models import Document, Filing, FilingSettings
from documents.services.changes import (
    ChangeReport,
    Changes,
    in_batches,
    lock_active_tenant,
    lock_documents,
    record_document,
)
from documents.services.labels import change_revision
from documents.services.learning import learn_documents
from tenants.access import Access, requires
from tenants.audit import record
from tenants.scope import tenant_scope

#: Why a document was left alone that is as it was wanted.
ALREADY = "filed like this already"
#: Labels in one call.
MOST_LABELS = 200


@dataclass(frozen=True)
class LockedLabel:
    """A label that cannot go before the transaction ends."""

    id: uuid.UUID
    kind: LabelKind


@requires("documents:edit")
def file_documents(
    *,
    access: Access,
    document_ids: Iterable[uuid.UUID],
    add: Iterable[uuid.UUID] = (),
    remove: Iterable[uuid.UUID] = (),
    clear: Iterable[LabelKind] = (),
) -> ChangeReport:
    """File documents under labels of any kind, and take others away; both are a person's word from then on.

    A single label takes the place of the one that was there. Adding what is suggested takes the suggestion,
    removing it refuses it. `clear` takes away all labels of a kind. Documents in the trash count too. One
    transaction a batch. Raises `LabelNotFound`, `BadFiling`, `TenantNotActive`, `TenantNotFound`.
    """
    wanted, unwanted, cleared = set(add), set(remove) - set(add), frozenset(clear)
    if len(wanted) + len(unwanted) > MOST_LABELS:
        raise BadFiling(f"At most {MOST_LABELS} labels at a time.")
    changes = Changes()
    for batch in in_batches(document_ids):
        with tenant_scope(access.tenant_id):
            lock_active_tenant(access.tenant_id)
            file_batch(access.tenant_id, batch, changes, wanted=wanted, unwanted=unwanted, cleared=cleared)
    return changes.report()


def file_batch(
    tenant_id: uuid.UUID,
    document_ids: list[uuid.UUID],
    changes: Changes,
    *,
    wanted: Collection[uuid.UUID] = (),
    unwanted: Collection[uuid.UUID] = (),
    cleared: frozenset[LabelKind] = frozenset(),
) -> None:
    """File some documents, and count what became of each. Raises `LabelNotFound`, `BadFiling`.

    Needs the tenant's scope, and its lock or the lease of a job of the tenant.
    """
    documents = lock_documents(tenant_id, document_ids, changes)
    labels = lock_labels(tenant_id, {*wanted, *unwanted})
    _check(labels, wanted, unwanted)
    touched = _file(tenant_id, documents, labels, wanted, unwanted, cleared)
    changed = [document for document in documents if document.pk in touched]
    ids = [document.pk for document in changed]
    Document.objects.filter(tenant_id=tenant_id, pk__in=ids).update(updated_at=Now())
    learn_documents(tenant_id, ids, kinds={row.kind for row in labels.values()} | cleared)
    changes.changed(len(changed))
    changes.skipped(ALREADY, {document.pk for document in documents} - set(ids))
    for document in changed:
        added, removed = touched[document.pk]
        record_document("document.filed", document, added=" ".join(added), removed=" ".join(removed))


def file_new_document(tenant_id: uuid.UUID, document_id: uuid.UUID, label_ids: Iterable[uuid.UUID]) -> None:
    """File a document that was registered in this transaction; a person's word from its first moment.

    Needs the tenant's scope. Raises `LabelNotFound` if one went meanwhile, `BadFiling`.
    """
    wanted = sorted(set(label_ids))
    labels = lock_labels(tenant_id, wanted)
    _check(labels, wanted, ())
    Filing.objects.bulk_create(_new(tenant_id, document_id, labels[label_id]) for label_id in wanted)
    learn_documents(tenant_id, [document_id], kinds={label.kind for label in labels.values()})


@requires("tenants:write")
def choose_confidence(*, access: Access, apply_above: float | None) -> FilingSettings:
    """Have suggestions of this confidence or more filed by themselves; None has them wait for a person.

    Raises `BadFiling`, `TenantNotActive`, `TenantNotFound`.
    """
    if apply_above is not None and not 0.5 <= apply_above <= 1.0:
        raise BadFiling(f"A confidence from which to file lies between 0.5 and 1, not at {apply_above}.")
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        change_revision(access.tenant_id)
        rows = FilingSettings.objects.filter(tenant_id=access.tenant_id)
        rows.update(apply_above=apply_above)
        percent = None if apply_above is None else round(100 * apply_above)
        record("filing.confidence", tenant_id=access.tenant_id, details={"percent": percent})
        return rows.get()


def lock_labels(tenant_id: uuid.UUID, label_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, LockedLabel]:
    """Keep those of the labels that are there from being deleted; many may hold this lock at once.

    Needs the tenant's scope; after documents, in the order of locks.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id, kind FROM documents_label WHERE tenant_id = %s AND id = ANY(%s)"
            " ORDER BY id FOR KEY SHARE",
            [tenant_id, sorted(label_ids)],
        )
        return {label_id: LockedLabel(label_id, LabelKind(kind)) for label_id, kind in cursor.fetchall()}


def _check(
    labels: Mapping[uuid.UUID, LockedLabel], wanted: Iterable[uuid.UUID], unwanted: Iterable[uuid.UUID]
) -> None:
    for label_id in (*wanted, *unwanted):
        if label_id not in labels:
            raise LabelNotFound(f"The tenant has no label {label_id}.")
    for kind in LabelKind:
        several = [label_id for label_id in wanted if labels[label_id].kind is kind]
        if kind.is_single and len(several) > 1:
            raise BadFiling(f"A document has at most one {kind.replace('_', ' ')}: choose one.")


def _file(
    tenant_id: uuid.UUID,
    documents: Sequence[Document],
    labels: Mapping[uuid.UUID, LockedLabel],
    wanted: Iterable[uuid.UUID],
    unwanted: Iterable[uuid.UUID],
    cleared: frozenset[LabelKind],
) -> dict[uuid.UUID, tuple[list[str], list[str]]]:
    """Change the rows; returns the labels added and removed, by document, of those that were changed."""
    ids = [document.pk for document in documents]
    known: defaultdict[uuid.UUID, dict[uuid.UUID, Filing]] = defaultdict(dict)
    for row in Filing.objects.filter(tenant_id=tenant_id, document_id__in=ids).order_by("pk"):
        known[row.document_id][row.label_id] = row
    singles = {labels[label_id].kind for label_id in wanted if labels[label_id].kind.is_single}
    touched: dict[uuid.UUID, tuple[list[str], list[str]]] = {}
    taken_away: list[Filing] = []
    refused: list[Filing] = []
    confirmed: list[Filing] = []
    new: list[Filing] = []
    for document_id in ids:
        added, removed = [], []
        rows = known[document_id]
        for label_id, row in rows.items():
            leaves = label_id in unwanted or row.kind in cleared or row.kind in singles
            if not leaves or label_id in wanted:
                continue
            if row.state == FilingState.FILED:
                taken_away.append(row)
                removed.append(str(label_id))
            elif row.state == FilingState.SUGGESTED and label_id in unwanted:
                refused.append(row)
                removed.append(str(label_id))
        for label_id in sorted(wanted):
            found = rows.get(label_id)
            if found is None:
                new.append(_new(tenant_id, document_id, labels[label_id]))
            elif found.state != FilingState.FILED or found.set_by != SetBy.PERSON:
                confirmed.append(found)
            else:
                continue
            added.append(str(label_id))
        if added or removed:
            touched[document_id] = (added, removed)
    _move_to(FilingState.REMOVED, taken_away)
    _move_to(FilingState.REFUSED, refused)
    _move_to(FilingState.FILED, confirmed)
    Filing.objects.bulk_create(new)
    return touched


def _move_to(state: FilingState, rows: Sequence[Filing]) -> None:
    """Set the state of rows whose documents are locked; from then on it is a person's word."""
    if rows:
        found = Filing.objects.filter(tenant_id=rows[0].tenant_id, pk__in=[row.pk for row in rows])
        found.update(state=state, set_by=SetBy.PERSON, decided_at=Now())


def _new(tenant_id: uuid.UUID, document_id: uuid.UUID, label: LockedLabel) -> Filing:
    return Filing(
        tenant_id=tenant_id,
        document_id=document_id,
        label_id=label.id,
        kind=label.kind,
        state=FilingState.FILED,
        set_by=SetBy.PERSON,
    )
