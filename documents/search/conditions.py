"""What an engine is asked for: conditions once names and days of a tenant are looked up (pure)."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from documents.search.fields import Days, Property


@dataclass(frozen=True)
class Issued:
    """Issued in these days; without ends: issued at any known day."""

    days: Days
    excluded: bool = False


@dataclass(frozen=True)
class Stored:
    """Stored from this moment on, and before that one; None is open."""

    first: datetime | None
    before: datetime | None
    excluded: bool = False


@dataclass(frozen=True)
class Among:
    """One of the documents that have any of these labels, or a property, or one of these very documents."""

    labels: tuple[uuid.UUID, ...] = ()
    having: Property | None = None
    documents: tuple[uuid.UUID, ...] = ()
    excluded: bool = False
