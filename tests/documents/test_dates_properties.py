"""Whatever the text: no exception, no date out of range, and no more work than its length."""

import string
import sys
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.dates import ORDERS, find_issued_date
from documents.dates.folding import fold
from documents.dates.months import ABBREVIATIONS, NAMES, month_table

TODAY = date(2026, 11, 29)
DAYS = st.dates(date(1901, 1, 1), TODAY)
PIECES = st.sampled_from(
    [
        "Rechnungsdatum",
        "vom",
        "12.",
        ".05",
        "2024",
        " ",
        "\n",
        "\f",
        "Mai",
        "bis",
        "-",
        "/",
        "gemäß",
        "年",
        "月",
        "日",
        "令和",
        "O",
        "l",
        "1",
        "3",
        ":",
        "Datum",
        "EUR",
        "IBAN",
        "\u0308",
        "\u200b",
    ]
)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map("".join)),
    st.sampled_from(ORDERS),
    st.text(max_size=60),
)
def test_any_text_gives_a_date_in_range_or_none(text: str, order: str, filename: str) -> None:
    finding = find_issued_date(
        text,
        filename=filename,
        order=order,
        filename_order=order,
        languages=("de", "en", "ja", "hu"),
        today=TODAY,
    )
    for candidate in finding.candidates:
        assert date(1901, 1, 1) <= candidate.date <= TODAY
    if finding.date is not None:
        assert finding.date == finding.candidates[0].date
    scores = [candidate.score for candidate in finding.candidates]
    assert scores == sorted(scores, reverse=True)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map("".join)))
def test_a_candidate_points_at_what_it_read(text: str) -> None:
    for candidate in find_issued_date(text, languages=("de", "en", "ja"), today=TODAY).candidates:
        assert text[candidate.position : candidate.position + len(candidate.written)] == candidate.written


@settings(max_examples=200, deadline=None)
@given(
    DAYS,
    st.sampled_from(
        [
            "{0:%d.%m.%Y}",
            "{0:%Y-%m-%d}",
            "{0.day}.{0.month}.{0.year}",
            "{0.day}. {1} {0.year}",
            "{0:%d}/{0:%m}/{0:%Y}",
        ]
    ),
)
def test_every_day_is_read_in_every_form(day: date, form: str) -> None:
    month = NAMES["de"].split(",")[day.month - 1].split()[0]
    written = form.format(day, month)
    assert find_issued_date(f"Rechnungsdatum: {written}\n", today=TODAY).date == day


@settings(max_examples=100, deadline=None)
@given(DAYS, st.sampled_from(sorted(NAMES)))
def test_every_month_is_read_in_every_language(day: date, language: str) -> None:
    for word in NAMES[language].split(",")[day.month - 1].split():
        for spelling in (word, word.upper(), word.capitalize()):
            finding = find_issued_date(
                f"{day.day}. {spelling} {day.year}", languages=(language,), today=TODAY
            )
            assert finding.date == day, spelling


@settings(max_examples=100, deadline=None)
@given(st.dates(date(1901, 1, 1), date(2100, 1, 1)), st.integers(0, 40_000))
def test_no_date_after_today_is_ever_found(day: date, ahead: int) -> None:
    today = day - timedelta(days=ahead) if day.year > 2020 else day
    found = find_issued_date(f"Datum: {day:%d.%m.%Y}", today=today).date
    assert found == (day if day <= today else None)


def test_no_full_name_of_a_month_means_another_month_elsewhere() -> None:
    for language in NAMES:
        table = month_table((language,))
        for other in NAMES:
            for number, words in enumerate(NAMES[other].split(","), start=1):
                for word in words.split():
                    assert table[fold(word).text] == number, (language, other, word)


def test_every_language_has_twelve_months() -> None:
    for table in (NAMES, ABBREVIATIONS):
        assert len(table) == 17
        for language, months in table.items():
            assert len(months.split(",")) == 12, language
            assert all(month.strip() for month in months.split(",")), language


class Counter:
    """Counts the lines of Python that a call runs: a measure of work that no busy machine changes."""

    def __init__(self) -> None:
        self.lines = 0

    def __call__(self, frame: object, event: str, argument: object) -> "Counter":
        self.lines += 1
        return self


def work(text: str) -> int:
    counter = Counter()
    before = sys.gettrace()
    sys.settrace(counter)
    try:
        find_issued_date(text, today=TODAY, pages_by_ocr=(1,))
    finally:
        sys.settrace(before)
    return counter.lines


ADVERSARIAL = [
    "12.05.2024\n",
    "12.05.2024 ",
    "1.",
    "12.05.",
    "Rechnungsdatum:\n",
    "Rechnungsdatum 12.05.2024 ",
    "gemäß vom 12.05.2024 ",
    "1 mai ",
    "Datum Lieferdatum\n12.05.2024 13.05.2024\n",
    "a:\n",
    "u\u0308",
    "K o n t o ",
    "12.05.2024\n\n",
    "2024 mai ",
    "1.-2.",
    "http://a/12.05.2024/",
    "年月日",
    "1年",
    "oli|",
    "Rechnungsdatum:\n12.05.2024\n",
]


@pytest.mark.parametrize("piece", ADVERSARIAL)
def test_twice_the_text_is_about_twice_the_work(piece: str) -> None:
    short, long = (work(piece * (length // len(piece))) for length in (3_000, 6_000))
    assert long <= 2.6 * short + 2_000


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        string.digits * 100_000,
        "1" * 1_000_000,
        "1." * 150_000,
        "o1." * 100_000,
        " " * 300_000,
        "12.05.2024 " * 30_000,
        "\n" * 300_000,
        "ü\u0308" * 100_000,
    ],
    ids=["digits", "ones", "dots", "slips", "blanks", "dates", "lines", "accents"],
)
def test_a_long_text_of_anything_is_done_in_seconds(text: str) -> None:
    assert find_issued_date(text, today=TODAY).date in (None, date(2024, 5, 12))
