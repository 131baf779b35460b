"""Read text: plain, CSV, Markdown, XML as it stands, but for invoices; HTML reduced to its words."""

from __future__ import annotations

import encodings
import pkgutil
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module

from documents.images import THUMBNAIL_TYPE, draw_text
from documents.reading import invoices
from documents.reading.charset import decode
from documents.reading.markup import html_text
from documents.reading.messages import Facts, Note, PageRead, Part, Picture, ReadOptions
from documents.reading.sniff import MediaType
from documents.reading.source import Source
from documents.reading.warm import Warm
from documents.textlayer import clean

_BYTES_A_CHARACTER = 4


def warm_up() -> None:
    """Load all codecs and the guesser: they are imported when first needed, and then it is too late."""
    for module in pkgutil.iter_modules(encodings.__path__):
        with suppress(ImportError):  # some are for other systems
            import_module(f"encodings.{module.name}")
    for data in (b"plain", "Grüße".encode("cp1252"), "Привет, мир".encode("koi8-r")):
        decode(data)


def read(source: Source, media_type: MediaType, options: ReadOptions, warm: Warm) -> Iterator[Part]:  # noqa: ARG001
    """Facts, one page, thumbnail of one text file."""
    started = time.process_time()
    limit = options.limits.text_chars
    text = decode(source.head(_BYTES_A_CHARACTER * limit))
    if media_type is MediaType.HTML:
        text = html_text(text)
    bare = invoices.read_bare(source, text, most=limit) if media_type is MediaType.XML else None
    if isinstance(bare, tuple):
        invoice, text = bare
        yield Facts(1, media_type, invoice=invoice)
    else:
        yield Facts(1, media_type)
        if bare:
            yield Note("facts", bare)
    yield from text_page(text, options, started)


def text_page(text: str, options: ReadOptions, started: float) -> Iterator[Part]:
    """The one page of a file that is text, and its picture; `started` is the processor time at its start."""
    limit = options.limits.text_chars
    cleaned = clean(text, limit)
    if 1 not in options.skip_pages:
        seconds = round(time.process_time() - started, 4)
        yield PageRead(1, cleaned, "layer" if cleaned.strip() else "none", seconds=seconds)
        if len(text) > limit:
            yield Note("text", f"Only the first {limit} characters are read")
    if options.thumbnail:
        drawn = draw_text(cleaned[:10_000].split("\n"))
        yield Picture("thumbnail", THUMBNAIL_TYPE, drawn.data, drawn.width, drawn.height)
