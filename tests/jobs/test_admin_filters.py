"""The filters of the lists of jobs: found however old, or looked for a stretch at a time."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tenants.models import Tenant
from tests.factories import TenantFactory
from tests.jobs.job_lists import FAILED, JOBS, follow, make_failed, make_job, shown
from tests.operators import sign_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    made: Tenant = TenantFactory.create(name="Kanzlei Weiß")
    return made


def test_running_jobs_are_found_however_old_they_are(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.admin.JobAdmin.look_back", 2)
    running = make_job(tenant, status="processing")
    for _ in range(4):
        make_job(tenant)
    assert shown(sign_in("jobs.view_job"), JOBS, status="processing") == [running.pk]


def test_a_filter_without_an_index_looks_back_a_stretch_and_says_so(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.admin.JobAdmin.look_back", 3)
    oldest = make_job(tenant, status="succeeded")
    for _ in range(7):
        make_job(tenant)
    client = sign_in("jobs.view_job")
    page = follow(client, JOBS, "?status=succeeded")
    assert list(page.result_list) == []
    assert (
        "Nothing among the rows looked at so far."
        in client.get(JOBS, {"status": "succeeded"}).content.decode()
    )
    found: list[int] = []
    for _ in range(10):
        if not page.looked_back:
            break
        page = follow(client, JOBS, page.looked_back.further)
        found += [row.pk for row in page.result_list]
    assert found == [oldest.pk]
    assert page.looked_back is None


def test_failed_jobs_of_a_rare_kind_are_looked_for_a_stretch_at_a_time(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.admin.FailedJobAdmin.look_back", 3)
    rare = make_failed(tenant, minutes_ago=60, failure_kind="crash")
    for _ in range(7):
        make_failed(tenant)
    client = sign_in("jobs.view_job")
    page = follow(client, FAILED, "?failure_kind=crash")
    steps = 0
    while not page.result_list and page.looked_back:
        page = follow(client, FAILED, page.looked_back.further)
        steps += 1
    assert [row.pk for row in page.result_list] == [rare.pk]
    assert steps == 2
    assert shown(client, FAILED, failure_kind="crash", tenant=str(tenant.pk)) == [rare.pk]


def test_jobs_are_found_by_when_they_were_enqueued(tenant: Tenant) -> None:
    now = timezone.now()
    ages = (timedelta(days=9), timedelta(days=2), timedelta(hours=3), timedelta(0))
    oldest, old, today, fresh = (make_job(tenant, created_at=now - age) for age in ages)
    client = sign_in("jobs.view_job")
    assert shown(client, JOBS, age="hour") == [fresh.pk]
    assert shown(client, JOBS, age="day") == [fresh.pk, today.pk]
    assert shown(client, JOBS, age="over-day") == [old.pk, oldest.pk]
    assert shown(client, JOBS, age="over-week", status="queued") == [oldest.pk]


def test_failed_jobs_are_found_by_when_they_failed_and_by_their_words(tenant: Tenant) -> None:
    old = make_failed(tenant, minutes_ago=3 * 60, error_message="Seite 3: die Datei ist kaputt")
    new = make_failed(tenant)
    client = sign_in("jobs.view_job")
    assert shown(client, FAILED, age="hour") == [new.pk]
    assert shown(client, FAILED, age="over-hour") == [old.pk]
    assert shown(client, FAILED, error="KAPUTT") == [old.pk]
    assert shown(client, FAILED, error="kaputt", tenant=tenant.name, age="hour") == []
    assert shown(client, FAILED, error="100%") == []


def test_waiting_jobs_are_found_however_old_they_are(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobs.admin.JobAdmin.look_back", 2)
    waiting = [make_job(tenant, lane=lane, home_lane=min(lane, 2)) for lane in (0, 1, 2, 3)]
    for _ in range(4):
        make_job(tenant, status="succeeded")
    found = shown(sign_in("jobs.view_job"), JOBS, status="queued")
    assert found == [job.pk for job in reversed(waiting)]
