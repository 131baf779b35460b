"""The type of a file from its bytes, whatever it is called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.reading.sniff import MediaType, sniff
from tests.documents.reading import samples


@pytest.mark.parametrize(
    ("head", "name", "expected"),
    [
        (b"", "a.pdf", MediaType.EMPTY),
        (b"%PDF-1.7\n", "a.txt", MediaType.PDF),
        (b"TEXTmdos \x00\x01" + b"%PDF-1.4\n1 0 obj", "a", MediaType.PDF),
        (b"x" * 2000 + b"%PDF-1.4\n1 0 obj", "a.pdf", MediaType.TEXT),
        (b"%!PS-Adobe-3.0 EPSF-3.0", "scan.png", MediaType.POSTSCRIPT),
        (b"<html><body>%PDF-1.4", "a.html", MediaType.HTML),
        (b"<!DOCTYPE html><p>x", "a", MediaType.HTML),
        (b"<?xml version='1.0'?><a/>", "a", MediaType.XML),
        (b"<?xml version='1.0'?><svg/>", "a.png", MediaType.SVG),
        (b"PK\x03\x04....word/document.xml", "a", MediaType.DOCX),
        (b"PK\x03\x04....", "a.docx", MediaType.ZIP),
        (b"{\\rtf1", "a.doc", MediaType.RTF),
        ("a;b\n1;ä\n".encode("cp1252"), "a.csv", MediaType.CSV),
        (b"# Title\n", "a.md", MediaType.MARKDOWN),
        (b"abc\x00def 13.02.2018\n", "nul.txt", MediaType.TEXT),
        ("Straße Grüße".encode("utf-16"), "a", MediaType.TEXT),
        ("Straße Grüße".encode("utf-16-be"), "a", MediaType.TEXT),
        (b"From: a@b\r\nTo: c@d\r\nSubject: t\r\n\r\nhello", "", MediaType.MAIL),
        (b"Received: x\n\ty\nFrom: a@b\nDate: z\n\nhello", "", MediaType.MAIL),
        (b"Subject: t\r\n\r\nhello", "x.eml", MediaType.MAIL),
        (b"From: the desk of\nTo: whom it may concern\n\nhello", "letter", MediaType.TEXT),
        (b"From: a@b\r\nTo: c@d\r\nSubject: t\r\n\r\nhello", "notes.txt", MediaType.TEXT),
        (bytes(range(256)) * 8, "a.txt", MediaType.UNKNOWN),
        (b"BM is short for a car maker", "a.txt", MediaType.TEXT),
    ],
)
def test_a_file_is_what_its_bytes_say(head: bytes, name: str, expected: MediaType) -> None:
    assert sniff(head, name) is expected


@pytest.mark.parametrize("form", ["PNG", "JPEG", "TIFF", "GIF", "BMP", "WEBP"])
def test_pictures_are_known_by_their_first_bytes(form: str) -> None:
    assert sniff(samples.saved(samples.drawn(()), form)[:4096], "a.txt") == f"image/{form.lower()}"


def test_a_type_is_the_string_that_is_stored() -> None:
    assert f"{MediaType.PDF}" == str(MediaType.PDF) == "application/pdf"
    assert MediaType.EMPTY.is_empty
    assert not MediaType.PDF.is_empty


@given(st.binary(max_size=2000), st.text(max_size=20))
def test_any_bytes_under_any_name_have_a_type(head: bytes, name: str) -> None:
    assert sniff(head, name).is_empty == (not head)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=300))
def test_a_text_cut_within_a_character_is_still_text(text: str) -> None:
    head = text.encode()[:-1] or b"a"
    assert sniff(b"Hallo Welt, " + head, "a.txt") in (MediaType.TEXT, MediaType.PDF)
