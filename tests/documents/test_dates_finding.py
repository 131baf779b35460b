"""What a finding says beside the date: candidates, reasons, places, and whether a person should look."""

from datetime import date

import pytest

from documents.dates import Kind, Source, find_issued_date

TODAY = date(2026, 11, 29)


def test_candidates_are_ranked_and_say_where_they_stand() -> None:
    text = "Bestelldatum: 01.05.2024\nRechnungsdatum: 05.05.2024\nZahlbar bis 19.05.2024"
    finding = find_issued_date(text, today=TODAY)
    assert [candidate.kind for candidate in finding.candidates] == [Kind.ISSUED, Kind.ORDER, Kind.DUE]
    best = finding.candidates[0]
    assert finding.best is best
    assert (best.label, best.written, best.page, best.source) == (
        "Rechnungsdatum",
        "05.05.2024",
        1,
        Source.TEXT,
    )
    assert text[best.position :].startswith("05.05.2024")


def test_the_score_is_the_sum_of_the_reasons() -> None:
    finding = find_issued_date("Köln, den 3.4.22\nBericht vom 01.02.2020\nMai 2019", today=TODAY)
    assert len(finding.candidates) == 3
    for candidate in finding.candidates:
        assert candidate.score == sum(reason.points for reason in candidate.reasons)
        assert candidate.reasons


def test_what_can_never_be_the_date_of_issue_is_still_offered() -> None:
    finding = find_issued_date("Geburtsdatum: 01.02.1980", today=TODAY)
    assert finding.date is None
    assert finding.source is None
    assert finding.best is None
    assert [candidate.date for candidate in finding.candidates] == [date(1980, 2, 1)]
    assert not finding.candidates[0].eligible


def test_positions_are_those_of_the_text_as_given() -> None:
    text = "Ra\u0308umung \u200bam A n h a n g s b l a t t\nDatum: 12. Ma\u0308rz 2024"
    best = find_issued_date(text, today=TODAY).candidates[0]
    assert best.written == "12. Ma\u0308rz 2024"
    assert text[best.position : best.position + len(best.written)] == best.written
    assert best.label == "Datum"


def test_the_page_of_a_candidate_is_counted_by_form_feeds() -> None:
    finding = find_issued_date("Vertrag\f\fKöln, den 03.04.2022", today=TODAY)
    assert finding.candidates[0].page == 3


def test_a_date_named_twice_is_one_candidate_with_two_mentions() -> None:
    finding = find_issued_date("Rechnungsdatum 05.05.2024\n\nRechnung vom 5. Mai 2024", today=TODAY)
    assert [candidate.mentions for candidate in finding.candidates] == [2]


def test_a_clear_label_is_confirmed() -> None:
    assert find_issued_date("Rechnungsdatum 05.05.2024", today=TODAY).confirmed


def test_a_single_mention_read_by_ocr_is_not_confirmed() -> None:
    assert not find_issued_date("Rechnungsdatum 05.05.2024", pages_by_ocr=(1,), today=TODAY).confirmed


def test_a_second_mention_confirms_what_ocr_read() -> None:
    text = "Rechnungsdatum 05.05.2024\nRechnung vom 5. Mai 2024"
    assert find_issued_date(text, pages_by_ocr=(1,), today=TODAY).confirmed


def test_a_mention_on_a_page_that_was_not_read_by_ocr_is_confirmed() -> None:
    assert find_issued_date("Rechnungsdatum 05.05.2024\fAnlage", pages_by_ocr=(2,), today=TODAY).confirmed


@pytest.mark.parametrize(
    "text", ["Abrechnung Mai 2024", "Wir sahen uns am 05.05.2024.", "Lieferdatum 05.05.2024"]
)
def test_a_weak_date_is_taken_but_not_confirmed(text: str) -> None:
    finding = find_issued_date(text, today=TODAY)
    assert finding.date is not None
    assert not finding.confirmed


def test_two_dates_of_the_same_rank_leave_a_doubt() -> None:
    finding = find_issued_date("Datum: 05.05.2024\nDatum: 06.05.2024", today=TODAY)
    assert finding.date == date(2024, 5, 5)
    assert not finding.confirmed


def test_a_file_name_nobody_asked_for_is_offered_and_not_taken() -> None:
    finding = find_issued_date("kein Datum", filename="2024-01-31.pdf", today=TODAY)
    assert finding.date is None
    assert [(candidate.date, candidate.source) for candidate in finding.candidates] == [
        (date(2024, 1, 31), Source.FILENAME)
    ]


def test_a_file_name_that_counts_is_the_source() -> None:
    finding = find_issued_date(
        "Datum: 05.05.2023", filename="2024-01-31.pdf", filename_order="YMD", today=TODAY
    )
    assert (finding.date, finding.source) == (date(2024, 1, 31), Source.FILENAME)
    assert finding.candidates[0].written == "2024-01-31"
    assert finding.candidates[1].date == date(2023, 5, 5)


def test_names_that_nobody_believes_may_be_said_in_words() -> None:
    finding = find_issued_date("kein Datum", filename="2024-01-31.pdf", filename_order="none", today=TODAY)
    assert finding.date is None


def test_a_date_read_month_first_says_so() -> None:
    finding = find_issued_date("Date: 11/27/2017", today=TODAY)
    assert "written.month_first" in [reason.code for reason in finding.candidates[0].reasons]


def test_a_month_alone_is_marked() -> None:
    assert find_issued_date("Abrechnung Mai 2024", today=TODAY).candidates[0].month_only


def test_at_most_twenty_candidates_are_kept() -> None:
    text = "\n".join(f"Am {day:02}.05.2024 war Sitzung." for day in range(1, 32))
    assert len(find_issued_date(text, today=TODAY).candidates) == 20


def test_today_counts_and_tomorrow_does_not() -> None:
    assert find_issued_date("Datum 29.11.2026", today=TODAY).date == TODAY
    assert find_issued_date("Datum 29.11.2026", today=date(2026, 11, 28)).date is None


@pytest.mark.parametrize(
    ("order", "filename_order"), [("dmy", None), ("DMY", "ymd"), ("YDM", None), ("", None)]
)
def test_an_unknown_order_is_refused_by_name(order: str, filename_order: str | None) -> None:
    with pytest.raises(ValueError, match="Unknown order of dates"):
        find_issued_date("", order=order, filename_order=filename_order, today=TODAY)


def test_a_carriage_return_ends_a_line() -> None:
    for end in ("\r\n", "\r", "\n", "\x85", "\u2028"):
        text = f"Lieferdatum{end}01.05.2024{end}Rechnungsdatum{end}05.05.2024"
        assert find_issued_date(text, today=TODAY).date == date(2024, 5, 5), repr(end)


def test_a_region_does_not_change_the_language() -> None:
    assert find_issued_date("5. Feb. 2024", languages=("de-AT",), today=TODAY).date == date(2024, 2, 5)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("vom12mai2024", date(2024, 5, 12)),
        ("Wien_12_mai_2024_gez", date(2024, 5, 12)),
        ("am 5 ma1 2024", date(2024, 5, 5)),
        ("am 3. 0ktober 2024", date(2024, 10, 3)),
        ("am 3. Ju1i2024", date(2024, 7, 3)),
        ("am 4. Februor 2024", date(2024, 2, 4)),
        ("on 4 Novernber 2024", date(2024, 11, 4)),
        ("on 12 5eptember 2024", date(2024, 9, 12)),
    ],
)
def test_a_month_that_was_run_into_others_or_misread_is_found_behind_thousands_of_numbers(
    text: str, day: date
) -> None:
    table = "4711-12 Schrauben M4x12 verzinkt 100 Stück 12,05 EUR 1.205,00 EUR Lager 0221/12 05 20-24\n" * 40
    assert find_issued_date(table + text + "\n" + table, today=TODAY).date == day
