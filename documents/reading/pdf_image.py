"""The image of a PDF page for OCR or for show: taken out where the page is one picture, else drawn."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image

from documents.ocr.paper import is_blank
from documents.ocr.recognizer import DPI
from documents.reading.messages import Limits

_OBJECTS = 2000
"""Objects of a page that are looked at, to tell what it is made of."""

LONGEST = 20_000
"""Pixels of the longer side that OCR gets at most; tables of tesseract grow with it."""

_LEAST_DPI = 150
_POINTS_AN_INCH = 72


class PageTooLargeError(Exception):
    """The page has no size, or a picture with more pixels than are allowed."""


def page_image(
    page: pdfium.PdfPage,
    limits: Limits,
    *,
    masked: bool = False,
    look: Callable[[Image.Image], None] | None = None,
) -> tuple[Image.Image, float]:
    """A grey image of the page and its dots an inch, at most 300 and `limits.ocr_pixels`.

    A page that is one upright picture is taken out as it is; any other is drawn, at the resolution of its
    largest picture where that covers most of the page. So is one whose picture may be `masked`: what is taken
    out has no mask. `look` gets what was taken out, in its colours.
    """
    check_page(page, limits)
    width, height = _size(page)
    most = math.sqrt(limits.ocr_pixels / (width * height)) * _POINTS_AN_INCH
    most = min(most, LONGEST / max(width, height) * _POINTS_AN_INCH)
    if not masked and (single := _single_picture(page)) is not None:
        coloured = _take_out(single, page)
        taken = coloured.convert("L") if coloured is not None else None
        if coloured is not None and taken is not None and not is_blank(taken):
            if look is not None:
                look(coloured)
            return taken, max(taken.size) / max(width, height) * _POINTS_AN_INCH
    dpi = min(float(DPI), most)
    if own := _own_dpi(page):
        dpi = min(dpi, max(own, float(_LEAST_DPI)))
    return render(page, dpi / _POINTS_AN_INCH, limits, grey=True), dpi


def render(
    page: pdfium.PdfPage, scale: float, limits: Limits | None = None, *, grey: bool = False
) -> Image.Image:
    """The page drawn at so many pixels a point; its pictures are checked first if there are limits."""
    if limits is not None:
        check_page(page, limits)
    bitmap = page.render(scale=scale, grayscale=grey, fill_color=(255, 255, 255, 255))
    try:
        image: Image.Image = bitmap.to_pil()
        return image.convert("L") if grey else image.convert("RGB")
    finally:
        bitmap.close()


def check_page(page: pdfium.PdfPage, limits: Limits) -> None:
    """Refuse a page without a size, or with a picture too large to be decoded; nothing is drawn for it."""
    _size(page)
    for picture in _pictures(page):
        wide, high = picture.get_px_size()
        if wide * high > limits.pixels:
            raise PageTooLargeError(f"a picture of {wide} x {high} pixels, more than {limits.pixels}")


def large_pictures(page: pdfium.PdfPage, limits: Limits) -> list[tuple[int, int]]:
    """The sizes in pixels of those pictures of a page that are larger than OCR takes."""
    sizes = (picture.get_px_size() for picture in _pictures(page))
    return [(wide, high) for wide, high in sizes if wide * high > limits.ocr_pixels]


def picture_share(page: pdfium.PdfPage) -> float:
    """How much of the page its pictures cover, 0 to 1; overlaps count twice."""
    width, height = _size(page)
    covered = 0.0
    for picture in _pictures(page):
        left, bottom, right, top = picture.get_bounds()
        wide, high = min(right, width) - max(left, 0.0), min(top, height) - max(bottom, 0.0)
        covered += max(0.0, wide) * max(0.0, high)
    return min(1.0, covered / (width * height))


def _size(page: pdfium.PdfPage) -> tuple[float, float]:
    """Width and height in points; both real, finite, and above a hundredth."""
    width, height = page.get_size()
    if not (math.isfinite(width) and math.isfinite(height)) or min(width, height) < 0.01:
        raise PageTooLargeError(f"a page of {width:g} x {height:g} points")
    return width, height


def _pictures(page: pdfium.PdfPage) -> Iterator[pdfium.PdfImage]:
    # All objects count against the bound: nested forms without any picture have no end.
    for found in itertools.islice(page.get_objects(max_depth=4), _OBJECTS):
        if isinstance(found, pdfium.PdfImage):
            yield found


def _single_picture(page: pdfium.PdfPage) -> pdfium.PdfImage | None:
    """The picture that is all of the page: one object, upright, from edge to edge."""
    first = list(itertools.islice(page.get_objects(max_depth=1), 2))
    if len(first) != 1 or not isinstance(first[0], pdfium.PdfImage):
        return None
    if pdfium_c.FPDFPage_GetAnnotCount(page) > 0:
        return None
    width, height = page.get_size()
    if page.get_rotation() in (90, 270):
        width, height = height, width
    matrix = first[0].get_matrix()
    if pdfium_c.FPDFPageObj_HasTransparency(first[0]):
        return None
    upright = matrix.b == matrix.c == 0 and matrix.a > 0 and matrix.d > 0
    whole = abs(matrix.a - width) < 0.03 * width and abs(matrix.d - height) < 0.03 * height
    level = abs(matrix.e) < 0.03 * width and abs(matrix.f) < 0.03 * height
    return first[0] if upright and whole and level else None


def _take_out(picture: pdfium.PdfImage, page: pdfium.PdfPage) -> Image.Image | None:
    """The pixels of a picture, turned as the page is; None where only drawing shows what is meant."""
    try:
        if picture.get_metadata().colorspace == pdfium_c.FPDF_COLORSPACE_UNKNOWN:
            return None  # a stencil: its ink is a colour of the page
        bitmap = picture.get_bitmap(render=False)
    except pdfium.PdfiumError:
        return None
    try:
        image: Image.Image = bitmap.to_pil().convert("L" if bitmap.n_channels == 1 else "RGB")
    except (ValueError, KeyError, RuntimeError):
        return None
    finally:
        bitmap.close()
    rotation = page.get_rotation()
    return image.rotate(-rotation, expand=True) if rotation else image


def _own_dpi(page: pdfium.PdfPage) -> float | None:
    """The resolution of the picture that covers most of the page, if one does."""
    width, height = _size(page)
    for picture in _pictures(page):
        left, bottom, right, top = picture.get_bounds()
        if (right - left) * (top - bottom) >= 0.6 * width * height:
            wide, high = picture.get_px_size()
            return float(max(wide / (right - left), high / (top - bottom)) * _POINTS_AN_INCH)
    return None
