"""Operations do what was previewed and no more, in batches, can be stopped, and go on after a kill."""

import uuid
from datetime import UTC, datetime
from typing import Any

import pytest

from jobs import operations
from jobs.acting import Actor, acting_as
from jobs.engine.store import ends
from jobs.errors import JobRefused
from jobs.models import JobStatus, Operation
from jobs.operations import (
    INACTIVE,
    Preview,
    Wanted,
    due_query,
    order_requeue,
    preview_requeue,
    run_operations,
    stop_operation,
)
from jobs.scope import all_rows
from tenants.models import AuditEvent, Tenant, TenantStatus
from tests.factories import TenantFactory
from tests.jobs.bench import Bench

#: With transactions of their own: what they leave in the audit trail is emptied afterwards.
pytestmark = pytest.mark.django_db(transaction=True)

MARK = "a" * 64


@pytest.fixture
def tenant(bench: Bench) -> Tenant:
    with all_rows():
        made: Tenant = TenantFactory.create()
    return made


def fail(bench: Bench, tenant: Tenant, number: int, *, fingerprint: str = MARK, **failure: Any) -> list[int]:
    worker = bench.worker(uuid.uuid4().hex)
    ids = bench.enqueue(tenant.id, number)
    for job in worker.claim(tenant.id, number):
        worker.fail(job, again=ends.Again.NEVER, fingerprint=fingerprint, **failure)
    return ids


def preview(**wanted: str) -> Preview:
    with all_rows():
        return preview_requeue(Wanted(**wanted))


def order(seen: Preview, **wanted: str) -> uuid.UUID:
    with all_rows(), acting_as(Actor("user:1", "10.0.0.1")):
        return order_requeue(id=uuid.uuid4(), wanted=Wanted(**wanted), as_of=seen.as_of, total=seen.jobs).id


def test_a_preview_counts_and_changes_nothing(bench: Bench, tenant: Tenant) -> None:
    ids = fail(bench, tenant, 3)
    fail(bench, tenant, 2, fingerprint="b" * 64)
    seen = preview(fingerprint=MARK)
    assert (seen.jobs, seen.is_more, dict(seen.skipped)) == (3, False, {})
    assert seen.tenants == [(str(tenant.id), tenant.name, 3)]
    assert bench.statuses(*ids) == [JobStatus.FAILED] * 3


def test_all_that_match_are_requeued_in_batches_and_nothing_else(
    bench: Bench, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "BATCH", 3)
    ids, others = fail(bench, tenant, 7), fail(bench, tenant, 1, fingerprint="b" * 64)
    made = order(preview(fingerprint=MARK), fingerprint=MARK)
    assert run_operations() == 1
    operation = Operation.objects.get(id=made)
    assert (operation.state, operation.done, operation.total, operation.skipped) == ("done", 7, 7, {})
    assert operation.ended_at is not None
    assert bench.statuses(*ids) == [JobStatus.QUEUED] * 7
    assert bench.statuses(*others) == [JobStatus.FAILED]
    with all_rows():
        events = AuditEvent.objects.filter(action="job.requeued", tenant_id=tenant.id)
        assert {(event.actor, event.origin) for event in events} == {("user:1", "10.0.0.1")}
    assert run_operations() == 0


def test_what_fails_after_it_was_looked_at_is_not_swept_along(bench: Bench, tenant: Tenant) -> None:
    ids = fail(bench, tenant, 2)
    seen = preview(fingerprint=MARK)
    late = fail(bench, tenant, 1)
    order(seen, fingerprint=MARK)
    run_operations()
    assert bench.statuses(*ids, *late) == [JobStatus.QUEUED] * 2 + [JobStatus.FAILED]


def test_jobs_of_a_suspended_tenant_are_left_alone_and_the_preview_says_so(
    bench: Bench, tenant: Tenant
) -> None:
    ids = fail(bench, tenant, 2)
    with all_rows():
        Tenant.objects.filter(pk=tenant.pk).update(status=TenantStatus.SUSPENDED)
    seen = preview(fingerprint=MARK)
    assert dict(seen.skipped) == {INACTIVE: 2}
    made = order(seen, fingerprint=MARK)
    run_operations()
    operation = Operation.objects.get(id=made)
    assert (operation.done, operation.skipped) == (0, {INACTIVE: 2})
    assert bench.statuses(*ids) == [JobStatus.FAILED] * 2


def test_one_that_was_stopped_stays_as_far_as_it_had_come(
    bench: Bench, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "BATCH", 2)
    ids = fail(bench, tenant, 6)
    made = order(preview(fingerprint=MARK), fingerprint=MARK)
    assert operations._take() == made
    assert operations._run_batch(made)
    assert stop_operation(id=made)
    assert not operations._run_batch(made)
    assert not stop_operation(id=made)
    operation = Operation.objects.get(id=made)
    assert (operation.state, operation.done) == ("stopped", 2)
    assert bench.statuses(*ids).count(JobStatus.QUEUED) == 2


def test_one_whose_process_was_killed_is_taken_up_again_where_it_was(
    bench: Bench, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "BATCH", 2)
    ids = fail(bench, tenant, 5)
    made = order(preview(fingerprint=MARK), fingerprint=MARK)
    assert operations._take() == made
    assert operations._run_batch(made)
    assert run_operations() == 0  # somebody has it
    bench.run_sql("UPDATE jobs_operation SET lease_expires_at = statement_timestamp() - interval '1 s'")
    with all_rows():
        assert bench.run_sql(*due_query())[0][0]
    assert run_operations() == 1
    assert Operation.objects.get(id=made).done == 5
    assert bench.statuses(*ids) == [JobStatus.QUEUED] * 5


def test_the_same_order_twice_is_one_operation(bench: Bench, tenant: Tenant) -> None:
    fail(bench, tenant, 1)
    seen, token = preview(fingerprint=MARK), uuid.uuid4()
    with all_rows():
        for _ in range(2):
            order_requeue(id=token, wanted=Wanted(fingerprint=MARK), as_of=seen.as_of, total=seen.jobs)
    assert Operation.objects.count() == 1


def test_an_empty_filter_is_refused(bench: Bench) -> None:
    with all_rows(), pytest.raises(JobRefused, match="which failed jobs"):
        preview_requeue(Wanted())
    with all_rows(), pytest.raises(JobRefused, match="which failed jobs"):
        order_requeue(id=uuid.uuid4(), wanted=Wanted(), as_of=datetime.now(UTC), total=0)
    with pytest.raises(JobRefused, match="no id"):
        Wanted.from_mapping({"tenant": "kanzlei"})


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [({"kind": "limit"}, 1), ({"type": "probe"}, 3), ({"type": "other"}, 0), ({"text": "PAGE"}, 2)],
)
def test_each_filter_narrows(bench: Bench, tenant: Tenant, wanted: dict[str, str], expected: int) -> None:
    fail(bench, tenant, 2, error="page 3 took too long")
    fail(bench, tenant, 1, kind="limit", error="too large")
    assert preview(**wanted).jobs == expected
