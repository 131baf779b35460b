"""Bringing documents in: as a form with a file, or as the bare bytes; of any size, in bounded memory."""

from typing import Any, BinaryIO, cast

from django.core.exceptions import BadRequest
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, QueryDict
from ninja import Query, Schema
from pydantic import Field

from archiv.api.callers import access_of
from archiv.api.document_schemas import Lane, Stored
from archiv.api.errors import BodyCutOff, Duplicate, LengthRequired
from archiv.api.label_schemas import Named, SomeTags
from archiv.api.routes import Routes
from archiv.api.types import Day, Text
from documents.models.document import DocumentSource
from documents.services import store_document
from documents.services.given import MAX_TITLE
from documents.services.given_labels import GivenLabels
from documents.services.store import KnownFacts
from jobs.models import Lane as QueueLane
from jobs.numbers import show_number

routes = Routes("documents")

_FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")
_LANES = {"normal": QueueLane.NORMAL, "bulk": QueueLane.BULK}
_FILE = {"type": "string", "format": "binary"}


class UploadFacts(Schema):
    """What whoever brings a file knows of it; in the address, or as fields of the form."""

    filename: Text = Field(default="", max_length=1000)
    title: Text | None = Field(default=None, min_length=1, max_length=MAX_TITLE)
    issued_at: Day | None = None
    retention_class: Text | None = Field(default=None, min_length=1, max_length=100)
    source_ref: Text = Field(default="", max_length=1024)
    lane: Lane | None = None
    tags: SomeTags = []
    correspondent: Named | None = None
    document_type: Named | None = None


def _form_fields() -> dict[str, Any]:
    """Return the facts as a form has them: what is not known is left out, never null."""
    fields = UploadFacts.model_json_schema()["properties"]
    return {name: one["anyOf"][0] if "anyOf" in one else one for name, one in fields.items()}


_BODY = {
    "requestBody": {
        "required": True,
        "description": "The file: bare, or in the field `file` of a form. Content-Length is needed.",
        "content": {
            "application/octet-stream": {"schema": _FILE},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": _FILE, **_form_fields()},
                }
            },
        },
    }
}


@routes.add("POST", "/documents", capability="documents:upload", response={201: Stored}, extra=_BODY)
def store(request: HttpRequest, response: HttpResponse, facts: Query[UploadFacts]) -> Any:
    """Store a file as a document, and queue its analysis.

    Tags, correspondent and document type must be there, and are given by id or name. The answer to bytes that
    the archive has already is 409 `duplicate`; it names the document that has them, and says whether that
    lies in the trash.
    """
    access = access_of(request)
    if request.content_type in _FORMS:
        file, facts = _read_form(request, facts)
    else:
        file = cast("BinaryIO", _Body(request))
    stored = store_document(
        tenant_id=access.tenant_id,
        stream=file,
        filename=facts.filename,
        source=DocumentSource.API,
        source_ref=facts.source_ref,
        created_by=access.user_id,
        lane=_LANES[facts.lane] if facts.lane else None,
        known=KnownFacts(
            facts.title,
            facts.issued_at,
            facts.retention_class,
            GivenLabels(tuple(facts.tags), facts.correspondent, facts.document_type),
        ),
    )
    if stored.duplicate or stored.job_id is None:
        raise Duplicate(document_id=str(stored.document_id), trashed=stored.trashed)
    response.headers["Location"] = f"/api/documents/{stored.document_id}"
    return Stored(
        document_id=stored.document_id,
        version_id=stored.version_id,
        job_id=show_number(access.tenant_id, stored.job_id),
    )


def _read_form(request: HttpRequest, facts: UploadFacts) -> tuple[BinaryIO, UploadFacts]:
    """Return the file of a form, which lies in a temporary file if it is large, and the facts with it."""
    given = request.FILES.get("file")
    if not isinstance(given, UploadedFile):
        raise BadRequest("The form has no file: send it in the field 'file'.")
    fields = _fields(request.POST)
    fields.setdefault("filename", facts.filename or given.name or "")
    return cast("BinaryIO", given.file), UploadFacts.model_validate(
        facts.model_dump(exclude_unset=True) | fields
    )


def _fields(form: QueryDict) -> dict[str, str | list[str]]:
    named = [name for name in UploadFacts.model_fields if name in form]
    return {name: form.getlist(name) if name == "tags" else str(form[name]) for name in named}


class _Body:
    """The body of a request as a stream that notices when it was cut off."""

    def __init__(self, request: HttpRequest) -> None:
        length = request.META.get("CONTENT_LENGTH") or ""
        if not length.isdecimal():
            raise LengthRequired
        self._request = request
        self._left = int(length)

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes, none at the end. Raises `BodyCutOff`."""
        if self._left <= 0:
            return b""
        chunk = self._request.read(min(size, self._left))
        if not chunk:
            raise BodyCutOff
        self._left -= len(chunk)
        return chunk
