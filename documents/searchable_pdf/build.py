"""Build the searchable PDF from an original and the boxes of its pages."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

import img2pdf
import pikepdf
from pikepdf import Name

from documents.images import ImageError, count_frames, open_image, readable
from documents.ocr.words import Boxes
from documents.searchable_pdf.archival import make_archival
from documents.searchable_pdf.font import add_font
from documents.searchable_pdf.layer import FONT, PagePlace, text_layer


class NotSearchableError(Exception):
    """No searchable PDF can be made of this file."""


@dataclass(frozen=True)
class Searchable:
    """The PDF, and what keeps it from being PDF/A-2b, in words; nothing if it is."""

    data: bytes
    obstacles: tuple[str, ...]


def build_searchable(
    original: BinaryIO,
    *,
    is_pdf: bool,
    boxes: Mapping[int, Boxes],
    pixels: int,
    made_at: datetime | None = None,
) -> Searchable:
    """The original as a PDF with the words of `boxes` (by page, from 1) unseen over its pages.

    Pages of a PDF stay as they are, pictures are put into one unchanged where PDF can hold them; a picture
    may have so many `pixels`. Raises NotSearchableError, or what the libraries raise of a broken file.
    """
    source = original if is_pdf else io.BytesIO(_pictures_as_pdf(original, pixels))
    with pikepdf.open(source) as pdf:
        font = add_font(pdf)
        for number, page in enumerate(pdf.pages, 1):
            if number in boxes:
                _write(page, boxes[number], font)
        obstacles = make_archival(pdf, made_at=made_at)
        pdf.remove_unreferenced_resources()
        made = io.BytesIO()
        pdf.save(
            made, encryption=False, min_version="1.7", object_stream_mode=pikepdf.ObjectStreamMode.generate
        )
    return Searchable(made.getvalue(), obstacles)


def _write(page: pikepdf.Page, boxes: Boxes, font: pikepdf.Object) -> None:
    left, bottom, right, top = (float(side) for side in page.cropbox)
    place = PagePlace(
        min(left, right),
        min(bottom, top),
        abs(right - left),
        abs(top - bottom),
        int(page.obj.get("/Rotate", 0)) % 360 if "/Rotate" in page.obj else _inherited_rotation(page),
    )
    if place.rotation not in (0, 90, 180, 270) or not place.width or not place.height:
        raise NotSearchableError(
            f"a page of {place.width:g} x {place.height:g} points turned by {place.rotation}"
        )
    page.contents_add(b"q\n", prepend=True)
    page.contents_add(b"\nQ\n" + text_layer(boxes, place))
    if "/Resources" not in page.obj:
        page.obj.Resources = page.resources
    page.add_resource(font, Name.Font, Name(FONT), replace_existing=True)


def _inherited_rotation(page: pikepdf.Page) -> int:
    node, steps = page.obj.get("/Parent"), 0
    while node is not None and steps < 100:
        if "/Rotate" in node:
            return int(node.Rotate) % 360
        node, steps = node.get("/Parent"), steps + 1
    return 0


def _pictures_as_pdf(original: BinaryIO, pixels: int) -> bytes:
    """A page for each frame; the bytes as they are where PDF can hold them, else as JPEG."""
    original.seek(0)
    data = original.read()
    # Many kinds of errors: transparency, depth, formats it does not know.
    with suppress(Exception):
        return bytes(img2pdf.convert(data, rotation=img2pdf.Rotation.ifvalid))
    try:
        image = open_image(io.BytesIO(data), pixels=pixels)
        frames = []
        for number in range(count_frames(image, 5000)):
            image.seek(number)
            frame = io.BytesIO()
            dpi = image.info.get("dpi", (200, 200))
            readable(image.copy()).save(frame, "JPEG", quality=85, dpi=tuple(float(one) for one in dpi))
            frames.append(frame.getvalue())
        return bytes(img2pdf.convert(frames))
    except (ImageError, OSError, ValueError, TypeError) as error:
        raise NotSearchableError(f"the picture cannot be put into a PDF: {error}") from error
