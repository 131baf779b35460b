"""Workflows as JSON again (pure): what was parsed, in the one form in which it is stored."""

from collections.abc import Iterable
from typing import Any

from documents.workflows.actions import (
    Action,
    AddNote,
    AddTags,
    CallWebhook,
    RemoveTags,
    SetLabel,
    SetRetentionClass,
    SetTitle,
)
from documents.workflows.conditions import Conditions


def conditions_as_data(conditions: Conditions) -> dict[str, Any]:
    """Return conditions as JSON has them; what is not asked for is left out."""
    issued = {"from": conditions.issued_from, "to": conditions.issued_to}
    tags = {"any": conditions.any_tags, "all": conditions.all_tags, "none": conditions.no_tags}
    text = conditions.text
    data: dict[str, Any] = {
        "source": list(conditions.sources),
        "filename": list(conditions.filenames),
        "type": list(conditions.media_types),
        "text": text and {"kind": str(text.kind), "pattern": text.pattern, "likeness": text.likeness},
        "issued": {key: day.isoformat() for key, day in issued.items() if day},
        "tags": {key: list(map(str, labels)) for key, labels in tags.items() if labels},
        "correspondent": list(map(str, conditions.correspondents)),
        "document_type": list(map(str, conditions.document_types)),
    }
    return {key: value for key, value in data.items() if value}


def actions_as_data(actions: Iterable[Action]) -> list[dict[str, Any]]:
    """Return actions as JSON has them."""
    return [_as_data(action) for action in actions]


def _as_data(action: Action) -> dict[str, Any]:
    match action:
        case AddTags(tags):
            return {"do": "add_tags", "tags": list(map(str, tags))}
        case RemoveTags(tags):
            return {"do": "remove_tags", "tags": list(map(str, tags))}
        case SetLabel(kind, label):
            return {"do": f"set_{kind}", str(kind): str(label)}
        case SetTitle(template):
            return {"do": "set_title", "template": template}
        case SetRetentionClass(name):
            return {"do": "set_retention_class", "name": name}
        case AddNote(text):
            return {"do": "add_note", "text": text}
        case CallWebhook(url):
            return {"do": "call_webhook", "url": url}
