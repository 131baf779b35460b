"""Checking an audit trail (pure): every link is computed anew, and the end is held against a signed head.

The hash of an event is SHA-256 over the hash before it and every field behind its length in bytes, as
`archiv_audit_link` in the database writes it.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

FIRST_HASH = "0" * 64


class Link(NamedTuple):
    """One event as it is stored. `at` is microseconds since 1970, as text; so are all other fields.

    A tuple, since a trail has many: a frozen dataclass takes three times as long to make.
    """

    tenant_id: str
    sequence: str
    at: str
    action: str
    actor: str
    origin: str
    object_type: str
    object_id: str
    details: str
    previous_hash: str
    hash: str


@dataclass(frozen=True)
class Head:
    """The end of one chain at one time."""

    sequence: int
    hash: str


@dataclass(frozen=True)
class Finding:
    """The first thing that is wrong in one chain."""

    tenant_id: str
    sequence: int
    problem: str


def hash_of(link: Link) -> str:
    """Return what the hash of the event has to be, given the hash it says came before."""
    tenant, number, at, action, actor, origin, kind, key, details, before, _ = link
    # One expression, and lengths without encoding where they are the same: half of the time goes here.
    if f"{tenant}{number}{at}{action}{actor}{origin}{kind}{key}{details}".isascii():
        text = (
            f"{before}{len(tenant)}:{tenant}{len(number)}:{number}{len(at)}:{at}"
            f"{len(action)}:{action}{len(actor)}:{actor}{len(origin)}:{origin}{len(kind)}:{kind}"
            f"{len(key)}:{key}{len(details)}:{details}"
        )
    else:
        fields = (tenant, number, at, action, actor, origin, kind, key, details)
        text = before + "".join(f"{len(field.encode())}:{field}" for field in fields)
    return hashlib.sha256(text.encode()).hexdigest()


def check_chains(links: Iterable[Link], heads: Mapping[str, Head]) -> Iterator[Finding]:
    """Yield the first finding of each chain. `links` come ordered by tenant and number.

    `heads` are the ends signed earlier, kept outside the database: a chain must still contain them.
    """
    tenant = ""
    sequence, previous, broken = 0, FIRST_HASH, False
    missing = dict(heads)
    for link in links:
        if link.tenant_id != tenant:
            tenant, sequence, previous, broken = link.tenant_id, 0, FIRST_HASH, False
        if broken:
            continue
        problem = _problem(link, sequence + 1, previous, heads.get(tenant))
        if problem:
            broken = True
            missing.pop(tenant, None)
            yield Finding(tenant, sequence + 1, problem)
            continue
        sequence, previous = sequence + 1, link.hash
        head = missing.get(tenant)
        if head is not None and head.sequence == sequence:
            del missing[tenant]
    for lost, head in sorted(missing.items()):
        yield Finding(
            lost, head.sequence, f"the trail was cut off: number {head.sequence} was signed and is gone"
        )


def _problem(link: Link, expected: int, previous: str, head: Head | None) -> str:
    """Say what is wrong with this link, or nothing."""
    if link.sequence != str(expected):
        if int(link.sequence) > expected:
            return f"number {expected} is missing: number {link.sequence} follows"
        return f"number {link.sequence} stands where {expected} belongs: it was inserted"
    if link.previous_hash != previous:
        return "it does not follow from the event before: something was swapped, inserted or edited"
    if hash_of(link) != link.hash:
        return "it was edited: its hash does not fit its content"
    if head is not None and head.sequence == expected and head.hash != link.hash:
        return "it is not the event that was signed: the chain was written anew"
    return ""


def derive_key(secret: str) -> bytes:
    """Return the key that signs heads: HKDF-SHA256 of the installation's secret key."""
    return HKDF(SHA256(), 32, salt=b"archiv", info=b"archiv/audit-head/v1").derive(secret.encode())


def sign_heads(key: bytes, day: str, heads: Mapping[str, Head]) -> str:
    """Return the signed heads of one day as JSON text."""
    body = {tenant: [head.sequence, head.hash] for tenant, head in sorted(heads.items())}
    text = json.dumps({"v": 1, "day": day, "heads": body}, sort_keys=True, separators=(",", ":"))
    return json.dumps({"signed": text, "signature": hmac.new(key, text.encode(), "sha256").hexdigest()})


class UntrustedHeads(ValueError):
    """The file of signed heads is damaged, or was signed with another key."""


def read_heads(keys: Iterable[bytes], text: str) -> dict[str, Head]:
    """Return the heads of a signed file. Raises `UntrustedHeads`."""
    try:
        outer = json.loads(text)
        signed, signature = outer["signed"], outer["signature"]
        genuine = False
        for key in keys:
            expected = hmac.new(key, signed.encode(), "sha256").hexdigest()
            genuine |= hmac.compare_digest(expected, signature)
        if not genuine:
            raise UntrustedHeads(UntrustedHeads.__doc__)
        heads = json.loads(signed)["heads"]
        return {tenant: Head(int(number), str(link)) for tenant, (number, link) in heads.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UntrustedHeads(UntrustedHeads.__doc__) from error
