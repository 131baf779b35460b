"""Sending requests, and waiting where the archive asks for it. Files go through in pieces."""

import http.client
import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol
from urllib.parse import urlencode, urlsplit

from archiv_client.errors import NotReached, Unreadable, problem_of

#: Values of a query: None is left out, a sequence is sent once for each.
Query = Mapping[str, str | int | bool | Sequence[str] | None]
#: A request is sent so often at most, where it was too early or the connection broke.
_ATTEMPTS = 4
#: The archive is not waited for longer than this at a time, in seconds.
_LONGEST_WAIT = 60.0
_LARGEST_ERROR = 1 << 20


class Answer(Protocol):
    """What came back, open for reading."""

    status: int

    def read(self, size: int = -1, /) -> bytes:
        """Return at most `size` bytes, none at the end."""

    def getheader(self, name: str) -> str | None:
        """Return one header."""


@dataclass(frozen=True)
class Request:
    """One request. `path` is that below `/api`."""

    method: str
    path: str
    query: Query = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | BinaryIO | None = None

    @property
    def address(self) -> str:
        """Return the path with the query."""
        pairs: list[tuple[str, str]] = []
        for name, value in self.query.items():
            if value is None:
                continue
            several = [value] if isinstance(value, str | int) else value
            pairs += [(name, str(one).lower() if isinstance(one, bool) else str(one)) for one in several]
        return f"/api{self.path}" + (f"?{urlencode(pairs)}" if pairs else "")


class Transport(Protocol):
    """How requests reach the archive."""

    @contextmanager
    def send(self, request: Request) -> Iterator[Answer]:
        """Send one request, and close the answer at the end. Raises `NotReached`."""


class Http:
    """The usual way: a connection for each request."""

    def __init__(self, url: str, token: str, *, timeout: float) -> None:
        """`timeout` in seconds, for each step of the network."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address: write one such as https://archive.example.org")
        self._parts, self._token, self._timeout = parts, token, timeout

    @contextmanager
    def send(self, request: Request) -> Iterator[Answer]:
        """See `Transport.send`."""
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._parts.hostname or "", self._parts.port, timeout=self._timeout)
        headers = {"Authorization": f"Bearer {self._token}", **request.headers}
        try:
            try:
                connection.request(
                    request.method,
                    self._parts.path.rstrip("/") + request.address,
                    body=request.body,
                    headers=headers,
                )
                answer = connection.getresponse()
            except (OSError, http.client.HTTPException) as error:
                raise NotReached(f"{self._parts.hostname} cannot be reached: {error}") from error
            yield answer
        finally:
            connection.close()


class Caller:
    """Asks, tries again where that is safe, and turns refusals into exceptions."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: Mapping[str, Any] | None = None,
        if_match: str | None = None,
    ) -> Any:
        """Return the JSON of an answer, None for one without. Raises `Problem`, `NotReached`, `Unreadable`.

        A POST carries an Idempotency-Key, so that sending it again does nothing twice.
        """
        headers: dict[str, str] = {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if if_match is not None:
            headers["If-Match"] = if_match
        if method == "POST":
            headers["Idempotency-Key"] = uuid.uuid4().hex
        data = None if body is None else json.dumps(body).encode()
        request = Request(method, path, query or {}, headers, data)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                with self._transport.send(request) as answer:
                    if answer.status not in (429, 503) or attempt == _ATTEMPTS:
                        return _json(answer)
                    wait = _wanted_wait(answer, attempt)
            except NotReached:
                if attempt == _ATTEMPTS:
                    raise
                wait = float(attempt)
            time.sleep(wait)
        raise AssertionError("unreachable")

    def send_file(self, path: str, file: BinaryIO, *, size: int, query: Query) -> Any:
        """Send a file as it is, in pieces, once; returns the JSON of the answer. Raises as `call` does."""
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        with self._transport.send(Request("POST", path, query, headers, file)) as answer:
            return _json(answer)

    @contextmanager
    def open(self, path: str, *, query: Query | None = None, first: int = 0) -> Iterator[Answer]:
        """Open a file of the archive, from its byte `first` on. Raises as `call` does."""
        headers = {"Range": f"bytes={first}-"} if first else {}
        with self._transport.send(Request("GET", path, query or {}, headers)) as answer:
            if answer.status not in (200, 206):
                raise problem_of(answer.status, answer.read(_LARGEST_ERROR))
            if first and answer.status != 206:
                raise Unreadable("The archive has sent the whole file instead of a part.")
            yield answer


def _wanted_wait(answer: Answer, attempt: int) -> float:
    """Return for how many seconds the archive wants to be left alone."""
    given = answer.getheader("Retry-After") or ""
    return min(float(given) if given.isdecimal() else float(attempt), _LONGEST_WAIT)


def _json(answer: Answer) -> Any:
    if answer.status >= 400:
        raise problem_of(answer.status, answer.read(_LARGEST_ERROR))
    body = answer.read()
    if not body:
        return None
    try:
        return json.loads(body)
    except ValueError as error:
        raise Unreadable from error
