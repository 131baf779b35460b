"""First pages whose letterhead, sender or address is not their title: `cases/letterheads.txt`.

Each begins with a line of name, file name and title; the text follows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from documents.title_letterheads import is_organisation, letterhead_lines
from documents.titles import Title, TitleSource, find_title

CASES = Path(__file__).parent / "cases" / "letterheads.txt"


@dataclass(frozen=True)
class FirstPage:
    """A first page, the name of its file and the title a person would give it."""

    name: str
    filename: str
    title: str
    text: str


def first_pages() -> Iterator[FirstPage]:
    for part in CASES.read_text(encoding="utf-8").split("=== ")[1:]:
        head, _, text = part.partition("\n")
        name, filename, title = (field.strip() for field in head.split(" | "))
        yield FirstPage(name, filename, title, text)


@pytest.mark.parametrize("page", list(first_pages()), ids=lambda page: page.name)
def test_a_page_is_named_by_what_it_is_not_by_who_sends_it(page: FirstPage) -> None:
    assert find_title([page.text], filename=page.filename).text == page.title


@pytest.mark.parametrize("page", list(first_pages()), ids=lambda page: page.name)
def test_a_page_with_a_blank_line_after_each_as_ocr_leaves_it_gets_the_same_title(page: FirstPage) -> None:
    spread = "\n\n".join(line for line in page.text.splitlines() if line)
    assert find_title([spread], filename=page.filename).text == page.title


@pytest.mark.parametrize(
    "name",
    [
        "Stadtarchiv Beispielstadt",
        "STADT MUSTERHAUSEN",
        "Muster & Söhne KG",
        "Amt für Bauwesen",
        "Freiwillige Feuerwehr Musterdorf",
        "Der Stadtdirektor",
        "Rechtsanwältinnen und Rechtsanwälte",
        "Example & Partners LLP",
        "Friends of the Example Museum",
        "Chartered Accountants",
    ],
)
def test_names_and_professions_are_known_as_such(name: str) -> None:
    assert is_organisation(name)


@pytest.mark.parametrize(
    "heading",
    [
        "Benutzungsordnung für das Stadtarchiv Beispielstadt",
        "Vertrag mit der Muster GmbH",
        "Besuch bei der Muster GmbH",
        "Stadtarchiv 2025: Pläne und Zahlen",
        "Jahresbericht der Stiftung",
        "Minutes of the Council",
        "A visit to the museum",
        "Stadtplan von Musterhausen",
    ],
)
def test_headings_that_speak_of_an_organisation_are_none(heading: str) -> None:
    assert not is_organisation(heading)


def test_a_name_that_comes_again_as_signature_is_the_senders() -> None:
    lines = ["Erika Muster", "", "Ein Brief", "", "Viele Grüße", "", "Erika Muster"]
    assert letterhead_lines(lines) == {0}


def test_a_heading_that_comes_again_stays_a_heading() -> None:
    assert letterhead_lines(["Hausordnung", "", "Hausordnung", "Ruhezeiten"]) == frozenset()


@pytest.mark.parametrize(
    "line", ["rechnung@muster.example 2025-2107", "www.rechnung.example", "https://a.example"]
)
def test_no_mail_or_web_address_is_a_title(line: str) -> None:
    title = find_title([f"{line}\nMuster GmbH\nLindenweg 10"], filename="Brief an Meier.pdf")
    assert title == Title("Brief an Meier", TitleSource.FILENAME)


@pytest.mark.parametrize(
    ("row", "title"),
    [("Rechnung 4711   post@muster.example", "Rechnung 4711"), ("Angebot www.muster.example", "Angebot")],
)
def test_a_heading_in_one_row_with_an_address_keeps_its_own_words(row: str, title: str) -> None:
    assert find_title([f"Muster GmbH\n{row}\nLindenweg 10"], filename="scan.pdf").text == title


def test_the_name_that_a_camera_gives_is_left_out_before_a_persons_words() -> None:
    assert find_title([""], filename="IMG_Brief-Nachlass.jpg").text == "Brief-Nachlass"


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "line", ["a" * 400, "Stadt " * 66, "A. " * 130, "1.2-" * 100, "von " * 100, "tel: " * 80]
)
def test_a_hostile_page_costs_nothing(line: str) -> None:
    assert find_title([f"{line}\n" * 200], filename="a.pdf").text
