"""What tenants, members, sets, tokens and the audit trail look like in the API."""

import uuid
from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import ConfigDict, Field

from archiv.api.types import Moment, Page, Text


class Profile(Schema):
    """Who calls, where, and what they may do."""

    user_id: uuid.UUID
    username: str
    token_id: uuid.UUID | None
    tenant_id: uuid.UUID
    capabilities: list[str]


class Tenant(Schema):
    """The tenant itself."""

    id: uuid.UUID
    name: str
    status: str
    timezone: str
    languages: list[str]
    created_at: datetime


class Usage(Schema):
    """How much of the archive the tenant uses, the trash included; `bytes` of originals.

    `worker_seconds` is what its jobs took of the workers in the last 30 days.
    """

    documents: int
    trashed: int
    versions: int
    bytes: int
    pages: int
    worker_seconds: float


class Member(Schema):
    """One user's place in the tenant."""

    user_id: uuid.UUID
    username: str
    capability_set: str
    is_active: bool
    created_at: datetime


class Members(Schema):
    """All members."""

    members: list[Member]


class SetName(Schema):
    """The name of one of the tenant's capability sets."""

    model_config = ConfigDict(extra="forbid")

    capability_set: Text = Field(min_length=1, max_length=64)


class NewMember(SetName):
    """A user who shall become a member, by their id."""

    user_id: uuid.UUID


class CapabilitySet(Schema):
    """A named set of capabilities."""

    id: uuid.UUID
    name: str
    is_system: bool
    capabilities: list[str]


class CapabilitySets(Schema):
    """All sets."""

    capability_sets: list[CapabilitySet]


class Capabilities(Schema):
    """What a set shall contain."""

    model_config = ConfigDict(extra="forbid")

    capabilities: list[Text] = Field(max_length=100)


class NewSet(Capabilities):
    """A set of the tenant's own."""

    name: Text = Field(min_length=1, max_length=64)


class NewToken(SetName):
    """A key for a machine, with one of the tenant's sets, cut down to what its maker may do."""

    name: Text = Field(min_length=1, max_length=100)
    expires_at: Moment | None = None


class Token(Schema):
    """A token without its secret."""

    id: uuid.UUID
    name: str
    prefix: str
    capability_set: str
    created_by: uuid.UUID
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


class MintedToken(Token):
    """A new token. `secret` is shown this once."""

    secret: str


class Tokens(Schema):
    """Tokens, newest first."""

    tokens: list[Token]


class Event(Schema):
    """One thing that was done."""

    number: int
    at: datetime
    action: str
    actor: str
    origin: str
    object_type: str
    object_id: str
    details: dict[str, Any]
    hash: str


class Events(Page):
    """Part of the audit trail, newest first."""

    events: list[Event]


class SignIn(Schema):
    """Who signs in, and to which of their tenants; the first if none is named."""

    model_config = ConfigDict(extra="forbid")

    username: Text = Field(min_length=1, max_length=150)
    password: Text = Field(min_length=1, max_length=1000)
    tenant_id: uuid.UUID | None = None


class Session(Schema):
    """A session has begun. `csrf_token` goes into X-CSRFToken with everything that changes something."""

    csrf_token: str
    tenant_id: uuid.UUID
