"""Failed jobs by cause: looked at, previewed, tried, ordered, stopped; by whoever may."""

import re
import uuid
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client

from jobs.models import ErrorGroup, Job, JobAttempt, JobStatus, Operation
from jobs.operations import run_operations
from tenants.models import Tenant
from tenants.scope import operator_scope
from tests.factories import TenantFactory
from tests.operators import make_operator

pytestmark = pytest.mark.django_db(transaction=True)

MARK = "a" * 64
KIND, REQUEUE = f"/admin/jobs/failedjob/kind/{MARK}/", "/admin/jobs/failedjob/requeue/"


@pytest.fixture
def jobs() -> list[int]:
    with operator_scope():
        tenant: Tenant = TenantFactory.create(name="Kanzlei Ulme")
        made = [
            Job.objects.create(
                tenant=tenant,
                type="probe",
                status="failed",
                failure_kind="timeout",
                fingerprint=MARK,
                error_message=f"Page {number} took 60 s <b>",
                finished_at=Now(),
                lease=1,
            )
            for number in range(3)
        ]
        JobAttempt.objects.create(
            tenant_id=tenant.pk,
            job=made[-1],
            lease=1,
            started_at=Now(),
            outcome="timeout",
            traceback="Trace!",
        )
    ErrorGroup.objects.create(
        fingerprint=MARK, type="probe", kind="timeout", jobs=3, tenants=1, first_at=Now(), last_at=Now(),
        newest_job=made[-1].pk,
    )  # fmt: skip
    return [job.pk for job in made]


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(make_operator("jobs.view_job", "jobs.requeue_job"))
    return client


def fields(page: str) -> dict[str, str]:
    """Return the hidden fields of the form that orders."""
    form = page.rsplit('method="post"', maxsplit=1)[-1]
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))


def statuses(ids: list[int]) -> list[str]:
    with operator_scope():
        return list(Job.objects.filter(id__in=ids).order_by("id").values_list("status", flat=True))


def test_the_page_of_a_kind_shows_what_its_jobs_have_in_common(operator: Client, jobs: list[int]) -> None:
    text = operator.get(KIND).content.decode()
    assert "Page # took # s" in text
    assert "Trace!" in text
    assert "Requeue all 3 jobs" in text
    assert f"#{jobs[0]}" in text
    assert "60 s <b>" not in text


def test_all_of_a_kind_are_requeued_in_three_clicks(operator: Client, jobs: list[int]) -> None:
    preview = operator.get(REQUEUE, {"fingerprint": MARK}).content.decode()
    assert "3 failed jobs" in preview
    assert "Kanzlei Ulme" in preview
    assert f'<a href="{KIND}">' in preview
    assert statuses(jobs) == [JobStatus.FAILED] * 3
    answer = operator.post(REQUEUE, fields(preview))
    assert answer.status_code == 302
    assert run_operations() == 1
    page = operator.get(answer["Location"]).content.decode()
    assert "3 of 3 requeued" in page
    assert statuses(jobs) == [JobStatus.QUEUED] * 3


def test_the_same_form_twice_is_one_order(operator: Client, jobs: list[int]) -> None:
    form = fields(operator.get(REQUEUE, {"fingerprint": MARK}).content.decode())
    first, second = (operator.post(REQUEUE, form)["Location"] for _ in range(2))
    assert first == second
    assert Operation.objects.count() == 1


def test_one_can_be_tried_first(operator: Client, jobs: list[int]) -> None:
    form = fields(operator.get(REQUEUE, {"fingerprint": MARK}).content.decode())
    answer = operator.post(REQUEUE, form | {"one": "1"})
    assert answer["Location"] == f"/admin/jobs/job/{jobs[-1]}/change/"
    assert statuses(jobs) == [JobStatus.FAILED, JobStatus.FAILED, JobStatus.QUEUED]
    assert not Operation.objects.exists()


def test_an_operation_is_stopped_from_its_page(operator: Client, jobs: list[int]) -> None:
    form = fields(operator.get(REQUEUE, {"fingerprint": MARK}).content.decode())
    page = operator.post(REQUEUE, form)["Location"]
    assert "Stop" in operator.get(page).content.decode()
    assert "what is done stays done" in operator.post(f"{page}stop/", follow=True).content.decode()
    assert run_operations() == 0
    assert statuses(jobs) == [JobStatus.FAILED] * 3
    assert operator.get(f"{page}stop/").status_code == 405


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"fingerprint": MARK},
        {"fingerprint": MARK, "token": "x", "as_of": "y", "total": "z"},
        {"tenant": "nobody"},
    ],
)
def test_nonsense_orders_nothing_and_is_told_so(
    operator: Client, jobs: list[int], form: dict[str, Any]
) -> None:
    assert operator.post(REQUEUE, form, follow=True).status_code == 200
    assert not Operation.objects.exists()


def test_without_a_filter_nothing_is_offered(operator: Client, jobs: list[int]) -> None:
    text = operator.get(REQUEUE).content.decode()
    assert "nothing is ever done to all of them" in text
    assert "Try one first" not in text


def test_who_may_only_look_has_no_buttons_and_cannot_order(client: Client, jobs: list[int]) -> None:
    client.force_login(make_operator("jobs.view_job"))
    text = client.get(KIND).content.decode()
    assert "Trace!" in text
    assert "Requeue" not in text.split('id="content-main"')[1]
    assert client.get(REQUEUE, {"fingerprint": MARK}).status_code == 403
    assert client.post(REQUEUE, {"fingerprint": MARK}).status_code == 403


def test_what_is_not_there_is_not_found(operator: Client) -> None:
    assert operator.get("/admin/jobs/failedjob/kind/nothing/").status_code == 404
    assert operator.get(f"/admin/jobs/failedjob/operations/{uuid.uuid4()}/").status_code == 404


def test_all_kinds_are_listed_most_jobs_first_and_led_to(operator: Client, jobs: list[int]) -> None:
    ErrorGroup.objects.create(
        fingerprint="b" * 64, type="probe", kind="limit", jobs=9, tenants=2, first_at=Now(), last_at=Now(),
        newest_job=0,
    )  # fmt: skip
    ErrorGroup.objects.create(
        fingerprint="c" * 64, type="probe", kind="limit", jobs=0, tenants=0, first_at=Now(), last_at=Now(),
        newest_job=0,
    )  # fmt: skip
    page = operator.get("/admin/jobs/failedjob/kinds/")
    assert [(words, group.jobs) for words, group in page.context["kinds"]] == [
        ("limit", 9),
        ("Page # took # s <b>", 3),
    ]
    text = page.content.decode()
    assert KIND in text
    assert "<b>" not in text
    assert "/admin/jobs/failedjob/kinds/" in operator.get("/admin/jobs/failedjob/").content.decode()
