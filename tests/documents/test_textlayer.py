"""Which text layers are used, which are repaired, which pages are read by OCR."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from documents.textlayer import Glyph, Verdict, clean, close_gaps, is_meaningless, judge

LETTER = "Sehr geehrte Damen und Herren, anbei die Rechnung vom 14. Juli 2026 über 399,13 EUR."


@pytest.mark.parametrize(
    "text",
    [
        LETTER,
        "Seite 2",
        "2026-07-14",
        "契約書 第一条 本契約は",
        "Договор аренды от 14 июля 2026 года, город Москва, улица Ленина",
        "Kapitel 1 ........................................ 7\nKapitel 2 . . . . . . . . . . . . . . . 12",
        "A B C\n1 2 3 4 5 6 7 8 9",
        "IBAN DE89 3704 0044 0532 0130 00 BIC COBADEFFXXX",
        "\uf0b7 " + LETTER,
    ],
)
def test_a_good_layer_is_used_and_needs_no_reason(text: str) -> None:
    judgement = judge(text)
    assert judgement.verdict is Verdict.GOOD
    assert judgement.reasons == ()


@pytest.mark.parametrize("text", ["", "\f", " \n\t\f \u00a0", "- . -", "\f\n\f\n\f"])
def test_form_feeds_blanks_and_strokes_are_no_text(text: str) -> None:
    assert judge(text).verdict is Verdict.EMPTY


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("\ue001\ue002\ue003 \ue004\ue005", "no meaning"),
        (LETTER.replace("e", "\ufffd"), "no meaning"),
        ("\x01\x02\x03\x04\x05\x06", "no meaning"),
        ('!"#$%&/()=?`*+~\'><|abc!"#$%&/()=?', "letters and digits"),
        ("".join(chr(ord(c) - 29) if c.isalpha() else c for c in LETTER * 3), "vowels"),
        ("Gsh tkp wrld btwn mnr thnks frd lng txt xqz vgl kptl nrgs ttl smm" * 2, "vowels"),
    ],
)
def test_a_layer_that_nobody_can_read_is_poor_and_says_why(text: str, reason: str) -> None:
    judgement = judge(text)
    assert judgement.verdict is Verdict.POOR
    assert reason in " ".join(judgement.reasons)


def test_a_stamp_on_a_scan_is_not_its_text() -> None:
    assert judge("Gescannt mit ScanApp, Seite 3", picture_share=0.97).verdict is Verdict.POOR
    assert judge("Gescannt mit ScanApp, Seite 3", picture_share=0.2).verdict is Verdict.GOOD
    assert judge(LETTER * 2, picture_share=1.0).verdict is Verdict.GOOD


def test_blanks_between_letters_are_noticed() -> None:
    judgement = judge("K o n t o a u s z u g v o m 3 0 . 0 8 . 2 0 1 9")
    assert judgement.verdict is Verdict.LETTERSPACED
    assert "one letter" in judgement.reasons[0]


def spaced(words: str, *, advance: float, blank: float, line: int = 0) -> list[Glyph]:
    glyphs, x = [], 0.0
    for character in words:
        if character == " ":
            x += blank
        else:
            glyphs.append(Glyph(character, x, x + 6, 10, line))
            x += 6 + advance
    return glyphs


@pytest.mark.parametrize(("advance", "blank"), [(3.3, 3.3), (5, 8), (1.5, 3), (0.1, 2.8)])
def test_gaps_inside_words_close_and_gaps_between_words_stay(advance: float, blank: float) -> None:
    text = "Kontoauszug vom 30.08.2019"
    assert close_gaps(spaced(text, advance=advance, blank=blank)) == text


def test_lines_stay_lines() -> None:
    glyphs = [*spaced("Konto Nr", advance=3, blank=3), *spaced("vom 30", advance=3, blank=3, line=1)]
    assert close_gaps(glyphs) == "Konto Nr\nvom 30"
    assert close_gaps([]) == ""
    assert close_gaps(glyphs[:1]) == "K"


def test_cleaned_text_has_plain_line_ends_and_no_hyphenation() -> None:
    assert clean("Rech\u00ad\r\nnung\rvom  \n\n 14.\x00 Juli\f", 100) == "Rechnung\nvom\n\n 14. Juli"
    assert clean("Über\x02\nweisung und Wert\ufffe\nstellung", 100) == "Überweisung und Wertstellung"
    assert clean("-\u00ad\n", 100) == "-"


@example("00000000 0", 9)
@given(st.text(st.characters(), max_size=300), st.integers(0, 50))
def test_cleaned_text_fits_the_database_whatever_comes(text: str, limit: int) -> None:
    cleaned = clean(text, limit)
    assert len(cleaned) <= limit
    cleaned.encode()
    assert "\x00" not in cleaned
    assert "\r" not in cleaned
    assert clean(cleaned, limit) == cleaned.strip("\n")


@given(st.text(st.characters(), max_size=300), st.floats(0, 1))
def test_any_text_gets_a_verdict_and_only_good_ones_have_no_reason(text: str, share: float) -> None:
    judgement = judge(text, picture_share=share)
    assert (judgement.verdict is Verdict.GOOD) == (not judgement.reasons)


def test_what_has_no_meaning_is_no_letter() -> None:
    assert all(map(is_meaningless, "\ue000\ufffd\x07\U000f0001\ud800\uffff"))
    assert not any(map(is_meaningless, "aß€中\n\t "))
