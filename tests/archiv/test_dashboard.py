"""The first page says what needs somebody, worst first, and counts nothing to find out."""

import re
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connections
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from archiv.dashboard.alerts import Alert, Gravity, State, find_alerts
from archiv.dashboard.figures import Machine, Sample, WorkerLine, read_ended, read_waiting
from archiv.dashboard.plots import Point, Series, line_plot, nice_ceiling
from archiv.dashboard.view import seconds_until_empty
from jobs.kinds import Group
from jobs.models import (
    DailyChore,
    ErrorGroup,
    Job,
    JobMinute,
    QueueSample,
    TenantHour,
    TenantQueue,
    WorkerProcess,
)
from tenants.audit_store import read_links
from tenants.models import Tenant, WipeOrder
from tenants.scope import operator_scope
from tests.factories import TenantFactory
from tests.operators import make_operator

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
SAMPLE = Sample(
    NOW, 1.0, {}, approximate=False, oldest_due=0.0, waiting=[], lanes={}, database_bytes=0, horizon=0.0
)
WORKER = WorkerLine("w", "host-1", "1", "running", 4, 1.0, is_late=False, running=[])
MACHINE = Machine(10, 90, 100, timedelta(hours=1), timedelta(hours=1), 0, [])
WELL = State(SAMPLE, [WORKER], [], MACHINE, [], [], NOW)


def group(jobs: int = 28, last_at: datetime = NOW, mark: str = "a" * 64) -> Group:
    row = ErrorGroup(
        fingerprint=mark, type="probe", kind="limit", jobs=jobs, tenants=1, last_at=last_at, newest_job=1
    )
    return Group(row, "page 3 took 60 s")


def test_where_all_is_well_nothing_needs_anybody() -> None:
    assert find_alerts(WELL) == []


@pytest.mark.parametrize(
    ("state", "gravity", "words"),
    [
        (replace(WELL, workers=[]), Gravity.BAD, "No worker"),
        (replace(WELL, workers=[replace(WORKER, is_late=True)]), Gravity.BAD, "No worker"),
        (
            replace(WELL, workers=[WORKER, replace(WORKER, is_late=True)]),
            Gravity.WARNING,
            "1 worker is silent",
        ),
        (replace(WELL, sample=replace(SAMPLE, oldest_due=1200.0)), Gravity.BAD, "20 min"),
        (replace(WELL, sample=replace(SAMPLE, age=120.0)), Gravity.WARNING, "2 min"),
        (replace(WELL, sample=replace(SAMPLE, horizon=7200.0)), Gravity.WARNING, "2 h"),
        (replace(WELL, paused=["Kanzlei"]), Gravity.WARNING, "Kanzlei"),
        (replace(WELL, groups=[group()]), Gravity.BAD, "28 jobs probe"),
        (replace(WELL, machine=replace(MACHINE, vault_free=5)), Gravity.BAD, "5 B left"),
        (replace(WELL, machine=replace(MACHINE, damaged=2)), Gravity.BAD, "2 files are damaged"),
        (replace(WELL, machine=replace(MACHINE, backup_age=None)), Gravity.WARNING, "no backup"),
        (replace(WELL, machine=replace(MACHINE, backup_age=timedelta(days=3))), Gravity.WARNING, "no backup"),
        (replace(WELL, wipes=[WipeOrder(nonce="0" * 32)]), Gravity.BAD, "stands still"),
        (
            replace(
                WELL,
                machine=replace(MACHINE, chores=[DailyChore(name="sign", outcome="alarm", message="bad")]),
            ),
            Gravity.BAD,
            "sign: bad",
        ),
    ],
)
def test_each_trouble_is_one_alert_that_says_what_to_do(state: State, gravity: Gravity, words: str) -> None:
    (alert,) = find_alerts(state)
    assert alert.gravity is gravity
    assert words in alert.text
    assert alert.advice


@pytest.mark.parametrize("quiet", [group(jobs=2), group(last_at=NOW - timedelta(hours=2))])
def test_few_or_old_failures_are_no_alert(quiet: Group) -> None:
    assert find_alerts(replace(WELL, groups=[quiet])) == []


def test_what_is_worst_comes_first() -> None:
    state = replace(WELL, paused=["Kanzlei"], groups=[group()], machine=replace(MACHINE, backup_age=None))
    assert [alert.gravity for alert in find_alerts(state)] == [Gravity.BAD, Gravity.WARNING, Gravity.WARNING]


def test_failures_of_several_causes_are_one_alert_and_hide_no_other() -> None:
    state = replace(WELL, groups=[group(28), group(14), group(1)], machine=replace(MACHINE, damaged=2))
    failed, damaged = find_alerts(state)
    assert failed.text == "42 jobs have failed of 2 causes."
    assert failed.address == "/admin/jobs/failedjob/kinds/"
    assert "damaged" in damaged.text


@given(st.floats(0, 1e9))
def test_the_scale_of_a_plot_is_round_and_holds_everything(value: float) -> None:
    ceiling = nice_ceiling(value)
    assert ceiling >= value
    assert str(int(ceiling)).rstrip("0") in ("1", "2", "5")


@pytest.mark.parametrize("values", [[], [0], [5], [0, 0, 0], [10**9, 0, 3]])
def test_a_plot_of_anything_lies_within_its_frame(values: list[float]) -> None:
    points = [Point(NOW + timedelta(minutes=number), value) for number, value in enumerate(values)]
    plot = line_plot("t", [Series("done", "done", points), Series("failed", "failed", points)], ticks=[])
    assert plot.is_empty == (not any(values))
    assert len(plot.rows) == len(values)
    for line in plot.lines:
        for place in line.points.split():
            x, y = (float(part) for part in place.split(","))
            assert plot.left <= x <= plot.width
            assert plot.top <= y <= plot.base


def test_the_table_of_a_plot_sums_several_moments_up_and_leaves_none_out() -> None:
    points = [Point(NOW + timedelta(minutes=number), number) for number in range(7)]
    plot = line_plot("t", [Series("done", "done", points)], ticks=[], row=3)
    assert plot.rows == (
        (NOW, (0 + 1 + 2,)),
        (NOW + timedelta(minutes=3), (3 + 4 + 5,)),
        (NOW + timedelta(minutes=6), (6,)),
    )


@pytest.mark.django_db
def test_what_ended_is_summed_in_equal_parts_with_none_left_out() -> None:
    now = timezone.now()
    for minutes, outcome, attempts in (
        (0, "succeeded", 3),
        (0, "failed", 1),
        (1, "succeeded", 2),
        (90, "succeeded", 9),
    ):
        JobMinute.objects.create(
            minute=now - timedelta(minutes=minutes),
            type="probe",
            outcome=outcome,
            attempts=attempts,
            seconds=1,
        )
    done, failed = read_ended(span=timedelta(minutes=59), bin=timedelta(minutes=1))
    assert len(done) == len(failed) == 60
    assert sum(point.value for point in done) == 5
    assert sum(point.value for point in failed) == 1
    day, _ = read_ended(span=timedelta(hours=2), bin=timedelta(minutes=10))
    assert sum(point.value for point in day) == 14


@pytest.mark.parametrize(
    ("queued", "done", "seconds"),
    [
        (600, [0.0] * 54 + [60.0] * 5 + [7.0], 600.0),
        (600, [60.0] * 30 + [0.0] * 30, 1200.0),
        (600, [0.0] * 60, None),
        (0, [60.0] * 60, None),
        (600, [], None),
    ],
    ids=["begun a moment ago", "nothing lately", "nothing at all", "nothing waits", "no minutes"],
)
def test_how_long_what_waits_will_last_goes_by_what_was_done_lately(
    queued: int, done: list[float], seconds: float | None
) -> None:
    minutes = [
        Point(datetime(2026, 11, 30, tzinfo=UTC) + timedelta(minutes=n), one) for n, one in enumerate(done)
    ]
    assert seconds_until_empty(queued, minutes) == seconds


@pytest.mark.django_db
def test_a_share_is_what_a_tenant_had_beside_what_its_weight_gives_it() -> None:
    with operator_scope():
        heavy, light = TenantFactory.create(), TenantFactory.create()
        TenantQueue.objects.create(tenant=heavy, weight=3.0)
        for tenant, seconds in ((heavy, 80.0), (light, 20.0)):
            TenantHour.objects.create(tenant_id=tenant.pk, hour=Now(), attempts=1, failed=0, seconds=seconds)
        entries = [{"tenant": str(each.pk), "waiting": 501, "oldest": 3.0} for each in (heavy, light)]
        first, second = read_waiting(replace(SAMPLE, waiting=entries))
    assert (first.name, first.share, first.due_share, first.is_more) == (heavy.name, 0.8, 0.75, True)
    assert (second.share, second.due_share) == (0.2, 0.25)


@pytest.fixture
def filled(db: None) -> Tenant:
    with operator_scope():
        tenant: Tenant = TenantFactory.create(name="Kanzlei Eiche")
        job = Job.objects.create(
            tenant=tenant,
            type="analyze-document",
            status="failed",
            failure_kind="timeout",
            error_message="Page 31 took 60 s",
            fingerprint="a" * 64,
            finished_at=Now(),
        )
        ErrorGroup.objects.create(
            fingerprint="a" * 64, type=job.type, kind="timeout", jobs=28, tenants=3,
            first_at=Now(), last_at=Now(), newest_job=job.pk,
        )  # fmt: skip
        Job.objects.create(tenant=tenant, type="probe", status="processing", worker="w", started_at=Now())
    WorkerProcess.objects.create(name="w", host="host-1", pid=1, slots=4)
    waiting = [{"tenant": str(tenant.pk), "waiting": 12, "oldest": 700.0}]
    QueueSample.objects.create(
        counts={"analyze-document": {"queued": 1200, "failed": 28}}, oldest_due_seconds=700.0, waiting=waiting
    )
    return tenant


def test_the_page_answers_from_what_is_ready_and_hardly_asks(client: Client, filled: Tenant) -> None:
    client.force_login(make_operator("jobs.view_job"))
    client.get("/admin/")
    with CaptureQueriesContext(connections["default"]) as queries:
        text = client.get("/admin/").content.decode()
    for words in (
        "28 jobs analyze-document",
        "Page # took # s",
        "Kanzlei Eiche",
        "host-1",
        "1,200",
        "11 min 40 s",
    ):
        assert words in text, words
    asked = [query["sql"] for query in queries]
    assert len(asked) < 36
    assert not [sql for sql in asked if "COUNT(" in sql and "jobs_job" in sql and "vaultfinding" not in sql]


def test_whoever_may_not_see_jobs_sees_no_figures(client: Client, filled: Tenant) -> None:
    client.force_login(make_operator("documents.view_document"))
    text = client.get("/admin/").content.decode()
    assert 'id="dashboard"' not in text
    assert "Kanzlei Eiche" not in text


def test_the_page_of_an_empty_installation_says_what_to_start(client: Client, db: None) -> None:
    client.force_login(make_operator("jobs.view_job"))
    text = client.get("/admin/").content.decode()
    assert "No worker is at work" in text
    assert "Nothing has failed" in text


def test_an_alert_has_a_look_for_its_gravity() -> None:
    assert {Alert(gravity, "", "").style for gravity in Gravity} == {"failed", "suspended"}


def test_only_whoever_may_requeue_is_led_to_it(client: Client, filled: Tenant) -> None:
    address = f"/admin/jobs/failedjob/requeue/?fingerprint={'a' * 64}"
    for permissions, is_led in ((["jobs.view_job"], False), (["jobs.view_job", "jobs.requeue_job"], True)):
        client.force_login(make_operator(*permissions))
        assert (address in client.get("/admin/").content.decode()) is is_led


def test_only_whoever_may_change_queues_is_offered_to_pause_one(client: Client, filled: Tenant) -> None:
    pause, unpause = (f"/admin/tenants/tenant/{filled.pk}/{end}/" for end in ("pause", "unpause"))
    client.force_login(make_operator("jobs.view_job"))
    text = client.get("/admin/").content.decode()
    assert "row-form" not in text
    assert client.post(pause, {"back": "overview"}).status_code == 403
    client.force_login(make_operator("jobs.view_job", "jobs.change_tenantqueue"))
    assert f'action="{pause}"' in client.get("/admin/").content.decode()
    answer = client.post(pause, {"back": "overview"}, follow=True)
    assert answer.redirect_chain == [("/admin/", 302)]
    text = answer.content.decode()
    assert "Paused: Kanzlei Eiche. Nothing of it is begun" in text
    assert f'action="{unpause}"' in text
    assert f'action="{pause}"' not in text
    with operator_scope():
        assert TenantQueue.objects.get().paused
    text = client.post(unpause, {"back": "overview"}, follow=True).content.decode()
    assert "Jobs of Kanzlei Eiche are begun again." in text
    assert f'action="{pause}"' in text
    assert [link.action for link in read_links()] == ["queue.changed", "queue.changed"]
    assert (
        client.post(pause, {"back": "//elsewhere.example/"}).headers["Location"].startswith("/admin/tenants/")
    )


def test_the_queue_of_a_tenant_that_is_gone_cannot_be_paused(client: Client, filled: Tenant) -> None:
    with operator_scope():
        QueueSample.objects.create(waiting=[{"tenant": str(uuid.uuid4()), "waiting": 1, "oldest": 1.0}])
    client.force_login(make_operator("jobs.view_job", "jobs.change_tenantqueue"))
    assert "row-form" not in client.get("/admin/").content.decode()


def test_the_first_page_asks_for_a_token_when_a_queue_is_paused(filled: Tenant) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_operator("jobs.view_job", "jobs.change_tenantqueue"))
    pause = f"/admin/tenants/tenant/{filled.pk}/pause/"
    assert client.post(pause, {"back": "overview"}).status_code == 403
    page = client.get("/admin/").content.decode()
    form = page[page.index(f'action="{pause}"') :]
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)
    assert token
    given = {"back": "overview", "csrfmiddlewaretoken": token[1]}
    assert client.post(pause, given).headers["Location"] == "/admin/"


def test_the_alert_of_the_oldest_job_names_its_tenant(client: Client, filled: Tenant) -> None:
    client.force_login(make_operator("jobs.view_job"))
    assert "waited 11 min 40 s (Kanzlei Eiche)" in client.get("/admin/").content.decode()
