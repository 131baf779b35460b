"""A dispatcher waits for no row that others keep: a slow edit, the session of a child that is dead."""

import threading
import uuid

from django.db import connections

from jobs.engine.heartbeat import HeldJobs
from jobs.engine.ledger import Ledger, held_of
from jobs.engine.store import ends
from jobs.engine.store.claims import Claimed
from jobs.engine.tally import Tally
from jobs.models import JobStatus
from jobs.scope import tenant_rows
from jobs.services import enqueue_analysis
from tests.jobs.bench import Bench, SimulatedWorker, held

#: No statement may take longer: far more than the pause it is allowed, far less than the other transaction.
IMPATIENT = "SET statement_timeout = '5s'"


def impatient_worker(bench: Bench, name: str) -> SimulatedWorker:
    worker = bench.worker(name)
    worker.connection.execute(IMPATIENT)
    return worker


def analysis(tenant: uuid.UUID, document: uuid.UUID) -> int:
    with tenant_rows(tenant):
        return enqueue_analysis(tenant_id=tenant, document_id=document, document_version_id=uuid.uuid4())


def failed(*jobs: Claimed) -> list[ends.Failure]:
    return [ends.Failure(job.id, job.lease, "error", "it broke") for job in jobs]


def fates(ended: list[ends.Ended]) -> dict[int, str]:
    return {one.id: one.status for one in ended}


def test_a_failure_beside_a_twin_that_is_not_committed_yet_keeps_nobody_waiting(bench: Bench) -> None:
    tenant, document, worker = bench.tenant(), uuid.uuid4(), impatient_worker(bench, "a")
    analysis(tenant, document)
    job = worker.claim_one(tenant)
    (other_id,) = bench.enqueue(tenant)
    other = worker.claim_one(tenant)
    with tenant_rows(tenant):
        twin = enqueue_analysis(
            tenant_id=tenant, document_id=document, document_version_id=uuid.uuid4(), force=True
        )
        answers: list[dict[int, str]] = []
        # In a thread: this one holds the transaction of the edit.
        failing = threading.Thread(
            target=lambda: answers.append(fates(ends.fail_batch(worker.connection, failed(job, other))))
        )
        failing.start()
        failing.join(20)
        assert answers == [{job.id: JobStatus.PROCESSING, other_id: JobStatus.QUEUED}]
    assert fates(ends.fail_batch(worker.connection, failed(job))) == {job.id: JobStatus.FAILED}
    assert bench.job(job.id).failure_kind == "superseded"
    assert bench.statuses(twin) == [JobStatus.QUEUED]


def test_ends_of_rows_that_a_dead_childs_session_keeps_are_written_when_it_is_gone(bench: Bench) -> None:
    tenant, worker, dead = bench.tenant(), impatient_worker(bench, "a"), bench.worker("dead child")
    bench.enqueue(tenant, 4)
    jobs = worker.claim(tenant)
    left: list[int] = []
    leases = HeldJobs()
    ledger = Ledger(
        "a",
        leases,
        Tally(),
        on_left=lambda jobs: left.extend(job.id for job in jobs),
        on_retry=lambda _: None,
    )
    ledger.enter(jobs)
    with dead.connection.transaction(force_rollback=True):
        assert len(ends.finish_batch(dead.connection, held(*jobs[:2]))) == 2
        ledger.fail(jobs[0], failed(jobs[0])[0])
        ledger.finish(jobs[1], seconds=0.1)
        ledger.fail(jobs[2], failed(jobs[2])[0])
        ledger.finish(jobs[3], seconds=0.1)
        ledger.flush(worker.connection)
        assert left == [jobs[2].id, jobs[3].id]
        assert leases.snapshot() == {held_of(jobs[0]), held_of(jobs[1])}
    assert ledger.retry_at is not None
    ledger.retry_at = 0.0  # the pause is over
    ledger.flush(worker.connection)
    assert ledger.is_clean
    assert bench.statuses(*(job.id for job in jobs)) == [
        JobStatus.QUEUED,
        JobStatus.SUCCEEDED,
        JobStatus.QUEUED,
        JobStatus.SUCCEEDED,
    ]


def test_a_childs_finish_does_wait_for_an_edit(bench: Bench) -> None:
    """Only the dispatcher has others to serve."""
    with connections["default"].cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)
