"""How workers begin and end: drained, stopped, killed."""

import os
import signal
import time
from collections.abc import Callable

import pytest

from jobs.models import JobStatus
from tests.jobs.bench import Bench
from tests.processes.workers import WorkerProcess, wait_gone

Start = Callable[..., WorkerProcess]
QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus


def test_a_draining_worker_does_everything_due_and_ends(bench: Bench, start: Start) -> None:
    done = [*bench.enqueue(bench.tenant(), 5, payload={"effect": 1}), *bench.enqueue(bench.tenant(), 3)]
    (later,) = bench.enqueue(bench.tenant(), delay_seconds=3600)
    (flaky,) = bench.enqueue(bench.tenant(), payload={"fail": "always"})
    worker = start("--drain", "--slots", "2", ready=False)
    assert worker.wait_exit(60) == 0
    assert set(bench.statuses(*done)) == {SUCCEEDED}
    assert bench.statuses(later, flaky) == [QUEUED, FAILED]
    assert [row[0] for row in bench.run_sql("SELECT job_id FROM jobs_probeeffect ORDER BY 1")] == done[:5]
    assert worker.other == []
    # Nobody may count after it for long: what it leaves is how things stand.
    (counts,) = bench.run_sql("SELECT counts FROM jobs_queuesample ORDER BY sampled_at DESC LIMIT 1")[0]
    assert counts == {"probe": {"succeeded": 8, "queued": 1, "failed": 1}}


def test_jobs_that_turn_out_long_are_handed_out_one_by_one_though_nothing_new_is_claimed(
    bench: Bench, start: Start
) -> None:
    tenant = bench.tenant()
    small = bench.enqueue(tenant, 20)
    unknown = bench.enqueue(tenant, 4, type="probe-hasty")
    worker = start("--drain", "--slots", "1", ready=False)
    assert worker.wait_exit(60) == 0
    assert set(bench.statuses(*small, *unknown)) == {SUCCEEDED}


def test_a_stopped_worker_gives_back_what_does_not_end_in_time_and_leaves_nothing(
    bench: Bench, start: Start
) -> None:
    ids = bench.enqueue(bench.tenant(), 2, payload={"sleep": 600})
    worker = start("--slots", "2", "--grace", "0.3")
    for job_id in ids:
        worker.wait_for("job.claimed", job=job_id)
    family = worker.family()
    assert len(family) >= 4
    worker.kill(signal.SIGTERM)
    assert worker.wait_exit() == 0
    assert worker.count("job.released") == 2
    for job_id in ids:
        job = bench.job(job_id)
        assert (job.status, job.retry_count) == (QUEUED, 0)
        assert [one.outcome for one in bench.attempts(job_id)] == ["released"]
    assert wait_gone(family, 1) == []
    assert bench.run_sql("SELECT count(*) FROM jobs_workerprocess") == [(0,)]


def test_after_the_dispatcher_is_killed_nothing_of_it_lives_a_second_later(
    bench: Bench, start: Start
) -> None:
    (busy,) = bench.enqueue(bench.tenant(), payload={"sleep": 600})
    worker = start("--slots", "3")
    worker.wait_for("job.claimed", job=busy)
    family = worker.family()
    assert len(family) >= 5
    worker.kill()
    # A second where nothing else runs.
    assert wait_gone(family, 5) == []


@pytest.mark.slow
def test_an_idle_worker_stops_within_two_seconds(bench: Bench, start: Start) -> None:
    # A machine with much else to do may take longer, but not always: `benchmarks/recovery.py` measures it.
    took: list[float] = []
    while not took or (took[-1] >= 2 and len(took) < 5):
        worker = start("--slots", "2")
        began = time.monotonic()
        worker.kill(signal.SIGTERM)
        assert worker.wait_exit() == 0
        took.append(time.monotonic() - began)
    assert min(took) < 2


@pytest.mark.slow
def test_a_stopping_worker_lets_a_job_end_within_its_grace(bench: Bench, start: Start) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"sleep": 1, "effect": 1})
    worker = start("--slots", "1", "--grace", "20")
    worker.wait_for("job.claimed", job=job_id)
    later = bench.enqueue(bench.tenant())
    worker.kill(signal.SIGTERM)
    assert worker.wait_exit() == 0
    assert bench.statuses(job_id, *later) == [SUCCEEDED, QUEUED]


@pytest.mark.slow
def test_a_second_signal_stops_at_once(bench: Bench, start: Start) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"sleep": 600})
    worker = start("--slots", "1", "--grace", "600")
    worker.wait_for("job.claimed", job=job_id)
    worker.kill(signal.SIGTERM)
    worker.wait_for("worker.stopping")
    worker.kill(signal.SIGINT)
    assert worker.wait_exit(5) == 0
    assert bench.statuses(job_id) == [QUEUED]


@pytest.mark.slow
def test_leases_are_renewed_while_a_worker_stops(bench: Bench, start: Start) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"sleep": 5, "effect": 1})
    worker = start("--slots", "1", "--lease", "2", "--grace", "60")
    worker.wait_for("job.claimed", job=job_id)
    worker.kill(signal.SIGTERM)
    assert worker.wait_exit() == 0
    assert [one.outcome for one in bench.attempts(job_id)] == ["succeeded"]


@pytest.mark.slow
def test_children_ignore_the_signal_that_stops_a_whole_service(bench: Bench, start: Start) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"sleep": 1, "effect": 1})
    worker = start("--slots", "1")
    worker.wait_for("job.claimed", job=job_id)
    for pid in worker.children():
        os.kill(pid, signal.SIGTERM)
    worker.wait_for("job.finished", job=job_id, lease=1)


@pytest.mark.slow
def test_without_listening_polling_finds_every_job(bench: Bench, start: Start) -> None:
    worker = start("--slots", "1", ARCHIV_POOLED=1, ARCHIV_POLL_SECONDS=0.2)
    (job_id,) = bench.enqueue(bench.tenant())
    worker.wait_for("job.finished", job=job_id, timeout=10)


@pytest.mark.slow
def test_a_worker_for_some_types_claims_no_others(bench: Bench, start: Start) -> None:
    tenant = bench.tenant()
    (mine,) = bench.enqueue(tenant)
    (other,) = bench.enqueue(tenant, type="probe-hasty")
    worker = start("--drain", "--types", "probe", ready=False)
    assert worker.wait_exit() == 0
    assert bench.statuses(mine, other) == [SUCCEEDED, QUEUED]


@pytest.mark.slow
def test_a_worker_of_the_whole_installation_has_its_templates(bench: Bench, start: Start) -> None:
    (job_id,) = bench.enqueue(bench.tenant())
    worker = start("--slots", "1", DJANGO_SETTINGS_MODULE="archiv.test_settings")
    worker.wait_for("job.finished", job=job_id)
    assert any("documents.reading.template" in command for command in worker.commands())


@pytest.mark.slow
def test_a_worker_whose_template_hangs_gives_back_what_it_killed_and_ends(bench: Bench, start: Start) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"sleep": 600})
    worker = start("--slots", "1", "--grace", "0")
    worker.wait_for("job.claimed", job=job_id)
    # Whoever forked the child would tell of its death, and is stopped for good.
    os.kill(worker.template(), signal.SIGSTOP)
    worker.kill(signal.SIGTERM)
    assert worker.wait_exit(60) == 0
    job = bench.job(job_id)
    assert (job.status, job.retry_count) == (QUEUED, 0)
    assert [one.outcome for one in bench.attempts(job_id)] == ["released"]
