"""Taking another of the dates that were found for a document, or saying that the one taken is right."""

import uuid
from datetime import date, datetime

from documents.errors import BadIssuedDate, DocumentNotFound
from documents.models import Document
from documents.services.edit import edit_document
from tenants.access import Access, requires
from tenants.scope import tenant_scope


@requires("documents:edit")
def take_candidate(
    *, access: Access, document_id: uuid.UUID, issued_at: date, expected: datetime | None = None
) -> Document:
    """Make one of a document's candidates its issued date, as a person's choice that no analysis touches.

    Taking the date that it has already confirms it. `expected` is as `edit_document` takes it. Raises
    `BadIssuedDate` if it is no candidate (any more), and what `edit_document` raises.
    """
    with tenant_scope(access.tenant_id):
        document = Document.objects.filter(tenant_id=access.tenant_id, pk=document_id).first()
        if document is None:
            raise DocumentNotFound
        if issued_at.isoformat() not in {kept["date"] for kept in document.issued_candidates}:
            raise BadIssuedDate(
                f"{issued_at.isoformat()} is none of the dates that were found: open the page again, or set"
                " it as any other date."
            )
        return edit_document(access=access, document_id=document_id, issued_at=issued_at, expected=expected)
