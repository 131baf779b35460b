"""A person's correction of a document as one change: title, date, class, and what it is filed under."""

import uuid
from collections.abc import Collection
from datetime import date, datetime

from documents.filing import LabelKind
from documents.services.changes import lock_active_tenant
from documents.services.edit import UNCHANGED, Unchanged, edit_document, lock_document
from documents.services.filing import file_documents
from documents.services.given_labels import GivenLabels, find_given
from tenants.access import Access, requires
from tenants.scope import tenant_scope


@requires("documents:edit")
def correct_document(
    *,
    access: Access,
    document_id: uuid.UUID,
    title: str | None = None,
    issued_at: date | Unchanged | None = UNCHANGED,
    retention_class: str | None = None,
    labels: GivenLabels,
    replace: Collection[LabelKind],
    expected: datetime | None = None,
) -> None:
    """Edit a document as `edit_document` does, and have `labels` take the place of all labels of these kinds.

    One transaction: all of it, or nothing. `expected` is the `updated_at` that was looked at before. Raises
    what `edit_document` and `file_documents` raise, and `UnknownLabel`.
    """
    with tenant_scope(access.tenant_id):
        if not replace or title is not None or issued_at != UNCHANGED or retention_class is not None:
            document = edit_document(
                access=access,
                document_id=document_id,
                title=title,
                issued_at=issued_at,
                retention_class=retention_class,
                expected=expected,
            )
            expected = expected and document.updated_at
        if replace:
            lock_active_tenant(access.tenant_id)
            # An edit that changed nothing has let the document go again.
            lock_document(access.tenant_id, document_id, expected)
            file_documents(
                access=access,
                document_ids=[document_id],
                add=find_given(access.tenant_id, labels),
                clear=replace,
            )
