"""Two jobs for one document: joined when queued, superseded when one comes back."""

import threading
import uuid
from dataclasses import dataclass

import pytest
from django.db import OperationalError, connections
from psycopg.errors import DeadlockDetected

from jobs import registry
from jobs.engine.store import ends
from jobs.engine.store.claims import Claimed
from jobs.models import JobStatus, Lane
from jobs.registry import JobContext
from jobs.scope import tenant_rows
from jobs.services import RequeueReport, enqueue_analysis, requeue_jobs
from tests.jobs.bench import Bench, SimulatedWorker, held


def analyze(context: JobContext) -> None:
    """Stands for the pipeline, which these tests do not need."""


@pytest.fixture(autouse=True)
def analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a type analyze-document, whatever apps there are."""
    registry.autodiscover()
    kind = registry.JobType("analyze-document", analyze, 60, Lane.NORMAL, None, tenant_rows)
    monkeypatch.setattr(registry, "_TYPES", registry._TYPES | {"analyze-document": kind})


@dataclass
class Paper:
    """One document of one tenant."""

    tenant: uuid.UUID
    document: uuid.UUID

    def analyze(self, *, force: bool = False, version: uuid.UUID | None = None) -> int:
        with tenant_rows(self.tenant):
            return enqueue_analysis(
                tenant_id=self.tenant,
                document_id=self.document,
                document_version_id=version or self.document,
                force=force,
            )


@pytest.fixture
def paper() -> Paper:
    return Paper(uuid.uuid4(), uuid.uuid4())


@pytest.fixture
def worker(bench: Bench) -> SimulatedWorker:
    return bench.worker()


@pytest.fixture
def watcher(bench: Bench) -> SimulatedWorker:
    """Connected beforehand: who waits longer than the server's deadlock_timeout is no longer its choice."""
    return bench.worker("watcher")


def test_a_queued_analysis_is_joined_with_the_stronger_force_and_the_newer_version(
    bench: Bench, paper: Paper
) -> None:
    version = uuid.uuid4()
    first = paper.analyze(force=True)
    assert paper.analyze(version=version) == first
    (job,) = bench.jobs()
    assert job.payload == {
        "document_id": str(paper.document),
        "document_version_id": str(version),
        "force": True,
    }
    assert job.document_id == paper.document


def test_an_analysis_that_waits_for_a_retry_comes_forward_when_joined(
    bench: Bench, paper: Paper, worker: SimulatedWorker
) -> None:
    job_id = paper.analyze()
    worker.fail(worker.claim_one(paper.tenant), delay=3600.0)
    assert bench.job(job_id).lane == Lane.LATER
    assert paper.analyze() == job_id
    assert worker.claim_one(paper.tenant).id == job_id


def test_a_running_analysis_is_not_joined(bench: Bench, paper: Paper, worker: SimulatedWorker) -> None:
    first = paper.analyze()
    worker.claim_one(paper.tenant)
    assert paper.analyze() != first


def test_joining_waits_for_a_claim_of_the_same_job_and_then_queues_a_new_one(
    bench: Bench, paper: Paper, worker: SimulatedWorker, watcher: SimulatedWorker
) -> None:
    first = paper.analyze()
    joined: list[int] = []
    with worker.connection.transaction():
        worker.claim_one(paper.tenant)
        edit = threading.Thread(target=lambda: joined.append(_enqueue_in_thread(paper)))
        edit.start()
        _wait_until_blocked(watcher)
    edit.join(10)
    assert len(joined) == 1
    assert joined[0] != first
    assert [job.status for job in bench.jobs()] == [JobStatus.PROCESSING, JobStatus.QUEUED]


def _enqueue_in_thread(paper: Paper) -> int:
    from django.db import connections

    try:
        return paper.analyze()
    finally:
        connections.close_all()


def _wait_until_blocked(watcher: SimulatedWorker) -> None:
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    while watcher.connection.execute(waiting).fetchone() == (0,):
        watcher.connection.execute("SELECT pg_sleep(0.005)")


@pytest.mark.parametrize("verb", ["fail", "release", "reap"])
def test_a_job_that_comes_back_beside_a_queued_twin_ends_superseded(
    bench: Bench, paper: Paper, worker: SimulatedWorker, verb: str
) -> None:
    first = paper.analyze(force=True)
    claimed = worker.claim_one(paper.tenant)
    twin = paper.analyze()
    (ended,) = _come_back(bench, worker, claimed, verb)
    assert (ended.id, ended.status, ended.kind) == (first, "failed", "superseded")
    job = bench.job(first)
    assert (job.status, job.failure_kind, job.retry_count) == (JobStatus.FAILED, "superseded", 0)
    assert f"Job {twin} " in job.error_message
    assert bench.job(twin).payload["force"] is True
    assert bench.job(twin).status == JobStatus.QUEUED


def _come_back(bench: Bench, worker: SimulatedWorker, claimed: Claimed, verb: str) -> list[ends.Ended]:
    if verb == "fail":
        return worker.fail(claimed)
    if verb == "release":
        return ends.release(worker.connection, held(claimed))
    bench.end_lease(claimed.id)
    expired = ends.find_expired(worker.connection, after=None, limit=10)
    return ends.reap(worker.connection, expired, backoff_base=1.0)


def test_a_job_that_fails_for_good_beside_a_twin_keeps_its_own_reason(
    bench: Bench, paper: Paper, worker: SimulatedWorker
) -> None:
    first = paper.analyze()
    claimed = worker.claim_one(paper.tenant)
    paper.analyze()
    worker.fail(claimed, kind="gave_up", again=ends.Again.NEVER)
    assert bench.job(first).failure_kind == "gave_up"


def test_two_running_analyses_of_one_document_that_fail_together_leave_one_queued(
    bench: Bench, paper: Paper, worker: SimulatedWorker
) -> None:
    paper.analyze()
    first = worker.claim_one(paper.tenant)
    paper.analyze()
    second = worker.claim_one(paper.tenant)
    other = bench.tenant()
    bench.enqueue(other)
    third = worker.claim_one(other)
    ended = ends.fail_batch(
        worker.connection, [ends.Failure(job.id, job.lease, "error", "x") for job in (first, second, third)]
    )
    assert sorted((one.id, one.status, one.kind) for one in ended) == [
        (first.id, "queued", "error"),
        (second.id, "failed", "superseded"),
        (third.id, "queued", "error"),
    ]


def test_a_twin_that_commits_meanwhile_leads_to_superseded_and_not_to_an_error(
    bench: Bench, paper: Paper, worker: SimulatedWorker, watcher: SimulatedWorker
) -> None:
    first = paper.analyze()
    claimed = worker.claim_one(paper.tenant)
    ended: list[ends.Ended] = []
    with tenant_rows(paper.tenant):
        twin = enqueue_analysis(
            tenant_id=paper.tenant, document_id=paper.document, document_version_id=paper.document
        )
        # A busy machine may commit later than the worker is willing to wait.
        worker.connection.execute("SET lock_timeout = '30s'")
        failing = threading.Thread(target=lambda: ended.extend(worker.fail(claimed)))
        failing.start()
        _wait_until_blocked(watcher)
    failing.join(10)
    assert [(one.id, one.kind) for one in ended] == [(first, "superseded")]
    assert bench.job(twin).status == JobStatus.QUEUED


def test_requeueing_beside_a_queued_twin_is_skipped_and_says_so(
    bench: Bench, paper: Paper, worker: SimulatedWorker
) -> None:
    first = paper.analyze(force=True)
    worker.fail(worker.claim_one(paper.tenant), again=ends.Again.NEVER)
    twin = paper.analyze()
    with tenant_rows(paper.tenant):
        report = requeue_jobs(job_ids=[first])
    assert report.requeued == 0
    assert report.skipped == {"another job for the same document is queued and does its work": 1}
    assert bench.job(first).status == JobStatus.FAILED
    assert bench.job(twin).payload["force"] is True


def test_requeueing_two_failed_analyses_of_one_document_runs_one(
    bench: Bench, paper: Paper, worker: SimulatedWorker
) -> None:
    ids = []
    for _ in range(2):
        ids.append(paper.analyze())
        worker.fail(worker.claim_one(paper.tenant), again=ends.Again.NEVER)
    with tenant_rows(paper.tenant):
        report = requeue_jobs(job_ids=ids)
    assert (report.requeued, sum(report.skipped.values())) == (1, 1)


def test_requeueing_that_meets_somebody_queueing_twins_the_other_way_round_skips_and_does_not_fail(
    worker: SimulatedWorker, watcher: SimulatedWorker
) -> None:
    report = None
    while report is None:
        report = _requeue_across(worker, watcher)
    assert (report.requeued, sum(report.skipped.values())) == (0, 2)


def _requeue_across(worker: SimulatedWorker, watcher: SimulatedWorker) -> RequeueReport | None:
    """Queue twins while both are being requeued.

    Returns None where PostgreSQL ended the queueing instead, which it does when this process was held up for
    longer than the server's deadlock_timeout.
    """
    tenant = uuid.uuid4()
    papers = sorted((Paper(tenant, uuid.uuid4()) for _ in range(2)), key=lambda one: one.document)
    failed = []
    for one in papers:
        failed.append(one.analyze())
        worker.fail(worker.claim_one(tenant), again=ends.Again.NEVER)
    reports: list[RequeueReport] = []

    def requeue() -> None:
        try:
            with tenant_rows(tenant):
                reports.append(requeue_jobs(job_ids=failed))
        finally:
            connections.close_all()

    requeueing = threading.Thread(target=requeue)
    try:
        with tenant_rows(tenant):
            _enqueue(papers[1])
            requeueing.start()
            _wait_until_blocked(watcher)
            _enqueue(papers[0])
    except OperationalError as error:
        if not isinstance(error.__cause__, DeadlockDetected):
            raise
        return None
    finally:
        requeueing.join(60)
    (report,) = reports
    return report


def _enqueue(paper: Paper) -> int:
    return enqueue_analysis(
        tenant_id=paper.tenant, document_id=paper.document, document_version_id=paper.document
    )
