"""Each transition of a job is told as one event that names it, and each counter of a worker moves."""

from collections.abc import Callable

import pytest
import structlog

from jobs.engine import counters, events
from jobs.engine.heartbeat import HeldJobs
from jobs.engine.housekeeping import Housekeeping
from jobs.engine.ledger import Ledger
from jobs.engine.options import WorkerOptions
from jobs.engine.store.claims import Claimed
from jobs.engine.store.ends import Again, Failure
from jobs.engine.store.upkeep import Worker
from jobs.engine.tally import Tally
from jobs.scope import tenant_rows
from jobs.services import cancel_jobs, fail_queued_jobs, requeue_jobs
from tests.jobs.bench import Bench, SimulatedWorker

NAMED = {"job", "tenant", "type", "lease", "worker"}


@pytest.fixture(autouse=True)
def everything_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "tells_claims", lambda: True)
    monkeypatch.setattr(events, "tells_ends", lambda: True)


class Desk:
    """A worker's ledger with jobs that it has claimed."""

    def __init__(self, bench: Bench, jobs: int) -> None:
        self.bench, self.tenant = bench, bench.tenant()
        self.worker: SimulatedWorker = bench.worker("worker-a")
        self.ids = bench.enqueue(self.tenant, jobs)
        self.ledger = Ledger(
            "worker-a", HeldJobs(), Tally(), on_left=lambda job: None, on_retry=lambda seconds: None
        )
        self.jobs: list[Claimed] = self.worker.claim(self.tenant)
        self.ledger.enter(self.jobs)

    def flush(self) -> None:
        self.ledger.flush(self.worker.connection)


def reap_all(worker: SimulatedWorker) -> None:
    """Have another worker take away what nobody renews."""
    other = Worker("worker-b", "host", 1, 1, "test")
    options = WorkerOptions(other, slots=1, lease=30.0, grace=1.0, poll=1.0, reaper=0.0, backoff_base=1.0)
    Housekeeping(options, Tally()).run(worker.connection)


def give_up(job: Claimed) -> Failure:
    return Failure(job.id, job.lease, "gave_up", "no use", again=Again.NEVER)


def test_every_transition_is_one_event_that_names_job_tenant_type_lease_and_worker(bench: Bench) -> None:
    with structlog.testing.capture_logs() as told:
        desk = Desk(bench, 6)
        done, effects, failed, released, lost, stale = desk.jobs
        desk.ledger.finish(done, seconds=0.1)
        desk.ledger.finished(effects, seconds=0.1)
        desk.ledger.fail(failed, give_up(failed))
        desk.ledger.release(released)
        with tenant_rows(desk.tenant):
            cancel_jobs(job_ids=[lost.id])
        desk.ledger.finish(lost, seconds=0.1)
        desk.flush()
        with tenant_rows(desk.tenant):
            requeue_jobs(job_ids=[failed.id])
        bench.end_lease(stale.id)
        bench.end_lease(effects.id)
        reap_all(desk.worker)
        # All that wait by now: its tenant is closed.
        with tenant_rows(desk.tenant):
            assert fail_queued_jobs(tenant_id=desk.tenant, kind="tenant_inactive", message="closed") == 4
    about: dict[int, list[str]] = {}
    for one in told:
        if one["event"].startswith("job."):
            assert one.keys() >= NAMED, one
            assert (one["tenant"], one["type"]) == (str(desk.tenant), "probe")
            about.setdefault(one["job"], []).append(one["event"])
    assert about == {
        done.id: ["job.queued", "job.claimed", "job.finished"],
        # The ledger was told so by a child; no child finished it here, and so the reaper finds it.
        effects.id: ["job.queued", "job.claimed", "job.finished", "job.reaped", "job.failed"],
        failed.id: ["job.queued", "job.claimed", "job.failed", "job.requeued", "job.failed"],
        released.id: ["job.queued", "job.claimed", "job.released", "job.failed"],
        lost.id: ["job.queued", "job.claimed", "job.cancelled", "job.lease_lost"],
        stale.id: ["job.queued", "job.claimed", "job.reaped", "job.failed"],
    }


def total(name: str) -> float:
    """Sum a counter as Prometheus reads it, over all labels."""
    families = counters.REGISTRY.collect()
    return sum(sample.value for family in families for sample in family.samples if sample.name == name)


def finish(desk: Desk) -> None:
    desk.ledger.finish(desk.jobs[0], seconds=0.1)
    desk.flush()


def fail(desk: Desk) -> None:
    desk.ledger.fail(desk.jobs[0], give_up(desk.jobs[0]))
    desk.flush()


def release(desk: Desk) -> None:
    desk.ledger.release(desk.jobs[0])
    desk.flush()


def lose(desk: Desk) -> None:
    desk.ledger.lost(desk.jobs[0])


def reap(desk: Desk) -> None:
    desk.bench.end_lease(desk.ids[0])
    reap_all(desk.worker)


@pytest.mark.parametrize(
    ("counter", "act"),
    [
        ("claimed_total", lambda desk: None),
        ("wait_seconds_count", lambda desk: None),
        ("finished_total", finish),
        ("run_seconds_count", finish),
        ("failed_total", fail),
        ("released_total", release),
        ("leases_lost_total", lose),
        ("reaped_total", reap),
    ],
)
def test_each_counter_of_jobs_moves_by_one(bench: Bench, counter: str, act: Callable[[Desk], None]) -> None:
    before = total(f"archiv_worker_{counter}")
    act(Desk(bench, 1))
    assert total(f"archiv_worker_{counter}") == before + 1
