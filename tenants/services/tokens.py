"""Tokens: minted for a member, shown once, stored as a hash, never wider than their maker."""

import hashlib
import hmac
import secrets
import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db import connections
from django.db.models import Q
from django.db.models.functions import Now

from tenants.access import Access, requires
from tenants.audit import record
from tenants.errors import CapabilityDenied, InvalidToken
from tenants.models import ApiToken
from tenants.scope import tenant_scope
from tenants.selectors import get_capability_set
from tenants.services.names import clean_name

#: A token is `archiv_` and 43 characters of base64url: 256 random bits.
TOKEN_PREFIX = "archiv_"  # noqa: S105 - the public part
#: So much of it, after `archiv_`, is kept in clear to find the row: 48 bits, which leaves 208 to guess.
LOOKUP_LENGTH = 8
MAX_NAME_LENGTH = 100
#: `last_used_at` is written at most this often (seconds): a busy token must not make its row a hot spot.
LAST_USE_SECONDS = 60


@dataclass(frozen=True)
class MintedToken:
    """A new token. `secret` is shown this once and stored nowhere."""

    token: ApiToken
    secret: str


@requires("profile:write")
def mint_token(
    *, access: Access, name: str, capability_set: str, expires_at: datetime | None = None
) -> MintedToken:
    """Mint a token for the tenant, with one of its sets, in the name of a member.

    Raises `CapabilityDenied` when the set holds more than its maker or the maker is no member,
    `CapabilitySetNotFound`, `BadName`.
    """
    if access.user_id is None or access.token_id is not None:
        raise CapabilityDenied("A token is minted by a member who has signed in, not by another token.")
    cleaned = clean_name(name, most=MAX_NAME_LENGTH, of="a token")
    random_part = secrets.token_urlsafe(32)
    secret = TOKEN_PREFIX + random_part
    with tenant_scope(access.tenant_id):
        granted = get_capability_set(access.tenant_id, capability_set)
        access.require_all(frozenset(granted.capabilities))
        token = ApiToken.objects.create(
            tenant_id=access.tenant_id,
            name=cleaned,
            prefix=random_part[:LOOKUP_LENGTH],
            digest=_digest(secret),
            capability_set=granted,
            created_by_id=access.user_id,
            expires_at=expires_at,
        )
        record(
            "token.minted",
            tenant_id=access.tenant_id,
            object_type="token",
            object_id=token.id,
            details={"capability_set": str(granted.id)},
        )
    return MintedToken(token, secret)


@requires("profile:write")
def revoke_token(*, access: Access, token_id: uuid.UUID) -> None:
    """End a token at once. Another member's needs `tenants:write` besides.

    Raises `CapabilityDenied`, and `InvalidToken` when the tenant has no such token.
    """
    with tenant_scope(access.tenant_id):
        token = ApiToken.objects.select_for_update().filter(tenant_id=access.tenant_id, id=token_id).first()
        if token is None:
            raise InvalidToken("The tenant has no such token.")
        if access.user_id is None or token.created_by_id != access.user_id:
            access.require("tenants:write")
        ApiToken.objects.filter(tenant_id=access.tenant_id, id=token_id, revoked_at__isnull=True).update(
            revoked_at=Now()
        )
        record("token.revoked", tenant_id=access.tenant_id, object_type="token", object_id=token_id)


def token_grants(tenant_id: uuid.UUID, token_id: uuid.UUID, capability: str) -> bool:
    """Return whether a token would still be let in, and its set has the capability.

    Needs the tenant's scope.
    """
    tokens = ApiToken.objects.filter(tenant_id=tenant_id, pk=token_id, revoked_at=None)
    tokens = tokens.filter(capability_set__capabilities__contains=[capability])
    return tokens.filter(Q(expires_at=None) | Q(expires_at__gt=Now())).exists()


def authenticate_token(secret: str) -> Access:
    """Return what the bearer of `secret` may do now, asking the database each time.

    That is its set, cut down to what its maker still holds. Raises `InvalidToken` with one and the same
    message for unknown, expired and revoked ones and for tenants that are not active, and compares in
    constant time.
    """
    random_part = secret.removeprefix(TOKEN_PREFIX)
    prefix = random_part[:LOOKUP_LENGTH] if secret.startswith(TOKEN_PREFIX) and random_part.isascii() else ""
    found = _find_token(prefix) if prefix.isprintable() else None
    expected = found.digest if found is not None else _digest("")
    if not hmac.compare_digest(expected, _digest(secret)) or found is None or not found.is_live:
        raise InvalidToken
    if found.is_use_due:
        with tenant_scope(found.tenant_id):
            ApiToken.objects.filter(tenant_id=found.tenant_id, id=found.id).update(last_used_at=Now())
    return Access(
        tenant_id=found.tenant_id,
        capabilities=frozenset(found.makers) & frozenset(found.granted),
        user_id=found.created_by,
        token_id=found.id,
    )


@dataclass(frozen=True)
class _Found:
    """A token as it stands in the database at this moment, with all that decides what it may do."""

    tenant_id: uuid.UUID
    id: uuid.UUID
    digest: str
    created_by: uuid.UUID
    #: Neither revoked nor expired, and its tenant is active.
    is_live: bool
    #: Its last use was written down a while ago.
    is_use_due: bool
    granted: list[str]
    makers: list[str]


#: One message to the server, hence one transaction and one way there and back: every request to the API
#: begins with this. Nobody knows yet whose token it is: a policy shows the row of this prefix and no other,
#: and that row says whose scope the last statement is to have.
_FIND = """
SELECT set_config('archiv.token_prefix', %(prefix)s, true);
SELECT set_config('archiv.tenant_id', coalesce(
    (SELECT tenant_id::text FROM tenants_apitoken WHERE prefix = %(prefix)s), ''), true);
SELECT token.tenant_id, token.id, token.digest, token.created_by_id,
    token.revoked_at IS NULL AND coalesce(token.expires_at > statement_timestamp(), true)
        AND tenant.status = 'active',
    coalesce(token.last_used_at < statement_timestamp() - %(pause)s * interval '1 second', true),
    granted.capabilities, coalesce(held.capabilities, '{}')
FROM tenants_apitoken token
JOIN tenants_tenant tenant ON tenant.id = token.tenant_id
JOIN tenants_capabilityset granted
    ON granted.tenant_id = token.tenant_id AND granted.id = token.capability_set_id
LEFT JOIN (
    tenants_membership member
    JOIN tenants_user maker ON maker.id = member.user_id AND maker.is_active
    JOIN tenants_capabilityset held
        ON held.tenant_id = member.tenant_id AND held.id = member.capability_set_id
) ON member.tenant_id = token.tenant_id AND member.user_id = token.created_by_id
WHERE token.prefix = %(prefix)s
"""


def _find_token(prefix: str) -> _Found | None:
    """Find a token before its tenant is known, in a transaction of its own."""
    connection = connections["default"]
    if connection.in_atomic_block:
        raise RuntimeError("A token is looked up outside of any transaction: else its scope would stay open.")
    with connection.cursor() as cursor:
        cursor.execute(_FIND, {"prefix": prefix, "pause": LAST_USE_SECONDS})
        while cursor.nextset():
            pass
        row = cursor.fetchone()
    return _Found(*row) if row is not None else None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
