"""The samples are named by what they are; what OCR has to read first, the demo itself compares."""

import pypdfium2
import pytest

from archiv.samples import Kind, Status
from archiv.samples.catalogue import RECIPES, Recipe
from documents.titles import find_title

PRINTED = [recipe for recipe in RECIPES if recipe.sample.kind is Kind.PDF]


@pytest.mark.parametrize("recipe", PRINTED, ids=lambda recipe: recipe.sample.filename)
def test_a_born_digital_sample_is_named_by_its_text(recipe: Recipe) -> None:
    document = pypdfium2.PdfDocument(recipe.make())
    try:
        pages = [page.get_textpage().get_text_bounded() for page in document]
    finally:
        document.close()
    assert find_title(pages, filename="scan0001.pdf").text == recipe.sample.expect.title


def test_a_title_is_expected_of_each_sample_that_becomes_a_document() -> None:
    titled = {recipe.sample.filename for recipe in RECIPES if recipe.sample.expect.title}
    done = {recipe.sample.filename for recipe in RECIPES if recipe.sample.expect.status is Status.DONE}
    assert titled == done
