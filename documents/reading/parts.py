"""Parts of a reading as frames and back; the way back trusts nothing and keeps the order."""

from __future__ import annotations

from dataclasses import astuple
from datetime import date

from documents.ocr.words import Sheet, Word
from documents.reading.errors import LimitExceeded, NeedsPassword, ReadError, Unreadable
from documents.reading.invoice_fields import invoice_from_field, invoice_to_field
from documents.reading.messages import Attached, Facts, Limits, Note, PageRead, Part, Picture, ReadOptions
from documents.reading.protocol import Frame, ProtocolError, take_float, take_int, take_str
from documents.reading.sniff import MediaType
from documents.textlayer import clean

MAX_LINE = 1000
"""Characters of a subject, an author, a note."""

_PICTURE_BYTES = 4 << 20
_PICTURE_SIZE = 4096
_WORDS = 20_000


def part_to_frame(part: Part) -> Frame:
    """The frame for one part, in the reader."""
    match part:
        case Facts():
            issued = part.issued.isoformat() if part.issued else None
            fields = {"pages": part.pages, "media_type": part.media_type, "issued": issued}
            fields |= {"subject": part.subject, "author": part.author}
            return Frame("facts", {**fields, "invoice": invoice_to_field(part.invoice)})
        case PageRead():
            fields = {"number": part.number, "source": part.source, "confidence": part.confidence}
            words = [astuple(word) for word in part.words[:_WORDS]]
            return Frame(
                "page",
                {
                    **fields,
                    "seconds": part.seconds,
                    "words": words,
                    "sheet": astuple(part.sheet) if part.sheet else None,
                },
                part.text.encode("utf-8", "replace"),
            )
        case Picture():
            fields = {"picture": part.kind, "media_type": part.media_type}
            return Frame("picture", {**fields, "width": part.width, "height": part.height}, part.data)
        case Attached():
            fields = {"number": part.number, "name": part.name[:MAX_LINE], "last": part.last}
            return Frame("attached", fields, part.data)
        case Note():
            return Frame("note", {"step": part.step[:40], "message": part.message[:MAX_LINE]})


def error_to_frame(error: ReadError) -> Frame:
    """The frame for the error that ends a reading."""
    match error:
        case NeedsPassword():
            return Frame("error", {"error": "password"})
        case LimitExceeded():
            return Frame("error", {"error": "limit", "which": error.which, "value": error.value})
        case Unreadable():
            return Frame("error", {"error": "unreadable", "reason": error.reason[:MAX_LINE]})
    return Frame("error", {"error": "unreadable", "reason": str(error)[:MAX_LINE]})


class Conversation:
    """What one reader has said so far; turns its next frame into a part, or refuses it."""

    def __init__(self, options: ReadOptions) -> None:
        self.limits = options.limits
        self.skip = options.skip_pages
        self.facts: Facts | None = None
        self.last_page = 0
        self.pictures = 0
        self.notes = 0
        self.characters = 0
        self.attached = Attached(0, "", b"", last=True)
        self.attached_bytes = 0

    def understand(self, frame: Frame) -> Part:
        """The part in a frame; raises the ReadError it reports, or ProtocolError."""
        if frame.kind == "error":
            raise self._error(frame)
        if frame.kind == "facts" and self.facts is None:
            self.facts = self._facts(frame)
            return self.facts
        if self.facts is not None:
            if frame.kind == "page":
                return self._page(frame, self.facts)
            if frame.kind == "picture" and not self.pictures:
                self.pictures += 1
                return self._picture(frame)
            if frame.kind == "attached":
                return self._attached(frame)
            if frame.kind == "note" and self.notes < 200 + 5 * self.facts.pages:
                self.notes += 1
                message = _line(take_str(frame, "message", MAX_LINE))
                return Note(_line(take_str(frame, "step", 40)), message)
        raise ProtocolError(f"{frame.kind[:40]!r} is not expected here")

    def _facts(self, frame: Frame) -> Facts:
        try:
            media_type = MediaType(take_str(frame, "media_type", 127))
            given = frame.fields.get("issued")
            issued = date.fromisoformat(given) if given is not None else None
        except (ValueError, TypeError) as error:
            raise ProtocolError(str(error)) from error
        return Facts(
            take_int(frame, "pages", 0, self.limits.pages),
            media_type,
            _optional(frame, "subject"),
            issued,
            _optional(frame, "author"),
            invoice_from_field(frame.fields.get("invoice")),
        )

    def _page(self, frame: Frame, facts: Facts) -> PageRead:
        number = take_int(frame, "number", self.last_page + 1, facts.pages)
        source = frame.fields.get("source")
        if source not in ("layer", "ocr", "none") or number in self.skip:
            raise ProtocolError("a page that was not asked for")
        try:
            text = clean(frame.body.decode(), self.limits.text_chars)
        except UnicodeDecodeError as error:
            raise ProtocolError("a text that is no UTF-8") from error
        self.last_page = number
        self.characters += len(text)
        if self.characters > self.limits.text_chars_total:
            raise LimitExceeded("text_chars", self.limits.text_chars_total)
        known = frame.fields.get("confidence") is not None
        confidence = take_float(frame, "confidence", 1.0) if known else None
        seconds = take_float(frame, "seconds", 1e6)
        return PageRead(number, text, source, confidence, seconds, _words(frame), _sheet(frame))

    def _picture(self, frame: Frame) -> Picture:
        data = frame.body
        if len(data) > _PICTURE_BYTES or data[:4] != b"RIFF" or data[8:12] != b"WEBP":
            raise ProtocolError("a picture that is no small WEBP")
        width = take_int(frame, "width", 1, _PICTURE_SIZE)
        return Picture("thumbnail", "image/webp", data, width, take_int(frame, "height", 1, _PICTURE_SIZE))

    def _attached(self, frame: Frame) -> Attached:
        number = take_int(frame, "number", 1, self.limits.attachments)
        if number != self.attached.number + self.attached.last:
            raise ProtocolError("an attachment out of turn")
        self.attached_bytes += len(frame.body)
        if self.attached_bytes > self.limits.file_bytes:
            raise LimitExceeded("file_bytes", self.limits.file_bytes)
        name = _line(take_str(frame, "name", MAX_LINE))
        self.attached = Attached(number, name, frame.body, last=frame.fields.get("last") is True)
        return self.attached

    def _error(self, frame: Frame) -> ReadError:
        kind = frame.fields.get("error")
        if kind == "password":
            return NeedsPassword()
        if kind == "unreadable":
            return Unreadable(_line(take_str(frame, "reason", MAX_LINE)))
        which = frame.fields.get("which")
        if kind == "limit" and which in Limits.__dataclass_fields__:
            return LimitExceeded(which, getattr(self.limits, which))
        raise ProtocolError("an error that is none")


def _words(frame: Frame) -> tuple[Word, ...]:
    given = frame.fields.get("words")
    if not isinstance(given, list) or len(given) > _WORDS:
        raise ProtocolError("words that are none")
    kinds = [str, float, int, int, int, int, int]
    for word in given:
        if not isinstance(word, list) or list(map(type, word)) != kinds:
            raise ProtocolError("a word that is none")
        if (
            len(word[0]) > MAX_LINE
            or not 0 <= word[1] <= 1
            or not all(0 <= box < 1 << 24 for box in word[2:])
        ):
            raise ProtocolError("a word out of bounds")
    return tuple(Word(_line(text), *rest) for text, *rest in given)


def _sheet(frame: Frame) -> Sheet | None:
    match frame.fields.get("sheet"):
        case None:
            return None
        case [int(wide), int(high), int(width), int(height), float(angle)] if 0 <= angle < 360:
            if all(0 < side < 1 << 24 for side in (wide, high, width, height)):
                return Sheet(wide, high, width, height, angle)
    raise ProtocolError("a sheet that is none")


def _line(text: str) -> str:
    return " ".join(clean(text, MAX_LINE).split())


def _optional(frame: Frame, name: str) -> str | None:
    if frame.fields.get(name) is None:
        return None
    return _line(take_str(frame, name, MAX_LINE)) or None
