"""OCR with the real engine: angles, noise, orientation, languages, time."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import reportlab
from PIL import Image, ImageDraw, ImageFont

os.environ.setdefault("OMP_THREAD_LIMIT", "1")

from documents.ocr.languages import LanguageMissingError, check_languages, find_folder, installed
from documents.ocr.recognizer import Compass, OcrTimeoutError, Recognizer, guess_dpi
from documents.ocr.skew import straighten
from tenants.languages import is_language

LINES = [
    "Rechnung über Größe und Maß",
    "Rechnungsdatum: 14. Juli 2026",
    "Please transfer the total amount",
    "Gesamtbetrag 399,13 EUR",
]


def drawn(lines: list[str], *, noise: float = 0.0, paper: int = 240) -> Image.Image:
    """Part of a page at 150 dpi, with the noise of a scanner."""
    image = Image.new("L", (1000, 700), paper)
    draw = ImageDraw.Draw(image)
    font = ImageFont.truetype(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf", 28)
    for number, line in enumerate(lines):
        draw.text((80, 80 + 60 * number), line, font=font, fill=30)
    if not noise:
        return image
    grain = np.random.default_rng(1).normal(0, noise, (image.height, image.width))
    return Image.fromarray(np.clip(np.asarray(image) + grain, 0, 255).astype(np.uint8))


@pytest.fixture(scope="module")
def recognizer() -> Recognizer:
    return Recognizer(("deu", "eng"), find_folder(), Compass(find_folder()))


def test_german_and_english_are_installed_with_the_packages() -> None:
    assert {"deu", "eng", "osd"} <= installed(find_folder())
    assert installed(Path("/nonexistent")) == frozenset()


def test_a_page_is_read_with_its_confidence_and_the_places_of_its_words(recognizer: Recognizer) -> None:
    page = recognizer.read(drawn(LINES), dpi=150, seconds=60)
    assert [line for line in page.text.split("\n") if line] == LINES
    assert page.confidence is not None
    assert page.confidence > 0.8
    first = page.words[0]
    assert (first.text, first.line, page.words[-1].line) == ("Rechnung", 0, 3)
    assert abs(first.left - 82) < 8
    assert abs(first.top - 88) < 8


@pytest.mark.parametrize("angle", [-4.0, -1.5, 0.5, 2.0, 5.0])
def test_a_leaning_page_is_straightened(angle: float) -> None:
    leaning = drawn(LINES * 2, noise=10).rotate(angle, expand=True, fillcolor=240)
    assert straighten(leaning, 150)[1] == pytest.approx(-angle, abs=0.25)


def test_a_straight_page_and_a_picture_without_lines_stay_as_they_are() -> None:
    assert straighten(drawn(LINES), 150)[1] == 0.0
    assert straighten(Image.effect_noise((500, 500), 60), 150)[1] == 0.0
    assert straighten(Image.new("L", (3, 2), 0), 150)[1] == 0.0


def test_a_page_on_its_head_is_read(recognizer: Recognizer) -> None:
    page = recognizer.read(drawn(LINES).rotate(180), dpi=150, seconds=60)
    assert "Gesamtbetrag 399,13 EUR" in page.text
    assert page.turned == 180


def test_noise_on_a_nearly_empty_page_costs_no_time(recognizer: Recognizer) -> None:
    page = recognizer.read(drawn(LINES[:1], noise=14), dpi=150, seconds=20)
    assert page.text.strip() == LINES[0]


@pytest.mark.parametrize("noise", [0.0, 14.0, 30.0])
def test_paper_without_ink_is_blank(recognizer: Recognizer, noise: float) -> None:
    page = recognizer.read(drawn([], noise=noise), dpi=150, seconds=20)
    assert (page.text, page.confidence, page.words) == ("", None, ())


def test_a_page_that_takes_too_long_is_given_up(recognizer: Recognizer) -> None:
    with pytest.raises(OcrTimeoutError):
        recognizer.read(drawn(LINES), dpi=150, seconds=0)


@pytest.mark.parametrize("language", ["xxx", "../deu", "", "deu+eng"])
def test_a_language_that_is_not_there_is_named(language: str) -> None:
    with pytest.raises(LanguageMissingError, match="language"):
        Recognizer((language,), find_folder())


@pytest.mark.parametrize(
    ("size", "stated", "expected"),
    [
        ((2480, 3508), 300, 300),
        ((2480, 3508), None, 300),
        ((2480, 3508), 72, 300),  # a camera's word
        ((595, 842), 72, 72),
        ((9933, 14043), 300, 300),  # A0
        ((10, 10), 0, 70),
        ((90_000, 10), None, 600),
    ],
)
def test_dots_an_inch_are_those_stated_where_that_can_be(
    size: tuple[int, int], stated: float | None, expected: float
) -> None:
    assert guess_dpi(*size, stated) == pytest.approx(expected, abs=1)


@pytest.mark.parametrize(
    "name", ["deu", "chi_sim", "deu_latf", "de", "Latin", "DEU", "chi_sim_vert", "../deu", "deu\n", ""]
)
def test_what_a_tenant_may_name_is_what_ocr_takes_for_a_language(name: str) -> None:
    folder = find_folder()
    with pytest.raises(LanguageMissingError) as refused:
        check_languages((name, "xxx"), folder)
    assert is_language(name) == ("is no language" not in str(refused.value))
