"""Every way in which a signed wipe order can be wrong. The docstring is the message unless another is given.

ProofError
├── MalformedField
│   ├── BadTenantId, BadTenantName, BadAction, BadNonce, BadFinalStatus
│   └── BadIssuedAt
│       ├── IssuedWithoutZone
│       └── IssuedOnNoDay
├── BadSignature
│   ├── SignatureLength
│   └── SignatureDigits
├── SignatureWrong
│   └── SignedForAnother
├── IssuedTooLongAgo
└── IssuedAhead
"""

from tenants.errors import OrderRefused


class ProofError(OrderRefused):
    """The wipe order is not proved."""


class MalformedField(ProofError):
    """A field of the wipe order does not have its form."""


class BadTenantId(MalformedField):
    """The tenant's id is not a UUID in lower case with hyphens."""


class BadTenantName(MalformedField):
    """The tenant's name is not in the form in which names are stored."""


class BadAction(MalformedField):
    """The action is neither 'delete' nor 'reset'."""


class BadNonce(MalformedField):
    """The nonce is not 32 lower-case hexadecimal digits."""


class BadFinalStatus(MalformedField):
    """The final status is 'none' for a delete, and 'active' or 'suspended' for a reset."""


class BadIssuedAt(MalformedField):
    """The time of issue is not written as YYYY-MM-DDTHH:MM:SSZ, to the character."""


class IssuedWithoutZone(BadIssuedAt):
    """The time of issue names no zone: it is written in UTC, with a Z at its end."""


class IssuedOnNoDay(BadIssuedAt):
    """The time of issue has the right form, but there is no such day or time."""


class BadSignature(ProofError):
    """The signature does not have the form of one."""


class SignatureLength(BadSignature):
    """The signature does not have 64 digits."""


class SignatureDigits(BadSignature):
    """The signature is written with something else than lower-case hexadecimal digits."""


class SignatureWrong(ProofError):
    """The signature does not fit: it was made for another tenant, another order, or with another key."""


class SignedForAnother(SignatureWrong):
    """The signature was made for another action or final status."""


class IssuedTooLongAgo(ProofError):
    """The order is too old."""


class IssuedAhead(ProofError):
    """The order was issued in the future."""
