"""What a workflow does (pure): each action as it was checked."""

import uuid
from dataclasses import dataclass

from documents.filing import LabelKind


@dataclass(frozen=True)
class AddTags:
    """File the document under tags."""

    tags: tuple[uuid.UUID, ...]


@dataclass(frozen=True)
class RemoveTags:
    """Take tags away that no person has set; rules do not bring them back."""

    tags: tuple[uuid.UUID, ...]


@dataclass(frozen=True)
class SetLabel:
    """Give the document a correspondent or a type, unless a person has."""

    kind: LabelKind
    label: uuid.UUID


@dataclass(frozen=True)
class SetTitle:
    """Put the title together by a template, unless a person has set it."""

    template: str


@dataclass(frozen=True)
class SetRetentionClass:
    """Put the document into a class of the tenant, by its name; its retention can only grow by it."""

    name: str


@dataclass(frozen=True)
class AddNote:
    """Leave a note with the document."""

    text: str


@dataclass(frozen=True)
class CallWebhook:
    """Tell another system, in a job of its own."""

    url: str


Action = AddTags | RemoveTags | SetLabel | SetTitle | SetRetentionClass | AddNote | CallWebhook
