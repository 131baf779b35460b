"""The pages of jobs, as operators meet them."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from jobs.models import Job
from jobs.numbers import show_number
from jobs.operator_admin import OperatorAdmin
from tenants.models import Tenant
from tenants.scope import operator_scope
from tests.factories import JobAttemptFactory, TenantFactory
from tests.jobs.job_lists import FAILED, JOBS, follow, make_failed, make_job, shown
from tests.operators import counting, explain, recorded, sign_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    made: Tenant = TenantFactory.create(name="Kanzlei Weiß")
    return made


def read_job(job: Job) -> Job:
    with operator_scope():
        return Job.objects.get(pk=job.pk)


def requeue(client: Client, *jobs: Job, **values: str) -> str:
    """Tick jobs in the list of failed ones, press the button, and return what the next page says."""
    data: dict[str, Any] = {"action": "requeue", "index": "0", "_selected_action": [job.pk for job in jobs]}
    return client.post(FAILED, data | values, follow=True).content.decode()


def test_jobs_are_listed_newest_first_with_tenant_status_and_type(tenant: Tenant) -> None:
    first, second = make_job(tenant), make_job(tenant, status="succeeded")
    client = sign_in("jobs.view_job")
    assert shown(client, JOBS) == [second.pk, first.pk]
    page = client.get(JOBS).content.decode()
    assert "Kanzlei Weiß" in page
    assert "state-succeeded" in page


def test_the_list_goes_on_after_the_last_row_and_ends(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.admin.JobAdmin.list_per_page", 2)
    jobs = [make_job(tenant).pk for _ in range(5)]
    client = sign_in("jobs.view_job")
    seen, query = [], "?"
    while query:
        page = follow(client, JOBS, query)
        seen.append([row.pk for row in page.result_list])
        query = page.next_page
    assert seen == [jobs[:2:-1], jobs[2:0:-1], jobs[:1]]
    assert page.is_later_page


def test_failed_jobs_of_one_moment_are_paged_without_loss(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.admin.FailedJobAdmin.list_per_page", 2)
    moment = timezone.now()
    jobs = [make_failed(tenant, finished_at=moment).pk for _ in range(5)]
    client = sign_in("jobs.view_job")
    seen, query = [], "?"
    while query:
        page = follow(client, FAILED, query)
        seen += [row.pk for row in page.result_list]
        query = page.next_page
    assert seen == jobs[::-1]


def test_failed_jobs_come_newest_failure_first_whatever_their_number(tenant: Tenant) -> None:
    older = make_failed(tenant, minutes_ago=1)
    newer = make_failed(tenant, minutes_ago=30)
    make_job(tenant)
    assert shown(sign_in("jobs.view_job"), FAILED) == [older.pk, newer.pk]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("status", "failed"), ("type", "probe"), ("lane", "2"), ("failure_kind", "timeout")],
)
def test_each_filter_leaves_what_has_the_value(tenant: Tenant, parameter: str, value: str) -> None:
    wanted = make_failed(tenant, lane=2, home_lane=2, failure_kind="timeout")
    make_job(tenant, type="provision-tenant")
    assert shown(sign_in("jobs.view_job"), JOBS, **{parameter: value}) == [wanted.pk]


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (f"{JOBS}?", "jobs_job_pkey"),
        (f"{JOBS}?status=succeeded&after=[1000]", "jobs_job_pkey"),
        (f"{FAILED}?", "jobs_job_failed_newest"),
        (f"{FAILED}?failure_kind=crash", "jobs_job_failed_newest"),
        (f'{FAILED}?after=["2026-01-01T00:00:00Z",1]', "jobs_job_failed_newest"),
    ],
)
def test_each_list_is_read_in_the_order_of_an_index(tenant: Tenant, query: str, index: str) -> None:
    with recorded() as statements:
        sign_in("jobs.view_job").get(query)
    (statement,) = [sql for sql in statements if "error_start" in sql and "LIMIT 51" in sql]
    plan = explain(statement)
    assert index in plan
    assert "Sort" not in plan


def test_a_tenant_is_found_by_its_name_or_id(tenant: Tenant) -> None:
    other: Tenant = TenantFactory.create()
    job = make_job(tenant)
    make_job(other)
    client = sign_in("jobs.view_job")
    assert shown(client, JOBS, tenant="Kanzlei Weiß") == [job.pk]
    assert shown(client, JOBS, tenant=str(tenant.pk)) == [job.pk]


def test_a_name_that_is_none_is_met_with_suggestions_and_no_rows(tenant: Tenant) -> None:
    make_job(tenant)
    client = sign_in("jobs.view_job")
    response = client.get(JOBS, {"tenant": "weiß"})
    assert list(response.context["cl"].result_list) == []
    assert "tenant=Kanzlei+Wei%C3%9F" in response.content.decode()
    answer = client.get(f"{JOBS}?tenant=nobody%00%ED%A0%80")
    assert "No tenant has this name." in answer.content.decode()


@pytest.mark.parametrize(
    "query",
    [
        "?status=lost",
        "?lane=x",
        "?after=[]",
        "?after=x",
        '?after=["x"]',
        "?after=[99999999999999999999]",
        "?after=[null]",
        '?after={"a":1}',
    ],
)
def test_nonsense_in_the_address_leads_back_to_the_list(query: str) -> None:
    response = sign_in("jobs.view_job").get(JOBS + query)
    assert response.status_code == 302
    assert response.headers["Location"] == f"{JOBS}?e=1"


def test_columns_that_no_index_serves_cannot_be_asked_for() -> None:
    assert sign_in("jobs.view_job").get(JOBS, {"error_message__icontains": "x"}).status_code == 400


def test_a_job_shows_its_attempts_newest_first_with_tracebacks(tenant: Tenant) -> None:
    job = make_failed(tenant, payload={"force": True}, lease=2)
    with operator_scope():
        for lease in (1, 2):
            JobAttemptFactory.create(
                job=job,
                tenant_id=tenant.pk,
                lease=lease,
                outcome="error",
                error=f"words {lease}",
                traceback=f"Traceback <{lease}>",
            )
    page = sign_in("jobs.view_job").get(f"{FAILED}{job.pk}/change/").content.decode()
    assert page.index("Traceback &lt;2&gt;") < page.index("Traceback &lt;1&gt;")
    assert "&quot;force&quot;: true" in page
    assert "the page is torn" in page


def test_requeue_runs_failed_jobs_again_and_reports_what_it_skipped_and_why(tenant: Tenant) -> None:
    failed, again = make_failed(tenant), make_failed(tenant)
    meanwhile = make_failed(tenant)
    with operator_scope():
        Job.objects.filter(pk=meanwhile.pk).update(status="queued", finished_at=None)
    page = requeue(sign_in("jobs.view_job", "jobs.requeue_job"), failed, again, meanwhile)
    assert "2 jobs requeued, 1 skipped (1 queued already)." in page
    assert read_job(failed).status == "queued"
    assert read_job(failed).retry_count == 0


def test_requeue_reports_in_german(tenant: Tenant) -> None:
    failed = make_failed(tenant)
    page = requeue(sign_in("jobs.view_job", "jobs.requeue_job", language="de"), failed)
    assert "1 Auftrag erneut eingereiht." in page


def test_the_button_on_the_page_of_a_job_requeues_that_job(tenant: Tenant) -> None:
    job = make_failed(tenant)
    client = sign_in("jobs.view_job", "jobs.requeue_job")
    (button,) = client.get(f"{JOBS}{job.pk}/change/").context["buttons"]
    data = {"action": button.action, "index": "0", "_selected_action": job.pk}
    assert "1 job requeued." in client.post(button.address, data, follow=True).content.decode()


def test_the_form_on_the_page_of_a_job_names_it_as_machines_do(tenant: Tenant) -> None:
    job = make_failed(tenant, id=1_234_567)
    page = sign_in("jobs.view_job", "jobs.requeue_job").get(f"{JOBS}{job.pk}/change/").content.decode()
    assert 'name="_selected_action" value="1234567"' in page


def test_what_is_no_number_of_a_job_is_refused_with_words(tenant: Tenant) -> None:
    client = sign_in("jobs.view_job", "jobs.requeue_job")
    data = {"action": "requeue", "index": "0", "_selected_action": "1,234"}
    assert "was sent wrongly" in client.post(FAILED, data, follow=True).content.decode()


def test_cancel_ends_queued_and_running_jobs_and_says_who_did_it(tenant: Tenant) -> None:
    queued, running = make_job(tenant), make_job(tenant, status="processing", started_at=timezone.now())
    done = make_job(tenant, status="succeeded")
    client = sign_in("jobs.view_job", "jobs.cancel_job")
    ticked = [queued.pk, running.pk, done.pk]
    data = {"action": "cancel", "index": "0", "_selected_action": ticked}
    page = client.post(JOBS, data, follow=True).content.decode()
    assert "2 jobs cancelled, 1 skipped (1 succeeded)." in page
    assert read_job(queued).failure_kind == "cancelled"
    assert "operator-" in read_job(running).error_message


def test_who_may_only_see_has_no_buttons_and_no_boxes_and_cannot_post(tenant: Tenant) -> None:
    job = make_failed(tenant)
    client = sign_in("jobs.view_job")
    page = client.get(FAILED).content.decode()
    assert "Requeue" not in page
    assert "action-select" not in page
    assert client.get(f"{FAILED}{job.pk}/change/").context["buttons"] == []
    requeue(client, job)
    assert read_job(job).status == "failed"


def test_who_may_not_see_jobs_is_refused(tenant: Tenant) -> None:
    job = make_failed(tenant)
    client = sign_in("documents.view_document")
    for address in (JOBS, FAILED, f"{JOBS}{job.pk}/change/"):
        assert client.get(address).status_code == 403


@pytest.mark.parametrize("address", [JOBS, FAILED])
def test_jobs_are_neither_added_changed_nor_deleted_by_hand(tenant: Tenant, address: str) -> None:
    job = make_failed(tenant)
    client = sign_in(superuser=True)
    assert client.get(f"{address}add/").status_code == 403
    assert client.post(f"{address}{job.pk}/change/", {"status": "succeeded"}).status_code == 403
    assert client.post(f"{address}{job.pk}/delete/", {"post": "yes"}).status_code == 403
    data = {"action": "delete_selected", "index": "0", "_selected_action": [job.pk], "post": "yes"}
    client.post(address, data)
    assert read_job(job).status == "failed"


def test_an_action_takes_one_page_at_most(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OperatorAdmin, "list_per_page", 1)
    jobs = [make_failed(tenant), make_failed(tenant)]
    client = sign_in("jobs.view_job", "jobs.requeue_job")
    assert "at most 1 at a time" in requeue(client, *jobs)
    assert "at most 1 at a time" in requeue(client, jobs[0], select_across="1")
    assert read_job(jobs[0]).status == "failed"


def test_no_page_of_jobs_counts_rows_and_more_rows_cost_no_more_statements(tenant: Tenant) -> None:
    client = sign_in("jobs.view_job", "jobs.requeue_job", "jobs.cancel_job")
    job = make_failed(tenant)
    addresses = [
        JOBS,
        FAILED,
        f"{JOBS}?status=failed&tenant={tenant.pk}",
        f"{FAILED}?failure_kind=error",
        f"{JOBS}{job.pk}/change/",
        reverse("admin:index"),
    ]
    few = []
    for address in addresses:
        with recorded() as statements:
            assert client.get(address).status_code == 200
        assert counting(statements) == []
        few.append(len(statements))
    for _ in range(20):
        make_failed(TenantFactory.create())
    for address, before in zip(addresses, few, strict=True):
        with recorded() as statements:
            client.get(address)
        assert counting(statements) == []
        assert len(statements) <= before


def test_the_time_line_of_a_job_shows_each_attempt_and_the_waits_between(tenant: Tenant) -> None:
    now = timezone.now()
    job = make_failed(tenant, created_at=now - timedelta(minutes=10), lease=2)
    with operator_scope():
        for lease, start in ((1, 9), (2, 4)):
            JobAttemptFactory.create(
                job=job,
                tenant_id=tenant.pk,
                lease=lease,
                outcome="error",
                started_at=now - timedelta(minutes=start),
                ended_at=now - timedelta(minutes=start - 1),
            )
    page = sign_in("jobs.view_job").get(f"{JOBS}{job.pk}/change/")
    line = page.context["time_line"]
    assert [bar.number for bar in line.bars] == [1, 2]
    assert 0 < line.bars[0].x < line.bars[1].x < line.width
    assert "2 attempts in 9 min" in page.content.decode()


def test_a_job_is_found_by_its_number_and_by_the_one_that_the_api_shows_to_its_tenant(tenant: Tenant) -> None:
    other = make_job(TenantFactory.create())
    job = make_job(tenant)
    number = show_number(tenant.id, job.pk)
    client = sign_in("jobs.view_job")
    assert str(number) in client.get(reverse("admin:jobs_job_change", args=[job.pk])).content.decode()
    for given, found in {
        f"number=%23{job.pk}": [job.pk],
        f"number={job.pk}": [job.pk],
        f"number={number}": [],
        f"number={number}&tenant={tenant.id}": [job.pk],
        f"number={number}&tenant={other.tenant_id}": [],
        f"number={other.pk}&tenant={tenant.id}": [],
        "number=0": [],
        "number=x1": [],
        f"number={'9' * 150}": [],
        f"number=²&tenant={tenant.id}": [],
    }.items():
        assert shown(client, f"{JOBS}?{given}") == found, given
    alone = client.get(f"{JOBS}?number={number}").content.decode()
    assert f'value="{number}"' in alone
    assert "is found together with its tenant" in alone
    assert "together with" not in client.get(f"{JOBS}?number={job.pk}").content.decode()
