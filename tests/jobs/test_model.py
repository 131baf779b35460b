"""The queue beside its model: whatever several workers and operators do in whatever order, both agree."""

import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from django.db import IntegrityError
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from pytest_django import DjangoDbBlocker

from jobs.context import JobContext, RunningJob
from jobs.engine.store import claims, ends, leases, upkeep
from jobs.engine.store.base import Held
from jobs.engine.store.claims import Wanted
from jobs.errors import GiveUp, LeaseLost
from jobs.models import JobStatus, Lane, ProbeEffect
from jobs.registry import autodiscover
from jobs.scope import tenant_rows
from jobs.services import (
    cancel_jobs,
    enqueue_analysis,
    enqueue_job,
    enqueue_many,
    fail_queued_jobs,
    requeue_jobs,
    set_queue,
)
from tests.jobs.bench import Bench, open_bench
from tests.jobs.invariants import Seen, check, forget_changes, noting_changes
from tests.jobs.model import ANALYZE, PURGE, Entry, Model

#: Jumps, leases and delays never meet: what is due or over is so by at least ten seconds.
LEASE, DELAY = 100.0, 50.0
jumps = st.sampled_from([30, 60, 120])
tenants = st.integers(0, 1)
documents = st.integers(0, 1)
workers = st.integers(0, 2)
lanes = st.sampled_from([Lane.NORMAL, Lane.NORMAL, Lane.BULK])


class Queue(RuleBasedStateMachine):
    """Three workers, two tenants with two documents each, and operators. No worker knows what others did."""

    ids = Bundle("ids")
    held = Bundle("held")

    def __init__(self, bench: Bench) -> None:
        super().__init__()
        bench.clear()
        forget_changes(bench)
        self.bench = bench
        self.model = Model()
        self.tenants = [uuid.uuid4() for _ in range(2)]
        self.documents = [[uuid.uuid4() for _ in range(2)] for _ in range(2)]
        self.claimed: list[Held] = []
        self.finished: list[Held] = []

    @initialize(target=ids)
    def begin(self) -> Any:
        """Something is there to work on, in both tenants."""
        made: list[int] = []
        for tenant in range(2):
            made += self._enqueue_many(tenant, 3)
        return multiple(*made)

    # --- Into the queue

    @rule(target=ids, tenant=tenants, lane=st.sampled_from(list(Lane)[:3]), delay=st.sampled_from([0, DELAY]))
    def enqueue(self, tenant: int, lane: Lane, delay: float) -> int:
        with tenant_rows(self.tenants[tenant]):
            job_id = enqueue_job(
                tenant_id=self.tenants[tenant], type="probe", payload={}, lane=lane, delay_seconds=delay
            )
        self.model.enqueue(job_id, Entry(tenant, "probe", 0, lane), delay=delay)
        return job_id

    @rule(target=ids, tenant=tenants, number=st.integers(1, 4))
    def enqueue_many(self, tenant: int, number: int) -> Any:
        return multiple(*self._enqueue_many(tenant, number))

    def _enqueue_many(self, tenant: int, number: int) -> list[int]:
        with tenant_rows(self.tenants[tenant]):
            made = enqueue_many(tenant_id=self.tenants[tenant], type="probe", payloads=[{}] * number)
        for job_id in made:
            self.model.enqueue(job_id, Entry(tenant, "probe", 0))
        return made

    @rule(target=ids, tenant=tenants, document=documents, force=st.booleans())
    def analyze(self, tenant: int, document: int, force: bool) -> Any:
        entry = Entry(tenant, ANALYZE, 0, document=document, force=force)
        twin = self.model.twin(entry, JobStatus.QUEUED)
        with tenant_rows(self.tenants[tenant]):
            job_id = enqueue_analysis(
                tenant_id=self.tenants[tenant],
                document_id=self.documents[tenant][document],
                document_version_id=uuid.uuid4(),
                force=force,
            )
        if twin is not None:
            assert job_id == twin
            self.model.join(twin, force=force)
            return multiple()
        self.model.enqueue(job_id, entry)
        return job_id

    @rule(target=ids, tenant=tenants, document=documents)
    def purge(self, tenant: int, document: int) -> Any:
        entry = Entry(tenant, PURGE, 0, document=document)
        there = self.model.twin(entry, JobStatus.QUEUED, JobStatus.PROCESSING)
        try:
            with tenant_rows(self.tenants[tenant]):
                job_id = enqueue_job(
                    tenant_id=self.tenants[tenant],
                    type=PURGE,
                    payload={},
                    document_id=self.documents[tenant][document],
                )
        except IntegrityError:
            assert there is not None
            return multiple()
        assert there is None
        self.model.enqueue(job_id, entry)
        return job_id

    # --- What workers do

    @rule(target=held, worker=workers, tenant=tenants, lane=lanes, limit=st.integers(1, 4))
    def claim(self, worker: int, tenant: int, lane: Lane, limit: int) -> Any:
        one = self.bench.workers[worker]
        wanted = Wanted(str(self.tenants[tenant]), int(lane), limit)
        if tenant in self.model.caps:
            taken = claims.claim_capped(one.connection, wanted.tenant_id, [wanted], one.terms)
        else:
            taken = claims.claim(one.connection, [wanted], one.terms)
        due = self.model.due(lane, tenant)
        assert {job.id for job in taken} <= due
        assert len(taken) == min(limit, len(due), self.model.room(tenant))
        return self._take(taken)

    @rule(target=held, worker=workers, limit=st.integers(1, 2))
    def claim_urgent(self, worker: int, limit: int) -> Any:
        one = self.bench.workers[worker]
        taken = claims.claim_urgent(one.connection, limit, one.terms)
        due = self.model.due(Lane.URGENT)
        assert {job.id for job in taken} <= due
        assert len(taken) == min(limit, len(due))
        return self._take(taken)

    def _take(self, taken: list[claims.Claimed]) -> Any:
        for job in taken:
            assert self.model.claim(job.id, seconds=LEASE) == job.lease
        self.claimed += [Held(job.id, job.lease) for job in taken]
        return multiple(*(Held(job.id, job.lease) for job in taken))

    @rule(worker=workers, some=st.lists(held, min_size=1, max_size=4))
    def beat(self, worker: int, some: list[Held]) -> None:
        told = leases.beat(self.bench.workers[worker].connection, set(some), seconds=LEASE)
        lost = {one for one in set(some) if not self.model.beat(*one, seconds=LEASE)}
        assert told == leases.Beat(lost=frozenset(lost), skipped=frozenset())

    def _context(self, one: Held) -> JobContext:
        job = self.model.jobs[one.id]
        running = RunningJob(one.id, self.tenants[job.tenant], None, job.type, {}, one.lease, job.retries)
        return JobContext(running, scope=tenant_rows, templates={})

    @rule(one=held)
    def start_and_checkpoint(self, one: Held) -> None:
        holds = self.model.jobs[one.id].holds(one.lease)
        context = self._context(one)
        with _lost_unless(holds), context.checkpointing():
            assert holds
        with _lost_unless(holds):
            context.publish_progress(1, 2)

    @rule(one=held)
    def finish(self, one: Held) -> None:
        job = self.model.jobs[one.id]
        holds = self.model.finish(*one, effect=True)
        with _lost_unless(holds), self._context(one).finishing():
            ProbeEffect.objects.create(tenant_id=self.tenants[job.tenant], job_id=one.id, lease=one.lease)
        if holds:
            self.finished.append(one)

    @rule(worker=workers, some=st.lists(held, min_size=1, max_size=4, unique_by=lambda one: one.id))
    def finish_batch(self, worker: int, some: list[Held]) -> None:
        finished = ends.finish_batch(self.bench.workers[worker].connection, some)
        assert finished == {one.id for one in some if self.model.finish(*one, effect=False)}

    @rule(one=held)
    def fail_with_effects(self, one: Held) -> None:
        holds = bool(self.model.fail(*one, "gave_up", again="never", delay=0.0))
        with _lost_unless(holds), self._context(one).failing(GiveUp("no use")):
            pass

    @rule(
        worker=workers,
        some=st.lists(held, min_size=1, max_size=4, unique_by=lambda one: one.id),
        again=st.sampled_from(ends.Again),
        delay=st.sampled_from([0.0, DELAY]),
        text=st.text(st.characters(), max_size=20),
    )
    def fail_batch(self, worker: int, some: list[Held], again: ends.Again, delay: float, text: str) -> None:
        failures = [ends.Failure(*one, "error", text, again=again, delay=delay) for one in some]
        ended = ends.fail_batch(self.bench.workers[worker].connection, failures)
        fates = {one.id: self.model.fail(*one, "error", again=again, delay=delay) for one in sorted(some)}
        assert {one.id: one.status for one in ended} == {job: fate for job, fate in fates.items() if fate}

    @rule(worker=workers, some=st.lists(held, min_size=1, max_size=4, unique_by=lambda one: one.id))
    def release(self, worker: int, some: list[Held]) -> None:
        ended = ends.release(self.bench.workers[worker].connection, some)
        fates = {one.id: self.model.fail(*one, "released", again="always", delay=0.0) for one in sorted(some)}
        assert {one.id: one.status for one in ended} == {job: fate for job, fate in fates.items() if fate}

    @rule(worker=workers)
    def reap(self, worker: int) -> None:
        connection = self.bench.workers[worker].connection
        expired = ends.find_expired(connection, after=None, limit=100)
        ended = ends.reap(connection, expired, backoff_base=0.0)
        assert {one.id for one in ended} == set(self.model.expired())
        for job_id in self.model.expired():
            self.model.fail(job_id, self.model.jobs[job_id].lease, "lease_expired", delay=0.0)

    @rule(worker=workers)
    def stage(self, worker: int) -> None:
        upkeep.stage(self.bench.workers[worker].connection, limit=100)
        self.model.stage()

    # --- What operators do, and time

    @rule(some=st.lists(ids, min_size=1, max_size=5), tenant=tenants)
    def requeue(self, some: list[int], tenant: int) -> None:
        with tenant_rows(self.tenants[tenant]):
            report = requeue_jobs(job_ids=some, spread_seconds=0.0)
        mine = [job_id for job_id in sorted(set(some)) if self.model.jobs[job_id].tenant == tenant]
        assert report.requeued == sum([self.model.requeue(job_id) for job_id in mine])
        assert report.requeued + sum(report.skipped.values()) == len(set(some))

    @rule(some=st.lists(ids, min_size=1, max_size=3), tenant=tenants)
    def cancel(self, some: list[int], tenant: int) -> None:
        with tenant_rows(self.tenants[tenant]):
            report = cancel_jobs(job_ids=some)
        mine = [job_id for job_id in sorted(set(some)) if self.model.jobs[job_id].tenant == tenant]
        assert report.cancelled == sum([self.model.cancel(job_id) for job_id in mine])

    @rule(tenant=tenants, paused=st.booleans())
    def pause(self, tenant: int, paused: bool) -> None:
        with tenant_rows(self.tenants[tenant]):
            set_queue(tenant_id=self.tenants[tenant], paused=paused, closed=False)
        (self.model.shut.add if paused else self.model.shut.discard)(tenant)

    @rule(tenant=tenants)
    def close(self, tenant: int) -> None:
        with tenant_rows(self.tenants[tenant]):
            set_queue(tenant_id=self.tenants[tenant], closed=True)
        with tenant_rows(self.tenants[tenant]):
            fail_queued_jobs(tenant_id=self.tenants[tenant], kind="tenant_inactive", message="It is closed.")
        self.model.set_aside(tenant)

    @rule(tenant=tenants, cap=st.none() | st.integers(1, 2))
    def cap(self, tenant: int, cap: int | None) -> None:
        with tenant_rows(self.tenants[tenant]):
            set_queue(tenant_id=self.tenants[tenant], max_running=cap)
        self.model.caps.pop(tenant, None)
        if cap is not None:
            self.model.caps[tenant] = cap

    @rule(seconds=jumps)
    def jump(self, seconds: int) -> None:
        self.model.now += seconds
        self.bench.run_sql(
            """UPDATE jobs_job SET lease_expires_at = lease_expires_at - make_interval(secs => %s),
                                   next_attempt_at = next_attempt_at - make_interval(secs => %s)
               WHERE status IN ('queued', 'processing')""",
            [seconds, seconds],
        )

    # --- What must be true after each step

    @invariant()
    def agree(self) -> None:
        now = check(self.bench, Seen(self.claimed, self.finished))
        rows = self.bench.run_sql(_STATE_SQL)
        assert {row[0]: row[1:] for row in rows} == {
            job_id: (
                job.status,
                job.kind,
                job.lease,
                job.retries,
                job.waits,
                job.force,
                [*map(list, job.attempts)],
            )
            for job_id, job in self.model.jobs.items()
        }
        assert now.effects.keys() == {
            Held(job_id, lease) for job_id, job in self.model.jobs.items() for lease in job.effects
        }


_STATE_SQL = """
    SELECT id, status, failure_kind, lease, retry_count, lane = 3 AND status = 'queued',
           coalesce((payload ->> 'force')::boolean, false), coalesce((
               SELECT json_agg(json_build_array(attempt.lease, attempt.outcome) ORDER BY attempt.lease)
               FROM jobs_jobattempt AS attempt WHERE attempt.job_id = job.id
           ), '[]')
    FROM jobs_job AS job
"""


def _lost_unless(holds: bool) -> AbstractContextManager[object]:
    return nullcontext() if holds else pytest.raises(LeaseLost)


@pytest.fixture(scope="module")
def bench(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Bench]:
    autodiscover()  # not in the first transaction, which would wait for the imports
    with open_bench(django_db_blocker) as bench, noting_changes(bench):
        for number in range(3):
            bench.worker(f"worker-{number}", lease=LEASE)
        yield bench


def play(bench: Bench, *, examples: int, steps: int) -> None:
    options = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=True,
    )
    run_state_machine_as_test(lambda: Queue(bench), settings=options)  # type: ignore[arg-type]


@pytest.mark.timeout(600)
def test_whatever_workers_and_operators_do_the_queue_and_its_model_agree(bench: Bench) -> None:
    play(bench, examples=5, steps=30)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_queue_and_its_model_agree_over_many_long_histories(bench: Bench) -> None:
    play(bench, examples=60, steps=50)
