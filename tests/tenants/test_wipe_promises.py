"""What an order and a wipe promise beside what they do: clocks, names, and what outlives a tenant."""

import time
import uuid
from datetime import timedelta

import pytest
from django.db import IntegrityError
from django.db.models.functions import Now
from django.utils import timezone

from documents.models import Document
from jobs.models import TenantHour
from tenants.access import operator_access
from tenants.audit_store import read_links
from tenants.models import Tenant
from tenants.proof import format_issued_at
from tenants.proof_errors import IssuedTooLongAgo
from tenants.scope import tenant_scope
from tenants.services import order_wipe
from tests.factories import JobFactory, TenantFactory, TenantHourFactory
from tests.tenants.test_wipe_commands import run, run_json
from tests.tenants.wiping import (
    claim,
    enqueue,
    job_of,
    make_tenant,
    newest_order,
    now,
    refresh,
    run_sql,
    signed,
    state_of,
    status_of,
    submit,
    work_off,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["acme|delete|x", "", "a\u2028b", "a\nb", "Mu\u0308ller"])
def test_the_database_too_refuses_a_name_that_no_order_could_carry(name: str) -> None:
    tenant_id = uuid.uuid4()
    with pytest.raises(IntegrityError, match="tenants_tenant_name_grammar"), tenant_scope(tenant_id):
        Tenant.objects.create(id=tenant_id, name=name)


@pytest.mark.parametrize("hours", [-1, 1])
def test_an_order_is_as_old_as_the_clock_of_the_database_says_whatever_that_of_the_process(
    hours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant, late = make_tenant(documents=1), make_tenant(documents=1)
    order = signed(tenant, action="reset", final_status="active")
    old = signed(late, issued_at=format_issued_at(now() - timedelta(seconds=302)))
    seconds, moment = time.time, timezone.now
    monkeypatch.setattr("time.time", lambda: seconds() + 3600 * hours)
    monkeypatch.setattr("django.utils.timezone.now", lambda: moment() + timedelta(hours=hours))
    submit(tenant, order)
    assert work_off() == ""
    assert status_of(tenant) == "active"
    with pytest.raises(IssuedTooLongAgo, match="s ago, and an order is good for 300 s: sign a new one"):
        submit(late, old)
    job_id = enqueue(late, old)
    assert work_off().startswith("The order came too late, and nothing was touched: The order was issued 30")
    assert (job_of(job_id).status, job_of(job_id).failure_kind) == ("failed", "gave_up")


def test_what_is_to_outlive_a_deleted_tenant_does_and_names_nobody() -> None:
    tenant = make_tenant(documents=1)
    with tenant_scope(tenant.id):
        TenantHourFactory.create(tenant_id=tenant.id)
    told = [link for link in read_links() if link.tenant_id == str(tenant.id)]
    placed = order_wipe(access=operator_access(tenant.id))
    assert work_off() == ""
    assert refresh(tenant) is None
    with tenant_scope(tenant.id):
        (hour,) = TenantHour.objects.filter(tenant_id=tenant.id)
    assert (hour.attempts, hour.failed) == (1, 0)
    kept = [link for link in read_links() if link.tenant_id == str(tenant.id)]
    assert kept[: len(told)] == told
    assert kept[-1].action == "wipe.finished"
    assert (newest_order(tenant).nonce, newest_order(tenant).state) == (placed.nonce, "done")
    (own,) = state_of(tenant.id).rows["jobs_job"]
    assert f'"id":{placed.job_id},' in own


def test_the_dry_run_counts_what_is_retained_and_what_runs() -> None:
    tenant = make_tenant(documents=2)
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(retain_until=Now() + timedelta(days=400))
        claim(JobFactory.create(tenant_id=tenant.id))
    shown = run("delete_tenant", tenant.name)
    assert "FORBIDDEN: 2 documents are to be kept, the last until " in shown
    assert "Running jobs, which would be ended: 1." in shown
    data = run_json("delete_tenant", tenant.name)
    assert [(each["kind"], each["count"]) for each in data["obstacles"]] == [("retention", 2)]
    assert data["running_jobs"] == 1


def test_a_wipe_at_work_is_among_the_running_jobs_with_how_far_it_is() -> None:
    tenant = TenantFactory.create()
    order_wipe(access=operator_access(tenant.id))
    job_id = newest_order(tenant).job_id
    run_sql(
        "UPDATE jobs_job SET status = 'processing', lease = 1, started_at = statement_timestamp(),"
        " lease_expires_at = statement_timestamp() + interval '1 minute', progress_done = 30,"
        " progress_total = 120 WHERE id = %s",
        [job_id],
    )
    assert "30 of 120" in run("queue")
    (running,) = [job for job in run_json("queue")["running"] if job["id"] == job_id]
    assert (running["type"], running["done"], running["of"]) == ("delete-tenant", 30, 120)
