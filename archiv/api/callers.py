"""Who calls: a token, or a member who has signed in. Asked of the database with each request."""

import uuid
from dataclasses import dataclass

from django.db import connection, transaction
from django.http import HttpRequest
from ninja.security import HttpBearer
from ninja.security.apikey import APIKeyCookie

from archiv.api.errors import NotSignedIn
from tenants.access import Access, member_access
from tenants.audit import Actor
from tenants.models import Membership
from tenants.scope import tenant_scope
from tenants.services import authenticate_token

#: The tenant that a session works in, chosen when it began.
SESSION_TENANT = "archiv_tenant"
_BEARER = "bearer "


@dataclass(frozen=True)
class Caller:
    """Whoever sent a request, and what they may do in their tenant at this moment."""

    access: Access
    by_session: bool

    @property
    def name(self) -> str:
        """Return the name by which the audit trail knows them."""
        if self.access.token_id is not None:
            return f"token:{self.access.token_id}"
        return f"user:{self.access.user_id}"

    def actor(self, request: HttpRequest) -> Actor:
        """Return who acts, and from where."""
        return Actor(self.name, origin=request.META.get("REMOTE_ADDR", ""))


def find_caller(request: HttpRequest) -> Caller | None:
    """Return who calls; None if nobody says so. Raises `InvalidToken`, `NotSignedIn`."""
    header = request.headers.get("Authorization")
    if header is not None:
        if not header.lower().startswith(_BEARER):
            raise NotSignedIn
        return Caller(authenticate_token(header[len(_BEARER) :].strip()), by_session=False)
    tenant = request.session.get(SESSION_TENANT)
    if tenant is None or not request.user.is_authenticated:
        return None
    tenant_id = uuid.UUID(tenant)
    with tenant_scope(tenant_id):
        access = member_access(tenant_id, request.user.pk)
    if not access.capabilities:
        raise NotSignedIn  # a member no more, or the tenant is not active
    return Caller(access, by_session=True)


def find_memberships(user_id: uuid.UUID) -> list[tuple[uuid.UUID, uuid.UUID]]:
    """Return the tenants of a user, before any is chosen: a policy shows the user's own memberships."""
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('archiv.user_id', %s, true)", [str(user_id)])
        rows = Membership.objects.filter(user_id=user_id).order_by("created_at", "id")
        return list(rows.values_list("tenant_id", "id"))


class _Token(HttpBearer):
    """A token in the header Authorization."""

    def __call__(self, request: HttpRequest) -> Caller | None:
        """Return the caller that the gate has found."""
        return getattr(request, "archiv_caller", None)

    def authenticate(self, request: HttpRequest, token: str) -> Caller | None:
        """See `__call__`."""
        return getattr(request, "archiv_caller", None)


class _Session(APIKeyCookie):
    """The cookie of a session."""

    param_name = "sessionid"

    def __init__(self) -> None:
        super().__init__(csrf=False)  # the gate looks at that

    def __call__(self, request: HttpRequest) -> Caller | None:
        """Return the caller that the gate has found."""
        return getattr(request, "archiv_caller", None)

    def authenticate(self, request: HttpRequest, key: str | None) -> Caller | None:
        """See `__call__`."""
        return getattr(request, "archiv_caller", None)


AUTHENTICATION = [_Token(), _Session()]


def caller_of(request: HttpRequest) -> Caller:
    """Return who calls. Raises `NotSignedIn`."""
    caller = getattr(request, "archiv_caller", None)
    if not isinstance(caller, Caller):
        raise NotSignedIn
    return caller


def access_of(request: HttpRequest) -> Access:
    """Return what the caller may do. Raises `NotSignedIn`."""
    return caller_of(request).access
