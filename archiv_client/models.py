"""What the archive answers, as frozen classes; their fields are those of the API's schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

Kind = Literal["tag", "correspondent", "document_type"]
RuleKind = Literal["none", "any", "all", "exact", "regex", "fuzzy"]
Status = Literal["queued", "processing", "done", "failed"]


@dataclass(frozen=True)
class Label:
    """A tag, a correspondent or a document type."""

    id: UUID
    kind: Kind
    name: str


@dataclass(frozen=True)
class Retention:
    """How long a document must be kept."""

    class_name: str | None
    until: datetime | None
    held: bool


@dataclass(frozen=True)
class File:
    """One version of a document."""

    id: UUID
    number: int
    filename: str
    media_type: str
    size: int
    sha256: str
    pages: int | None
    created_at: datetime


@dataclass(frozen=True)
class Document:
    """One document with its newest version. `etag` is what an edit is compared with."""

    id: UUID
    title: str
    title_set_by_person: bool
    issued_at: date | None
    issued_source: str
    status: Status
    source: str
    source_ref: str
    created_at: datetime
    updated_at: datetime
    trashed_at: datetime | None
    retention: Retention
    tags: tuple[Label, ...]
    correspondent: Label | None
    document_type: Label | None
    file: File | None
    etag: str


@dataclass(frozen=True)
class Stored:
    """What became of an upload."""

    document_id: UUID
    version_id: UUID
    job_id: int


@dataclass(frozen=True)
class TextPage:
    """The text of one page."""

    page: int
    text: str
    source: str
    confidence: float | None


@dataclass(frozen=True)
class Attachment:
    """A file that came with a mail; no document any more once that was purged."""

    number: int
    filename: str
    document_id: UUID | None


@dataclass(frozen=True)
class MailLinks:
    """What came with a document, and the mails that it came with itself."""

    attachments: tuple[Attachment, ...]
    mails: tuple[UUID, ...]


@dataclass(frozen=True)
class Progress:
    """How far the analysis is."""

    status: Status
    done: int
    of: int
    error: str
    changed: bool


@dataclass(frozen=True)
class Link:
    """An address that works without a token for a while."""

    url: str
    expires_at: datetime


@dataclass(frozen=True)
class RetentionClass:
    """Papers that are kept for the same number of years."""

    name: str
    years: int
    is_default: bool


@dataclass(frozen=True)
class Rule:
    """A rule of a label."""

    id: UUID
    label_id: UUID
    kind: RuleKind
    pattern: str
    likeness: int
    stopped_at: datetime | None
    stopped_because: str


@dataclass(frozen=True)
class Outcome:
    """What a rule found, and whether the document would get the label."""

    found: str | None
    files: bool | None


@dataclass(frozen=True)
class Trial:
    """What came of trying a rule on."""

    texts: tuple[Outcome, ...]
    documents: Mapping[str, Outcome]
    stopped: bool


@dataclass(frozen=True)
class LabelChanges:
    """What rules do with one label."""

    name: str
    kind: Kind
    filed: int
    suggested: int
    dropped: int
    examples: tuple[UUID, ...]


@dataclass(frozen=True)
class Applied:
    """What all rules together do."""

    documents: int
    changed: int
    labels: tuple[LabelChanges, ...]
    stopped_rules: tuple[UUID, ...]


@dataclass(frozen=True)
class Workflow:
    """What is done with each document that was read."""

    id: UUID
    name: str
    position: int
    enabled: bool
    conditions: Mapping[str, Any]
    actions: tuple[Mapping[str, Any], ...]
    created_at: datetime


@dataclass(frozen=True)
class ActionDone:
    """One action of a dry run."""

    do: str
    what: str
    changed: bool


@dataclass(frozen=True)
class DryRun:
    """What a workflow would do; `unmet` names the condition that does not hold."""

    unmet: str
    actions: tuple[ActionDone, ...]


@dataclass(frozen=True)
class Attempt:
    """One claim of a job."""

    started_at: datetime
    ended_at: datetime | None
    outcome: str
    error: str


@dataclass(frozen=True)
class Job:
    """One piece of work."""

    id: int
    type: str
    status: str
    document_id: UUID | None
    retry_count: int
    max_retries: int
    error: str
    failure_kind: str
    done: int
    of: int
    created_at: datetime
    next_attempt_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True)
class JobWithAttempts(Job):
    """A job and its attempts, oldest first."""

    attempts: tuple[Attempt, ...]


@dataclass(frozen=True)
class Profile:
    """Who calls, and what they may do."""

    user_id: UUID
    username: str
    token_id: UUID | None
    tenant_id: UUID
    capabilities: tuple[str, ...]


@dataclass(frozen=True)
class Tenant:
    """The tenant of the token."""

    id: UUID
    name: str
    status: str
    timezone: str
    languages: tuple[str, ...]
    created_at: datetime


@dataclass(frozen=True)
class Usage:
    """How much of the archive the tenant uses."""

    documents: int
    trashed: int
    versions: int
    bytes: int
    pages: int
    worker_seconds: float


@dataclass(frozen=True)
class Event:
    """One entry of the audit trail."""

    number: int
    at: datetime
    action: str
    actor: str
    origin: str
    object_type: str
    object_id: str
    details: Mapping[str, Any]
    hash: str
