"""Tokens: minted for a member, shown once, stored as a hash, never wider than their maker."""

import hashlib
import hmac
import secrets
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connections, transaction
from django.db.models import Q
from django.db.models.functions import Now

from tenants.access import Access, member_access, requires
from tenants.audit import record
from tenants.errors import CapabilityDenied, InvalidToken, TenantsError
from tenants.models import ApiToken, Tenant, TenantStatus
from tenants.scope import tenant_scope
from tenants.selectors import get_capability_set

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
    `CapabilitySetNotFound`, `TenantsError` for a bad name.
    """
    if access.user_id is None or access.token_id is not None:
        raise CapabilityDenied("A token is minted by a member who has signed in, not by another token.")
    cleaned = " ".join(name.split())
    if not cleaned or len(cleaned) > MAX_NAME_LENGTH or not cleaned.isprintable():
        raise TenantsError(f"The name of a token has 1 to {MAX_NAME_LENGTH} printable characters.")
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


def authenticate_token(secret: str) -> Access:
    """Return what the bearer of `secret` may do now, asking the database each time.

    That is its set, cut down to what its maker still holds. Raises `InvalidToken` with one and the same
    message for unknown, expired and revoked ones and for tenants that are not active, and compares in
    constant time.
    """
    random_part = secret.removeprefix(TOKEN_PREFIX)
    prefix = random_part[:LOOKUP_LENGTH] if secret.startswith(TOKEN_PREFIX) and random_part.isascii() else ""
    token = _find_token(prefix) if prefix.isprintable() else None
    expected = token.digest if token is not None else _digest("")
    if not hmac.compare_digest(expected, _digest(secret)) or token is None:
        raise InvalidToken
    with tenant_scope(token.tenant_id):
        live = (
            ApiToken.objects.select_related("capability_set")
            .filter(tenant_id=token.tenant_id, id=token.id, revoked_at__isnull=True)
            .filter(Q(expires_at__isnull=True) | Q(expires_at__gt=Now()))
            .first()
        )
        active = Tenant.objects.filter(id=token.tenant_id, status=TenantStatus.ACTIVE).exists()
        if live is None or not active:
            raise InvalidToken
        maker = member_access(token.tenant_id, live.created_by_id)
        ApiToken.objects.filter(tenant_id=token.tenant_id, id=live.id).filter(
            Q(last_used_at__isnull=True) | Q(last_used_at__lt=Now() - timedelta(seconds=LAST_USE_SECONDS))
        ).update(last_used_at=Now())
        return Access(
            tenant_id=token.tenant_id,
            capabilities=maker.capabilities & frozenset(live.capability_set.capabilities),
            user_id=live.created_by_id,
            token_id=live.id,
        )


def _find_token(prefix: str) -> ApiToken | None:
    """Find a token before its tenant is known: a policy shows the row of this prefix and no other."""
    with transaction.atomic(durable=True), connections["default"].cursor() as cursor:
        cursor.execute("SELECT set_config('archiv.token_prefix', %s, true)", [prefix])
        return ApiToken.objects.filter(prefix=prefix).first()


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
