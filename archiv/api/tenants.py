"""The caller's own tenant: profile, members, capability sets, tokens, usage, audit trail."""

import json
import uuid

from django.http import HttpRequest, HttpResponse
from ninja import Query, Schema

from archiv.api import tenant_schemas as shapes
from archiv.api.callers import access_of
from archiv.api.errors import NoSuchThing
from archiv.api.headers import IF_MATCH_TAKEN
from archiv.api.keys import hold_secret
from archiv.api.routes import SIGNED_IN, Routes
from archiv.api.types import Cursor, Limit, content_etag, expect_content, read_cursor, write_cursor
from documents.services.usage import measure_usage
from tenants.errors import InvalidToken
from tenants.models import ApiToken, CapabilitySet, Membership, User
from tenants.services import (
    add_member,
    change_member,
    change_set,
    create_set,
    delete_set,
    mint_token,
    remove_member,
    revoke_token,
)
from tenants.services.reading import (
    get_set,
    get_tenant,
    list_events,
    list_members,
    list_sets,
    list_tokens,
)

routes = Routes("tenant")


class EventFilters(Schema):
    """Which part of the audit trail."""

    limit: Limit = 50
    cursor: Cursor | None = None


@routes.add("GET", "/profile", capability=SIGNED_IN, response=shapes.Profile)
def profile(request: HttpRequest) -> shapes.Profile:
    """Say who calls, and what they may do."""
    access = access_of(request)
    assert access.user_id is not None
    user = User.objects.get(pk=access.user_id)
    return shapes.Profile(
        user_id=user.pk,
        username=user.username,
        token_id=access.token_id,
        tenant_id=access.tenant_id,
        capabilities=sorted(access.capabilities),
    )


@routes.add("GET", "/tenant", capability="tenants:read", response=shapes.Tenant)
def tenant(request: HttpRequest) -> shapes.Tenant:
    """Return the tenant of the caller."""
    row = get_tenant(access=access_of(request))
    return shapes.Tenant(
        id=row.pk,
        name=row.name,
        status=row.status,
        timezone=row.timezone,
        languages=row.languages,
        created_at=row.created_at,
    )


@routes.add("GET", "/usage", capability="tenants:read", response=shapes.Usage)
def usage(request: HttpRequest) -> shapes.Usage:
    """Say how much of the archive the tenant uses."""
    found = measure_usage(access=access_of(request))
    return shapes.Usage(
        documents=found.documents,
        trashed=found.trashed,
        versions=found.versions,
        bytes=found.size,
        pages=found.pages,
        worker_seconds=found.worker_seconds,
    )


@routes.add("GET", "/members", capability="tenants:read", response=shapes.Members)
def members(request: HttpRequest) -> shapes.Members:
    """List the members of the tenant."""
    return shapes.Members(members=[_member(row) for row in list_members(access=access_of(request))])


@routes.add("POST", "/members", capability="tenants:write", response={201: shapes.Member})
def join(request: HttpRequest, wanted: shapes.NewMember) -> shapes.Member:
    """Make a user a member. Nobody grants more than they hold."""
    row = add_member(access=access_of(request), user_id=wanted.user_id, capability_set=wanted.capability_set)
    return _member(row)


@routes.add("PATCH", "/members/{uuid:user_id}", capability="tenants:write", response=shapes.Member)
def promote(request: HttpRequest, user_id: uuid.UUID, wanted: shapes.SetName) -> shapes.Member:
    """Give a member another capability set; the last owner stays one."""
    row = change_member(access=access_of(request), user_id=user_id, capability_set=wanted.capability_set)
    return _member(row)


@routes.add("DELETE", "/members/{uuid:user_id}", capability="tenants:write", response={204: None})
def leave(request: HttpRequest, user_id: uuid.UUID) -> None:
    """End a membership; the member's tokens stop to work with it."""
    remove_member(access=access_of(request), user_id=user_id)


@routes.add("GET", "/capability-sets", capability="capability_sets:read", response=shapes.CapabilitySets)
def capability_sets(request: HttpRequest) -> shapes.CapabilitySets:
    """List the capability sets of the tenant."""
    rows = list_sets(access=access_of(request))
    return shapes.CapabilitySets(capability_sets=[_set(row) for row in rows])


@routes.add(
    "POST", "/capability-sets", capability="capability_sets:write", response={201: shapes.CapabilitySet}
)
def make_set(request: HttpRequest, wanted: shapes.NewSet) -> shapes.CapabilitySet:
    """Make a set of the tenant's own. Nobody puts more into it than they hold."""
    return _set(create_set(access=access_of(request), name=wanted.name, capabilities=wanted.capabilities))


@routes.add(
    "PUT",
    "/capability-sets/{uuid:set_id}",
    capability="capability_sets:write",
    response=shapes.CapabilitySet,
    headers=[IF_MATCH_TAKEN],
)
def fill_set(
    request: HttpRequest, response: HttpResponse, set_id: uuid.UUID, wanted: shapes.Capabilities
) -> shapes.CapabilitySet:
    """Say anew what a set contains; members and tokens feel it with their next request. Takes If-Match."""
    row = change_set(
        access=access_of(request),
        set_id=set_id,
        capabilities=wanted.capabilities,
        check=expect_content(request, _set),
    )
    return _tagged(response, _set(row))


@routes.add(
    "GET",
    "/capability-sets/{uuid:set_id}",
    capability="capability_sets:read",
    response=shapes.CapabilitySet,
)
def one_set(request: HttpRequest, response: HttpResponse, set_id: uuid.UUID) -> shapes.CapabilitySet:
    """Return one capability set."""
    return _tagged(response, _set(get_set(access=access_of(request), set_id=set_id)))


@routes.add(
    "DELETE",
    "/capability-sets/{uuid:set_id}",
    capability="capability_sets:write",
    response={204: None},
)
def drop_set(request: HttpRequest, set_id: uuid.UUID) -> None:
    """Delete a set of the tenant's own that nobody has."""
    delete_set(access=access_of(request), set_id=set_id)


@routes.add("GET", "/tokens", capability="profile:read", response=shapes.Tokens)
def tokens(request: HttpRequest) -> shapes.Tokens:
    """List one's own tokens; with `tenants:read` those of all members."""
    return shapes.Tokens(tokens=[_token(row) for row in list_tokens(access=access_of(request))])


@routes.add("POST", "/tokens", capability="profile:write", response={201: shapes.MintedToken})
def mint(request: HttpRequest, wanted: shapes.NewToken) -> shapes.MintedToken:
    """Mint a token, in a session only: no token makes another. Its secret is shown this once.

    Sent again with the same Idempotency-Key: 409 `told_once`, for the secret is kept nowhere.
    """
    made = mint_token(
        access=access_of(request),
        name=wanted.name,
        capability_set=wanted.capability_set,
        expires_at=wanted.expires_at,
    )
    hold_secret(request)
    return shapes.MintedToken(**_token(made.token).model_dump(), secret=made.secret)


@routes.add("DELETE", "/tokens/{uuid:token_id}", capability="profile:write", response={204: None})
def revoke(request: HttpRequest, token_id: uuid.UUID) -> None:
    """End a token at once; another member's needs `tenants:write`."""
    try:
        revoke_token(access=access_of(request), token_id=token_id)
    except InvalidToken as error:
        raise NoSuchThing from error


@routes.add("GET", "/audit", capability="tenants:read", response=shapes.Events)
def audit(request: HttpRequest, wanted: Query[EventFilters]) -> shapes.Events:
    """Read the audit trail, newest first."""
    cursor = read_cursor("audit", wanted.cursor)
    rows = list_events(
        access=access_of(request), before=cursor["number"] if cursor else None, limit=wanted.limit + 1
    )
    shown = [
        shapes.Event(
            number=row.sequence,
            at=row.at,
            action=row.action,
            actor=row.actor,
            origin=row.origin,
            object_type=row.object_type,
            object_id=row.object_id,
            details=json.loads(row.details),
            hash=row.hash,
        )
        for row in rows[: wanted.limit]
    ]
    more = len(rows) > wanted.limit
    return shapes.Events(
        events=shown, next=write_cursor("audit", {"number": shown[-1].number}) if more else None
    )


def _member(row: Membership) -> shapes.Member:
    return shapes.Member(
        user_id=row.user_id,
        username=row.user.username,
        capability_set=row.capability_set.name,
        is_active=row.user.is_active,
        created_at=row.created_at,
    )


def _set(row: CapabilitySet) -> shapes.CapabilitySet:
    return shapes.CapabilitySet(
        id=row.pk, name=row.name, is_system=row.is_system, capabilities=row.capabilities
    )


def _tagged(response: HttpResponse, shown: shapes.CapabilitySet) -> shapes.CapabilitySet:
    response.headers["ETag"] = content_etag(shown)
    return shown


def _token(row: ApiToken) -> shapes.Token:
    return shapes.Token(
        id=row.pk,
        name=row.name,
        prefix=row.prefix,
        capability_set=row.capability_set.name,
        created_by=row.created_by_id,
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
    )
