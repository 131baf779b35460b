"""Labels as people and machines name them: by id or by name, whatever is at hand."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from documents.errors import UnknownLabel
from documents.filing import LabelKind
from documents.services.labels import find_label


@dataclass(frozen=True)
class GivenLabels:
    """What a document is to be filed under, each by its id or its name; all of them must be there."""

    tags: tuple[str, ...] = ()
    correspondent: str | None = None
    document_type: str | None = None


def find_given(tenant_id: uuid.UUID, given: GivenLabels) -> list[uuid.UUID]:
    """Return the labels that were named. Needs the tenant's scope. Raises `UnknownLabel`."""
    found = find_all(tenant_id, LabelKind.TAG, given.tags)
    for kind, text in (
        (LabelKind.CORRESPONDENT, given.correspondent),
        (LabelKind.DOCUMENT_TYPE, given.document_type),
    ):
        found += find_all(tenant_id, kind, () if text is None else (text,))
    return found


def find_all(tenant_id: uuid.UUID, kind: LabelKind, texts: Sequence[str]) -> list[uuid.UUID]:
    """Return the labels of one kind, each once. Needs the tenant's scope. Raises `UnknownLabel`."""
    found: dict[uuid.UUID, None] = {}
    for text in texts:
        label = find_label(tenant_id, kind, text)
        if label is None:
            raise UnknownLabel(f"There is no {kind.replace('_', ' ')} {text!r}: make it first.")
        found[label.pk] = None
    return list(found)
