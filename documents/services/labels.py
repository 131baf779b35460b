"""Tags, correspondents and document types: making, renaming and deleting them (`label_merging` merges them).

What is deleted may hang on any number of documents: these are let go in batches with a transaction
each, and the label itself goes last, when nothing hangs on it.
"""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.db import IntegrityError, connection, transaction

from documents.errors import BadLabelName, LabelNameTaken, LabelNotFound, TooManyLabels
from documents.filing import FilingState, LabelKind
from documents.filing.names import BadName, clean_name, name_key
from documents.models import Document, Filing, Label, MatchingRule, WordCount
from documents.services.changes import lock_active_tenant
from documents.services.learning import learn_documents
from tenants.access import SERVICE_CAPABILITIES, Access
from tenants.audit import record
from tenants.scope import tenant_scope

P = ParamSpec("P")
R = TypeVar("R")

#: The capabilities of each kind begin so.
CAPABILITY_OF = {
    LabelKind.TAG: "tags",
    LabelKind.CORRESPONDENT: "correspondents",
    LabelKind.DOCUMENT_TYPE: "document_types",
}
#: Labels of one kind in a tenant.
MAX_LABELS = 10_000
_BATCH = 100


def requires_of_kind(verb: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a service begin only when `access` holds the capability of its keyword argument `kind`.

    As `tenants.access.requires`, for services that treat all kinds of labels alike.
    """

    def decorate(service: Callable[P, R]) -> Callable[P, R]:
        needed = " or ".join(f"{name}:{verb}" for name in CAPABILITY_OF.values())
        SERVICE_CAPABILITIES[f"{service.__module__}.{service.__name__}"] = needed

        @wraps(service)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
            access, kind = kwargs["access"], kwargs["kind"]
            assert isinstance(access, Access)
            assert isinstance(kind, LabelKind)
            access.require(f"{CAPABILITY_OF[kind]}:{verb}")
            return service(*args, **kwargs)

        return guarded

    return decorate


@requires_of_kind("edit")
def create_label(*, access: Access, kind: LabelKind, name: str) -> Label:
    """Give a tenant a tag, a correspondent or a document type.

    Raises `BadLabelName`, `LabelNameTaken`, `TooManyLabels`, `TenantNotActive`, `TenantNotFound`.
    """
    cleaned = _clean(name)
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        if Label.objects.filter(tenant_id=access.tenant_id, kind=kind).count() >= MAX_LABELS:
            raise TooManyLabels
        label = Label(tenant_id=access.tenant_id, kind=kind, name=cleaned, key=name_key(cleaned))
        _save(label)
        change_revision(access.tenant_id)
        record_label("label.created", label)
    return label


@requires_of_kind("edit")
def rename_label(
    *,
    access: Access,
    kind: LabelKind,
    label_id: uuid.UUID,
    name: str,
    check: Callable[[Label], None] | None = None,
) -> Label:
    """Give a label another name; its documents keep it. `check` may refuse the label as it is, locked.

    Raises `BadLabelName`, `LabelNameTaken`, `LabelNotFound`, `TenantNotActive`, `TenantNotFound`.
    """
    cleaned = _clean(name)
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        label = get_label(access.tenant_id, kind, label_id, lock=True)
        if check is not None:
            check(label)
        if label.name != cleaned:
            label.name, label.key = cleaned, name_key(cleaned)
            _save(label)
            change_revision(access.tenant_id)
            record_label("label.renamed", label)
    return label


@requires_of_kind("write")
def delete_label(*, access: Access, kind: LabelKind, label_id: uuid.UUID) -> int:
    """Delete a label with its rules; returns how many documents had it. These stay as they are otherwise.

    One transaction a batch. Raises `LabelNotFound`, `TenantNotActive`, `TenantNotFound`.
    """
    documents = 0
    while True:
        with tenant_scope(access.tenant_id):
            lock_active_tenant(access.tenant_id)
            batch = lock_some(access.tenant_id, label_id)
            rows = Filing.objects.filter(tenant_id=access.tenant_id, label_id=label_id, document_id__in=batch)
            documents += rows.filter(state=FilingState.FILED).count()
            rows.delete()
            learn_documents(access.tenant_id, batch, kinds=[kind])
            if batch:
                continue
            label = get_label(access.tenant_id, kind, label_id, lock=True)
            if Filing.objects.filter(tenant_id=access.tenant_id, label_id=label_id).exists():
                continue  # somebody filed under it meanwhile; nobody can any more
            MatchingRule.objects.filter(tenant_id=access.tenant_id, label_id=label_id).delete()
            drop_label(label)
            record_label("label.deleted", label, documents=documents)
            return documents


def get_label(tenant_id: uuid.UUID, kind: LabelKind, label_id: uuid.UUID, *, lock: bool = False) -> Label:
    """Return a label of this kind, locked for a change if wanted. Needs the scope. Raises `LabelNotFound`."""
    rows = Label.objects.select_for_update(of=("self",)) if lock else Label.objects.all()
    label = rows.filter(tenant_id=tenant_id, kind=kind, pk=label_id).first()
    if label is None:
        raise label_not_found(kind, label_id)
    return label


def label_not_found(kind: LabelKind, label_id: uuid.UUID) -> LabelNotFound:
    """Return the error for a label that the tenant does not have."""
    return LabelNotFound(f"The tenant has no {kind.replace('_', ' ')} {label_id}.")


def find_label(tenant_id: uuid.UUID, kind: LabelKind, text: str) -> Label | None:
    """Return the label of this kind that `text` stands for: its id, else its name. Needs the scope."""
    rows = Label.objects.filter(tenant_id=tenant_id, kind=kind)
    try:
        named = rows.filter(pk=uuid.UUID(text)).first()
    except ValueError:
        named = None
    return named or rows.filter(key=name_key(" ".join(text.split()))).first()


def change_revision(tenant_id: uuid.UUID) -> None:
    """Have everybody who keeps rules and labels of the tenant in memory read them anew. Needs the scope."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO documents_filingsettings (tenant_id, revision) VALUES (%s, 1)"
            " ON CONFLICT (tenant_id) DO UPDATE SET revision = documents_filingsettings.revision + 1",
            [tenant_id],
        )


def record_label(action: str, label: Label, **details: str | int) -> None:
    """Append one event about a label to the audit trail. The last statement of its transaction."""
    record(
        action,
        tenant_id=label.tenant_id,
        object_type=str(label.kind),
        object_id=label.pk,
        details=details,
    )


def _clean(name: str) -> str:
    try:
        return clean_name(name)
    except BadName as error:
        raise BadLabelName(str(error)) from error


def _save(label: Label) -> None:
    try:
        with transaction.atomic():
            label.save()
    except IntegrityError as error:
        if "documents_label_name" not in str(error):
            raise
        kind = str(label.kind).replace("_", " ")
        raise LabelNameTaken(
            f"There is a {kind} {label.name!r} already: names differ in more than case."
        ) from error


def drop_label(label: Label) -> None:
    """Remove a label under which nothing is filed any more, with its counts. Needs the scope."""
    WordCount.objects.filter(tenant_id=label.tenant_id, label_id=label.pk).delete()
    Label.objects.filter(tenant_id=label.tenant_id, pk=label.pk).delete()
    change_revision(label.tenant_id)


def lock_some(tenant_id: uuid.UUID, label_id: uuid.UUID) -> list[uuid.UUID]:
    """Lock some of the documents that stand in any way to a label, by id, and return them."""
    filings = Filing.objects.filter(tenant_id=tenant_id, label_id=label_id)
    ids = list(filings.order_by("document_id").values_list("document_id", flat=True)[:_BATCH])
    rows = Document.objects.select_for_update(no_key=True, of=("self",))
    return list(rows.filter(tenant_id=tenant_id, pk__in=ids).order_by("pk").values_list("pk", flat=True))
