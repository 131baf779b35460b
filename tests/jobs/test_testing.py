"""What tests of applications get: due jobs worked off here, and waiting with an end."""

import threading
import uuid
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connections

from jobs import registry
from jobs.models import JobStatus, Lane, ProbeEffect
from jobs.registry import JobContext
from jobs.scope import tenant_rows
from jobs.services import enqueue_job, set_queue
from jobs.testing import EndlessJobs, NeverHappened, drain_jobs, wait_for, wait_for_job
from tests.jobs.bench import Bench

QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus


@pytest.fixture
def tenant(bench: Bench) -> uuid.UUID:
    return bench.tenant()


def test_due_jobs_are_run_with_their_effects_in_the_order_in_which_they_came_due(
    bench: Bench, tenant: uuid.UUID
) -> None:
    ids = bench.enqueue(tenant, 2, payload={"effect": True}) + bench.enqueue(bench.tenant())
    (later,) = bench.enqueue(tenant, delay_seconds=3600.0)
    (urgent,) = bench.enqueue(tenant, lane=Lane.URGENT)
    drained = drain_jobs()
    assert [job.id for job in drained] == [urgent, *ids]
    assert {job.status for job in drained} == {SUCCEEDED}
    assert bench.statuses(*ids, urgent, later) == [SUCCEEDED] * 4 + [QUEUED]
    assert [one.outcome for one in bench.attempts(ids[0])] == ["succeeded"]
    with tenant_rows(tenant):
        assert list(ProbeEffect.objects.order_by("id").values_list("job_id", flat=True)) == ids[:2]


def test_what_fails_waits_for_its_retry_as_it_does_in_a_worker(
    bench: Bench, tenant: uuid.UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "ARCHIV_BACKOFF_BASE_SECONDS", 60.0)
    (job_id,) = bench.enqueue(tenant, payload={"fail": "no"})
    bench.run_sql(
        "INSERT INTO jobs_job (tenant_id, type, payload) VALUES (%s, 'brew-coffee', '{}')", [tenant]
    )
    (job, unknown) = drain_jobs()
    assert (job.id, job.status, job.kind, job.error) == (job_id, QUEUED, "error", "RuntimeError: no")
    assert (unknown.status, unknown.kind) == (FAILED, "unknown_type")
    assert bench.job(job_id).retry_count == 1


def test_pause_and_cap_hold(bench: Bench, tenant: uuid.UUID) -> None:
    other = bench.tenant()
    bench.enqueue(tenant, 2)
    capped = bench.enqueue(other, 2)
    with tenant_rows(tenant):
        set_queue(tenant_id=tenant, paused=True)
    with tenant_rows(other):
        set_queue(tenant_id=other, max_running=1)
    assert [job.id for job in drain_jobs()] == capped


def test_only_jobs_of_one_tenant_or_type_are_run_if_asked_for(bench: Bench, tenant: uuid.UUID) -> None:
    (mine,) = bench.enqueue(tenant)
    bench.enqueue(bench.tenant())
    bench.enqueue(bench.tenant(), lane=Lane.URGENT)
    assert drain_jobs(types=["probe-hasty"]) == []
    assert [job.id for job in drain_jobs(tenant_id=tenant)] == [mine]


def test_jobs_that_enqueue_jobs_without_end_are_stopped(
    bench: Bench, tenant: uuid.UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    def again(context: JobContext) -> None:
        with context.finishing():
            enqueue_job(tenant_id=context.job.tenant_id, type="probe", payload={})

    registry.autodiscover()
    kind = registry.JobType("probe", again, 60, Lane.NORMAL, None, tenant_rows)
    monkeypatch.setattr(registry, "_TYPES", registry._TYPES | {"probe": kind})
    bench.enqueue(tenant)
    with pytest.raises(EndlessJobs, match="probe are still due after 5"):
        drain_jobs(limit=5)
    assert [job.status for job in bench.jobs()] == [SUCCEEDED] * 5 + [QUEUED]


@pytest.mark.django_db(databases=["default", "queue"])
def test_jobs_are_run_inside_the_transaction_of_a_test_too() -> None:
    tenant = uuid.uuid4()
    with tenant_rows(tenant):
        enqueue_job(tenant_id=tenant, type="probe", payload={"effect": True})
    (job,) = drain_jobs()
    assert job.status == SUCCEEDED
    with tenant_rows(tenant):
        assert ProbeEffect.objects.count() == 1


@pytest.fixture
def elsewhere() -> Iterator[threading.Thread]:
    """Another process, as it were, that works off what is due."""

    def work() -> None:
        drain_jobs()
        connections.close_all()

    thread = threading.Thread(target=work)
    yield thread
    thread.join(10)


def test_a_job_is_waited_for_until_it_has_ended(
    bench: Bench, tenant: uuid.UUID, elsewhere: threading.Thread
) -> None:
    (job_id,) = bench.enqueue(tenant)
    elsewhere.start()
    assert wait_for_job(job_id).status == SUCCEEDED


def test_waiting_ends_and_says_how_things_stand(bench: Bench, tenant: uuid.UUID) -> None:
    (job_id,) = bench.enqueue(tenant)
    with pytest.raises(NeverHappened, match=f"job {job_id} is queued"):
        wait_for_job(job_id, seconds=0.05)
    with pytest.raises(NeverHappened, match="job 0 is not there"):
        wait_for_job(0, seconds=0.0)
    with pytest.raises(NeverHappened, match="the moon has not happened"):
        wait_for(lambda: False, seconds=0.0, what="the moon")
    assert wait_for(lambda: [job_id]) == [job_id]
