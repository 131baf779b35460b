"""The boxes of words are kept whole, and put into rows as a person sees them."""

from __future__ import annotations

import uuid
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.ocr.boxes import pack, rows_text, unpack
from documents.ocr.words import Boxes, Sheet, Word
from documents.pipeline.steps import issued
from documents.pipeline.work import Page, Reading, Subject, Work

NOBODY = uuid.UUID(int=0)
SHEET = Sheet(2480, 3508, 2500, 3520, 1.5)
SIDES = st.integers(0, 4000)
WORDS = st.lists(
    st.builds(Word, st.text(max_size=9), st.integers(0, 100).map(lambda n: n / 100), *[SIDES] * 4, SIDES),
    max_size=30,
)


def words(*placed: tuple[str, int, int]) -> tuple[Word, ...]:
    """Words of 40 pixels' height where they stand, in reading order."""
    return tuple(
        Word(text, 0.9, left, top, left + 22 * len(text), top + 40, line)
        for line, (text, left, top) in enumerate(placed)
    )


FORM = words(
    ("Lieferdatum", 200, 500),
    ("Rechnungsdatum", 200, 562),
    ("Fällig", 200, 620),
    ("01.02.2024", 1200, 503),
    ("12.03.2024", 1200, 560),
    ("30.04.2024", 1200, 624),
)


@given(WORDS)
def test_packed_boxes_are_the_same_when_they_are_unpacked(found: list[Word]) -> None:
    boxes = Boxes(SHEET, tuple(found))
    assert unpack(pack(boxes)) == boxes


@given(st.binary(max_size=200))
def test_what_was_not_packed_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        unpack(data)


@given(WORDS)
def test_no_word_is_lost_in_rows(found: list[Word]) -> None:
    assert sorted(rows_text(found).split()) == sorted(part for word in found for part in word.text.split())


def test_labels_and_values_of_a_form_stand_in_rows() -> None:
    assert rows_text(FORM).split("\n") == [
        "Lieferdatum   01.02.2024",
        "Rechnungsdatum   12.03.2024",
        "Fällig   30.04.2024",
    ]


def test_paragraphs_are_set_apart() -> None:
    assert rows_text(words(("Oben", 100, 100), ("unten", 100, 300))) == "Oben\n\nunten"


def test_the_date_of_a_scanned_form_is_found_in_its_rows() -> None:
    labels, values = [[word.text for word in part] for part in (FORM[:3], FORM[3:])]
    read_in_columns = "\n".join([*values, "", "Wir danken für Ihren Auftrag.", "", *labels])
    found = []
    for boxes in (b"", pack(Boxes(SHEET, FORM))):
        work = Work(
            Subject(NOBODY, NOBODY, NOBODY, "scan.pdf", "application/pdf", 1, ("deu",), date(2026, 11, 29)),
            Reading(pages=(Page(1, read_in_columns, "ocr", 0.9, boxes),), page_count=1),
        )
        issued.run(work)
        found.append(work.findings.issued)
    assert found[1] == date(2024, 3, 12)
    assert found[0] != found[1]
