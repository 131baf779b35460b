"""Faults of queues under real workers: many tenants, caps, wrong clocks, the dead, twins, closed pipes."""

import os
import signal
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from jobs.models import JobStatus
from jobs.scope import tenant_rows
from jobs.services import enqueue_analysis, set_queue
from tests.jobs.bench import Bench
from tests.processes.looking import effects, enqueue_odd, outcomes, unended, wait_until
from tests.processes.test_faults import kill_connections
from tests.processes.test_worker import counters
from tests.processes.workers import PROJECT, WorkerProcess

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

Start = Callable[..., WorkerProcess]
QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus
LEASE = "2"


def test_a_due_job_is_found_among_a_hundred_thousand_tenants_that_wait_for_next_week(
    bench: Bench, start: Start
) -> None:
    bench.run_sql(
        """
        INSERT INTO jobs_job (tenant_id, type, payload, lane, home_lane, next_attempt_at)
        SELECT gen_random_uuid(), 'probe', '{}', 3, 1, statement_timestamp() + interval '7 days'
        FROM generate_series(1, 100000)
        """
    )
    worker = start("--slots", "1", ARCHIV_POLL_SECONDS="1")
    # As if its hint were lost: nobody tells the worker.
    insert = "INSERT INTO jobs_job (tenant_id, type, payload) VALUES (%s, 'probe', '{}') RETURNING id"
    for _ in range(3):
        ((job_id,),) = bench.run_sql(insert, [bench.tenant()])
        worker.wait_for("job.finished", job=job_id, lease=1)
    assert unended(bench) == 100_000
    assert worker.count("job.claimed") == 3


def test_what_a_killed_worker_held_runs_again_when_its_leases_end_and_no_earlier(
    bench: Bench, start: Start
) -> None:
    ids = bench.enqueue(bench.tenant(), 3, payload={"sleep": 1, "effect": 1})
    first = start("--slots", "3", "--lease", LEASE)
    for job_id in ids:
        first.wait_for("job.claimed", job=job_id)
    first.kill()
    first.wait_exit()
    ends = {job.id: job.lease_expires_at for job in bench.jobs(status=PROCESSING)}
    second = start("--slots", "3", "--lease", LEASE)
    for job_id in ids:
        second.wait_for("job.finished", job=job_id, lease=2)
        assert outcomes(bench, job_id) == ["lease_expired", "succeeded"]
        end = ends[job_id]
        assert end is not None
        assert bench.attempts(job_id)[1].started_at > end
    assert effects(bench) == Counter(ids)


def test_four_workers_run_no_more_of_a_tenant_than_its_cap(bench: Bench, start: Start) -> None:
    tenant = bench.tenant()
    with tenant_rows(tenant):
        set_queue(tenant_id=tenant, max_running=2)
    # So many that all four are there before the first has done them.
    ids = bench.enqueue(tenant, 150, payload={"sleep": 0.1, "effect": 1})
    for _ in range(4):
        start("--slots", "2", ready=False)
    wait_until(bench, lambda: not unended(bench), 120)
    assert effects(bench) == Counter(ids)
    # What ended and what was claimed in its place have the same moment, and the end comes first.
    moments = bench.run_sql(
        """
        SELECT moment, change FROM (
            SELECT started_at AS moment, 1 AS change FROM jobs_jobattempt
            UNION ALL SELECT ended_at, -1 FROM jobs_jobattempt
        ) AS changes ORDER BY moment, change
        """
    )
    running = most = 0
    for _, change in moments:
        running += change
        most = max(most, running)
    assert most == 2
    assert len({job.worker for job in bench.jobs()}) > 1, "one worker did it all"


def test_ten_thousand_rows_that_cannot_be_reaped_shield_none_behind_them(bench: Bench, start: Start) -> None:
    bench.run_sql(
        """
        INSERT INTO jobs_job (tenant_id, type, payload, status, lease, started_at, lease_expires_at, worker)
        SELECT %s, 'probe', '{}', 'processing', 1, now(), now() - interval '1 minute', 'dead'
        FROM generate_series(1, 10001)
        """,
        [bench.tenant()],
    )
    ((last,),) = bench.run_sql("SELECT max(id) FROM jobs_job")
    patient = "-c archiv.operator=on -c idle_in_transaction_session_timeout=0"
    with psycopg.connect(bench.owner_address(), options=patient) as keeper:
        keeper.execute("SELECT FROM jobs_job WHERE id < %s FOR UPDATE", [last])
        worker = start("--slots", "1", "--lease", LEASE)
        worker.wait_for("job.reaped", job=last, timeout=60)
        worker.wait_for("job.finished", job=last, lease=2)
    assert worker.count("job.reaped") == 1


@pytest.mark.parametrize("hours", [1, -1])
def test_a_worker_whose_clock_is_an_hour_wrong_is_as_good_as_any(
    bench: Bench, start: Start, hours: int
) -> None:
    tenant = bench.tenant()
    (soon,) = bench.enqueue(tenant, delay_seconds=1800)
    ids = bench.enqueue(tenant, 2, payload={"sleep": 5, "effect": 1})
    wrong = start("--slots", "2", "--lease", LEASE, TEST_CLOCK_OFFSET=hours * 3600)
    for job_id in ids:
        wrong.wait_for("job.claimed", job=job_id)
    # It reaps what others leave, and nothing of theirs that lives; and the other way round.
    right = start("--slots", "2", "--lease", LEASE)
    more = bench.enqueue(tenant, 6, payload={"sleep": 0.2, "effect": 1})
    (flaky,) = bench.enqueue(tenant, payload={"fail": "once more"})
    bench.change(flaky, max_retries=1)
    wait_until(bench, lambda: unended(bench) == 1)
    assert effects(bench) == Counter([*ids, *more])
    assert {tuple(outcomes(bench, job_id)) for job_id in (*ids, *more)} == {("succeeded",)}
    assert outcomes(bench, flaky) == ["error", "error"]
    assert bench.statuses(soon, flaky) == [QUEUED, FAILED]
    assert wrong.count("job.reaped") + right.count("job.reaped") == 0


@pytest.mark.parametrize("how", ["crash", "release"])
def test_an_analysis_that_comes_back_while_its_twin_waits_gives_way_to_it(
    bench: Bench, start: Start, how: str
) -> None:
    tenant, document = bench.tenant(), uuid.uuid4()

    def analyze() -> int:
        with tenant_rows(tenant):
            return enqueue_analysis(tenant_id=tenant, document_id=document, document_version_id=uuid.uuid4())

    def pause(paused: bool) -> None:
        with tenant_rows(tenant):
            set_queue(tenant_id=tenant, paused=paused)

    first = analyze()
    worker = start("--slots", "1", "--grace", "0", ARCHIV_FAILPOINT="job.started:stop:1")
    worker.wait_for("job.claimed", job=first)
    child = worker.wait_stopped()
    pause(True)  # or the twin might be claimed before anybody has heard of the first one's end
    twin = analyze()
    assert twin != first
    if how == "crash":
        os.kill(child, signal.SIGKILL)
        worker.wait_for("job.failed", job=first)
    else:
        worker.kill(signal.SIGTERM)
        assert worker.wait_exit() == 0
        worker = start("--slots", "1")
    job = bench.job(first)
    assert (job.status, job.failure_kind) == (FAILED, "superseded")
    pause(False)
    worker.wait_for("job.finished", job=twin, lease=1)
    assert effects(bench) == Counter([twin])


def test_a_child_that_closes_its_pipes_and_lives_on_is_replaced(bench: Bench, start: Start) -> None:
    worker = start("--slots", "1")
    (job_id,) = enqueue_odd(bench, bench.tenant(), "probe-closes", columns={"max_retries": 1})
    worker.wait_for("job.failed", job=job_id, kind="crash", status="failed")
    (after,) = bench.enqueue(bench.tenant(), payload={"effect": 1})
    worker.wait_for("job.finished", job=after)
    assert outcomes(bench, job_id) == ["crash", "crash"]
    assert worker.count("child.ended") == 2
    assert len(worker.children()) == 1, "who closed them has ended"


def test_a_worker_whose_output_nobody_reads_any_more_works_on(
    bench: Bench, worker_environment: dict[str, str]
) -> None:
    with subprocess.Popen(
        [sys.executable, "manage.py", "runworker", "--slots", "1"],
        cwd=PROJECT,
        env=worker_environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            assert process.stdout.readline().startswith(b"ready pid=")
            for pipe in (process.stdout, process.stderr):
                pipe.close()
            ids = bench.enqueue(bench.tenant(), 5, payload={"effect": 1})
            wait_until(bench, lambda: bench.statuses(*ids) == [SUCCEEDED] * 5)
            assert process.poll() is None
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
        finally:
            process.kill()
    assert effects(bench) == Counter(ids)


def test_what_happens_to_children_and_connections_moves_their_counters(bench: Bench, start: Start) -> None:
    worker = start("--slots", "1", "--metrics-port", "0")
    (address,) = [line.split()[1] for line in worker.lines if line.startswith("metrics ")]

    def ended(**job: Any) -> None:
        (job_id,) = bench.enqueue(bench.tenant(), **job)
        bench.change(job_id, max_retries=0)
        worker.wait_for("job.failed", job=job_id, status="failed")

    before = counters(address)
    ended(payload={"kill": "exit"})
    ended(type="probe-hasty", payload={"sleep": 600})
    (last,) = bench.enqueue(bench.tenant(), payload={"sleep": 2})
    worker.wait_for("job.claimed", job=last)
    kill_connections(bench, "dispatcher")
    worker.wait_for("database.lost", where="dispatcher")
    busy = counters(address)["archiv_worker_busy"]
    worker.wait_for("job.finished", job=last)
    after = counters(address)
    for name, least in (
        ('archiv_worker_children_ended_total{reason="crash"}', 1),
        ('archiv_worker_children_ended_total{reason="timeout"}', 1),
        ("archiv_worker_database_lost_total", 1),
        ("archiv_worker_claim_seconds_count", 3),
    ):
        assert after.get(name, 0) - before.get(name, 0) >= least, name
    assert (busy, after["archiv_worker_slots"]) == (1, 1)
