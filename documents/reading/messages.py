"""What is asked of a reader, and what it says: frozen values that cross the process border."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from documents.einvoices.model import Invoice
from documents.ocr.languages import LANGUAGES
from documents.ocr.words import Sheet, Word

Source = Literal["layer", "ocr", "none"]


@dataclass(frozen=True)
class Limits:
    """How much one file may cost; a limit that is hit ends the reading with its name."""

    cpu_seconds: int = 30
    """Processor seconds for opening the file, and again for each page."""
    cpu_seconds_total: int = 3600
    wall_seconds: float = 70.0
    """The longest time without a word from the reader."""
    memory_bytes: int = 1 << 30
    """Memory beside what a fresh reader has and the file itself."""
    file_bytes: int = 2 << 30
    unpacked_bytes: int = 256 << 20
    """What an office file may unpack to in all."""
    pages: int = 5000
    pixels: int = 170_000_000
    """Of one picture: an A0 scan at 300 dpi has 140 million."""
    large_pixels: int = 2_500_000_000
    """Of all pictures of a document that are larger than `ocr_pixels`: they are decoded to be made small."""
    ocr_pixels: int = 36_000_000
    """A page is made smaller than this before OCR: A3 at 300 dpi and a half more."""
    text_chars: int = 4_000_000
    """Of one page; what goes beyond is cut and noted."""
    attachments: int = 100
    """Of one mail that are taken out of it."""
    text_chars_total: int = 50_000_000


@dataclass(frozen=True)
class ReadOptions:
    """How to read one file. Pages in `skip_pages` (from 1) are kept from an earlier try."""

    media_type: str
    languages: tuple[str, ...] = LANGUAGES
    skip_pages: frozenset[int] = frozenset()
    thumbnail: bool = True
    searchable: bool = False
    """Make a searchable PDF instead of reading; the boxes of the words come as one descriptor more."""
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Facts:
    """What the format itself says; always first. No pages where the type is not read at all.

    Subject, date and author only where the format has a place for them: the headers of a mail. `invoice` is
    what the XML of an electronic invoice says, attached to a PDF or the file itself.
    """

    pages: int
    media_type: str
    subject: str | None = None
    issued: date | None = None
    author: str | None = None
    invoice: Invoice | None = None


@dataclass(frozen=True)
class PageRead:
    """The text of one page (from 1), in order; `seconds` of processor time went into it.

    Confidence (0 to 1), the words with their boxes, and the sheet these refer to are of OCR only.
    """

    number: int
    text: str
    source: Source
    confidence: float | None = None
    seconds: float = 0.0
    words: tuple[Word, ...] = ()
    sheet: Sheet | None = None


@dataclass(frozen=True)
class Picture:
    """A picture of the document; width and height in pixels."""

    kind: Literal["thumbnail"]
    media_type: str
    data: bytes
    width: int
    height: int


@dataclass(frozen=True)
class Attached:
    """A piece of a file that came with a mail; pieces of one come together and in order.

    `number` counts from 1. `name` is as the sender gave it. The last piece says so.
    """

    number: int
    name: str
    data: bytes
    last: bool


@dataclass(frozen=True)
class Note:
    """Something a person may want to know of how the file was read; nothing failed for good."""

    step: str
    message: str


Part = Facts | PageRead | Picture | Attached | Note
