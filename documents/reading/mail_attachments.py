"""Which parts of a mail are files that came with it: attachments, and mails that were forwarded whole.

Pictures that the text shows in its place (a logo in a signature) are part of the mail, and stay in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from email import policy
from email.message import EmailMessage, Message

_PARTS = 500
"""Parts of a mail that are looked at."""

_AS_IT_CAME = policy.default.clone(refold_source="none", max_line_length=None, raise_on_defect=False)
_FORWARDED = "message/rfc822"


def attachments(message: Message) -> Iterator[tuple[str, Message]]:
    """The parts that are files, with their names, outermost first; not those within a forwarded mail."""
    waiting, seen = [message], 0
    while waiting and seen < _PARTS:
        part = waiting.pop(0)
        seen += 1
        if part.get_content_type() == _FORWARDED and part is not message:
            yield part.get_filename() or f"{_subject(part)}.eml", part
        elif part.is_multipart():
            waiting[:0] = [inner for inner in part.get_payload() if isinstance(inner, Message)]
        elif not _is_shown_inside(part) and (name := name_of(part)):
            yield name, part


def attachment_bytes(part: Message) -> bytes:
    """The file, decoded; empty where nothing can be made of it."""
    try:
        if part.get_content_type() == _FORWARDED:
            inner = part.get_payload()
            first = inner[0] if isinstance(inner, list) and inner else None
            return first.as_bytes(policy=_AS_IT_CAME) if isinstance(first, Message) else b""
        payload = part.get_payload(decode=True)
    except Exception:  # noqa: BLE001  the parser fails in many ways on broken mails
        return b""
    return payload if isinstance(payload, bytes) else b""


def name_of(part: Message) -> str:
    """The file name of an attachment; empty for a part of the body."""
    try:
        attached = isinstance(part, EmailMessage) and part.get_content_disposition() == "attachment"
        return " ".join(str(part.get_filename() or ("unnamed" if attached else "")).split())[:255]
    except Exception:  # noqa: BLE001  as above
        return "unnamed"


def _is_shown_inside(part: Message) -> bool:
    disposition = str(part.get("Content-Disposition") or "").partition(";")[0].strip().lower()
    return part.get_content_maintype() == "image" and disposition != "attachment" and "Content-ID" in part


def _subject(part: Message) -> str:
    try:
        inner = part.get_payload()
        first = inner[0] if isinstance(inner, list) and inner else None
        found = str(first.get("Subject") or "") if isinstance(first, Message) else ""
    except Exception:  # noqa: BLE001  as above
        found = ""
    return " ".join(found.split())[:200] or "forwarded"
