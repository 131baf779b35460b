"""What a reader does: confine itself, read its one file, say what it found, end."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator

from PIL import Image

from documents.images import THUMBNAIL_TYPE, draw_placeholder
from documents.reading import invoices, mail, office, pdf, picture, plain, rtf, sandbox, searchable
from documents.reading.errors import LimitExceeded, NeedsPassword, ReadError, Unreadable
from documents.reading.messages import Facts, Note, Part, Picture, ReadOptions
from documents.reading.parts import error_to_frame, part_to_frame
from documents.reading.protocol import Frame, decode_options, send_frame
from documents.reading.sniff import PICTURES, TEXTS, MediaType, sniff
from documents.reading.source import Source
from documents.reading.warm import Warm, load

Read = Callable[[Source, MediaType, ReadOptions, Warm], Iterator[Part]]

_READERS: dict[MediaType, Read] = {
    MediaType.PDF: pdf.read,
    **dict.fromkeys(PICTURES, picture.read),
    **dict.fromkeys(TEXTS, plain.read),
    MediaType.MAIL: mail.read,
    MediaType.RTF: rtf.read,
    **dict.fromkeys(office.OFFICE, office.read),
}
_HEAD = 1 << 16
_GLANCE = 1 << 11


def warm_up() -> Warm:
    """Load everything any reader needs; once, in the template, before it confines itself."""
    Image.MAX_IMAGE_PIXELS = None  # our own limits are checked before anything is decoded
    warm = load(os.environ.get("ARCHIV_TESSDATA", ""), os.environ.get("ARCHIV_OCR_LANGUAGES", ""))
    for module in (pdf, picture, plain, mail, office, rtf, invoices, searchable):
        module.warm_up()
    return warm


def run(warm: Warm, payload: bytes, descriptors: list[int]) -> None:
    """Read the file `descriptors[0]` and say everything on the socket `descriptors[1]`."""
    options = decode_options(payload)
    size = os.fstat(descriptors[0]).st_size
    # To look at the first bytes needs no library; decoders of HEIC need threads.
    kind = sniff(os.pread(descriptors[0], _GLANCE, 0), "")
    if kind is MediaType.PDF or kind in PICTURES:
        warm.recognizer(options.languages)  # a reader can open no file, so those of a language come before
    sandbox.confine_reader(descriptors, size, options.limits, threads=kind is MediaType.HEIC)
    with socket.socket(fileno=descriptors[1]) as stream:
        try:
            if size > options.limits.file_bytes:
                raise LimitExceeded("file_bytes", options.limits.file_bytes)
            for part in _parts(Source(descriptors[0]), options, warm, descriptors[2:]):
                send_frame(stream, part_to_frame(part))
                sandbox.allow_seconds(options.limits)
            last = Frame("end", {})
        except ReadError as error:
            last = error_to_frame(error)
        except MemoryError:
            last = error_to_frame(LimitExceeded("memory_bytes", options.limits.memory_bytes))
        except RecursionError:
            last = error_to_frame(Unreadable("it is nested too deeply"))
        except Exception as error:  # noqa: BLE001  whatever a library raises is about the file
            last = error_to_frame(Unreadable(f"{type(error).__name__}: {error}"))
        send_frame(stream, last)


def _parts(source: Source, options: ReadOptions, warm: Warm, more: list[int]) -> Iterator[Part]:
    if options.searchable:
        return searchable.make(source, _media_type(source, options.media_type), options, more[0])
    return read(source, options, warm)


def read(source: Source, options: ReadOptions, warm: Warm) -> Iterator[Part]:
    """Everything one file says.

    The bytes decide what it is; the stated type decides only between kinds of text, and whether it is text
    at all where the bytes leave that open.
    """
    media_type = _media_type(source, options.media_type)
    if media_type.is_empty:
        raise Unreadable("it is empty")
    if media_type is MediaType.OLE and office.is_locked(source):
        raise NeedsPassword
    if (by_type := _READERS.get(media_type)) is not None:
        yield from by_type(source, media_type, options, warm)
        return
    yield Facts(0, media_type)
    yield Note("read", f"Files of the type {media_type} are kept, but not read; they are found by title")
    if options.thumbnail:
        drawn = draw_placeholder(media_type.name)
        yield Picture("thumbnail", THUMBNAIL_TYPE, drawn.data, drawn.width, drawn.height)


def _media_type(source: Source, stated: str) -> MediaType:
    found = sniff(source.head(_HEAD), "")
    if found in {*TEXTS, MediaType.UNKNOWN} and pdf.is_behind_junk(source):
        return MediaType.PDF
    textual = {*TEXTS, MediaType.MAIL}
    # Some controls in a text are forgiven only if its name says that it is one, and readers get no names.
    if stated in textual and found in {*textual, MediaType.UNKNOWN}:
        return MediaType(stated)
    if found in {MediaType.ZIP, *office.OFFICE}:
        return office.find_type(source) or MediaType.ZIP
    return found
