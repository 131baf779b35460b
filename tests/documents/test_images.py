"""Pictures: which formats open, what is refused before decoding, how they look when they are read."""

from __future__ import annotations

import base64
import io
import shutil
import struct
import zlib

import pytest
from PIL import Image, ImageDraw

from documents.images import (
    NotAPictureError,
    Thumbnail,
    TooManyPixelsError,
    count_frames,
    draw_placeholder,
    draw_text,
    make_thumbnail,
    open_image,
    readable,
)

PIXELS = 180_000_000

# The bar below as HEIC: nothing that is installed here can write one.
HEIC = """
AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAVdtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAA
AAAAACJpbG9jAAAAAERAAAEAAQAAAAABewABAAAAAAAAAFcAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAA
AA5waXRtAAAAAAABAAAA12lwcnAAAAC4aXBjbwAAAHlodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNw
AAADAJAAAAMAAAMAHroCQGEAAQAsQgEBA3AAAAMAkAAAAwAAAwAeoBkgafeW6kkprm4CGgwIAAADAMgAAAMACEBiAAEAB0QB
wXKwYkAAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAyAAAAGQAAAAQcGl4aQAAAAADCAgIAAAAF2lwbWEAAAAA
AAAAAQABBIECAwQAAABfbWRhdAAAAFMoAa8TRr5UvfnH//hDdfLhVIABIY4tB3HquYdVio3GfSfQJusyVOj5TqW8wg4FcUGA
AeyPCqSszXzbwAAAAwAGSAAAAwAAAwBZAAADAAAFSAB9wA==
"""


def saved(image: Image.Image, form: str, **options: object) -> io.BytesIO:
    file = io.BytesIO()
    image.save(file, form, **options)
    file.seek(0)
    return file


def opened(image: Image.Image, form: str, **options: object) -> Image.Image:
    return open_image(saved(image, form, **options), pixels=PIXELS)


def ink(size: tuple[int, int] = (200, 100)) -> Image.Image:
    """White with a black bar along the top."""
    image = Image.new("L", size, 255)
    ImageDraw.Draw(image).rectangle((0, 0, size[0], size[1] // 4), fill=0)
    return image


def seen(thumbnail: Thumbnail) -> Image.Image:
    image = Image.open(io.BytesIO(thumbnail.data), formats=("WEBP",))
    assert image.size == (thumbnail.width, thumbnail.height)
    return image.convert("L")


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF", "GIF", "BMP", "WEBP"])
def test_the_named_formats_open(form: str) -> None:
    assert opened(ink(), form).format == form


@pytest.mark.parametrize("form", ["EPS", "PDF", "ICO", "PPM", "TGA", "PCX"])
def test_other_formats_do_not_open(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_: pytest.fail("a program was looked for"))
    with pytest.raises(NotAPictureError):
        opened(ink(), form)


def tiny_png(width: int, height: int) -> bytes:
    """A PNG of a few bytes that claims so many pixels."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def test_a_size_above_the_limit_is_refused_before_decoding() -> None:
    with pytest.raises(TooManyPixelsError):
        open_image(io.BytesIO(tiny_png(65535, 65535)), pixels=PIXELS)
    with pytest.raises(TooManyPixelsError, match="200 x 100 pixels are more than 19999"):
        open_image(saved(ink(), "PNG"), pixels=19_999)


@pytest.mark.parametrize(
    "data", [b"", b"\x89PNG\r\n\x1a\n", b"II*\x00\x08\x00\x00\x00", b"GIF89a", b"BM1234"]
)
def test_broken_pictures_are_refused_with_a_reason(data: bytes) -> None:
    with pytest.raises(NotAPictureError):
        readable(open_image(io.BytesIO(data), pixels=PIXELS))


def test_a_picture_cut_short_is_refused_when_it_is_decoded() -> None:
    whole = saved(Image.effect_noise((300, 300), 80), "PNG").getvalue()
    image = open_image(io.BytesIO(whole[: len(whole) // 2]), pixels=PIXELS)
    with pytest.raises(NotAPictureError, match="broken picture"):
        readable(image)


def test_the_frames_of_a_tiff_are_pages_and_those_of_a_gif_are_not() -> None:
    others = [ink((60, 60)), ink((70, 70))]
    assert count_frames(opened(ink(), "TIFF", save_all=True, append_images=others), 10) == 3
    assert count_frames(opened(ink(), "GIF", save_all=True, append_images=others), 10) == 1


def test_counting_frames_stops_above_the_limit() -> None:
    others = [ink((9, 9))] * 9
    assert count_frames(opened(ink(), "TIFF", save_all=True, append_images=others), 4) == 5


def test_a_loop_of_tiff_directories_ends() -> None:
    data = bytearray(saved(ink(), "TIFF").getvalue())
    start = struct.unpack_from("<I", data, 4)[0]
    end = start + 2 + 12 * struct.unpack_from("<H", data, start)[0]
    struct.pack_into("<I", data, end, start)
    assert count_frames(open_image(io.BytesIO(bytes(data)), pixels=PIXELS), 1000) <= 2


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_upright_as_its_camera_says(orientation: int) -> None:
    turns = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    stored = ink().transpose(turns[orientation]) if orientation in turns else ink()
    exif = Image.Exif()
    exif[274] = orientation
    upright = readable(opened(stored, "JPEG", exif=exif, quality=95))
    assert upright.size == (200, 100)
    assert upright.getpixel((100, 10)) < 40 < 200 < upright.getpixel((100, 80))  # type: ignore[operator]


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_what_is_transparent_becomes_white(mode: str) -> None:
    image = Image.new("LA", (200, 100), (0, 0))
    image.putalpha(Image.eval(ink(), lambda value: 255 - value))
    page = readable(opened(image.convert("RGBA").convert(mode) if mode != "LA" else image, "PNG"))
    assert page.convert("L").getpixel((100, 80)) == 255
    assert page.convert("L").getpixel((100, 10)) == 0


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "CMYK", "YCbCr", "I", "F"])
def test_every_mode_of_pixels_becomes_grey_or_colour(mode: str) -> None:
    image = ink().convert("RGB").convert(mode) if mode not in "IF" else ink().convert(mode)
    page = readable(opened(image, "TIFF"))
    assert page.mode in ("L", "RGB")
    assert page.convert("L").getpixel((100, 10)) < 30  # type: ignore[operator]
    assert page.convert("L").getpixel((100, 80)) > 225  # type: ignore[operator]


def test_sixteen_bit_grey_is_stretched() -> None:
    image = ink().convert("I").point(lambda value: value * 16)
    page = readable(opened(image.convert("I;16"), "PNG"))
    assert (page.getpixel((100, 10)), page.getpixel((100, 80))) == (0, 255)


@pytest.mark.parametrize(("size", "expected"), [((2480, 3508), (362, 512)), ((100, 50), (100, 50))])
def test_a_thumbnail_keeps_the_shape_and_never_grows(
    size: tuple[int, int], expected: tuple[int, int]
) -> None:
    thumbnail = make_thumbnail(opened(ink(size), "JPEG"))
    assert (thumbnail.width, thumbnail.height) == expected
    assert seen(thumbnail).getpixel((10, 2)) < 60  # type: ignore[operator]


def test_a_heic_picture_opens() -> None:
    page = readable(open_image(io.BytesIO(base64.b64decode(HEIC)), pixels=PIXELS))
    assert page.convert("L").getpixel((100, 10)) < 60  # type: ignore[operator]
    assert page.convert("L").getpixel((100, 80)) > 200  # type: ignore[operator]


def test_text_is_drawn_on_a_sheet_whatever_its_characters() -> None:
    lines = ["Straße Grüße", "契約書 \U0001f600", "\t" * 500, "x" * 10_000, ""] + ["line"] * 500
    drawn = seen(draw_text(lines))
    assert drawn.size == (362, 512)
    assert drawn.crop((20, 20, 200, 60)).getextrema()[0] < 120  # type: ignore[operator]


def test_a_placeholder_says_its_word() -> None:
    assert draw_placeholder("PDF").data != draw_placeholder("ZIP").data
    assert seen(draw_placeholder("ZIP" * 50)).size == (362, 512)
