"""Until when a paper must be kept: years, zones and midnights."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.retention import BUILT_IN, compute_retention, last_day, lengthen

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = st.sampled_from(
    [ZoneInfo(name) for name in ("Europe/Berlin", "UTC", "Pacific/Kiritimati", "America/Los_Angeles")]
)


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


def kept_until(stored: datetime, issued: date | None, years: int = 10, zone: ZoneInfo = BERLIN) -> datetime:
    return compute_retention(stored=stored, issued=issued, years=years, zone=zone)


def test_the_classes_of_german_law_come_with_every_tenant() -> None:
    assert BUILT_IN == {"vouchers": 8, "books": 10, "letters": 6}


def test_years_count_from_the_end_of_the_year_of_storing_where_the_paper_is_older_or_has_no_date() -> None:
    # The last day is 31 December 2034; it ends in Berlin at 23:00 UTC.
    assert kept_until(utc(2024, 5, 12), None) == utc(2034, 12, 31, 23)
    assert kept_until(utc(2024, 5, 12), date(2019, 3, 1)) == utc(2034, 12, 31, 23)


def test_years_count_from_the_end_of_the_year_of_the_paper_where_it_is_later() -> None:
    assert kept_until(utc(2024, 12, 30), date(2025, 1, 2)) == utc(2035, 12, 31, 23)


@pytest.mark.parametrize(
    ("stored", "last"),
    [
        (utc(2024, 12, 31, 22, 59, 59), 2034),  # 23:59:59 in Berlin
        (utc(2024, 12, 31, 23, 0, 0), 2035),  # midnight in Berlin, still 2024 in UTC
    ],
)
def test_the_year_of_storing_is_that_of_the_tenants_zone(stored: datetime, last: int) -> None:
    assert kept_until(stored, None) == utc(last, 12, 31, 23)


@pytest.mark.parametrize(
    ("zone", "ends"),
    [
        ("Pacific/Kiritimati", utc(2030, 12, 31, 10)),  # +14
        ("America/Los_Angeles", utc(2031, 1, 1, 8)),  # −8
        ("Asia/Kathmandu", utc(2030, 12, 31, 18, 15)),  # +5:45
        ("UTC", utc(2031, 1, 1)),
    ],
)
def test_the_last_day_ends_with_the_tenants_midnight(zone: str, ends: datetime) -> None:
    assert kept_until(utc(2024, 6, 1), None, 6, ZoneInfo(zone)) == ends


def test_a_leap_day_is_a_day_as_any_other() -> None:
    assert kept_until(utc(2024, 2, 29, 12), date(2024, 2, 29), 8) == utc(2032, 12, 31, 23)
    assert kept_until(utc(2023, 2, 28), date(2024, 2, 29), 1) == utc(2025, 12, 31, 23)


def test_a_zone_that_was_changed_between_the_years_ends_the_day_by_its_own_clock() -> None:
    # Samoa skipped 30 December 2011, to stand on the other side of the date line: +14 from then on.
    assert kept_until(utc(2010, 6, 1), None, 1, ZoneInfo("Pacific/Apia")) == utc(2011, 12, 31, 10)


def test_no_year_is_too_far() -> None:
    assert kept_until(utc(2024, 1, 1), date(9999, 12, 31), 100) == utc(9999, 12, 31)


@given(
    stored=st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    issued=st.none() | st.dates(date(1950, 1, 1), date(2100, 1, 1)),
    years=st.integers(1, 100),
    zone=ZONES,
)
def test_a_paper_is_kept_for_its_years_and_at_most_one_more(
    stored: datetime, issued: date | None, years: int, zone: ZoneInfo
) -> None:
    until = kept_until(stored, issued, years, zone)
    begin = max(stored.astimezone(zone).date(), issued or date.min)
    assert last_day(until, zone) == date(begin.year + years, 12, 31)
    assert last_day(until + timedelta(microseconds=1), zone) == date(begin.year + years + 1, 1, 1)


def test_what_was_promised_is_never_taken_back() -> None:
    assert lengthen(None, utc(2030, 1, 1)) == utc(2030, 1, 1)
    assert lengthen(utc(2031, 1, 1), utc(2030, 1, 1)) == utc(2031, 1, 1)
    assert lengthen(utc(2030, 1, 1), utc(2031, 1, 1)) == utc(2031, 1, 1)
