"""Titles: each row of `cases/titles.tsv` names a first page, a file name, the title and where it is read."""

import csv
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.titles import MAX_LENGTH, Title, TitleSource, find_title

CASES = Path(__file__).parent / "cases" / "titles.tsv"


@dataclass(frozen=True)
class MailFacts:
    """What the reader says of a mail."""

    subject: str | None


def cases() -> Iterator[Any]:
    with CASES.open(encoding="utf-8") as lines:
        for number, row in enumerate(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE), start=2):
            yield pytest.param(
                row["text"], row["filename"], row["expected"], row["source"], id=f"titles:{number}"
            )


@pytest.mark.parametrize(("text", "filename", "expected", "source"), list(cases()))
def test_the_title_is_found(text: str, filename: str, expected: str, source: str) -> None:
    title = find_title([text.replace("\\n", "\n")], filename=filename)
    assert (title.text, title.source) == (expected, source)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Ihre Bestellung", "Ihre Bestellung"),
        ("AW: WG: Ihre\r\n Bestellung", "Ihre Bestellung"),
        ("Re: Re: re: Frage", "Frage"),
        ("Mu\u0308ller und \ufa2a", "Müller und \u98ef"),
        ("Antwort\x00\u202e", "Antwort"),
    ],
)
def test_a_mails_subject_is_its_title(subject: str, expected: str) -> None:
    title = find_title(["Rechnung Nr. 4711"], filename="mail.eml", facts=MailFacts(subject))
    assert title == Title(expected, TitleSource.SUBJECT)


@pytest.mark.parametrize("subject", [None, "", "  ", "Re: "])
def test_a_mail_without_a_subject_is_titled_by_its_text(subject: str | None) -> None:
    title = find_title(["Rechnung Nr. 4711"], filename="mail.eml", facts=MailFacts(subject))
    assert title == Title("Rechnung 4711", TitleSource.NUMBER)


def test_empty_pages_before_the_text_are_passed_over() -> None:
    assert find_title(["", " \n", "Rechnung Nr. 4711"], filename="a.pdf").text == "Rechnung 4711"


def test_decomposed_umlauts_are_read_and_shown_composed() -> None:
    text = unicodedata.normalize("NFD", "Betreff: Kündigung für Müller")
    assert find_title([text], filename="a.pdf").text == "Kündigung für Müller"


def test_a_long_title_is_cut_between_words() -> None:
    title = find_title(["Betreff: " + "lange Worte " * 40], filename="a.pdf").text
    assert len(title) <= MAX_LENGTH
    assert title.endswith(("lange…", "Worte…"))


def test_one_endless_word_is_cut_too() -> None:
    assert len(find_title(["Betreff: " + "x" * 390], filename="a.pdf").text) == MAX_LENGTH


PIECES = st.sampled_from(
    [
        "Rechnung",
        " Nr. ",
        "4711",
        "\n",
        "Betreff: ",
        "Sehr geehrte",
        "RECHNUNGSNUMMER:",
        " ",
        "GmbH",
        "a" * 300,
        "\u0308",
    ]
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join)), max_size=3),
    st.text(st.characters(), max_size=300),
    st.one_of(st.none(), st.text(st.characters(), max_size=300)),
)
def test_any_document_gets_a_title_of_one_clean_line(
    pages: list[str], filename: str, subject: str | None
) -> None:
    title = find_title(pages, filename=filename, facts=MailFacts(subject)).text
    assert 1 <= len(title) <= MAX_LENGTH
    assert title == title.strip()
    assert unicodedata.is_normalized("NFC", title)
    assert not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in title)


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "name", ["scan" + "1" * 250 + "x", "a-" * 120, "scan" + "at " * 80 + "!", "1_" * 125]
)
def test_a_hostile_file_name_costs_nothing(name: str) -> None:
    assert find_title([], filename=name).source is TitleSource.FILENAME
