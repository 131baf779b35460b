"""Signed wipe orders (pure): what is signed, by which key, and every way in which an order can be wrong.

The message is `v1|tenant_id|tenant_name|action|nonce|issued_at|final_status`, signed by HMAC-SHA256. Each
field has a grammar of its own without `|`, checked before signing and before verifying, so that no text can
shift from one field into the next: `acme|delete|x` signed for a reset never reads as the delete of `acme`.
"""

import hmac
import math
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tenants.names import InvalidTenantName, clean_tenant_name
from tenants.proof_errors import (
    BadAction,
    BadFinalStatus,
    BadIssuedAt,
    BadNonce,
    BadTenantId,
    BadTenantName,
    IssuedAhead,
    IssuedOnNoDay,
    IssuedTooLongAgo,
    IssuedWithoutZone,
    SignatureDigits,
    SignatureLength,
    SignatureWrong,
    SignedForAnother,
)

DELETE, RESET = "delete", "reset"
NO_STATUS = "none"
#: What an order can leave behind: `none` if and only if it is a delete.
FINAL_STATUSES = {DELETE: (NO_STATUS,), RESET: ("active", "suspended")}

#: For how long an order is good, and how far ahead the clock of whoever signed it may be.
MOST_AGE = timedelta(seconds=300)
MOST_AHEAD = timedelta(seconds=30)

_VERSION = "v1"
_FORM = "%Y-%m-%dT%H:%M:%SZ"
_NONCE = re.compile(r"[0-9a-f]{32}")
_ISSUED_AT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_DIGITS = 64


@dataclass(frozen=True)
class _Order:
    """The fields of one order, each in its form."""

    tenant_id: str
    tenant_name: str
    action: str
    nonce: str
    issued_at: str
    final_status: str

    def __post_init__(self) -> None:
        _check_tenant_id(self.tenant_id)
        _check_tenant_name(self.tenant_name)
        if not isinstance(self.action, str) or self.action not in FINAL_STATUSES:
            raise BadAction
        if not isinstance(self.nonce, str) or not _NONCE.fullmatch(self.nonce):
            raise BadNonce
        parse_issued_at(self.issued_at)
        if self.final_status not in FINAL_STATUSES[self.action]:
            raise BadFinalStatus

    def signature(self, key: bytes) -> str:
        """Return 64 lower-case hexadecimal digits."""
        fields = (
            _VERSION,
            self.tenant_id,
            self.tenant_name,
            self.action,
            self.nonce,
            self.issued_at,
            self.final_status,
        )
        return hmac.new(key, "|".join(fields).encode(), "sha256").hexdigest()


def derive_key(secret: str) -> bytes:
    """Return the 32 bytes that sign wipe orders: HKDF-SHA256 of the installation's secret."""
    return HKDF(SHA256(), 32, salt=b"archiv", info=b"archiv/tenant-wipe/v1").derive(secret.encode())


def sign(
    key: bytes,
    *,
    tenant_id: uuid.UUID | str,
    tenant_name: str,
    action: str,
    nonce: str,
    issued_at: str,
    final_status: str,
) -> str:
    """Return the signature of an order. Raises a `MalformedField` for a field that cannot be signed."""
    order = _Order(_id_text(tenant_id), tenant_name, action, nonce, issued_at, final_status)
    return order.signature(key)


def verify(
    keys: Iterable[bytes],
    signature: str,
    *,
    tenant_id: uuid.UUID | str,
    tenant_name: str,
    action: str,
    nonce: str,
    issued_at: str,
    final_status: str,
    now: datetime,
) -> None:
    """Return if one of `keys` signed this very order at most 300.000 s ago (or 30 s ahead); raise otherwise.

    `tenant_id` and `tenant_name` come from the database, never from the order; so does `now`, which has a
    zone. Each way to be wrong raises a `ProofError` of its own. Compares in constant time, with every key.
    """
    order = _Order(_id_text(tenant_id), tenant_name, action, nonce, issued_at, final_status)
    _check_signature(signature)
    keys = tuple(keys)
    if not _is_signed(keys, signature, order):
        raise _explain(keys, signature, order)
    _check_age(now - parse_issued_at(issued_at))


def parse_issued_at(text: str) -> datetime:
    """Return the instant that `YYYY-MM-DDTHH:MM:SSZ` names. Raises `BadIssuedAt` for every other form."""
    if not isinstance(text, str) or not _ISSUED_AT.fullmatch(text):
        if isinstance(text, str) and _ISSUED_AT.fullmatch(f"{text}Z"):
            raise IssuedWithoutZone
        raise BadIssuedAt
    try:
        return datetime.strptime(text, _FORM).replace(tzinfo=UTC)
    except ValueError as error:
        raise IssuedOnNoDay from error


def format_issued_at(moment: datetime) -> str:
    """Return the text of an instant as it is signed, in UTC, cut to whole seconds."""
    return moment.astimezone(UTC).strftime(_FORM)


def _id_text(tenant_id: uuid.UUID | str) -> str:
    return str(tenant_id) if isinstance(tenant_id, uuid.UUID) else tenant_id


def _check_tenant_id(text: str) -> None:
    try:
        canonical = str(uuid.UUID(text))
    except (ValueError, AttributeError, TypeError) as error:
        raise BadTenantId from error
    if canonical != text:
        raise BadTenantId


def _check_tenant_name(name: str) -> None:
    if not isinstance(name, str):
        raise BadTenantName
    try:
        stored = clean_tenant_name(name)
    except InvalidTenantName as error:
        raise BadTenantName(str(error)) from error
    if stored != name:
        raise BadTenantName


def _check_signature(signature: str) -> None:
    if not isinstance(signature, str) or len(signature) != _DIGITS:
        found = f"{len(signature)} characters" if isinstance(signature, str) else "no text at all"
        raise SignatureLength(f"The signature has {found}, and {_DIGITS} hexadecimal digits are needed.")
    if not set(signature) <= set("0123456789abcdef"):
        raise SignatureDigits


def _is_signed(keys: Iterable[bytes], signature: str, order: _Order) -> bool:
    genuine = False
    for key in keys:
        genuine |= hmac.compare_digest(order.signature(key), signature)
    return genuine


def _explain(keys: Iterable[bytes], signature: str, order: _Order) -> SignatureWrong:
    """Return the error for a signature that does not fit; whose key is right learns what it was made for."""
    for action, statuses in FINAL_STATUSES.items():
        for status in statuses:
            other = _Order(order.tenant_id, order.tenant_name, action, order.nonce, order.issued_at, status)
            if _is_signed(keys, signature, other):
                made_for = _in_words(action, status)
                asked = _in_words(order.action, order.final_status)
                return SignedForAnother(f"The signature was made for {made_for}, not for {asked}.")
    return SignatureWrong()


def _in_words(action: str, final_status: str) -> str:
    return "a delete" if action == DELETE else f"a reset that ends {final_status}"


def _check_age(age: timedelta) -> None:
    if age > MOST_AGE:
        raise IssuedTooLongAgo(
            f"The order was issued {math.ceil(age.total_seconds())} s ago, and an order is good for"
            f" {MOST_AGE.total_seconds():.0f} s: sign a new one."
        )
    if -age > MOST_AHEAD:
        raise IssuedAhead(
            f"The order was issued {math.ceil(-age.total_seconds())} s ahead of the database's clock, and"
            f" {MOST_AHEAD.total_seconds():.0f} s are allowed: set the clock of whoever signs."
        )
