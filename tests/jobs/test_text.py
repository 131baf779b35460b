"""Error texts that the database always takes."""

from hypothesis import given
from hypothesis import strategies as st

from jobs.text import (
    MESSAGE_CHARACTERS,
    TRACEBACK_CHARACTERS,
    UNREADABLE,
    blank_numbers,
    clean_text,
    describe_error,
    describe_traceback,
    error_fingerprint,
)

HUGE = 100 * 1024 * 1024


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def caught(error: Exception) -> Exception:
    try:
        raise error
    except Exception as raised:  # noqa: BLE001  whatever was given
        return raised


@given(st.text(st.characters(), max_size=300), st.integers(60, 200))
def test_cleaned_text_is_bounded_and_can_be_stored(text: str, limit: int) -> None:
    cleaned = clean_text(text, limit)
    assert len(cleaned) <= limit
    assert "\0" not in cleaned
    assert cleaned.encode().decode() == cleaned


def test_nul_and_lone_surrogates_are_replaced() -> None:
    assert clean_text("a\0b\ud800c") == "a\ufffdb?c"


def test_a_hundred_megabytes_are_cut_and_say_so() -> None:
    text = describe_error(ValueError("x" * HUGE))
    assert len(text) <= MESSAGE_CHARACTERS
    assert text.startswith("ValueError: xxx")
    assert "characters in all" in text


def test_an_error_that_cannot_be_printed_is_described_all_the_same() -> None:
    assert describe_error(Unprintable()) == f"Unprintable: {UNREADABLE}"
    assert "Unprintable" in describe_traceback(caught(Unprintable()))


def test_a_traceback_is_bounded_and_names_the_place() -> None:
    text = describe_traceback(caught(ValueError("y" * HUGE)))
    assert len(text) <= TRACEBACK_CHARACTERS
    assert "in caught" in text


def test_paths_of_the_vault_are_no_causes_of_their_own() -> None:
    first, second = (
        caught(LookupError(f"The file is not in the vault: {path}"))
        for path in (
            "54ae00ac-7b88-4b1b-bffd-0123456789ab/ab/abcdef0123456789-0000ffff-aaaa-4bbb-8ccc-ddddeeeeffff",
            "00000000-0000-4000-8000-000000000001/07/0712345678901234-54ae00ac-7b88-4b1b-bffd-0123456789ab",
        )
    )
    assert error_fingerprint("probe", first) == error_fingerprint("probe", second)
    assert blank_numbers(str(first)) == "The file is not in the vault: #"
    assert blank_numbers("more than 268\u00a0435\u00a0456 bytes on 3 pages") == "more than # bytes on # pages"


def test_failures_of_one_cause_share_a_fingerprint_whatever_their_numbers() -> None:
    first, second = (caught(ValueError(f"page {n} of 'file {n}' is odd")) for n in (7, 123))
    assert error_fingerprint("probe", first) == error_fingerprint("probe", second)
    assert error_fingerprint("probe", first) != error_fingerprint("other", first)
    assert error_fingerprint("probe", first) != error_fingerprint("probe", caught(KeyError("page 7")))
