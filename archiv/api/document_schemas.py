"""What documents look like in the API."""

import uuid
from datetime import date, datetime
from typing import Literal

from ninja import Schema
from pydantic import ConfigDict, Field

from archiv.api.label_schemas import Label, Named, SomeTags, show_label
from archiv.api.types import Page, Text, etag_of
from documents.filing import LabelKind
from documents.models import DocumentVersion
from documents.services.listing import DocumentView

Lane = Literal["normal", "bulk"]


class Retention(Schema):
    """How long a document must be kept."""

    class_name: str | None
    until: datetime | None
    held: bool


class File(Schema):
    """One version of a document: the bytes as they came."""

    id: uuid.UUID
    number: int
    filename: str
    media_type: str
    size: int
    sha256: str
    pages: int | None
    created_at: datetime


class Document(Schema):
    """One document with its newest version."""

    id: uuid.UUID
    title: str
    title_set_by_person: bool
    issued_at: date | None
    issued_source: str
    status: Literal["queued", "processing", "done", "failed"]
    source: str
    source_ref: str
    created_at: datetime
    updated_at: datetime
    trashed_at: datetime | None
    retention: Retention
    tags: list[Label]
    correspondent: Label | None
    document_type: Label | None
    file: File | None
    etag: str


class DocumentPage(Page):
    """Some documents."""

    documents: list[Document]


class Files(Schema):
    """The versions of a document, newest first."""

    versions: list[File]


class Stored(Schema):
    """What became of an upload: the document, and the job that analyzes it."""

    document_id: uuid.UUID
    version_id: uuid.UUID
    job_id: int


class TextPage(Schema):
    """The text of one page."""

    page: int
    text: str
    source: str
    confidence: float | None


class TextPages(Schema):
    """Some pages of text; `next` is the number of the page that follows, null at the end."""

    pages: list[TextPage]
    next: int | None


class Attachment(Schema):
    """A file that came with a mail; no document any more once that was purged."""

    number: int
    filename: str
    document_id: uuid.UUID | None


class MailLinks(Schema):
    """What came with a document, and the ids of the mails that it came with itself."""

    attachments: list[Attachment]
    mails: list[uuid.UUID]


class Progress(Schema):
    """How far the analysis of a document is. `changed` is false if nothing happened while waiting."""

    status: Literal["queued", "processing", "done", "failed"]
    done: int
    of: int
    error: str
    changed: bool


class LinkWanted(Schema):
    """For how many seconds a link shall be valid."""

    model_config = ConfigDict(extra="forbid")

    seconds: int = Field(default=300, ge=1, le=3600)


class Link(Schema):
    """An address that works without signing in, for a while."""

    url: str
    expires_at: datetime


class Ordered(Schema):
    """The purge was queued."""

    job_id: int


class ClassName(Schema):
    """The name of a retention class."""

    model_config = ConfigDict(extra="forbid")

    name: Text = Field(min_length=1, max_length=100)


class NewClass(ClassName):
    """A retention class of the tenant's own."""

    years: int = Field(ge=1, le=100)


class RetentionClass(Schema):
    """Papers that are kept for the same number of years."""

    name: str
    years: int
    is_default: bool


class RetentionClasses(Schema):
    """The classes of a tenant."""

    classes: list[RetentionClass]


class Bulk(Schema):
    """One thing to do with several documents: with all of them, or with none.

    `file` puts them under labels: it adds and removes tags, and sets the correspondent and the document type,
    or takes these away where they are null. `classify` needs the retention class.
    """

    model_config = ConfigDict(extra="forbid")

    action: Literal["file", "trash", "restore", "reanalyze", "classify"]
    document_ids: list[uuid.UUID] = Field(min_length=1, max_length=100)
    retention_class: Text | None = Field(default=None, max_length=100)
    add_tags: SomeTags = []
    remove_tags: SomeTags = []
    correspondent: Named | None = None
    document_type: Named | None = None


class BulkDone(Schema):
    """What became of each document; `already`: it was like this before."""

    documents: dict[str, Literal["done", "already"]]


def show_document(view: DocumentView) -> Document:
    """Return a document as the API shows it."""
    row, version = view.document, view.version
    return Document(
        id=row.pk,
        title=row.title,
        title_set_by_person=row.title_manually_set,
        issued_at=row.issued_at,
        issued_source=row.issued_source,
        status=view.status.value,
        source=row.source,
        source_ref=row.source_ref,
        created_at=row.created_at,
        updated_at=row.updated_at,
        trashed_at=row.trashed_at,
        retention=Retention(
            class_name=row.retention_class.name if row.retention_class else None,
            until=row.retain_until,
            held=row.legal_hold,
        ),
        tags=[show_label(label) for label in view.labels if label.kind == LabelKind.TAG],
        correspondent=_single(view, LabelKind.CORRESPONDENT),
        document_type=_single(view, LabelKind.DOCUMENT_TYPE),
        file=show_file(version) if version else None,
        etag=etag_of(row.updated_at),
    )


def _single(view: DocumentView, kind: LabelKind) -> Label | None:
    return next((show_label(label) for label in view.labels if label.kind == kind), None)


def show_file(version: DocumentVersion) -> File:
    """Return a version as the API shows it."""
    return File(
        id=version.pk,
        number=version.number,
        filename=version.filename,
        media_type=version.media_type,
        size=version.size,
        sha256=version.content_hash,
        pages=version.pages,
        created_at=version.created_at,
    )
