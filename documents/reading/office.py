"""Read office files: what is written in them, sheet by sheet and slide by slide. Nothing is fetched or run.

They are ZIP archives of XML made by strangers, so before any library opens one, it is looked at from outside:
how much it would unpack to, and whether its XML declares entities, which no office program writes.
"""

from __future__ import annotations

import time
import zipfile
from collections.abc import Callable, Iterator
from typing import BinaryIO

from documents.images import THUMBNAIL_TYPE, draw_text
from documents.reading import ooxml, opendocument
from documents.reading.errors import LimitExceeded, NeedsPassword, Unreadable
from documents.reading.messages import Facts, Limits, Note, PageRead, Part, Picture, ReadOptions
from documents.reading.sniff import MediaType
from documents.reading.source import Source
from documents.reading.warm import Warm
from documents.textlayer import clean

Sheets = Iterator[str]
Open = Callable[[BinaryIO, int], Sheets]

_READERS: dict[MediaType, Open] = {
    MediaType.DOCX: ooxml.read_words,
    MediaType.XLSX: ooxml.read_sheets,
    MediaType.PPTX: ooxml.read_slides,
    MediaType.ODT: opendocument.read_words,
    MediaType.ODS: opendocument.read_sheets,
}
OFFICE = frozenset(_READERS)

_MEMBERS = 10_000
_XML = (".xml", ".rels", ".vml")
_HEAD = 1 << 12
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_ZIP_ENCRYPTED = 1


def warm_up() -> None:
    """Load the libraries by reading a file of each kind."""
    ooxml.warm_up()
    opendocument.warm_up()


def read(source: Source, media_type: MediaType, options: ReadOptions, warm: Warm) -> Iterator[Part]:  # noqa: ARG001
    """Facts, one page for each sheet or slide, thumbnail of one office file."""
    limits = options.limits
    started = time.process_time()
    try:
        _check(source, limits)
        pages = list(_bounded(_READERS[media_type](source.stream(), limits.text_chars), limits))
    except (NeedsPassword, LimitExceeded, Unreadable, MemoryError, RecursionError):
        raise
    except Exception as error:  # these libraries raise whatever comes
        raise Unreadable("it is no whole office file") from error
    yield Facts(len(pages), media_type)
    for number, text in enumerate(pages, 1):
        if number in options.skip_pages:
            continue
        seconds, started = round(time.process_time() - started, 4), time.process_time()
        yield PageRead(number, text, "layer" if text.strip() else "none", seconds=seconds)
        if len(text) >= limits.text_chars:
            yield Note("text", f"Page {number}: only the first {limits.text_chars} characters are read")
    if options.thumbnail:
        drawn = draw_text(pages[0][:10_000].split("\n"))
        yield Picture("thumbnail", THUMBNAIL_TYPE, drawn.data, drawn.width, drawn.height)


def is_locked(source: Source) -> bool:
    """Whether this OLE file is the container of an office file behind a password."""
    return source.data is not None and source.data.find(_ENCRYPTED_PACKAGE, 0, 1 << 20) >= 0


def find_type(source: Source) -> MediaType | None:
    """Which office file a ZIP archive is, by the names of its members; None for any other."""
    try:
        with zipfile.ZipFile(source.stream()) as archive:
            names = set(archive.namelist()[:_MEMBERS])
            declared = (
                archive.read("mimetype")[:100].decode("ascii", "replace") if "mimetype" in names else ""
            )
    except Exception:  # noqa: BLE001  whatever it is, it is no office file
        return None
    for name, kind in (
        ("word/document.xml", MediaType.DOCX),
        ("xl/workbook.xml", MediaType.XLSX),
        ("ppt/presentation.xml", MediaType.PPTX),
    ):
        if name in names:
            return kind
    return next((kind for kind in (MediaType.ODT, MediaType.ODS) if declared == kind.value), None)


def _check(source: Source, limits: Limits) -> None:
    """Refuse what would unpack to too much, is locked, or declares entities; unpacks next to nothing."""
    with zipfile.ZipFile(source.stream()) as archive:
        members = archive.infolist()
        # zipfile gives no more of a member than is stated here.
        if len(members) > _MEMBERS or sum(member.file_size for member in members) > limits.unpacked_bytes:
            raise LimitExceeded("unpacked_bytes", limits.unpacked_bytes)
        for member in members:
            if member.flag_bits & _ZIP_ENCRYPTED:
                raise NeedsPassword
            if not member.filename.lower().endswith(_XML):
                continue
            with archive.open(member) as file:
                head = file.read(_HEAD)
            if member.filename == "META-INF/manifest.xml" and b"encryption-data" in head:
                raise NeedsPassword
            if b"<!" in head.replace(b"\0", b"").replace(b"<!--", b""):
                raise Unreadable("its XML declares a document type, which no office program writes")


def _bounded(sheets: Sheets, limits: Limits) -> Iterator[str]:
    total = 0
    for number, text in enumerate(sheets, 1):
        if number > limits.pages:
            raise LimitExceeded("pages", limits.pages)
        cleaned = clean(text, limits.text_chars)
        total += len(cleaned)
        if total > limits.text_chars_total:
            raise LimitExceeded("text_chars_total", limits.text_chars_total)
        yield cleaned
