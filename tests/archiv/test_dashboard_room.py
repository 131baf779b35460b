"""What the first page says of the room that is left, and of what waits by type."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db.models.functions import Now
from django.test import Client, override_settings
from django.urls import resolve
from django.utils.translation import override

from archiv.dashboard.alerts import Gravity, find_alerts
from archiv.dashboard.figures import read_sample, read_types
from archiv.dashboard.room import Filling, estimate_filling, read_filling
from documents.gauges import Disk, look_at_disk
from jobs.gauges import measure_disk
from jobs.models import QueueSample
from tests.archiv.test_dashboard import MACHINE, WELL
from tests.operators import make_operator

GB = 10**9
DAY = 86_400.0
DISK = Disk(1000 * GB, 400 * GB, 600 * GB)


@pytest.mark.parametrize(
    ("before", "days_ago", "text", "basis"),
    [
        (330 * GB, 7, "about 60 days", "at the rate of the last 7 days"),
        (390 * GB, 1, "about 60 days", "at the rate of the last 24 hours"),
        (20 * GB, 1, "about 37 hours", "at the rate of the last 24 hours"),
        (0, 0.96, "about 34 hours", "at the rate of the last 24 hours"),
        (400 * GB, 7, "not filling", "in the last 7 days"),
        (410 * GB, 1, "not filling", "in the last 24 hours"),
        (400 * GB - 1, 7, "more than 10 years", "at the rate of the last 7 days"),
    ],
)
def test_the_rate_of_the_last_days_says_when_the_vault_is_full(
    before: int, days_ago: float, text: str, basis: str
) -> None:
    filling = estimate_filling(DISK, used_before=before, seconds=days_ago * DAY)
    assert filling is not None
    assert (filling.text, filling.basis) == (text, basis)


def test_a_vault_that_is_full_today_says_so_in_both_languages() -> None:
    assert Filling(0.01, 7).text == "about 1 hour"
    with override("de"):
        assert Filling(0.01, 7).text == "etwa 1 Stunde"
        assert Filling(0.5, 7).text == "etwa 12 Stunden"
        assert Filling(2.9, 7).text == "etwa 2 Tagen"
        assert Filling(2.9, 7).basis == "wenn es weitergeht wie in den letzten 7 Tagen"


def test_less_than_a_day_says_nothing() -> None:
    assert estimate_filling(DISK, used_before=0, seconds=0.5 * DAY) is None


@pytest.fixture(scope="module", autouse=True)
def pages_are_loaded() -> None:
    """Load the pages before a transaction begins: that can take longer than one may be idle."""
    resolve("/admin/")


def make_vault() -> None:
    Path(settings.ARCHIV_VAULT_ROOT).mkdir(parents=True, exist_ok=True)


def remember(days_ago: float, used: int | None) -> None:
    moment = Now() - timedelta(days=days_ago) + timedelta(seconds=30)
    QueueSample.objects.create(sampled_at=moment, vault_used_bytes=used)


@pytest.mark.django_db
def test_the_oldest_sample_of_the_last_week_that_knows_is_gone_by() -> None:
    assert read_filling(DISK) is None
    remember(0.2, 399 * GB)
    assert read_filling(DISK) is None
    remember(7, None)
    remember(4, 360 * GB)
    remember(2, 300 * GB)
    filling = read_filling(DISK)
    assert filling is not None
    assert filling.last_days == 4
    assert filling.days == pytest.approx(60, rel=0.01)


def test_a_vault_that_is_full_in_two_weeks_is_an_alert_and_a_later_one_is_not() -> None:
    (alert,) = find_alerts(replace(WELL, machine=replace(MACHINE, filling=Filling(5.5, 7))))
    assert alert.gravity is Gravity.WARNING
    assert alert.text == "The vault is full in about 5 days, at the rate of the last 7 days."
    for quiet in (Filling(20, 7), Filling(None, 7), None):
        assert find_alerts(replace(WELL, machine=replace(MACHINE, filling=quiet))) == []
    (alert,) = find_alerts(replace(WELL, machine=replace(MACHINE, vault_free=5, filling=Filling(5.5, 7))))
    assert "left" in alert.text, "one alert for one cause"


def test_the_gauge_measures_the_disk_of_the_vault_and_tells_nothing_where_it_is_away(tmp_path: Path) -> None:
    make_vault()
    disk = look_at_disk()
    assert disk is not None
    assert disk.total >= disk.used > 0
    assert measure_disk()
    away = {
        "vault": {"BACKEND": "documents.vault.LocalVault", "OPTIONS": {"location": tmp_path / "away"}},
    }
    with override_settings(STORAGES=away):
        assert look_at_disk() is None
        assert measure_disk() is None


def of_types(known: dict[str, Any] | None) -> dict[str, str]:
    counts = {name: {"queued": 3} for name in ("exact", "least", "hidden")} | {"idle": {"failed": 1}}
    QueueSample.objects.create(counts=counts, oldest_by_type=known)
    return {line.name: line.oldest for line in read_types(read_sample())}


@pytest.mark.django_db
def test_each_type_says_how_long_its_oldest_due_job_has_waited_as_far_as_is_known() -> None:
    types = {"exact": {"seconds": 700.0, "is_least": False}, "least": {"seconds": 42.0, "is_least": True}}
    assert of_types({"types": types, "within": 30.0}) == {
        "exact": "11 min 40 s",
        "least": "at least 42 s",
        "hidden": "at most 30 s",
        "idle": "–",
    }
    assert set(of_types({"types": {}, "within": None}).values()) == {"–"}
    assert set(of_types(None).values()) == {"–"}, "of an older worker"


@pytest.mark.django_db
def test_the_first_page_shows_the_room_that_is_left_and_who_waits_of_each_type(client: Client) -> None:
    make_vault()
    remember(7, 1)
    types = {"probe": {"seconds": 700.0, "is_least": False}}
    QueueSample.objects.create(
        counts={"probe": {"queued": 3}}, oldest_by_type={"types": types, "within": None}
    )
    client.force_login(make_operator("jobs.view_job"))
    text = client.get("/admin/").content.decode()
    assert '<td class="number" data-label="oldest due">11 min 40 s</td>' in text
    assert "vault full in" in text
    assert "at the rate of the last 7 days" in text
    QueueSample.objects.filter(vault_used_bytes=1).update(vault_used_bytes=2**60)
    text = client.get("/admin/").content.decode()
    assert "not filling" in text
    assert "in the last 7 days" in text
    QueueSample.objects.filter(vault_used_bytes__isnull=False).delete()
    assert "not filling" not in client.get("/admin/").content.decode()
