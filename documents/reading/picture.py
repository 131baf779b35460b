"""Read pictures: photographs and scans, a TIFF page by page; always by OCR."""

from __future__ import annotations

import io
import math
import time
from collections.abc import Iterator
from typing import BinaryIO, cast

from PIL import Image

from documents.images import (
    THUMBNAIL_TYPE,
    ImageError,
    NotAPictureError,
    TooManyPixelsError,
    check_size,
    count_frames,
    draw_placeholder,
    encode,
    make_thumbnail,
    open_image,
    readable,
    shrink,
)
from documents.ocr.languages import OcrError
from documents.ocr.recognizer import guess_dpi
from documents.reading.budget import PixelBudget
from documents.reading.errors import LimitExceeded, Unreadable
from documents.reading.messages import Facts, Limits, Note, PageRead, Part, Picture, ReadOptions
from documents.reading.pdf_image import LONGEST
from documents.reading.sniff import MediaType
from documents.reading.source import Source
from documents.reading.warm import Warm
from documents.textlayer import clean

_WARM_FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "BMP", "WEBP")


def warm_up() -> None:
    """Load Pillow's readers, which it imports when it first meets a format."""
    page = Image.new("RGB", (64, 64), "white")
    for form in _WARM_FORMATS:
        data = io.BytesIO()
        page.save(data, form)
        data.seek(0)
        make_thumbnail(open_image(data, pixels=4096))
    bits = io.BytesIO()
    page.convert("1").save(bits, "TIFF", compression="group4")
    bits.seek(0)
    readable(open_image(bits, pixels=4096))


def read(source: Source, media_type: MediaType, options: ReadOptions, warm: Warm) -> Iterator[Part]:
    """Facts, pages, thumbnail of one picture file."""
    limits = options.limits
    try:
        image = open_image(cast("BinaryIO", source.file()), pixels=limits.pixels)
        pages = count_frames(image, limits.pages)
    except TooManyPixelsError as error:
        raise LimitExceeded("pixels", limits.pixels) from error
    except ImageError as error:
        raise Unreadable(str(error)) from error
    if pages > limits.pages:
        raise LimitExceeded("pages", limits.pages)
    yield Facts(pages, media_type)
    recognizer, remark = warm.recognizer(options.languages)
    if remark:
        yield Note("ocr", remark)
    budget = PixelBudget(limits)
    small: Image.Image | None = None
    for number in range(1, pages + 1):
        if number in options.skip_pages:
            continue
        started = time.process_time()
        try:
            seen, dpi = _frame(image, number, limits, budget)
            if number == 1 and options.thumbnail:
                small = shrink(seen)  # now that it is decoded
            page, dpi = _for_ocr(seen, dpi, limits)
            del seen
            found = recognizer.read(page, dpi=dpi, seconds=float(limits.cpu_seconds))
        except (ImageError, OcrError) as error:
            if pages == 1 and isinstance(error, NotAPictureError):
                raise Unreadable(str(error)) from error
            yield PageRead(number, "", "none", seconds=round(time.process_time() - started, 4))
            yield Note("ocr", f"Page {number} could not be read: {error}")
            continue
        text = clean(found.text, limits.text_chars)
        seconds = round(time.process_time() - started, 4)
        source_ = "ocr" if text.strip() else "none"
        yield PageRead(number, text, source_, found.confidence, seconds, found.words, found.sheet)  # type: ignore[arg-type]
    if options.thumbnail:
        yield from _thumbnail(source, media_type, small, limits)


def _frame(image: Image.Image, number: int, limits: Limits, budget: PixelBudget) -> tuple[Image.Image, float]:
    """One page as a person sees it, and its dots an inch."""
    image.seek(number - 1)
    check_size(image, limits.pixels)
    budget.spend(*image.size)
    stated = image.info.get("dpi", (None,))[0]
    dpi = guess_dpi(*image.size, float(stated) if isinstance(stated, int | float) else _number(stated))
    return readable(image), dpi


def _for_ocr(seen: Image.Image, dpi: float, limits: Limits) -> tuple[Image.Image, float]:
    """The page in grey, no larger than OCR shall get it, and its dots an inch."""
    page = seen.convert("L")
    surplus = max(math.sqrt(page.width * page.height / limits.ocr_pixels), max(page.size) / LONGEST)
    if surplus > 1:
        page.thumbnail((round(page.width / surplus), round(page.height / surplus)), reducing_gap=2.0)
        dpi /= surplus
    return page, dpi


def _number(stated: object) -> float | None:
    """A resolution that is written as a fraction; None where it is nothing of the kind."""
    try:
        return float(stated)  # type: ignore[arg-type]
    except (TypeError, ValueError, ZeroDivisionError):
        return None


def _thumbnail(
    source: Source, media_type: MediaType, seen: Image.Image | None, limits: Limits
) -> Iterator[Part]:
    """A small copy of the first page, in colour; opened anew where it was not read this time."""
    try:
        if seen is not None:
            small = encode(seen)
        else:
            small = make_thumbnail(open_image(cast("BinaryIO", source.file()), pixels=limits.pixels))
    except ImageError as error:
        yield Note("thumbnail", f"The picture could not be made small: {error}")
        small = draw_placeholder(media_type.name)
    yield Picture("thumbnail", THUMBNAIL_TYPE, small.data, small.width, small.height)
