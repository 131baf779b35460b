"""A whole worker at work, with its children and templates."""

import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from jobs.models import JobStatus, Lane, QueueSample
from jobs.scope import all_rows, tenant_rows
from jobs.services import cancel_jobs, set_queue
from tests.jobs.bench import Bench
from tests.processes.workers import WorkerProcess

QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus


@pytest.fixture(autouse=True)
def idle_again(bench: Bench, standing: WorkerProcess) -> Iterator[None]:
    """Cancel what still runs, so that the next test finds free slots."""
    yield
    running = [job.id for job in bench.jobs(status="processing")]
    with all_rows():
        cancel_jobs(job_ids=running)
    for job_id in running:
        standing.wait_for("job.lease_lost", job=job_id)


def effects(bench: Bench) -> list[int]:
    return [row[0] for row in bench.run_sql("SELECT job_id FROM jobs_probeeffect ORDER BY 1")]


def run_one(bench: Bench, worker: WorkerProcess) -> None:
    """Show that the worker goes on."""
    (job_id,) = bench.enqueue(bench.tenant())
    worker.wait_for("job.finished", job=job_id)


def test_it_hears_at_once_of_a_new_job(bench: Bench, standing: WorkerProcess) -> None:
    for _ in range(3):
        (job_id,) = bench.enqueue(bench.tenant(), payload={"effect": 1})
        claimed = standing.wait_for("job.claimed", job=job_id)
        assert claimed["waited"] < 1
        standing.wait_for("job.finished", job=job_id)
    assert len(effects(bench)) == 3


def test_every_event_of_a_job_names_it_its_tenant_type_lease_and_worker(
    bench: Bench, standing: WorkerProcess
) -> None:
    tenant = bench.tenant()
    (job_id,) = bench.enqueue(tenant)
    standing.wait_for("job.finished", job=job_id)
    told = [event for event in standing.events if event.get("job") == job_id]
    assert [event["event"] for event in told] == ["job.claimed", "job.finished"]
    for event in told:
        assert (event["tenant"], event["type"], event["lease"]) == (str(tenant), "probe", 1)
        assert f":{standing.pid}:" in event["worker"]


def test_a_job_that_runs_too_long_is_killed_and_says_why(bench: Bench, standing: WorkerProcess) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), type="probe-hasty", payload={"sleep": 600})
    bench.change(job_id, max_retries=0)
    standing.wait_for("job.failed", job=job_id, kind="timeout")
    assert "longer than the 0.5 s that probe-hasty may take" in bench.job(job_id).error_message
    run_one(bench, standing)


@pytest.mark.parametrize(
    ("how", "words"),
    [("exit", "exit code 3"), (11, "signal SIGSEGV"), (9, "signal SIGKILL")],
)
def test_a_job_that_kills_its_child_fails_with_the_reason_and_the_next_one_runs(
    bench: Bench, standing: WorkerProcess, how: object, words: str
) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"kill": how}, lane=Lane.BULK)
    bench.change(job_id, max_retries=1)
    standing.wait_for("job.failed", job=job_id, kind="crash", status="failed")
    job = bench.job(job_id)
    assert (job.status, job.failure_kind, job.retry_count) == (FAILED, "crash", 1)
    assert words in job.error_message
    assert {one.outcome for one in bench.attempts(job_id)} == {"crash"}
    run_one(bench, standing)


def test_an_urgent_job_runs_though_every_slot_is_busy(bench: Bench, standing: WorkerProcess) -> None:
    ids = bench.enqueue(bench.tenant(), 3, payload={"sleep": 600})
    for job_id in ids[:2]:
        standing.wait_for("job.claimed", job=job_id)
    for _ in range(2):
        (urgent,) = bench.enqueue(bench.tenant(), lane=Lane.URGENT)
        standing.wait_for("job.finished", job=urgent, timeout=10)
    assert bench.statuses(*ids) == [PROCESSING, PROCESSING, QUEUED]
    with all_rows():
        cancel_jobs(job_ids=ids[2:])


def test_a_cancelled_job_is_stopped_and_its_slot_is_free_again(bench: Bench, standing: WorkerProcess) -> None:
    tenant = bench.tenant()
    ids = bench.enqueue(tenant, 2, payload={"sleep": 600, "effect": 1})
    for job_id in ids:
        standing.wait_for("job.claimed", job=job_id)
    with tenant_rows(tenant):
        cancel_jobs(job_ids=ids)
    for job_id in ids:
        standing.wait_for("job.lease_lost", job=job_id, timeout=10)
    run_one(bench, standing)
    assert {bench.job(job_id).failure_kind for job_id in ids} == {"cancelled"}
    assert effects(bench) == []


def test_a_paused_tenant_waits_and_goes_on_when_it_is_not(bench: Bench, standing: WorkerProcess) -> None:
    tenant = bench.tenant()
    with tenant_rows(tenant):
        set_queue(tenant_id=tenant, paused=True)
    (waiting,) = bench.enqueue(tenant)
    run_one(bench, standing)
    assert bench.statuses(waiting) == [QUEUED]
    with tenant_rows(tenant):
        set_queue(tenant_id=tenant, paused=False)
    standing.wait_for("job.finished", job=waiting, timeout=5)


def test_a_capped_tenant_uses_its_cap_and_no_more(bench: Bench, standing: WorkerProcess) -> None:
    tenant = bench.tenant()
    with tenant_rows(tenant):
        set_queue(tenant_id=tenant, max_running=1)
    ids = bench.enqueue(tenant, 6, payload={"sleep": 0.05})
    ended = {standing.wait_for("job.finished", tenant=str(tenant), timeout=10)["job"] for _ in ids}
    assert ended == set(ids)
    told = [event["event"] for event in standing.events if event.get("tenant") == str(tenant)]
    assert told == ["job.claimed", "job.finished"] * 6


def test_what_a_dead_worker_held_is_reaped_and_done(bench: Bench, standing: WorkerProcess) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"effect": 1}, delay_seconds=3600)
    bench.change(
        job_id,
        status="'processing'",
        lane=int(Lane.NORMAL),
        lease=1,
        worker="'dead'",
        started_at="statement_timestamp()",
        lease_expires_at="statement_timestamp() + interval '0.5 s'",
    )
    reaped = standing.wait_for("job.reaped", job=job_id, timeout=10)
    assert (reaped["worker"], reaped["lease"], reaped["status"]) == ("dead", 1, "queued")
    standing.wait_for("job.finished", job=job_id, lease=2)
    assert [one.outcome for one in bench.attempts(job_id)] == ["lease_expired", "succeeded"]
    assert effects(bench) == [job_id]


def test_retired_and_unknown_types_fail_with_words(bench: Bench, standing: WorkerProcess) -> None:
    retired, unknown = bench.enqueue(bench.tenant(), 2, delay_seconds=3600)
    bench.change(retired, type="'generate-thumbnails'")
    bench.change(unknown, type="'brew-coffee'")
    for job_id in (retired, unknown):
        bench.change(job_id, lane=1, next_attempt_at="statement_timestamp()")
    for job_id in (retired, unknown):
        standing.wait_for("job.failed", job=job_id, kind="unknown_type", status="failed")
    assert "analyze-document" in bench.job(retired).error_message
    assert "brew-coffee" in bench.job(unknown).error_message


def test_a_payload_too_large_for_a_child_fails_and_stops_nobody(
    bench: Bench, standing: WorkerProcess
) -> None:
    (large,) = bench.enqueue(bench.tenant(), delay_seconds=3600)
    bench.change(large, payload="jsonb_build_object('a', repeat('x', 3000000))", lane=1)
    bench.change(large, next_attempt_at="statement_timestamp()")
    standing.wait_for("job.failed", job=large, kind="limit", status="failed")
    run_one(bench, standing)


def test_counters_are_served_and_name_no_tenant(bench: Bench, standing: WorkerProcess) -> None:
    tenant = bench.tenant()
    (address,) = [line.split()[1] for line in standing.lines if line.startswith("metrics ")]
    before = counters(address)
    (failing,) = bench.enqueue(tenant, type="probe-hasty", payload={"fail": "x"})
    bench.change(failing, max_retries=0)
    standing.wait_for("job.failed", job=failing, status="failed")
    after = counters(address)
    for name in (
        'archiv_worker_claimed_total{type="probe-hasty"}',
        'archiv_worker_failed_total{kind="error",status="failed",type="probe-hasty"}',
        'archiv_worker_wait_seconds_count{type="probe-hasty"}',
    ):
        assert after.get(name, 0) - before.get(name, 0) >= 1
    assert after["archiv_worker_slots"] == 2
    assert not any(str(tenant) in name for name in after)


def counters(address: str) -> dict[str, float]:
    with urllib.request.urlopen(address, timeout=5) as answer:
        lines = [line for line in answer.read().decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_operators_see_the_worker_and_the_figures_of_the_queue(bench: Bench, standing: WorkerProcess) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"sleep": 600})
    standing.wait_for("job.claimed", job=job_id)
    ((name, slots, state),) = wait_for_rows(bench, "SELECT name, slots, state FROM jobs_workerprocess")
    assert f":{standing.pid}:" in name
    assert (slots, state) == (2, "running")
    wait_for_rows(bench, "SELECT 1 FROM jobs_queuesample")
    assert QueueSample.objects.latest("sampled_at").worker == name


def wait_for_rows(bench: Bench, sql: str) -> list[tuple[Any, ...]]:
    """Wait for what the heartbeat and the housekeeping write in their own time."""
    for _ in range(200):
        rows = bench.run_sql(sql)
        if rows:
            return rows
        bench.run_sql("SELECT pg_sleep(0.05)")
    raise AssertionError(f"still no rows: {sql}")


def enqueue_at_once(bench: Bench, *payloads: dict[str, object]) -> list[int]:
    """Queue jobs of one tenant so that a worker that knows them as small finds them together."""
    tenant = bench.tenant()
    with tenant_rows(tenant):
        set_queue(tenant_id=tenant, paused=True)
    ids = [job_id for payload in payloads for job_id in bench.enqueue(tenant, payload=payload)]
    with tenant_rows(tenant):
        set_queue(tenant_id=tenant, paused=False)
    return ids


def teach_that_probes_are_small(bench: Bench, standing: WorkerProcess) -> None:
    for _ in range(20):
        run_one(bench, standing)


def test_a_crash_is_charged_to_the_job_that_ran_and_to_none_of_its_batch(
    bench: Bench, standing: WorkerProcess
) -> None:
    teach_that_probes_are_small(bench, standing)
    payloads: list[dict[str, object]] = [{"kill": "exit"} if n == 3 else {} for n in range(8)]
    ids = enqueue_at_once(bench, *payloads)
    bench.change(ids[3], max_retries=0)
    for job_id in (*ids[:3], *ids[4:]):
        standing.wait_for("job.finished", job=job_id)
    standing.wait_for("job.failed", job=ids[3], kind="crash", status="failed")
    outcomes = {job_id: [one.outcome for one in bench.attempts(job_id)] for job_id in ids}
    assert outcomes.pop(ids[3]) == ["crash"]
    assert {outcome for told in outcomes.values() for outcome in told} <= {"succeeded", "released"}
    assert {bench.job(job_id).retry_count for job_id in outcomes} == {0}


def test_jobs_behind_one_that_is_not_small_after_all_go_to_other_children(
    bench: Bench, standing: WorkerProcess
) -> None:
    teach_that_probes_are_small(bench, standing)
    ids = enqueue_at_once(bench, {"sleep": 600}, *[{}] * 7)
    for job_id in ids[1:]:
        standing.wait_for("job.finished", job=job_id, timeout=5)
    assert bench.statuses(ids[0]) == [PROCESSING]
