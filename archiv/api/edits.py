"""Correcting what is known of a document, all that was sent or nothing."""

import uuid

from django.http import HttpRequest, HttpResponse
from ninja import Schema
from pydantic import ConfigDict, Field

from archiv.api.callers import access_of
from archiv.api.document_schemas import Document
from archiv.api.documents import get
from archiv.api.headers import IF_MATCH_NEEDED
from archiv.api.label_schemas import Named, SomeTags
from archiv.api.routes import Routes
from archiv.api.types import Day, Text, expect
from documents.filing import LabelKind
from documents.services.corrections import correct_document
from documents.services.edit import UNCHANGED
from documents.services.given import MAX_TITLE
from documents.services.given_labels import GivenLabels
from documents.services.listing import get_document

routes = Routes("documents")

_KINDS = {
    "tags": LabelKind.TAG,
    "correspondent": LabelKind.CORRESPONDENT,
    "document_type": LabelKind.DOCUMENT_TYPE,
}


class Edit(Schema):
    """What is to be changed; what is not given stays. `issued_at` null: the paper has no date.

    `tags` are all that it has from then on; `correspondent` and `document_type` null: none.
    """

    model_config = ConfigDict(extra="forbid")

    title: Text | None = Field(default=None, min_length=1, max_length=MAX_TITLE)
    issued_at: Day | None = None
    retention_class: Text | None = Field(default=None, min_length=1, max_length=100)
    tags: SomeTags = []
    correspondent: Named | None = None
    document_type: Named | None = None


@routes.add(
    "PATCH",
    "/documents/{uuid:document_id}",
    capability="documents:edit",
    response=Document,
    headers=[IF_MATCH_NEEDED],
)
def edit(request: HttpRequest, response: HttpResponse, document_id: uuid.UUID, changes: Edit) -> Document:
    """Set title, issued date, retention class, labels; no analysis touches them again. Needs If-Match.

    The retention class needs the capability `documents:write` besides. Retention grows, and never shrinks.
    Labels must be there, and are given by id or name.
    """
    access = access_of(request)
    access.require("documents:read")  # the answer shows it
    before = get_document(access=access, document_id=document_id)
    given = changes.model_fields_set
    correct_document(
        access=access,
        document_id=document_id,
        title=changes.title,
        issued_at=changes.issued_at if "issued_at" in given else UNCHANGED,
        retention_class=changes.retention_class,
        labels=GivenLabels(tuple(changes.tags), changes.correspondent, changes.document_type),
        replace=[kind for name, kind in _KINDS.items() if name in given],
        expected=expect(request, before.document.updated_at),
    )
    return get(request, response, document_id)
