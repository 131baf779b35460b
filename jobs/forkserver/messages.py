"""What travels between a template and whoever asks it: requests, answers, errors.

ForkServerError
├── TemplateGone
├── TemplateNotReady
└── ForkRefused
"""

from __future__ import annotations

import json
import signal
from dataclasses import asdict, dataclass

MAX_PAYLOAD = 64 * 1024
"""Bytes of payload in one request: far below the socket's buffer, so a request is one atomic message."""

MAX_DESCRIPTORS = 16
"""Descriptors of the caller in one request, the leash not counted."""

MAX_ANSWER = 4 * 1024
"""Bytes of one answer on a leash."""

REQUEST_MARK = b"fork1 "
"""First bytes of every request: what does not begin with them is garbage and is refused."""

READY = b"ready"
"""The one message a template sends on its request socket, when it is warm."""


class ForkServerError(Exception):
    """The fork server could not do what it was asked."""


class TemplateGone(ForkServerError):
    """The template process has ended; nothing can be forked from it any more."""


class TemplateNotReady(ForkServerError):
    """The template process did not become ready, or did not answer, in time."""


class ForkRefused(ForkServerError):
    """The template could not serve the request; it goes on with others."""


@dataclass(frozen=True)
class Started:
    """The answer to a request: the process runs, under this id."""

    pid: int


@dataclass(frozen=True)
class Refused:
    """The answer to a request that cannot be served, with the reason."""

    reason: str


@dataclass(frozen=True)
class Exit:
    """How a forked process ended: a code or a signal, never both; what it used in all."""

    code: int | None
    signal: int | None
    cpu_seconds: float
    max_rss: int
    """The most memory it held at once, in bytes, shared pages included."""

    def __str__(self) -> str:
        if self.signal is None:
            return f"exit code {self.code}"
        try:
            return f"signal {signal.Signals(self.signal).name}"
        except ValueError:
            return f"signal {self.signal}"


Answer = Started | Refused | Exit

_KINDS: dict[str, type[Started | Refused | Exit]] = {
    "started": Started,
    "refused": Refused,
    "exit": Exit,
}


def encode_answer(answer: Answer) -> bytes:
    """The bytes of one answer, at most MAX_ANSWER; a longer reason is cut."""
    if isinstance(answer, Refused):
        answer = Refused(answer.reason[: MAX_ANSWER // 16])
    kind = next(name for name, known in _KINDS.items() if type(answer) is known)
    return json.dumps({"kind": kind, **asdict(answer)}).encode()


def decode_answer(data: bytes) -> Answer:
    """The answer in these bytes, which come from a template of our own; ForkServerError if it is none."""
    try:
        fields = json.loads(data)
        return _KINDS[fields.pop("kind")](**fields)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ForkServerError(f"the template sent something that is no answer: {data[:80]!r}") from error
