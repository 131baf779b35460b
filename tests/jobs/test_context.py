"""What a handler gets: its effects and the finish of its job are one."""

import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import OperationalError, connection

from jobs.context import JobContext, RunningJob
from jobs.engine.store import ends
from jobs.engine.store.claims import Claimed
from jobs.errors import GiveUp, LeaseLost, TemplateMissing
from jobs.models import JobStatus, ProbeEffect
from jobs.scope import tenant_rows
from tests.jobs.bench import Bench, held


def running(job: Claimed) -> RunningJob:
    return RunningJob(job.id, uuid.UUID(job.tenant_id), None, job.type, {}, job.lease, job.retry_count)


@pytest.fixture
def claimed(bench: Bench) -> Claimed:
    tenant = bench.tenant()
    bench.enqueue(tenant)
    return bench.worker().claim_one(tenant)


@pytest.fixture
def context(claimed: Claimed) -> JobContext:
    return JobContext(running(claimed), scope=tenant_rows, templates={})


def write_effect(context: JobContext) -> None:
    job = context.job
    ProbeEffect.objects.create(tenant_id=job.tenant_id, job_id=job.id, lease=job.lease)


def effects(bench: Bench) -> int:
    return int(bench.run_sql("SELECT count(*) FROM jobs_probeeffect")[0][0])


def test_effects_and_success_come_together(bench: Bench, claimed: Claimed, context: JobContext) -> None:
    with context.finishing():
        write_effect(context)
    assert context.finished
    assert (effects(bench), bench.statuses(claimed.id)) == (1, [JobStatus.SUCCEEDED])


def test_effects_and_failure_come_together_and_the_job_is_not_tried_again(
    bench: Bench, claimed: Claimed, context: JobContext
) -> None:
    with context.failing(GiveUp("cannot be read", kind="limit")):
        write_effect(context)
    assert context.finished
    assert effects(bench) == 1
    rows = bench.run_sql("SELECT status, failure_kind, error_message, retry_count FROM jobs_job")
    assert rows == [("failed", "limit", "cannot be read", 0)]
    assert bench.run_sql("SELECT outcome, error FROM jobs_jobattempt") == [("limit", "cannot be read")]
    with pytest.raises(RuntimeError), context.finishing():
        pass


def test_an_error_undoes_effects_and_failure(bench: Bench, claimed: Claimed, context: JobContext) -> None:
    with pytest.raises(RuntimeError), context.failing(GiveUp("cannot be read")):
        write_effect(context)
        raise RuntimeError
    assert (context.finished, context.failure) == (False, None)
    assert (effects(bench), bench.statuses(claimed.id)) == (0, [JobStatus.PROCESSING])


def test_without_the_lease_nothing_fails(bench: Bench, claimed: Claimed, context: JobContext) -> None:
    ends.release(bench.worker().connection, held(claimed))
    with pytest.raises(LeaseLost), context.failing(GiveUp("cannot be read")):
        write_effect(context)
    assert (effects(bench), bench.statuses(claimed.id)) == (0, [JobStatus.QUEUED])


def test_an_error_undoes_both(bench: Bench, claimed: Claimed, context: JobContext) -> None:
    with pytest.raises(RuntimeError), context.finishing():
        write_effect(context)
        raise RuntimeError
    assert not context.finished
    assert (effects(bench), bench.statuses(claimed.id)) == (0, [JobStatus.PROCESSING])


def test_without_the_lease_nothing_is_written(bench: Bench, claimed: Claimed, context: JobContext) -> None:
    ends.release(bench.worker().connection, held(claimed))
    with pytest.raises(LeaseLost), context.finishing():
        write_effect(context)
    assert (effects(bench), bench.statuses(claimed.id)) == (0, [JobStatus.QUEUED])
    with pytest.raises(LeaseLost), context.checkpointing():
        write_effect(context)
    assert effects(bench) == 0


def test_a_job_is_finished_once(context: JobContext) -> None:
    with context.finishing():
        pass
    with pytest.raises(RuntimeError, match="once"), context.finishing():
        pass


def test_a_checkpoint_is_kept_though_the_attempt_fails(
    bench: Bench, claimed: Claimed, context: JobContext
) -> None:
    with context.checkpointing():
        write_effect(context)
    assert (effects(bench), bench.statuses(claimed.id)) == (1, [JobStatus.PROCESSING])


def test_progress_is_shown_at_most_once_a_second_and_at_the_end(
    bench: Bench, claimed: Claimed, context: JobContext
) -> None:
    for done in range(1, 5):
        context.publish_progress(done, 9)
    assert bench.job(claimed.id).progress_done == 1
    context.publish_progress(9, 9)
    assert (bench.job(claimed.id).progress_done, bench.job(claimed.id).progress_total) == (9, 9)


def test_progress_without_the_lease_says_so(bench: Bench, claimed: Claimed, context: JobContext) -> None:
    ends.release(bench.worker().connection, held(claimed))
    with pytest.raises(LeaseLost):
        context.publish_progress(1, 1)


def test_the_scope_of_the_registration_opens_every_transaction(claimed: Claimed) -> None:
    opened: list[uuid.UUID] = []

    @contextmanager
    def scope(tenant_id: uuid.UUID) -> Iterator[None]:
        opened.append(tenant_id)
        with tenant_rows(tenant_id):
            yield

    context = JobContext(running(claimed), scope=scope, templates={})
    with context.checkpointing():
        pass
    with context.finishing():
        pass
    assert opened == [uuid.UUID(claimed.tenant_id)] * 2


def test_a_template_is_found_by_name_or_missing(claimed: Claimed) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        context = JobContext(running(claimed), scope=tenant_rows, templates={"reader": ours})
        assert context.template("reader") is ours
        with pytest.raises(TemplateMissing, match="'kettle'"):
            context.template("kettle")


def test_a_failure_that_the_database_does_not_take_is_an_error_and_no_lost_lease(
    bench: Bench, claimed: Claimed, context: JobContext
) -> None:
    other = bench.worker().connection
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '50ms'")
    try:
        with other.transaction():
            other.execute("SELECT FROM jobs_job WHERE id = %s FOR NO KEY UPDATE", [claimed.id])
            with pytest.raises(OperationalError), context.failing(GiveUp("cannot be read")):
                write_effect(context)
    finally:
        connection.close()
    assert not context.finished
    assert (effects(bench), bench.statuses(claimed.id)) == (0, [JobStatus.PROCESSING])
