"""In the reader: make a searchable PDF of the file, with the boxes that come as a third descriptor."""

from __future__ import annotations

import io
import json
import os
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping

import pikepdf
from PIL import Image

from documents.ocr.boxes import pack, unpack
from documents.ocr.words import Boxes, Sheet, Word
from documents.reading.errors import NeedsPassword, Unreadable
from documents.reading.messages import Attached, Facts, Note, Part, ReadOptions
from documents.reading.sniff import PICTURES, MediaType
from documents.reading.source import Source
from documents.searchable_pdf import NotSearchableError, build_searchable

NAME = "searchable.pdf"
_PIECE = 4 << 20
_MOST_BYTES = 256 << 20


def encode_boxes(packed: Mapping[int, bytes]) -> bytes:
    """The packed boxes of pages (from 1) as they are handed to a reader."""
    return json.dumps({str(page): b64encode(boxes).decode() for page, boxes in packed.items()}).encode()


def warm_up() -> None:
    """Load what is loaded late, by making a PDF of a picture and one of that."""
    picture = io.BytesIO()
    Image.new("LA", (40, 40), "white").save(picture, "PNG")
    boxes = {1: unpack(pack(Boxes(Sheet(40, 40, 40, 40, 0.0), (Word("a", 1.0, 1, 1, 9, 9, 0),))))}
    made = build_searchable(picture, is_pdf=False, boxes=boxes, pixels=1600)
    build_searchable(io.BytesIO(made.data), is_pdf=True, boxes=boxes, pixels=1600)


def make(source: Source, media_type: MediaType, options: ReadOptions, descriptor: int) -> Iterator[Part]:
    """Facts, the file piece by piece, and notes on what keeps it from being PDF/A."""
    if media_type is not MediaType.PDF and media_type not in PICTURES:
        raise Unreadable(f"files of the type {media_type} have no pages to lay words over")
    try:
        made = build_searchable(
            source.stream(),
            is_pdf=media_type is MediaType.PDF,
            boxes=_boxes(descriptor),
            pixels=options.limits.pixels,
        )
    except pikepdf.PasswordError as error:
        raise NeedsPassword from error
    except (NotSearchableError, pikepdf.PdfError, ValueError) as error:
        raise Unreadable(str(error)) from error
    yield Facts(0, MediaType.PDF)
    for obstacle in made.obstacles:
        yield Note("searchable", f"No PDF/A: {obstacle}")
    for start in range(0, len(made.data), _PIECE):
        piece = made.data[start : start + _PIECE]
        yield Attached(1, NAME, piece, last=start + _PIECE >= len(made.data))


def _boxes(descriptor: int) -> dict[int, Boxes]:
    size = os.fstat(descriptor).st_size
    if size > _MOST_BYTES:
        raise ValueError(f"the boxes take {size} bytes")
    return {
        int(page): unpack(b64decode(packed))
        for page, packed in json.loads(os.pread(descriptor, size, 0)).items()
    }
