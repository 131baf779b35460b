"""Kinds of errors on the first page: when each failed in the last day, as bars and in words."""

import re
from datetime import UTC, timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from archiv.dashboard.kinds import COUNTED, HOURS_SQL, draw_day, read_kinds
from archiv.dashboard.plots import Point, sparkline
from jobs.models import Job
from tenants.models import Tenant
from tenants.scope import operator_scope
from tests.archiv.test_dashboard import NOW, group
from tests.factories import TenantFactory
from tests.operators import explain

_BAR = re.compile(r"M([\d.]+) (\d+)v-([\d.]+)h([\d.]+)v([\d.]+)z")


@pytest.mark.parametrize("values", [[], [0], [5], [0, 0, 0], [10**9, 0, 3], [1] * 24])
def test_a_sparkline_of_anything_lies_within_its_frame_and_hides_nothing(values: list[float]) -> None:
    points = [Point(NOW + timedelta(hours=number), value) for number, value in enumerate(values)]
    plot = sparkline("t", points, label="l", finding="f")
    bars = [tuple(map(float, bar)) for bar in _BAR.findall(plot.bars)]
    assert len(bars) == len([value for value in values if value])
    assert _BAR.sub("", plot.bars) == ""
    for left, foot, height, width, back in bars:
        assert left >= 0
        assert left + width <= plot.width
        assert foot == plot.height
        assert 1 < height == back <= plot.height
    if any(values):
        assert max(height for _, _, height, _, _ in bars) == plot.height


@pytest.mark.parametrize(
    ("values", "label", "finding"),
    [
        ([], "none in the last 24 hours", "None has failed then."),
        ([0, 0, 0], "none in the last 24 hours", "None has failed then."),
        (
            [0, 3, 1200, 0],
            "more than 253 in the last 24 hours",
            "more than 253 failed; most, more than 250, at 14:00–15:00, the last at 14:00–15:00.",
        ),
        (
            [2, 0, 0, 1],
            "3 in the last 24 hours",
            "3 failed; most, 2, at 12:00–13:00, the last at 15:00–16:00.",
        ),
    ],
)
def test_what_a_sparkline_shows_is_said_in_words(values: list[float], label: str, finding: str) -> None:
    points = [Point(NOW + timedelta(hours=number), value) for number, value in enumerate(values)]
    with timezone.override(UTC):
        plot = draw_day(points)
    assert (plot.label, plot.finding) == (label, finding)


def fail(tenant: Tenant, mark: str, *hours_ago: float) -> None:
    for hours in hours_ago:
        Job.objects.create(
            tenant=tenant,
            type="probe",
            status="failed",
            fingerprint=mark,
            finished_at=Now() - timedelta(hours=hours),
        )


@pytest.mark.django_db
def test_failures_of_a_kind_lie_in_the_hours_in_which_they_failed() -> None:
    with operator_scope():
        tenant, other = TenantFactory.create(), TenantFactory.create()
        fail(tenant, "a" * 64, 0, 0, 5, 30)
        fail(other, "a" * 64, 5)
        fail(other, "b" * 64, 22)
        Job.objects.create(tenant=other, type="probe", fingerprint="b" * 64, finished_at=Now())
        first, second, third = read_kinds([group(mark=mark * 64) for mark in "abc"])
    assert first.day.label == "4 in the last 24 hours"
    assert len(_BAR.findall(first.day.bars)) == 2
    assert second.day.label == "1 in the last 24 hours"
    assert third.day.label == "none in the last 24 hours"


@pytest.mark.django_db
def test_no_more_failures_of_an_hour_are_counted_than_the_index_gives_in_no_time() -> None:
    with operator_scope():
        tenant = TenantFactory.create()
        Job.objects.bulk_create(
            Job(
                tenant=tenant, type="probe", status="failed", fingerprint="a" * 64, finished_at=timezone.now()
            )
            for _ in range(COUNTED + 10)
        )
        (kind,) = read_kinds([group(mark="a" * 64)])
    assert kind.day.label == f"more than {COUNTED} in the last 24 hours"


@pytest.mark.django_db
def test_hours_of_failures_are_read_from_their_index_and_nothing_else() -> None:
    plan = explain(HOURS_SQL % {"shown": "ARRAY['a', 'b']", "counted": COUNTED + 1})
    assert "Index Only Scan using jobs_job_failed_kind on jobs_job" in plan
    condition = next(line for line in plan.splitlines() if "Index Cond" in line)
    assert condition.count("ROW(") == 4
    assert "fingerprint" not in plan.partition("Index Cond")[2].partition("\n")[2], "filtered after reading"
