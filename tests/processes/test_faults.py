"""Faults: processes that die, stop and hang, connections that are cut. Nothing is lost or done twice."""

import os
import signal
from collections import Counter
from collections.abc import Callable

import pytest
from django.db import connections

from jobs.models import JobStatus
from tests.jobs.bench import Bench
from tests.processes.workers import WorkerProcess

Start = Callable[..., WorkerProcess]
QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus
LEASE = "2"
#: Where no lease may end: long enough for a machine that stands still for some seconds.
PATIENT_LEASE = "8"


def effects(bench: Bench) -> Counter[int]:
    return Counter(row[0] for row in bench.run_sql("SELECT job_id FROM jobs_probeeffect"))


def outcomes(bench: Bench, job_id: int) -> list[str]:
    return [one.outcome for one in bench.attempts(job_id)]


@pytest.mark.slow
def test_what_a_killed_worker_held_runs_again_elsewhere_and_is_finished_once(
    bench: Bench, start: Start
) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"sleep": 1, "effect": 1})
    first = start("--slots", "1", "--lease", LEASE)
    first.wait_for("job.claimed", job=job_id)
    first.kill()
    second = start("--slots", "1", "--lease", LEASE)
    second.wait_for("job.reaped", job=job_id, timeout=10)
    second.wait_for("job.finished", job=job_id, lease=2)
    assert effects(bench) == Counter([job_id])
    assert outcomes(bench, job_id) == ["lease_expired", "succeeded"]
    assert bench.job(job_id).retry_count == 1


@pytest.mark.slow
def test_a_child_killed_right_after_its_commit_has_succeeded(bench: Bench, start: Start) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"effect": 1})
    worker = start("--drain", "--slots", "1", ready=False, ARCHIV_FAILPOINT="job.finished:kill:1")
    assert worker.wait_exit(60) == 0
    assert worker.count("child.ended") == 1
    assert worker.count("job.finished", job=job_id) == 1
    assert (outcomes(bench, job_id), effects(bench)) == (["succeeded"], Counter([job_id]))


@pytest.mark.slow
def test_a_worker_stopped_for_three_leases_changes_nothing_and_says_so(bench: Bench, start: Start) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"sleep": 1, "effect": 1})
    first = start("--slots", "1", "--lease", LEASE)
    first.wait_for("job.claimed", job=job_id)
    family = first.family()
    for pid in family:
        os.kill(pid, signal.SIGSTOP)
    second = start("--slots", "1", "--lease", LEASE)
    second.wait_for("job.finished", job=job_id, lease=2)
    for pid in reversed(family):
        os.kill(pid, signal.SIGCONT)
    first.wait_for("job.lease_lost", job=job_id, lease=1)
    job = bench.job(job_id)
    assert (job.status, job.lease, effects(bench)) == (SUCCEEDED, 2, Counter([job_id]))
    second.kill()
    (other,) = bench.enqueue(bench.tenant())
    first.wait_for("job.finished", job=other)


@pytest.mark.slow
def test_a_handler_that_holds_the_interpreter_for_two_leases_keeps_its_lease(
    bench: Bench, start: Start
) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"spin": 18, "effect": 1})
    worker = start("--slots", "1", "--lease", PATIENT_LEASE)
    worker.wait_for("job.finished", job=job_id, lease=1)
    assert worker.count("job.reaped") == 0
    assert outcomes(bench, job_id) == ["succeeded"]


@pytest.mark.slow
def test_one_finish_that_stays_open_lets_no_other_lease_end(bench: Bench, start: Start) -> None:
    (slow,) = bench.enqueue(bench.tenant(), payload={"effect": 1, "hold": 12})
    others = bench.enqueue(bench.tenant(), 2, payload={"sleep": 15, "effect": 1})
    worker = start("--slots", "3", "--lease", PATIENT_LEASE)
    reaper = start("--slots", "1", "--lease", PATIENT_LEASE)
    done: set[int] = set()
    while len(done) < 3:
        done.add(_next_finished(worker, reaper))
    assert {tuple(outcomes(bench, job_id)) for job_id in (slow, *others)} == {("succeeded",)}
    assert effects(bench) == Counter([slow, *others])


def _next_finished(*workers: WorkerProcess) -> int:
    """Wait for whichever worker finishes a job first."""
    while True:
        for worker in workers:
            try:
                return int(worker.wait_for("job.finished", timeout=0.2)["job"])
            except AssertionError as nothing:
                if "within" not in str(nothing):
                    raise


FAILPOINTS = [
    ("claimed", "kill"),
    ("claimed", "raise"),
    ("claimed", "stop"),
    *((place, action) for place in ("started", "body", "effects") for action in ("kill", "raise", "stop")),
    ("finished", "kill"),
    ("finished", "stop"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("place", "action"), FAILPOINTS)
def test_whatever_happens_at_a_failpoint_each_job_is_done_once(
    bench: Bench, start: Start, place: str, action: str
) -> None:
    ids = bench.enqueue(bench.tenant(), 2, type="probe-hasty", payload={"effect": 1})
    broken = start("--slots", "2", "--lease", LEASE, ready=False, ARCHIV_FAILPOINT=f"job.{place}:{action}:1")
    if place == "claimed":
        _wait_until(bench, lambda: PROCESSING in bench.statuses(*ids))
        start("--slots", "1", "--lease", LEASE)
    _wait_until(bench, lambda: bench.statuses(*ids) == [SUCCEEDED, SUCCEEDED])
    ended = broken.process.poll() is not None
    assert ended == ((place, action) in {("claimed", "kill"), ("claimed", "raise")})
    assert effects(bench) == Counter(ids)
    (hit, *_) = sorted((outcomes(bench, job_id) for job_id in ids), key=len, reverse=True)
    assert hit == [*EXPECTED[place, action], "succeeded"]


#: What the attempt that met the failpoint is on record as.
EXPECTED = {
    **{("claimed", action): ["lease_expired"] for action in ("kill", "raise", "stop")},
    **{(place, "kill"): ["crash"] for place in ("started", "body", "effects")},
    **{(place, "raise"): ["error"] for place in ("started", "body", "effects")},
    **{(place, "stop"): ["timeout"] for place in ("started", "body", "effects")},
    **{("finished", action): [] for action in ("kill", "stop")},
}


def _wait_until(bench: Bench, condition: Callable[[], bool]) -> None:
    """Wait for what no event of one worker tells: whoever did it."""
    for _ in range(600):
        if condition():
            return
        bench.run_sql("SELECT pg_sleep(0.05)")
    raise AssertionError([(job.id, job.status, job.worker) for job in bench.jobs()])


@pytest.mark.slow
@pytest.mark.parametrize("purpose", ["dispatcher", "heartbeat", "listener", "app"])
def test_a_connection_that_is_killed_is_opened_again(bench: Bench, start: Start, purpose: str) -> None:
    worker = start("--slots", "1", "--lease", LEASE)
    (first,) = bench.enqueue(bench.tenant(), payload={"effect": 1})
    worker.wait_for("job.finished", job=first)
    kill_connections(bench, purpose)
    (second,) = bench.enqueue(bench.tenant(), payload={"effect": 1})
    worker.wait_for("job.finished", job=second)
    if purpose != "app":
        worker.wait_for("database.lost", where=purpose)
        worker.wait_for("database.back", where=purpose)
    assert effects(bench) == Counter([first, second])
    assert outcomes(bench, second)[-1] == "succeeded"
    assert bench.job(second).retry_count <= 1


def kill_connections(bench: Bench, purpose: str) -> None:
    """Kill the worker's connections of this kind, as the role that owns them: others may not."""
    killing = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = %s AND datname = current_database() AND pid <> pg_backend_pid()
    """
    if purpose == "app":
        with connections["default"].cursor() as cursor:
            cursor.execute(killing, ["archiv app"])
            assert cursor.fetchall()
    else:
        assert bench.worker().connection.execute(killing, [f"archiv {purpose}"]).fetchall()


@pytest.mark.slow
def test_a_connection_killed_in_the_middle_of_a_job_costs_no_job(bench: Bench, start: Start) -> None:
    ids = bench.enqueue(bench.tenant(), 2, payload={"sleep": 1.5, "effect": 1})
    worker = start("--slots", "2", "--lease", LEASE)
    for job_id in ids:
        worker.wait_for("job.claimed", job=job_id)
    for purpose in ("dispatcher", "heartbeat", "listener"):
        kill_connections(bench, purpose)
    for job_id in ids:
        worker.wait_for("job.finished", job=job_id, lease=1)
    assert effects(bench) == Counter(ids)


@pytest.mark.slow
def test_two_workers_share_many_jobs_and_do_each_once(bench: Bench, start: Start) -> None:
    ids = [job_id for _ in range(4) for job_id in bench.enqueue(bench.tenant(), 50, payload={"effect": 1})]
    workers = [start("--drain", "--slots", "2", ready=False) for _ in range(2)]
    assert [worker.wait_exit(90) for worker in workers] == [0, 0]
    assert effects(bench) == Counter(ids)
    assert set(bench.statuses(*ids)) == {SUCCEEDED}
    assert sum(worker.count("job.finished") for worker in workers) == 200


@pytest.mark.slow
def test_a_template_that_dies_is_started_anew_and_charges_nobody(bench: Bench, start: Start) -> None:
    (job_id,) = bench.enqueue(bench.tenant(), payload={"sleep": 2, "effect": 1})
    worker = start("--slots", "1")
    worker.wait_for("job.claimed", job=job_id)
    os.kill(worker.template(), signal.SIGKILL)
    worker.wait_for("template.ended", template="child")
    worker.wait_for("job.released", job=job_id)
    worker.wait_for("job.finished", job=job_id, lease=2)
    assert bench.job(job_id).retry_count == 0
