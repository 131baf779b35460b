"""Tags, correspondents and document types, and filing documents under them."""

import uuid
from typing import Literal

from django.http import HttpRequest
from ninja import Schema
from pydantic import ConfigDict, Field

from archiv.api.callers import access_of
from archiv.api.errors import Refused
from archiv.api.routes import Routes
from archiv.api.types import Text
from documents.errors import DocumentNotFound
from documents.filing import LabelKind
from documents.models import Label as LabelRow
from documents.services.changes import BEING_PURGED, NOT_THERE
from documents.services.filing import ALREADY, file_documents
from documents.services.label_listing import list_filed, list_labels
from documents.services.labels import CAPABILITY_OF, create_label, delete_label, rename_label
from documents.services.listing import get_document

routes = Routes("labels")


class Label(Schema):
    """A tag, a correspondent or a document type."""

    id: uuid.UUID
    kind: Literal["tag", "correspondent", "document_type"]
    name: str


class Labels(Schema):
    """Labels by name."""

    labels: list[Label]


class LabelName(Schema):
    """What a label is called."""

    model_config = ConfigDict(extra="forbid")

    name: Text = Field(min_length=1, max_length=100)


class Gone(Schema):
    """How many documents had the label."""

    documents: int


class FilingWanted(Schema):
    """Under which labels a document is filed from now on, and under which no more."""

    model_config = ConfigDict(extra="forbid")

    add: list[uuid.UUID] = Field(default=[], max_length=100)
    remove: list[uuid.UUID] = Field(default=[], max_length=100)


def _add_routes(kind: LabelKind) -> None:
    """Make the routes of one kind: the same for all three, each with its own capabilities."""
    name = CAPABILITY_OF[kind]
    one, many = kind.value, name
    path = "/" + name.replace("_", "-")

    def list_of_kind(request: HttpRequest) -> Labels:
        return Labels(labels=[_show(row) for row in list_labels(access=access_of(request), kind=kind)])

    def create(request: HttpRequest, wanted: LabelName) -> Label:
        return _show(create_label(access=access_of(request), kind=kind, name=wanted.name))

    def rename(request: HttpRequest, label_id: uuid.UUID, wanted: LabelName) -> Label:
        return _show(rename_label(access=access_of(request), kind=kind, label_id=label_id, name=wanted.name))

    def delete(request: HttpRequest, label_id: uuid.UUID) -> Gone:
        return Gone(documents=delete_label(access=access_of(request), kind=kind, label_id=label_id))

    words = one.replace("_", " ")
    for view, route, text in (
        (list_of_kind, f"list_{many}", f"List all {words}s by name."),
        (create, f"create_{one}", f"Make a {words}."),
        (rename, f"rename_{one}", f"Give a {words} another name; its documents keep it."),
        (delete, f"delete_{one}", f"Delete a {words} with its rules; its documents stay."),
    ):
        view.__name__, view.__doc__ = route, text
    each = f"{path}/{{uuid:label_id}}"
    routes.add("GET", path, capability=f"{name}:read", response=Labels)(list_of_kind)
    routes.add("POST", path, capability=f"{name}:edit", response={201: Label})(create)
    routes.add("PATCH", each, capability=f"{name}:edit", response=Label)(rename)
    routes.add("DELETE", each, capability=f"{name}:write", response=Gone)(delete)


for _kind in LabelKind:
    _add_routes(_kind)


@routes.add("GET", "/documents/{uuid:document_id}/labels", capability="documents:read", response=Labels)
def labels_of_document(request: HttpRequest, document_id: uuid.UUID) -> Labels:
    """List what a document is filed under."""
    access = access_of(request)
    get_document(access=access, document_id=document_id)
    rows = list_filed(access=access, document_id=document_id)
    return Labels(labels=[_show(row) for row in rows])


@routes.add("POST", "/documents/{uuid:document_id}/labels", capability="documents:edit", response=Labels)
def file_document(request: HttpRequest, document_id: uuid.UUID, wanted: FilingWanted) -> Labels:
    """File a document under labels, and take others away; no rule changes that afterwards."""
    access = access_of(request)
    access.require("documents:read")
    get_document(access=access, document_id=document_id)
    report = file_documents(access=access, document_ids=[document_id], add=wanted.add, remove=wanted.remove)
    reason = report.reasons.get(document_id)
    if reason in (NOT_THERE, BEING_PURGED):
        raise DocumentNotFound
    if reason not in (None, ALREADY):
        raise Refused(f"Nothing was changed: the document is {reason}.")
    return labels_of_document(request, document_id)


def _show(row: LabelRow) -> Label:
    return Label(id=row.pk, kind=LabelKind(row.kind).value, name=row.name)
