"""The guard before every handler: it asks where the tenant stands after the claim, once for a batch."""

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from jobs import registry
from jobs.context import JobContext, RunningJob
from jobs.engine.cell import Cell
from jobs.engine.child import run_batch
from jobs.engine.messages import encode_batch
from jobs.engine.store.claims import Claimed
from jobs.models import Job
from jobs.services import enqueue_many
from tenants.access import operator_access
from tenants.models import Tenant
from tenants.scope import operator_scope, tenant_handler, tenant_scope
from tenants.services import suspend_tenant
from tests.documents.conftest import claim
from tests.factories import TenantFactory

pytestmark = pytest.mark.django_db(transaction=True)

Run = Callable[[Sequence[RunningJob]], None]


@pytest.fixture
def run() -> Iterator[Run]:
    """Have a child run jobs that it was given together."""
    with ExitStack() as stack:
        channel = [
            stack.enter_context(end) for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ]
        cell, descriptor = Cell.create()
        stack.callback(cell.close)
        os.close(descriptor)

        def run_together(jobs: Sequence[RunningJob]) -> None:
            cell.clear(len(jobs))
            told = [
                Claimed(job.id, str(job.tenant_id), job.type, "{}", None, job.lease, 0, 5, 1, 0.0)
                for job in jobs
            ]
            run_batch(encode_batch(told), channel[1], cell, {})

        yield run_together


@pytest.fixture
def tenants() -> list[Tenant]:
    return [TenantFactory.create(), TenantFactory.create()]


def claimed(tenant: Tenant, count: int) -> list[RunningJob]:
    with tenant_scope(tenant.id):
        ids = enqueue_many(tenant_id=tenant.id, type="probe", payloads=[{}] * count)
        jobs = list(Job.objects.filter(id__in=ids).order_by("id"))
    return [claim(job) for job in jobs]


def guard(monkeypatch: pytest.MonkeyPatch, handle: Callable[[JobContext], None]) -> None:
    """Have jobs of type `probe` run a guarded handler."""
    registry.autodiscover()
    monkeypatch.setattr(registry, "_TYPES", dict(registry._TYPES))
    del registry._TYPES["probe"]
    tenant_handler("probe", timeout=9)(handle)


def test_jobs_given_together_ask_once_for_each_tenant_and_the_next_ones_ask_again(
    tenants: list[Tenant], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []
    guard(monkeypatch, lambda context: ran.append(context.job.id))
    first, second = claimed(tenants[0], 6), claimed(tenants[1], 2)
    with CaptureQueriesContext(connections["default"]) as told:
        run([*first[:2], *second, *first[2:4]])
    assert sum("archiv_tenant_status" in query["sql"] for query in told) == 2
    assert len(ran) == 6
    suspend_tenant(access=operator_access(tenants[0].id))
    run(first[4:])
    assert len(ran) == 6, "where the tenant stood when earlier jobs ran is not taken on trust"
    with operator_scope():
        kinds = list(Job.objects.filter(status="failed").values_list("id", "failure_kind").order_by("id"))
    assert kinds == [(job.id, "tenant_inactive") for job in first[4:]]


def test_a_job_that_was_given_before_its_tenant_was_suspended_ends_like_one_that_ran(
    tenants: list[Tenant], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def handle(context: JobContext) -> None:
        suspend_tenant(access=operator_access(context.job.tenant_id))
        with context.finishing():
            pass

    guard(monkeypatch, handle)
    jobs = claimed(tenants[0], 2)
    run(jobs)
    with operator_scope():
        assert {job.status for job in Job.objects.filter(id__in=[job.id for job in jobs])} == {"succeeded"}
