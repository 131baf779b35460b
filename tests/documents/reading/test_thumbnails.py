"""The small picture of a scan: made of the pixels that OCR gets, and the same as if the page were drawn."""

from __future__ import annotations

import io

import img2pdf
import numpy as np
import pypdfium2 as pdfium
import pytest
from PIL import Image, ImageDraw

from documents.images import THUMBNAIL_SIZE
from documents.reading import pdf
from documents.reading.messages import Limits
from documents.reading.pdf_image import page_image, render
from tests.documents.reading import samples
from tests.documents.reading.conftest import ReadBytes


def coloured() -> Image.Image:
    """A page with text, and a red mark in its upper left corner."""
    image = samples.drawn().convert("RGB")
    ImageDraw.Draw(image).rectangle((0, 0, 200, 80), fill=(220, 20, 20))
    return image


def with_mask() -> bytes:
    """A page that is one dark picture with something bright in it, whose ink lies in its mask."""
    ink = samples.drawn().point([255 - level for level in range(256)])
    picture = Image.new("RGBA", ink.size, (40, 40, 40, 255))
    ImageDraw.Draw(picture).rectangle((300, 800, 700, 1100), fill=(255, 255, 255, 255))
    picture.putalpha(ink)
    return bytes(img2pdf.convert(samples.saved(picture, "PNG")))


def picture_of(read_bytes: ReadBytes, data: bytes) -> Image.Image:
    found = read_bytes(data).picture
    assert found is not None
    return Image.open(io.BytesIO(found.data)).convert("RGB")


@pytest.mark.parametrize("turn", [0, 90, 270])
def test_a_scan_keeps_its_colours_and_stands_as_the_pdf_turns_it(read_bytes: ReadBytes, turn: int) -> None:
    data = samples.rotated(samples.scan(coloured()), turn)
    page = pdfium.PdfDocument(data)[0]
    drawn = render(page, THUMBNAIL_SIZE / max(page.get_size()))
    found = picture_of(read_bytes, data)
    assert max(abs(one - other) for one, other in zip(found.size, drawn.size, strict=True)) <= 1
    far = np.abs(np.asarray(found.resize(drawn.size), int) - np.asarray(drawn, int))
    assert far.mean() < 4


def test_a_page_that_is_one_picture_is_not_drawn_for_its_thumbnail(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Image.Image] = []
    page = pdfium.PdfDocument(samples.scan(coloured()))[0]
    page_image(page, Limits(), look=seen.append)
    assert [image.mode for image in seen] == ["RGB"]
    monkeypatch.setattr(pdf, "render", lambda *_: pytest.fail("the page was drawn"))
    document = pdfium.PdfDocument(samples.scan())
    assert len(list(pdf._thumbnail(document, seen[0], Limits()))) == 1


def test_a_picture_with_a_mask_is_drawn_and_its_text_read(read_bytes: ReadBytes) -> None:
    assert np.asarray(picture_of(read_bytes, with_mask())).mean() > 200, "the paper under the mask is white"
    assert "ARCHIVSAMPLE" in read_bytes(with_mask()).text
