"""Real workers on the database of this run: one that serves many tests, and others for a single one."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from tests.jobs.bench import Bench, open_bench
from tests.processes.workers import WorkerProcess

#: Quick enough to start by the dozen: see there.
SETTINGS = "tests.processes.settings"


@pytest.fixture
def bench(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Bench]:
    """The queue's tables, emptied afterwards."""
    with open_bench(django_db_blocker) as opened:
        yield opened


@pytest.fixture(scope="module")
def worker_environment(process_environment: dict[str, str]) -> dict[str, str]:
    """What workers of tests find in their environment."""
    return process_environment | {"DJANGO_SETTINGS_MODULE": SETTINGS, "ARCHIV_LOG_LEVEL": "DEBUG"}


@pytest.fixture
def start(bench: Bench, worker_environment: dict[str, str]) -> Iterator[Callable[..., WorkerProcess]]:
    """Start a worker and wait until it is ready; whatever is left of it is killed when the test ends."""
    started: list[WorkerProcess] = []

    def run(*options: str, ready: bool = True, **environment: Any) -> WorkerProcess:
        given = {name: str(value) for name, value in environment.items()}
        worker = WorkerProcess(options, worker_environment | given)
        started.append(worker)
        if ready:
            worker.wait_ready()
        return worker

    yield run
    for worker in started:
        worker.destroy()


@pytest.fixture(scope="module")
def standing(worker_environment: dict[str, str]) -> Iterator[WorkerProcess]:
    """One worker with two slots that runs for all tests of a module: they leave it as they found it.

    It polls so seldom that only a hint explains a job that starts at once.
    """
    options = ("--slots", "2", "--lease", "2", "--metrics-port", "0")
    worker = WorkerProcess(options, worker_environment | {"ARCHIV_POLL_SECONDS": "3"})
    worker.wait_ready()
    yield worker
    worker.destroy()
