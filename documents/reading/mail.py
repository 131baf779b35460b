"""Read a mail: who, to whom, when, about what, and the words of its body. Attachments are named."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import date
from email import policy
from email.message import Message
from email.parser import BytesParser
from email.utils import parsedate_to_datetime

from documents.reading.charset import decode
from documents.reading.mail_attachments import attachment_bytes, attachments, name_of
from documents.reading.markup import html_text
from documents.reading.messages import Attached, Facts, Note, Part, ReadOptions
from documents.reading.plain import text_page
from documents.reading.sniff import MediaType
from documents.reading.source import Source
from documents.reading.warm import Warm

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_PIECE = 4 << 20
_PARTS = 500
"""Parts of a mail that are looked at."""

_LENIENT = policy.default.clone(raise_on_defect=False)


def warm_up() -> None:
    """Load the parser and its codecs by reading a mail."""
    raw = (
        b"From: =?utf-8?q?=C3=84?= <a@b.example>\r\nDate: Mon, 1 Jan 2024 00:00:00 +0000\r\n"
        b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n"
        b"Content-Transfer-Encoding: base64\r\n\r\nPGI+aGk8L2I+\r\n"
        b"--x\r\nContent-Type: message/rfc822\r\n\r\nSubject: a\r\n\r\nb\r\n--x--\r\n"
    )
    message = BytesParser(policy=_LENIENT).parsebytes(raw)
    _body(message)
    list(_taken_out(list(attachments(message)), 1))
    _header(message, "From")
    _issued(message)


def read(source: Source, media_type: MediaType, options: ReadOptions, warm: Warm) -> Iterator[Part]:  # noqa: ARG001
    """Facts, one page, thumbnail of one mail."""
    started = time.process_time()
    message = BytesParser(policy=_LENIENT).parsebytes(source.head(source.size))
    subject, author = _header(message, "Subject"), _header(message, "From")
    yield Facts(1, media_type, subject or None, _issued(message), author or None)
    shown = [f"{name}: {value}" for name in _SHOWN if (value := _header(message, name))]
    attached = list(attachments(message))
    lines = [*shown, *(f"Attachment: {name}" for name, _ in attached), "", _body(message)]
    yield from text_page("\n".join(lines), options, started)
    yield from _taken_out(attached, options.limits.attachments)


def _taken_out(attached: Sequence[tuple[str, Message]], most: int) -> Iterator[Part]:
    """The files that came with the mail, piece by piece; empty ones are named and left."""
    number = 0
    for name, part in attached:
        if number == most:
            yield Note("attachments", f"Only the first {most} of {len(attached)} attachments are taken out")
            return
        data = attachment_bytes(part)
        if not data:
            yield Note("attachments", f"The attachment {name} is empty")
            continue
        number += 1
        for start in range(0, len(data), _PIECE):
            yield Attached(number, name, data[start : start + _PIECE], last=start + _PIECE >= len(data))


def _header(message: Message, name: str) -> str:
    """One header in one line, its encoded words decoded; empty if it is missing or beyond all parsing."""
    try:
        value = message.get(name)
        text = "" if value is None else str(value)
    except Exception:  # noqa: BLE001  the parser of headers fails in many ways on broken ones
        text = next((str(raw) for key, raw in message.raw_items() if key.lower() == name.lower()), "")
    return " ".join(text.encode("utf-8", "replace").decode().split())[:1000]


def _issued(message: Message) -> date | None:
    """The day its sender wrote it, by the sender's own clock; none where the header is no date."""
    try:
        raw = next((str(raw) for key, raw in message.raw_items() if key.lower() == "date"), "")
        return parsedate_to_datetime(raw).date() if raw else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _leaves(message: Message) -> list[Message]:
    """The parts that hold something, outermost first; forwarded mails count as text of their own."""
    leaves = []
    for number, part in enumerate(message.walk()):
        if number >= _PARTS:
            break
        if not part.is_multipart():
            leaves.append(part)
    return leaves


def _body(message: Message) -> str:
    """The words of the body: plain text where there is some, else HTML reduced to its words."""
    leaves = [part for part in _leaves(message) if not name_of(part)]
    plain = [_content(part) for part in leaves if part.get_content_type() == "text/plain"]
    if any(text.strip() for text in plain):
        return "\n\n".join(text for text in plain if text.strip())
    marked = [_content(part) for part in leaves if part.get_content_type() == "text/html"]
    return "\n\n".join(html_text(text) for text in marked)


def _content(part: Message) -> str:
    try:
        payload = part.get_payload(decode=True)
        charset = part.get_content_charset("")
    except (LookupError, ValueError, TypeError, AttributeError):
        payload, charset = str(part.get_payload()).encode("utf-8", "replace"), ""
    return decode(payload, str(charset or "")) if isinstance(payload, bytes) else ""
