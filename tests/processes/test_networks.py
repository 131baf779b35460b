"""The network between worker and database breaks, hangs, or leads to a server that refuses."""

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.db import connections

from archiv.database_roles import role_urls
from jobs.models import JobStatus
from tests.jobs.bench import Bench
from tests.processes.looking import effects, unended, wait_until
from tests.processes.proxy import Proxy
from tests.processes.workers import WorkerProcess

Start = Callable[..., WorkerProcess]
QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus
LEASE = "2"


def addresses(**changes: str) -> dict[str, str]:
    """The addresses of all three roles in the database of this run, otherwise as given."""
    return role_urls(**({"database": connections["owner"].settings_dict["NAME"]} | changes))


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    proxy = Proxy(settings.ARCHIV_OWNER_ADDRESS)
    yield proxy
    proxy.close()


def start_behind(start: Start, proxy: Proxy, *options: str) -> WorkerProcess:
    return start(
        *("--slots", "2", "--lease", LEASE, *options),
        **addresses(host="127.0.0.1", port=str(proxy.port)),
        ARCHIV_LEASE_SECONDS=LEASE,
    )


def reset(proxy: Proxy) -> None:
    assert proxy.reset() > 0


def slow_down(proxy: Proxy) -> None:
    proxy.delay = 0.3
    time.sleep(2)
    proxy.delay = 0.0


def refuse(proxy: Proxy) -> None:
    proxy.refuses = True
    proxy.reset()
    time.sleep(1)
    proxy.refuses = False


def lose_answers(proxy: Proxy) -> None:
    proxy.is_mute = True
    time.sleep(0.5)
    proxy.reset()
    proxy.is_mute = False


def swallow(proxy: Proxy) -> None:
    proxy.swallow()
    time.sleep(5)
    proxy.let_through()


@pytest.mark.slow
def test_whatever_a_network_does_each_job_is_done_once(bench: Bench, start: Start, proxy: Proxy) -> None:
    worker = start_behind(start, proxy)
    tenant, ids = bench.tenant(), []
    for break_it in (reset, slow_down, refuse, lose_answers, swallow):
        ids += bench.enqueue(tenant, 4, payload={"effect": 1, "sleep": 0.1})
        ids += bench.enqueue(tenant, 4)
        worker.wait_for("job.claimed")
        break_it(proxy)
        wait_until(bench, lambda: not unended(bench), 30)
    assert set(bench.statuses(*ids)) == {SUCCEEDED}
    assert set(effects(bench).values()) == {1}
    assert len(effects(bench)) == len(ids) / 2
    assert worker.count("database.lost", where="dispatcher") >= 3


@pytest.mark.slow
def test_a_database_that_hangs_is_given_up_after_a_lease_and_the_worker_can_be_stopped(
    bench: Bench, start: Start, proxy: Proxy
) -> None:
    worker = start_behind(start, proxy, "--grace", "0")
    (job_id,) = bench.enqueue(bench.tenant(), payload={"sleep": 600, "effect": 1})
    worker.wait_for("job.claimed", job=job_id)
    proxy.swallow()
    for purpose in ("dispatcher", "heartbeat"):
        worker.wait_for("database.lost", where=purpose, timeout=15)
    worker.kill(signal.SIGTERM)
    assert worker.wait_exit(40) == 1
    assert any("some jobs run again when their leases end" in line for line in worker.other)
    proxy.let_through()
    bench.change(job_id, payload="""'{"effect": 1}'""")
    other = start("--slots", "1", "--lease", LEASE)
    other.wait_for("job.finished", job=job_id, lease=2)
    assert effects(bench) == Counter([job_id])


@pytest.mark.parametrize(
    "change", [{"database": "nowhere"}, pytest.param({"user": "who"}, marks=pytest.mark.slow)]
)
def test_a_worker_that_is_not_let_in_ends_and_says_why(
    bench: Bench, start: Start, change: dict[str, str]
) -> None:
    given = addresses(**change)
    if "user" in change:
        given |= {
            "ARCHIV_ROLE_PREFIX": "who_",
            "ARCHIV_APP_DATABASE_URL": "",
            "ARCHIV_QUEUE_DATABASE_URL": "",
        }
    worker = start("--slots", "1", ready=False, **given)
    assert worker.wait_exit(60) == 1
    said = "".join(worker.other)
    assert "The database does not let this worker in" in said
    assert "does not exist" in said
    assert "DATABASE_URL" in said
    assert "Traceback" not in said


@pytest.mark.slow
def test_a_worker_waits_for_a_database_that_is_merely_away(bench: Bench, start: Start, proxy: Proxy) -> None:
    proxy.refuses = True
    given = addresses(host="127.0.0.1", port=str(proxy.port))
    worker = start("--slots", "1", ready=False, **given)
    worker.wait_for("database.lost", where="dispatcher", timeout=60)
    proxy.refuses = False
    worker.wait_ready()
