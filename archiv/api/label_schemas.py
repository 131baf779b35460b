"""What tags, correspondents and document types look like in the API, and how they are named."""

import uuid
from typing import Annotated, Literal

from ninja import Schema
from pydantic import Field

from archiv.api.types import Line, Page
from documents.filing import LabelKind
from documents.models import Label as LabelRow

#: A label by its id or its name.
Named = Annotated[Line, Field(max_length=100, description="By id or by name.")]
SomeTags = Annotated[list[Named], Field(max_length=50)]


class Label(Schema):
    """A tag, a correspondent or a document type."""

    id: uuid.UUID
    kind: Literal["tag", "correspondent", "document_type"]
    name: str


class Labels(Schema):
    """Labels by kind and name."""

    labels: list[Label]


class LabelPage(Page):
    """Some labels of one kind, by name."""

    labels: list[Label]


def show_label(row: LabelRow) -> Label:
    """Return a label as the API shows it."""
    return Label(id=row.pk, kind=LabelKind(row.kind).value, name=row.name)
