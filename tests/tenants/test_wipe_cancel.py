"""An order is taken back while nothing is authorised, and the tenant is as it was."""

import uuid
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from jobs.models import TenantQueue
from jobs.services import cancel_jobs
from tenants.access import operator_access
from tenants.errors import (
    NothingToCancel,
    TenantNotFound,
    WipeUnderWay,
)
from tenants.scope import tenant_scope
from tenants.services import (
    cancel_order,
    order_wipe,
)
from tests.factories import JobFactory, TenantFactory
from tests.tenants.wiping import (
    access,
    claim_wipe,
    enqueue,
    job_of,
    make_tenant,
    newest_order,
    refresh,
    run_sql,
    run_wipe,
    signed,
    state_of,
    status_of,
)

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("status", ["active", "suspended", "creating"])
def test_an_order_taken_back_leaves_the_tenant_as_it_was(status: str) -> None:
    tenant = TenantFactory.create(status=status)
    with tenant_scope(tenant.id):
        before = JobFactory.create(
            tenant_id=tenant.id,
            status="failed",
            failure_kind="tenant_inactive",
            finished_at=Now() - timedelta(hours=1),
        ).id
        broken = JobFactory.create(tenant_id=tenant.id, status="failed", failure_kind="error").id
        waiting = [JobFactory.create(tenant_id=tenant.id).id for _ in range(3)]
    placed = order_wipe(access=access(tenant))
    report = cancel_order(access=access(tenant))
    found = refresh(tenant)
    assert found is not None
    assert (found.status, found.status_before) == (status, "")
    cancelled = job_of(placed.job_id or 0)
    assert (cancelled.status, cancelled.failure_kind) == ("failed", "cancelled")
    assert newest_order(tenant).state == "cancelled"
    with tenant_scope(tenant.id):
        assert TenantQueue.objects.get(tenant_id=tenant.id).closed == (status == "suspended")
    if status == "suspended":
        assert report.requeued == 0, "they come back when the tenant is resumed"
        assert {job_of(job).status for job in waiting} == {"failed"}
    else:
        assert report.requeued == 3
        assert {job_of(job).status for job in waiting} == {"queued"}
    assert {job_of(before).status, job_of(broken).status} == {"failed"}


def test_jobs_set_aside_by_an_expired_order_come_back_too() -> None:
    tenant = TenantFactory.create()
    with tenant_scope(tenant.id):
        waiting = JobFactory.create(tenant_id=tenant.id).id
    first = order_wipe(access=access(tenant))
    with tenant_scope(tenant.id):
        cancel_jobs(job_ids=[first.job_id or 0])
    order_wipe(access=access(tenant))
    assert cancel_order(access=access(tenant)).requeued == 1
    assert job_of(waiting).status == "queued"


def test_a_wipe_that_is_authorised_is_not_taken_back() -> None:
    tenant = make_tenant(documents=1)
    order_wipe(access=access(tenant))
    attempt = claim_wipe()
    run_sql("UPDATE tenants_wipeorder SET state = 'authorised', phase = 'files' WHERE state = 'accepted'")
    with pytest.raises(WipeUnderWay, match="goes on to its end"):
        cancel_order(access=access(tenant))
    run_sql("UPDATE tenants_wipeorder SET phase = 'closing' WHERE state = 'authorised'")
    assert run_wipe(attempt) == ""


def test_a_job_that_was_claimed_when_its_order_was_taken_back_removes_nothing() -> None:
    tenant = make_tenant(documents=1)
    order_wipe(access=access(tenant))
    attempt = claim_wipe()
    cancel_order(access=access(tenant))
    before = state_of(tenant.id)
    assert run_wipe(attempt) != ""
    assert state_of(tenant.id) == before


def test_there_is_nothing_to_take_back_from_a_tenant_that_is_open() -> None:
    with pytest.raises(NothingToCancel):
        cancel_order(access=access(TenantFactory.create()))
    with pytest.raises(TenantNotFound):
        cancel_order(access=operator_access(uuid.uuid4()))


def test_a_tenant_closed_for_an_order_that_came_by_the_queue_alone_is_opened_again() -> None:
    tenant = TenantFactory.create()
    job_id = enqueue(tenant, signed(tenant))
    cancel_order(access=access(tenant))
    assert status_of(tenant) == "suspended", "nobody knows what it was before: the safe side"
    assert job_of(job_id).failure_kind == "cancelled"
