"""PostgreSQL itself goes away in the middle of the work, on a server of its own."""

import os
import signal

import pytest

from archiv import embedded
from archiv.embedded_tools import server_pid
from tests.processes.own_server import own_server
from tests.processes.workers import WorkerProcess

JOBS, WORKERS = 1000, 4


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_workers_outlive_a_server_that_is_killed_and_do_each_job_once() -> None:
    with own_server() as server:
        server.enqueue_probes(JOBS, '{"effect": 1, "sleep": 0.01}')
        workers = [WorkerProcess(("--slots", "2", "--drain"), server.environment) for _ in range(WORKERS)]
        try:
            for worker in workers:
                for _ in range(10):
                    worker.wait_for("job.finished", timeout=60)
            pid = server_pid(server.place)
            assert pid is not None
            os.kill(pid, signal.SIGQUIT)
            for worker in workers:
                worker.wait_for("database.lost", timeout=60)
            embedded.ensure(server.place)
            assert [worker.wait_exit(120) for worker in workers] == [0] * WORKERS
        finally:
            for worker in workers:
                worker.destroy()
        assert server.query("SELECT status, count(*) FROM jobs_job GROUP BY status") == [("succeeded", JOBS)]
        counted = server.query("SELECT count(*), count(DISTINCT job_id) FROM jobs_probeeffect")
        assert counted == [(JOBS, JOBS)]
