"""Open pictures of the formats we name, make them readable, make small ones of them.

Pillow is never left to guess: its readers of other formats start programs (EPS runs Ghostscript)
or are hardly ever used. Sizes are checked before anything is decoded.
"""

from __future__ import annotations

import io
import struct
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

import pi_heif
from PIL import Image, ImageDraw, ImageFont, ImageOps, UnidentifiedImageError

FORMATS = ("PNG", "JPEG", "TIFF", "GIF", "BMP", "WEBP", "HEIF")
THUMBNAIL_SIZE = 512
"""Pixels of a thumbnail's longer side."""

PAPER = (362, 512)
"""Pixels of a drawn thumbnail, an upright A4 sheet."""

THUMBNAIL_TYPE = "image/webp"


def _load_font() -> bytes:
    """A font with the letters of Europe, out of reportlab; Pillow's own has no umlauts."""
    package = find_spec("reportlab")
    assert package is not None
    assert package.origin is not None
    return (Path(package.origin).parent / "fonts" / "Vera.ttf").read_bytes()


# Loaded now and from memory: a reader finds no file any more when it draws.
_SMALL, _LARGE = (ImageFont.truetype(io.BytesIO(data), size) for data in [_load_font()] for size in (10, 44))

pi_heif.options.DECODE_THREADS = 1  # a reader may not start any
pi_heif.register_heif_opener()


class ImageError(Exception):
    """The picture could not be used."""


class NotAPictureError(ImageError):
    """The bytes are no picture of a format that is read here."""


class TooManyPixelsError(ImageError):
    """The picture has more pixels than the limit allows."""


@dataclass(frozen=True)
class Thumbnail:
    """A small WEBP picture; width and height in pixels."""

    data: bytes
    width: int
    height: int


def open_image(file: BinaryIO, *, pixels: int) -> Image.Image:
    """Open a picture of one of FORMATS without decoding it; at most so many pixels a frame."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of sizes: we judge them; of broken tags: they harm nobody
            image = Image.open(file, formats=FORMATS)
    except UnidentifiedImageError as error:
        raise NotAPictureError("not a picture of a format that is read here") from error
    except Image.DecompressionBombError as error:
        raise TooManyPixelsError(f"more than {2 * (Image.MAX_IMAGE_PIXELS or 0)} pixels") from error
    except (OSError, SyntaxError, ValueError, struct.error, EOFError, LookupError, TypeError) as error:
        raise NotAPictureError(f"a broken picture: {error}") from error
    check_size(image, pixels)
    return image


def check_size(image: Image.Image, pixels: int) -> None:
    """Refuse a frame that has no pixels or more than so many; nothing is decoded for it."""
    width, height = image.size
    if width < 1 or height < 1:
        raise NotAPictureError(f"a picture of {width} x {height} pixels")
    if width * height > pixels:
        raise TooManyPixelsError(f"{width} x {height} pixels are more than {pixels}")


def count_frames(image: Image.Image, at_most: int) -> int:
    """The number of pages of a picture: frames of a TIFF, but one for everything else.

    The frames of a GIF or WEBP are an animation. Counting stops above `at_most`, and where the
    chain of a TIFF's directories is broken.
    """
    if image.format != "TIFF":
        return 1
    number = 0
    try:
        while number <= at_most:
            image.seek(number)
            number += 1
    except (EOFError, OSError, SyntaxError, ValueError, struct.error, LookupError, TypeError):
        pass  # the end, or the place where the chain breaks
    image.seek(0)
    return max(1, number)


def readable(image: Image.Image) -> Image.Image:
    """The picture as a person sees it, in grey or colour: upright, on white where it is transparent."""
    try:
        image.load()
        image = ImageOps.exif_transpose(image)
    except (OSError, SyntaxError, ValueError, struct.error, EOFError, LookupError, TypeError) as error:
        raise NotAPictureError(f"a broken picture: {error}") from error
    if image.mode in ("I;16", "I;16L", "I;16B", "I;16N", "I", "F"):
        return _eight_bits(image)
    if image.has_transparency_data:
        image = image.convert("LA" if image.mode in ("LA", "La") else "RGBA")
        paper = Image.new("L" if image.mode == "LA" else "RGB", image.size, "white")
        paper.paste(image, mask=image.getchannel("A"))
        return paper
    if image.mode in ("1", "L"):
        return image.convert("L")
    return image.convert("RGB")


def _eight_bits(image: Image.Image) -> Image.Image:
    """Stretch deeper grey to the range that is used: readers of scanners differ on what is white."""
    image = image.convert("F")
    low, high = image.getextrema()
    if not (isinstance(low, float) and isinstance(high, float)) or not high > low:
        return Image.new("L", image.size, "white")
    scale = 255.0 / (high - low)
    return image.point(lambda value: value * scale - low * scale).convert("L")


def make_thumbnail(image: Image.Image, size: int = THUMBNAIL_SIZE) -> Thumbnail:
    """A small copy, `size` pixels at its longer side; a picture that is smaller stays as it is."""
    # A JPEG that nobody has decoded yet is decoded small; nothing happens to any other picture.
    image.draft("RGB", (2 * size, 2 * size))
    return encode(shrink(readable(image), size))


def shrink(image: Image.Image, size: int = THUMBNAIL_SIZE) -> Image.Image:
    """A copy in grey or colour with at most `size` pixels at its longer side, for `encode`."""
    # First by whole numbers, to a little more than twice the size, as Pillow does by `reducing_gap`.
    small = image.reduce(max(1, max(image.size) // (2 * size)))
    small.thumbnail((size, size))
    return small


def encode(image: Image.Image) -> Thumbnail:
    """A thumbnail of these pixels, as they are."""
    data = io.BytesIO()
    image.save(data, "WEBP", quality=75, method=2)
    return Thumbnail(data.getvalue(), image.width, image.height)


def draw_text(lines: Sequence[str]) -> Thumbnail:
    """A sheet with the first lines of a text, for files that have no look of their own."""
    image = Image.new("RGB", PAPER, "white")
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines[:34]):
        draw.text((22, 24 + 14 * number), line[:72].expandtabs(4), font=_SMALL, fill="#222222")
    draw.rectangle((PAPER[0] - 22, 0, *PAPER), fill="white")
    draw.rectangle((0, 0, PAPER[0] - 1, PAPER[1] - 1), outline="#bbbbbb")
    return encode(image)


def draw_placeholder(label: str) -> Thumbnail:
    """A sheet with nothing but a word, such as the file's type, for what cannot be drawn."""
    image = Image.new("RGB", PAPER, "#eeeeee")
    draw = ImageDraw.Draw(image)
    middle = (PAPER[0] // 2, PAPER[1] // 2)
    draw.text(middle, label[:16], font=_LARGE, fill="#777777", anchor="mm")
    draw.rectangle((0, 0, PAPER[0] - 1, PAPER[1] - 1), outline="#bbbbbb")
    return encode(image)
