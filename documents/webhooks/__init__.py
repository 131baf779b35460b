"""Calls to other systems (no ORM, no settings): to which address, signed how, and what came back.

Whoever writes a workflow chooses the address, so nothing inside this network may be reached by it: every name
is resolved here, each of its addresses must be public, and the connection goes to just that address.
Redirects are not followed.
"""

from documents.webhooks.addresses import AddressForbidden, Networks
from documents.webhooks.sending import CallFailed, CallRefused, Delivered, send
from documents.webhooks.signing import sign, signing_key

__all__ = [
    "AddressForbidden",
    "CallFailed",
    "CallRefused",
    "Delivered",
    "Networks",
    "send",
    "sign",
    "signing_key",
]
