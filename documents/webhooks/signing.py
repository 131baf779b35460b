"""How a called system knows that a call is ours and fresh (pure)."""

import hmac
import uuid

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF


def signing_key(secret: str, *, tenant_id: uuid.UUID, workflow_id: uuid.UUID) -> str:
    """Return the key of one workflow, 64 hexadecimal digits, derived so that none need be stored."""
    info = f"archiv/webhook/v1|{tenant_id}|{workflow_id}".encode()
    return HKDF(algorithm=SHA256(), length=32, salt=b"archiv", info=info).derive(secret.encode()).hex()


def sign(key: str, *, body: bytes, at: int) -> str:
    """Return the value of `X-Archiv-Signature` for a body sent at a time (seconds since 1970).

    `t=TIME,v1=HEX`: HMAC-SHA256 with the key's hexadecimal digits over `TIME.BODY`.
    """
    digest = hmac.new(key.encode(), f"{at}.".encode() + body, "sha256").hexdigest()
    return f"t={at},v1={digest}"
