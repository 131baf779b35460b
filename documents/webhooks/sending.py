"""One call: resolve, refuse or connect to just that address, post, look at the answer."""

import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from documents.webhooks.addresses import Address, AddressForbidden, Networks, resolve
from jobs.failure_words import known

#: Seconds for one step of a call, and for all of it.
STEP_SECONDS, TOTAL_SECONDS = 10.0, 20.0
#: Bytes of an answer that are looked at.
_ANSWER_BYTES = 2_000
_NO_ADDRESS = known("%(host)s has no address: %(problem)s")
_NO_ANSWER = known("%(host)s did not answer: %(problem)s")
_PLAIN = known("Plain HTTP goes only to networks of ARCHIV_WEBHOOK_NETWORKS: use https://.")
_REDIRECTED = known("The answer was %(status)s: redirects are not followed.")
_ANSWER = known("The answer was %(status)s: %(said)s")


class CallFailed(Exception):
    """The call did not succeed, and may later."""


class CallRefused(Exception):
    """The call will not succeed: the address is forbidden, or the other side does not want it."""


@dataclass(frozen=True)
class Delivered:
    """The call succeeded. `status` is the HTTP status, `address` where it went."""

    status: int
    address: str


def send(url: str, *, body: bytes, headers: Mapping[str, str], allowed: Networks = ()) -> Delivered:
    """Post a body and return how it was taken. Raises `CallFailed`, `CallRefused`.

    Plain HTTP goes only to networks that are `allowed`: what is sent is nobody else's business.
    """
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    host, port = parts.hostname or "", parts.port or (443 if secure else 80)
    try:
        addresses, is_inside = resolve(host, port, allowed=allowed)
    except AddressForbidden as error:
        raise CallRefused(str(error)) from error
    except (OSError, UnicodeError) as error:
        raise CallFailed(_NO_ADDRESS % {"host": host, "problem": error}) from error
    if not secure and not is_inside:
        raise CallRefused(_PLAIN)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    failure: Exception | None = None
    for address in addresses[:3]:
        connection = _connect(host, port, address, secure=secure)
        try:
            return _post(connection, target, body, headers, address)
        except (OSError, http.client.HTTPException) as error:
            failure = error
        finally:
            connection.close()
    problem = f"{type(failure).__name__}: {failure}"
    raise CallFailed(_NO_ANSWER % {"host": host, "problem": problem}) from failure


class _Plain(http.client.HTTPConnection):
    """A connection to one address, whatever the name resolves to by now."""

    address: str

    def connect(self) -> None:
        """Connect to the address that was looked at."""
        self.sock = socket.create_connection((self.address, self.port), STEP_SECONDS)


class _Secure(_Plain):
    """The same over TLS; the certificate must be the name's."""

    default_port = 443

    def connect(self) -> None:
        """Connect, and check the certificate."""
        super().connect()
        context = ssl.create_default_context()
        self.sock = context.wrap_socket(self.sock, server_hostname=self.host)


def _connect(host: str, port: int, address: Address, *, secure: bool) -> _Plain:
    connection = (_Secure if secure else _Plain)(host, port, timeout=STEP_SECONDS)
    connection.address = str(address)
    return connection


def _post(
    connection: _Plain, target: str, body: bytes, headers: Mapping[str, str], address: Address
) -> Delivered:
    connection.connect()
    # Bytes that come one by one would each begin a new step.
    late = threading.Event()
    timer = threading.Timer(TOTAL_SECONDS, _shut, [connection.sock, late])
    timer.daemon = True
    timer.start()
    try:
        connection.request("POST", target, body=body, headers=dict(headers))
        answer = connection.getresponse()
        said = answer.read(_ANSWER_BYTES).decode(errors="replace")
    finally:
        timer.cancel()
    if late.is_set():
        raise TimeoutError(f"it took longer than {TOTAL_SECONDS:g} s")
    status = answer.status
    if 200 <= status < 300:
        return Delivered(status, str(address))
    words = _ANSWER % {"status": status, "said": " ".join(said.split())[:200]}
    if 300 <= status < 400:
        raise CallRefused(_REDIRECTED % {"status": status})
    if 400 <= status < 500 and status not in (408, 425, 429):
        raise CallRefused(words)
    raise CallFailed(words)


def _shut(sock: socket.socket, late: threading.Event) -> None:
    late.set()
    with suppress(OSError):
        sock.shutdown(socket.SHUT_RDWR)
