"""Which pixels of a PDF page OCR gets: those of its one picture as they are, else the page drawn no finer."""

from __future__ import annotations

import io

import pypdfium2 as pdfium
import pytest
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from documents.ocr.languages import find_folder
from documents.ocr.recognizer import Compass, Recognizer
from documents.reading import pdf_image
from documents.reading.messages import Limits
from documents.reading.pdf_image import page_image
from tests.documents.reading import samples


def page_of(data: bytes) -> pdfium.PdfPage:
    return pdfium.PdfDocument(data)[0]


def pictures(image: Image.Image, *boxes: tuple[float, float, float, float]) -> bytes:
    """A page of 595 x 842 points with the picture in each box (left, bottom, width, height)."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(595, 842))
    for box in boxes:
        canvas.drawImage(ImageReader(image), *box)
    canvas.save()
    return file.getvalue()


def test_a_page_that_is_one_picture_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the page was drawn")

    monkeypatch.setattr(pdf_image, "render", refuse)
    scan = samples.drawn()
    image, dpi = page_image(page_of(samples.scan(scan)), Limits())
    assert image.size == scan.size
    assert image.tobytes() == scan.tobytes()
    assert dpi > 0


@pytest.mark.parametrize(("pixels", "dpi"), [((1240, 1754), 150), ((827, 1169), 150), ((2480, 3508), 300)])
def test_a_page_with_more_than_one_picture_is_drawn_as_fine_as_they_are(
    pixels: tuple[int, int], dpi: int
) -> None:
    image = Image.effect_noise(pixels, 50)
    data = pictures(image, (0, 0, 595, 842), (10, 10, 20, 20))
    drawn, found = page_image(page_of(data), Limits())
    assert found == pytest.approx(dpi, rel=0.02)
    assert max(drawn.size) == pytest.approx(842 / 72 * dpi, rel=0.02)


def test_a_page_scanned_finer_than_300_dots_is_read_at_300() -> None:
    recognizer = Recognizer(("eng",), find_folder())
    page = samples.drawn(["ARCHIVSAMPLE"])
    found = recognizer.read(page.resize((page.width * 2, page.height * 2)), dpi=600, seconds=60)
    assert found.sheet is not None
    assert (found.sheet.page_width, found.sheet.page_height) == page.size
    assert "ARCHIVSAMPLE" in found.text


def test_only_a_page_that_reads_poorly_is_asked_which_way_is_up() -> None:
    asked = []

    class Asked(Compass):
        def turns(self, page: Image.Image, dpi: float) -> tuple[int, ...]:
            asked.append(dpi)
            return super().turns(page, dpi)

    recognizer = Recognizer(("deu", "eng"), find_folder(), Asked(find_folder()))
    page = samples.drawn()
    recognizer.read(page, dpi=300, seconds=60)
    assert asked == []
    recognizer.read(page.rotate(180), dpi=300, seconds=60)
    assert asked == [300]
