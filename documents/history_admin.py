"""What the page of a document says of its past: its versions, and what was done to it by whom."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from documents.models import Document, DocumentVersion
from jobs.display import name_actors, show_size
from tenants.models import AuditEvent

_EVENTS, _VERSIONS = 50, 20
ACTIONS = {
    "document.downloaded": _("downloaded"),
    "document.edited": _("corrected"),
    "document.filed": _("filed"),
    "document.held": _("put under legal hold"),
    "document.released": _("legal hold lifted"),
    "document.made_searchable": _("made searchable"),
    "document.purge_refused": _("purge refused"),
    "document.restored": _("restored"),
    "document.stored": _("stored"),
    "document.trash_refused": _("trash refused"),
    "document.trashed": _("trashed"),
}


@dataclass(frozen=True)
class Done:
    """One thing that was done to a document. `details` are names and values, ids and numbers only."""

    at: datetime
    what: str
    who: str
    origin: str
    details: str


@dataclass(frozen=True)
class History:
    """The newest of it. `is_more`: there were more events than are shown."""

    versions: list[tuple[DocumentVersion, str]]
    events: list[Done]
    is_more: bool


def find_history(document: Document) -> History:
    """Return versions and events, newest first. Needs an operator's scope, or the tenant's."""
    versions = DocumentVersion.objects.filter(tenant_id=document.tenant_id, document_id=document.pk)
    rows = AuditEvent.objects.filter(
        tenant_id=document.tenant_id, object_type="document", object_id=str(document.pk)
    )
    events = list(rows.order_by("-sequence")[: _EVENTS + 1])
    names = name_actors(event.actor for event in events)
    return History(
        [(version, show_size(version.size)) for version in versions.order_by("-number")[:_VERSIONS]],
        [
            Done(
                event.at,
                str(ACTIONS.get(event.action, event.action)),
                names[event.actor],
                event.origin,
                _show(json.loads(event.details)),
            )
            for event in events[:_EVENTS]
        ],
        len(events) > _EVENTS,
    )


def _show(details: dict[str, Any]) -> str:
    """Return the details in a line; hashes by their beginning."""
    shown = {name: value for name, value in details.items() if value not in ("", None)}
    return ", ".join(
        f"{name} {value[:12]}…" if name == "hash" and isinstance(value, str) else f"{name} {value}"
        for name, value in shown.items()
    )
