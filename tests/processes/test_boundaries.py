"""Killed or cut off between any two statements: found by one run that notes them, then broken at each."""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path

import pytest

from jobs.models import JobStatus, Lane
from jobs.scope import tenant_rows
from jobs.services import set_queue
from tests.jobs.bench import Bench
from tests.processes.looking import effects, enqueue_odd, unended, wait_until
from tests.processes.workers import WorkerProcess

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

Start = Callable[..., WorkerProcess]
QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus
LEASE = "2"
#: Verbs that end what the worker holds or begin it; a worker that dies at one is replaced by the next.
DEADLY = {"claim", "claim_capped", "claim_urgent", "finish_batch", "fail_batch", "release", "reap"}
#: Verbs that a worker passes before it is stopped.
SEEN = (DEADLY - {"release"}) | {"beat", "stage", "find_expired"}


class Breaks:
    """The folder that says where workers break; see tests/processes/odd_jobs/breaking.py."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.passed = folder / "passed"
        self.passed.touch()

    def note(self) -> list[str]:
        """Return the places that were passed, each once, and note no more."""
        places = list(dict.fromkeys(self.passed.read_text().split()))
        self.passed.unlink()
        return places

    def arm(self, places: list[str], *actions: str) -> int:
        for place in places:
            for action in actions:
                (self.folder / f"{place}.{action}").touch()
        return len(places) * len(actions)

    @property
    def left(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def breaks(tmp_path: Path) -> Breaks:
    return Breaks(tmp_path)


def test_a_child_killed_or_cut_off_at_any_statement_leaves_each_job_done_once(
    bench: Bench, start: Start, breaks: Breaks
) -> None:
    tenant = bench.tenant()
    worker = start("--slots", "1", "--lease", LEASE, TEST_BREAKS=breaks.folder)
    (cold,) = enqueue_odd(bench, tenant, "probe-steps")
    worker.wait_for("job.finished", job=cold)
    breaks.passed.write_text("")
    # A second one: its statements are only its own, not those that open a connection.
    (first,) = enqueue_odd(bench, tenant, "probe-steps")
    worker.wait_for("job.finished", job=first)
    places = [place for place in breaks.note() if place.startswith("step.")]
    assert len(places) > 2 * 8
    armed = breaks.arm(places, "kill", "terminate")
    ids = [cold, first, *enqueue_odd(bench, tenant, "probe-steps", armed)]
    wait_until(bench, lambda: not unended(bench))
    assert breaks.left == []
    assert set(bench.statuses(*ids)) == {SUCCEEDED}
    assert effects(bench) == Counter(ids)
    assert worker.count("child.ended") >= len(places) - 2


class Mix:
    """Jobs whose ways through a dispatcher meet all of its verbs."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.tenant, self.capped = bench.tenant(), bench.tenant()
        self.done: list[int] = []
        self.failed: list[int] = []
        with tenant_rows(self.capped):
            set_queue(tenant_id=self.capped, max_running=1)

    def enqueue(self) -> None:
        bench = self.bench
        # Longer than the pause between two heartbeats.
        self.done += bench.enqueue(self.tenant, payload={"sleep": 1})
        self.done += bench.enqueue(self.tenant, 2, payload={"effect": 1})
        self.done += bench.enqueue(self.tenant, 2)
        self.done += bench.enqueue(self.capped, 2, payload={"effect": 1})
        self.done += bench.enqueue(self.tenant, lane=Lane.URGENT, payload={"effect": 1})
        self.done.append(self.abandon(self.tenant))
        self.failed += enqueue_odd(
            bench, self.tenant, "probe-odd-error", payload={"error": "nul"}, columns={"max_retries": 0}
        )

    def abandon(self, tenant: uuid.UUID) -> int:
        """Return a job that a dead worker holds."""
        (job_id,) = self.bench.enqueue(tenant, payload={"effect": 1}, delay_seconds=3600)
        self.bench.change(
            job_id,
            status="'processing'",
            lane=int(Lane.NORMAL),
            lease=1,
            worker="'dead'",
            started_at="statement_timestamp()",
            lease_expires_at="statement_timestamp() - interval '1 s'",
        )
        return job_id

    def check(self) -> None:
        """Each job ended as it must, with its effects once."""
        assert set(self.bench.statuses(*self.done)) == {SUCCEEDED}
        assert set(self.bench.statuses(*self.failed)) == {FAILED}
        told = effects(self.bench)
        assert set(told.values()) == {1}
        assert not set(told) & set(self.failed)


def stop_in_the_middle(bench: Bench, mix: Mix, worker: WorkerProcess) -> None:
    """Let a worker give back what it runs, so that it comes to that verb too."""
    (long,) = bench.enqueue(mix.tenant, payload={"sleep": 600})
    try:
        worker.wait_for("job.claimed", job=long)
        worker.kill(15)
        worker.wait_exit()
    finally:
        bench.change(long, payload="'{}'")
        mix.done.append(long)


def find_places(bench: Bench, start: Start, breaks: Breaks, mix: Mix) -> list[str]:
    """Return the places that a worker is sure to pass on its way through the mix."""
    worker = start("--slots", "2", "--lease", LEASE, "--grace", "0", TEST_BREAKS=breaks.folder)
    rounds: list[list[str]] = []
    # A verb may be passed by in a round: an end rides with a claim, where one comes soon.
    while len(rounds) < 4 or (len(rounds) < 12 and not _verbs(chain(*rounds[1:])) >= SEEN):
        breaks.passed.write_text("")
        mix.enqueue()
        wait_until(bench, lambda: not unended(bench))
        rounds.append(breaks.passed.read_text().split())
    breaks.passed.write_text("")
    stop_in_the_middle(bench, mix, worker)
    # The first round also prepares statements, and opens connections for it. The first statement of a verb
    # comes sooner or later; how many ends meet in one batch, where one that is refused has them all written
    # one by one, is another thing each time.
    always = set.intersection(*map(set, rounds[1:]))
    places = [place for place in chain(*rounds[1:]) if place in always or place.split(".")[1] == "1"]
    places += [place for place in breaks.note() if place.startswith("release.")]
    assert _verbs(places) >= {*SEEN, "release"}
    return list(dict.fromkeys(places))


def _verbs(places: Iterable[str]) -> set[str]:
    return {place.partition(".")[0] for place in places}


def test_a_worker_cut_off_at_any_statement_goes_on_and_each_job_is_done_once(
    bench: Bench, start: Start, breaks: Breaks
) -> None:
    mix = Mix(bench)
    # The others send statements only now and then, or once.
    steady = DEADLY | {"beat", "show_worker", "stage", "read_rules", "find_expired"}
    places = [one for one in find_places(bench, start, breaks, mix) if one.partition(".")[0] in steady]
    breaks.arm(places, "terminate")
    worker = start("--slots", "2", "--lease", LEASE, "--grace", "0", TEST_BREAKS=breaks.folder)
    for _ in range(40):
        mix.enqueue()
        wait_until(bench, lambda: not unended(bench))
        if all(name.startswith("release.") for name in breaks.left):
            break
    stop_in_the_middle(bench, mix, worker)
    assert breaks.left == []
    assert worker.process.returncode == 0
    assert start("--drain", "--slots", "2", ready=False).wait_exit(60) == 0
    mix.check()


def work_until_dead(bench: Bench, mix: Mix, breaks: Breaks, worker: WorkerProcess) -> None:
    """Give a worker the mix until it comes to a place where it dies; once is enough, nearly always."""

    def died() -> bool:
        return worker.process.poll() is not None

    for _ in range(5):
        mix.enqueue()
        if all(name.startswith("release.") for name in breaks.left):
            worker.wait_ready()
            try:
                stop_in_the_middle(bench, mix, worker)
            except AssertionError:
                # It dies sooner where it gives back what it claimed for a child that has no room any more.
                wait_until(bench, died, 5)
        wait_until(bench, lambda: died() or not unended(bench), 120)
        if died():
            return


def test_a_worker_killed_at_any_statement_of_its_verbs_leaves_each_job_done_once(
    bench: Bench, start: Start, breaks: Breaks
) -> None:
    mix = Mix(bench)
    # Dying before a statement is dying after the one before it.
    places = [
        place
        for place in find_places(bench, start, breaks, mix)
        if place.split(".")[0] in DEADLY and place.endswith(".after")
    ]
    armed = breaks.arm(places, "kill")
    for _ in range(armed):
        worker = start(
            "--slots", "1", "--lease", LEASE, "--grace", "0", ready=False, TEST_BREAKS=breaks.folder
        )
        work_until_dead(bench, mix, breaks, worker)
        assert worker.wait_exit(60) == -9
    assert breaks.left == []
    start("--slots", "2", "--lease", LEASE)
    # What so many dead workers left is much, and what died with several of them pauses for long.
    bench.run_sql("UPDATE jobs_job SET lane = home_lane, next_attempt_at = now() WHERE status = 'queued'")
    wait_until(bench, lambda: not unended(bench), 300)
    mix.check()
