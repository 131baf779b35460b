"""Frames between reader and child: lengths, a JSON header, a body, over a stream socket.

The child must take the reader for hostile: it has parsed a stranger's file. So every length is
bounded before anything is read, every field is checked, and what does not fit is a ProtocolError.
"""

from __future__ import annotations

import json
import math
import select
import socket
import struct
import time
from dataclasses import dataclass
from typing import Any

from documents.reading.messages import Limits, ReadOptions

_LENGTHS = struct.Struct("!II")
MAX_HEADER = 4 << 20
MAX_BODY = 32 << 20
_CHUNK = 1 << 18


class ProtocolError(Exception):
    """The other side does not keep to the protocol."""


class StreamEnded(Exception):
    """The other side closed the stream between two frames, or within one."""


@dataclass(frozen=True)
class Frame:
    """One message: its kind, its small fields, and its text or picture as bytes."""

    kind: str
    fields: dict[str, Any]
    body: bytes = b""


def send_frame(stream: socket.socket, frame: Frame) -> None:
    """Send one frame, waiting as long as it takes; ProtocolError if it is too large to be taken."""
    header = json.dumps({"kind": frame.kind, **frame.fields}).encode()
    if len(header) > MAX_HEADER or len(frame.body) > MAX_BODY:
        raise ProtocolError(f"a frame of {len(header)} and {len(frame.body)} bytes is too large")
    stream.sendall(_LENGTHS.pack(len(header), len(frame.body)) + header + frame.body)


def receive_frame(stream: socket.socket, seconds: float) -> Frame:
    """Receive one frame, whole within so many seconds.

    Raises TimeoutError, StreamEnded, or ProtocolError.
    """
    deadline = time.monotonic() + seconds
    header_length, body_length = _LENGTHS.unpack(_receive(stream, _LENGTHS.size, deadline))
    if header_length > MAX_HEADER or body_length > MAX_BODY:
        raise ProtocolError(f"a frame of {header_length} and {body_length} bytes is announced")
    try:
        # Huge whole numbers are slow to read, numbers that are none are no JSON.
        fields = json.loads(_receive(stream, header_length, deadline), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"a header that is no JSON: {error}") from error
    if not isinstance(fields, dict) or not isinstance(kind := fields.pop("kind", None), str):
        raise ProtocolError("a header without a kind")
    return Frame(kind, fields, _receive(stream, body_length, deadline))


def _receive(stream: socket.socket, length: int, deadline: float) -> bytes:
    poll = select.poll()
    poll.register(stream, select.POLLIN)
    parts: list[bytes] = []
    while length:
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise TimeoutError
        try:
            part = stream.recv(min(length, _CHUNK))
        except ConnectionError:
            part = b""
        if not part:
            raise StreamEnded
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number")


def take_int(frame: Frame, name: str, low: int, high: int) -> int:
    """A whole number of a frame within bounds."""
    value = frame.fields.get(name)
    if type(value) is not int or not low <= value <= high:
        raise ProtocolError(f"{frame.kind}.{name} is not a number from {low} to {high}")
    return value


def take_float(frame: Frame, name: str, high: float) -> float:
    """A number of a frame from 0 to `high`."""
    value = frame.fields.get(name)
    if type(value) is not float and type(value) is not int:
        raise ProtocolError(f"{frame.kind}.{name} is not a number")
    if not math.isfinite(value) or not 0 <= value <= high:
        raise ProtocolError(f"{frame.kind}.{name} is not a number from 0 to {high}")
    return float(value)


def take_str(frame: Frame, name: str, length: int) -> str:
    """A string of a frame, at most so long."""
    value = frame.fields.get(name)
    if not isinstance(value, str) or len(value) > length:
        raise ProtocolError(f"{frame.kind}.{name} is not a string of at most {length} characters")
    return value


def encode_options(options: ReadOptions) -> bytes:
    """The payload of a request for a reader; pages to skip go as ranges, for there may be thousands."""
    limits = {name: getattr(options.limits, name) for name in options.limits.__dataclass_fields__}
    ranges: list[list[int]] = []
    for number in sorted(options.skip_pages):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    fields = {
        "media_type": options.media_type,
        "languages": options.languages,
        "skip_pages": ranges,
        "thumbnail": options.thumbnail,
        "searchable": options.searchable,
        "limits": limits,
    }
    return json.dumps(fields).encode()


def decode_options(payload: bytes) -> ReadOptions:
    """The options in a payload, which comes from a child of our own."""
    fields = json.loads(payload)
    return ReadOptions(
        media_type=fields["media_type"],
        languages=tuple(fields["languages"]),
        skip_pages=frozenset(
            number for first, last in fields["skip_pages"] for number in range(first, last + 1)
        ),
        thumbnail=fields["thumbnail"],
        searchable=fields["searchable"],
        limits=Limits(**fields["limits"]),
    )
