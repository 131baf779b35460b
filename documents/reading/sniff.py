"""Tell the type of a file from its first bytes; the name decides only between kinds of text."""

from __future__ import annotations

import codecs
import re
from enum import StrEnum
from pathlib import PurePath

from documents.einvoices.names import is_invoice_head


class MediaType(StrEnum):
    """The types that are told apart. As a string each is the media type itself."""

    EMPTY = "application/x-empty"
    PDF = "application/pdf"
    PNG = "image/png"
    JPEG = "image/jpeg"
    TIFF = "image/tiff"
    GIF = "image/gif"
    BMP = "image/bmp"
    WEBP = "image/webp"
    HEIC = "image/heic"
    TEXT = "text/plain"
    CSV = "text/csv"
    MARKDOWN = "text/markdown"
    HTML = "text/html"
    XML = "application/xml"
    MAIL = "message/rfc822"
    # Told apart, but not read: archived and found by title.
    SVG = "image/svg+xml"
    POSTSCRIPT = "application/postscript"
    RTF = "application/rtf"
    ZIP = "application/zip"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    ODT = "application/vnd.oasis.opendocument.text"
    ODS = "application/vnd.oasis.opendocument.spreadsheet"
    OLE = "application/x-ole-storage"
    UNKNOWN = "application/octet-stream"

    @property
    def is_empty(self) -> bool:
        """Whether the file has no bytes at all."""
        return self is MediaType.EMPTY


PICTURES = frozenset(
    {
        MediaType.PNG,
        MediaType.JPEG,
        MediaType.TIFF,
        MediaType.GIF,
        MediaType.BMP,
        MediaType.WEBP,
        MediaType.HEIC,
    }
)
TEXTS = frozenset({MediaType.TEXT, MediaType.CSV, MediaType.MARKDOWN, MediaType.HTML, MediaType.XML})

PDF_JUNK = 1024
"""Bytes that may stand before a PDF's own first line; readers have always looked so far."""

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", MediaType.PNG),
    (b"\xff\xd8\xff", MediaType.JPEG),
    (b"II*\x00", MediaType.TIFF),
    (b"MM\x00*", MediaType.TIFF),
    (b"II+\x00", MediaType.TIFF),
    (b"MM\x00+", MediaType.TIFF),
    (b"GIF87a", MediaType.GIF),
    (b"GIF89a", MediaType.GIF),
    (b"{\\rtf", MediaType.RTF),
    (b"%!PS", MediaType.POSTSCRIPT),
    (b"\xc5\xd0\xd3\xc6", MediaType.POSTSCRIPT),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", MediaType.OLE),
)
_HEIC_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1")
_OFFICE = (
    (b"word/", MediaType.DOCX),
    (b"xl/", MediaType.XLSX),
    (b"ppt/", MediaType.PPTX),
    (b"mimetype" + MediaType.ODT.encode(), MediaType.ODT),
    (b"mimetype" + MediaType.ODS.encode(), MediaType.ODS),
)
_NAMES = {
    ".csv": MediaType.CSV,
    ".md": MediaType.MARKDOWN,
    ".markdown": MediaType.MARKDOWN,
    ".htm": MediaType.HTML,
    ".html": MediaType.HTML,
    ".xml": MediaType.XML,
}
_MAIL_NAMES = (".eml", ".mail")
_TEXT_NAMES = (".txt", ".text", ".log", ".asc", *_NAMES)
_HEADER = re.compile(rb"([A-Za-z][A-Za-z0-9-]*):[ \t]?[^\r\n]*(?:\r?\n[ \t]+[^\r\n]*)*\r?\n")
_MAIL_HEADERS = {
    b"from", b"to", b"cc", b"subject", b"date", b"received", b"return-path", b"message-id",
    b"mime-version", b"delivered-to", b"reply-to", b"sender", b"content-type",
}  # fmt: skip


def sniff(head: bytes, filename: str) -> MediaType:
    """The type of a file that begins with `head` (4 KiB or more, or the whole file)."""
    if not head:
        return MediaType.EMPTY
    return _by_magic(head) or _by_text(head, PurePath(filename).suffix.lower()) or MediaType.UNKNOWN


def _by_magic(head: bytes) -> MediaType | None:
    for magic, media_type in _MAGIC:
        if head.startswith(magic):
            return media_type
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return MediaType.WEBP
    if head[4:8] == b"ftyp" and head[8:12] in _HEIC_BRANDS:
        return MediaType.HEIC
    if head[:2] == b"BM" and head[6:10] == b"\x00\x00\x00\x00" and len(head) >= 26:
        return MediaType.BMP
    if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return next((kind for sign, kind in _OFFICE if sign in head), MediaType.ZIP)
    if head.startswith(b"%PDF-"):
        return MediaType.PDF
    # Behind junk it takes objects as well: a letter may be about PDFs.
    if (at := head.find(b"%PDF-", 0, PDF_JUNK + 5)) > 0 and b" obj" in head[at:]:
        return MediaType.PDF
    return None


def _by_text(head: bytes, suffix: str) -> MediaType | None:
    if not _looks_like_text(head, named=suffix in _TEXT_NAMES or suffix in _MAIL_NAMES):
        return None
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1024].lower()
    if suffix not in _TEXT_NAMES and _looks_like_mail(head, named=suffix in _MAIL_NAMES):
        return MediaType.MAIL
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return MediaType.HTML
    if b"<svg" in start and start.startswith((b"<?xml", b"<svg", b"<!")):
        return MediaType.SVG
    if start.startswith(b"<?xml"):
        return MediaType.HTML if b"<html" in start else MediaType.XML
    if is_invoice_head(_characters(head)):
        return MediaType.XML
    return _NAMES.get(suffix, MediaType.TEXT)


def _characters(head: bytes) -> str:
    """The first characters as far as they are of ASCII, which the names in XML are."""
    wide = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return head.decode("utf-16" if wide else "latin-1", "replace").removeprefix("\xef\xbb\xbf")


def _looks_like_text(head: bytes, *, named: bool) -> bool:
    """Whether these are characters: Unicode with a few controls, or another encoding with next to none."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF8)):
        return True
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
    pairs = len(head) // 2
    if pairs >= 4 and max(head[0::2].count(0), head[1::2].count(0)) > 0.8 * pairs and controls < pairs * 1.1:
        return True  # UTF-16 without its mark
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return controls <= len(head) * (0.05 if named else 0.01)
    return controls <= len(head) * (0.2 if named else 0.1)


def _looks_like_mail(head: bytes, *, named: bool) -> bool:
    """Whether the file begins with headers of a mail: one where its name says so, else several."""
    known: set[bytes] = set()
    position = 0
    while header := _HEADER.match(head, position):
        known.add(header.group(1).lower())
        position = header.end()
    known &= _MAIL_HEADERS
    ended = head[position : position + 2] in (b"\r\n", b"", b"\r") or head[position : position + 1] == b"\n"
    if named:
        return bool(known)
    return ended and len(known) >= 3 and bool(known & {b"from", b"received", b"return-path"})
