"""Whole documents: papers written by hand, and invoices and letters made up in six layouts."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from documents.dates import find_issued_date
from documents.titles import find_title
from tests.documents.whole_documents import LAYOUTS, WholeDocument, whole_documents

PAPERS = Path(__file__).parent / "cases" / "papers.txt"
TODAY = date(2026, 11, 29)
EACH = 40


@dataclass(frozen=True)
class Paper:
    """A paper with the answers that its head line gives: "=== name | date | title | languages"."""

    name: str
    issued: str
    title: str
    languages: tuple[str, ...]
    text: str


def papers() -> Iterator[Paper]:
    for part in PAPERS.read_text(encoding="utf-8").split("=== ")[1:]:
        head, _, text = part.partition("\n")
        name, issued, title, languages = (field.strip() for field in head.split(" | "))
        yield Paper(name, issued, title, tuple(languages.split(",")), text)


@pytest.mark.parametrize("paper", list(papers()), ids=lambda paper: paper.name)
def test_a_paper_written_by_hand_gets_its_date(paper: Paper) -> None:
    finding = find_issued_date(paper.text, languages=paper.languages, today=TODAY)
    assert str(finding.date) == paper.issued, finding.candidates


@pytest.mark.parametrize("paper", list(papers()), ids=lambda paper: paper.name)
def test_a_paper_written_by_hand_gets_its_title(paper: Paper) -> None:
    assert find_title([paper.text], filename="scan0001.pdf").text == paper.title


def wrong_dates(documents: list[WholeDocument], pages_by_ocr: tuple[int, ...] = ()) -> list[str]:
    return [
        document.name
        for document in documents
        if find_issued_date(
            document.text, languages=document.languages, pages_by_ocr=pages_by_ocr, today=TODAY
        ).date
        != document.issued
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_at_least_98_of_100_documents_of_a_layout_get_their_date(layout: str) -> None:
    documents = [document for document in whole_documents(EACH) if document.name.startswith(f"{layout}-")]
    assert len(documents) == EACH
    assert len(wrong_dates(documents)) <= EACH * 0.02, wrong_dates(documents)


def test_documents_read_by_ocr_get_the_same_dates() -> None:
    documents = list(whole_documents(EACH // 4))
    assert len(wrong_dates(documents, pages_by_ocr=(1, 2))) <= len(documents) * 0.02


@pytest.mark.parametrize("layout", LAYOUTS)
def test_at_least_95_of_100_documents_of_a_layout_get_their_title(layout: str) -> None:
    documents = [document for document in whole_documents(EACH) if document.name.startswith(f"{layout}-")]
    wrong = [
        document.name
        for document in documents
        if find_title(document.pages, filename="scan0001.pdf").text != document.title
    ]
    assert len(wrong) <= EACH * 0.05, wrong


def test_a_date_whose_digits_a_scanner_took_for_letters_is_found() -> None:
    slips = str.maketrans({"0": "O", "1": "l"})
    for document in whole_documents(EACH):
        written = f"{document.issued:%d.%m.%Y}"
        groups = written.split(".")
        if written not in document.text or any(set(group) <= {"0", "1"} for group in groups):
            continue  # written otherwise, or nothing would be left of a group
        if sum(digit in "01" for digit in written) > 3:
            continue
        confused = document.text.replace(written, written.translate(slips))
        assert find_issued_date(confused, today=TODAY).date == document.issued, document.name
