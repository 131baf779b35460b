"""Tags, correspondents and document types, and filing documents under them."""

import uuid

from django.http import HttpRequest, HttpResponse
from ninja import Query, Schema
from pydantic import ConfigDict, Field

from archiv.api.callers import access_of
from archiv.api.errors import Refused
from archiv.api.headers import IF_MATCH_TAKEN
from archiv.api.label_schemas import Label, LabelPage, Labels, show_label
from archiv.api.routes import Routes
from archiv.api.types import Cursor, Limit, Text, content_etag, expect_content, read_cursor, write_cursor
from documents.errors import DocumentNotFound
from documents.filing import LabelKind
from documents.services.changes import BEING_PURGED, NOT_THERE
from documents.services.filing import ALREADY, file_documents
from documents.services.label_listing import list_filed, list_labels, read_label
from documents.services.label_merging import merge_labels
from documents.services.labels import CAPABILITY_OF, create_label, delete_label, rename_label
from documents.services.listing import get_document

routes = Routes("labels")


class LabelFilters(Schema):
    """Which part of a list."""

    limit: Limit = 50
    cursor: Cursor | None = None


class LabelName(Schema):
    """What a label is called."""

    model_config = ConfigDict(extra="forbid")

    name: Text = Field(min_length=1, max_length=100)


class MergeWanted(Schema):
    """The label of the same kind that takes over."""

    model_config = ConfigDict(extra="forbid")

    into: uuid.UUID


class Gone(Schema):
    """How many documents had the label."""

    documents: int


class FilingWanted(Schema):
    """Labels of any kind that a document shall have, and shall not have any more."""

    model_config = ConfigDict(extra="forbid")

    add: list[uuid.UUID] = Field(default=[], max_length=100)
    remove: list[uuid.UUID] = Field(default=[], max_length=100)


def _add_routes(kind: LabelKind) -> None:
    """Make the routes for one kind of label; its capabilities are named like its path."""
    name = CAPABILITY_OF[kind]
    one, many = kind.value, name
    path = "/" + name.replace("_", "-")

    def list_of_kind(request: HttpRequest, wanted: Query[LabelFilters]) -> LabelPage:
        cursor = read_cursor(many, wanted.cursor)
        after = cursor["key"] if cursor else ""
        rows = list_labels(access=access_of(request), kind=kind, after=after, limit=wanted.limit + 1)
        more = len(rows) > wanted.limit
        return LabelPage(
            labels=[show_label(row) for row in rows[: wanted.limit]],
            next=write_cursor(many, {"key": rows[wanted.limit - 1].key}) if more else None,
        )

    def create(request: HttpRequest, response: HttpResponse, wanted: LabelName) -> Label:
        made = create_label(access=access_of(request), kind=kind, name=wanted.name)
        return _tagged(response, show_label(made))

    def get_one(request: HttpRequest, response: HttpResponse, label_id: uuid.UUID) -> Label:
        row = read_label(access=access_of(request), kind=kind, label_id=label_id)
        return _tagged(response, show_label(row))

    def rename(request: HttpRequest, response: HttpResponse, label_id: uuid.UUID, wanted: LabelName) -> Label:
        row = rename_label(
            access=access_of(request),
            kind=kind,
            label_id=label_id,
            name=wanted.name,
            check=expect_content(request, show_label),
        )
        return _tagged(response, show_label(row))

    def merge(request: HttpRequest, label_id: uuid.UUID, wanted: MergeWanted) -> Gone:
        moved = merge_labels(access=access_of(request), kind=kind, label_id=label_id, into_id=wanted.into)
        return Gone(documents=moved)

    def delete(request: HttpRequest, label_id: uuid.UUID) -> Gone:
        return Gone(documents=delete_label(access=access_of(request), kind=kind, label_id=label_id))

    words = one.replace("_", " ")
    for view, route, text in (
        (list_of_kind, f"list_{many}", f"List the {words}s by name."),
        (create, f"create_{one}", f"Make a {words}."),
        (get_one, f"get_{one}", f"Return one {words}."),
        (rename, f"rename_{one}", f"Give a {words} another name; its documents keep it. Takes If-Match."),
        (merge, f"merge_{one}", f"Let another {words} take over documents and rules; this one goes."),
        (delete, f"delete_{one}", f"Delete a {words} with its rules; its documents stay."),
    ):
        view.__name__, view.__doc__ = route, text
    each = f"{path}/{{uuid:label_id}}"
    routes.add("GET", path, capability=f"{name}:read", response=LabelPage)(list_of_kind)
    routes.add("POST", path, capability=f"{name}:edit", response={201: Label})(create)
    routes.add("GET", each, capability=f"{name}:read", response=Label)(get_one)
    routes.add("PATCH", each, capability=f"{name}:edit", response=Label, headers=[IF_MATCH_TAKEN])(rename)
    routes.add("POST", f"{each}/merge", capability=f"{name}:write", response=Gone)(merge)
    routes.add("DELETE", each, capability=f"{name}:write", response=Gone)(delete)


def _tagged(response: HttpResponse, shown: Label) -> Label:
    response.headers["ETag"] = content_etag(shown)
    return shown


for _kind in LabelKind:
    _add_routes(_kind)


@routes.add("GET", "/documents/{uuid:document_id}/labels", capability="documents:read", response=Labels)
def labels_of_document(request: HttpRequest, document_id: uuid.UUID) -> Labels:
    """List what a document is filed under."""
    access = access_of(request)
    get_document(access=access, document_id=document_id)
    rows = list_filed(access=access, document_id=document_id)
    return Labels(labels=[show_label(row) for row in rows])


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
