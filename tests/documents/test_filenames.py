"""Names under which files come in."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.filenames import FALLBACK, MAX_BYTES, clean_filename, clean_text, title_from_filename


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("Fo\u0308rmlich.txt", "Förmlich.txt"),
        ("line\nbreak.txt", "line break.txt"),
        ("..%2f..%2fx.txt", "x.txt"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\Rechnung.pdf", "Rechnung.pdf"),
        ("a\x00b\x1b[31m.pdf", "a b [31m.pdf"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        ("\udcff.pdf", "\ufffd.pdf"),
        ("scans/", "scans"),
        ("..", FALLBACK),
        ("", FALLBACK),
        ("  . ", FALLBACK),
        (".htaccess", ".htaccess"),
    ],
)
def test_a_name_is_shown_clean(given_name: str, shown: str) -> None:
    assert clean_filename(given_name) == shown


def test_a_long_name_keeps_its_extension_and_fits_a_file_system() -> None:
    cleaned = clean_filename("ü" * 300 + ".pdf")
    assert cleaned.endswith("ü.pdf")
    assert len(cleaned.encode()) in (MAX_BYTES - 1, MAX_BYTES)


def test_a_cut_does_not_part_a_letter_from_its_accent() -> None:
    # q with a diaeresis has no composed form, so the mark stays a character of its own.
    cleaned = clean_filename("q\u0308" * 200)
    assert cleaned.endswith("\u0308")


@given(st.text(st.characters(), max_size=400))
def test_any_name_becomes_one_that_is_safe_and_stays_as_it_is(name: str) -> None:
    cleaned = clean_filename(name)
    assert cleaned
    assert cleaned not in (".", "..")
    assert len(cleaned.encode()) <= MAX_BYTES
    assert not {"/", "\\", "\0", "\n", "\r"} & set(cleaned)
    assert not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in cleaned)
    assert unicodedata.is_normalized("NFC", cleaned)
    assert clean_filename(cleaned) == cleaned


@pytest.mark.parametrize(
    ("filename", "title"),
    [("Rechnung 2024-05.pdf", "Rechnung 2024-05"), (".pdf", ".pdf"), ("Brief v1.2", "Brief v1.2")],
)
def test_the_first_title_is_the_name_without_its_extension(filename: str, title: str) -> None:
    assert title_from_filename(filename) == title


def test_text_for_the_database_has_no_nul_and_is_bounded() -> None:
    assert clean_text("a\x00b\ud800" + "x" * 50, most=10) == "a b\ufffdxxxxxx"
