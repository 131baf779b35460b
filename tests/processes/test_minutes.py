"""What takes a whole minute, at the same time: a server that is away, and processes that contend."""

import io
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from archiv import embedded
from documents.models.document import DocumentSource
from documents.services import store_document
from tests.factories import TenantFactory
from tests.processes.own_server import OwnServer, own_server
from tests.processes.workers import PROJECT, WorkerProcess
from tests.tenants.wiping import run_sql

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

SECONDS = 60.0

#: Contenders hold no lease of that length: a machine that stands still for seconds is to end no statement.
PATIENT = {"ARCHIV_LEASE_SECONDS": "60"}


@dataclass
class Outage:
    """A server that was stopped, and a worker that was at work on it."""

    server: OwnServer
    worker: WorkerProcess
    began: float


@pytest.fixture(scope="module")
def outage() -> Iterator[Outage]:
    with own_server() as server:
        worker = WorkerProcess(("--slots", "2"), server.environment)
        try:
            server.enqueue_probes(1, '{"effect": 1}')
            worker.wait_for("job.finished", timeout=60)
            server.enqueue_probes(2, '{"effect": 1, "sleep": 3}')
            for _ in range(2):
                worker.wait_for("job.claimed")
            embedded.stop(server.place)
            yield Outage(server, worker, time.monotonic())
        finally:
            worker.destroy()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("outage")
def test_four_processes_that_do_everything_to_the_same_rows_meet_no_deadlock(
    process_environment: dict[str, str],
) -> None:
    tenant = TenantFactory.create()
    for number in range(8):
        store_document(
            tenant_id=tenant.id,
            stream=io.BytesIO(b"paper %d" % number),
            filename="paper.txt",
            source=DocumentSource.IMPORT,
        )
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.processes.contender", str(SECONDS), str(seed), str(tenant.id)],
            cwd=PROJECT,
            env=process_environment | PATIENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in range(4)
    ]
    ended = [process.communicate(timeout=SECONDS + 60) for process in processes]
    assert [process.returncode for process in processes] == [0] * 4, "".join(error for _, error in ended)
    done: Counter[str] = sum((Counter(json.loads(said)) for said, _ in ended), Counter())
    assert min(done.values()) >= 20, done
    assert run_sql("SELECT count(*) FROM jobs_jobattempt WHERE error ILIKE '%%deadlock%%'", []) == [(0,)]
    check_rows_agree()


def check_rows_agree() -> None:
    """However they were pushed about, each row of the queue makes sense."""
    wrong = """
        SELECT id, status, lease FROM jobs_job WHERE
        (status = 'processing') <> (lease_expires_at IS NOT NULL)
        OR (status IN ('succeeded', 'failed')) <> (finished_at IS NOT NULL)
        OR (SELECT count(*) FROM jobs_jobattempt AS attempt WHERE attempt.job_id = jobs_job.id)
            <> lease - (status = 'processing')::int
    """
    assert run_sql(wrong) == []


def test_a_worker_comes_back_by_itself_after_a_minute_without_a_database(outage: Outage) -> None:
    time.sleep(max(0.0, outage.began + SECONDS - time.monotonic()))
    assert outage.worker.process.poll() is None
    embedded.ensure(outage.server.place)
    for _ in range(2):
        outage.worker.wait_for("job.finished", timeout=15)
    outage.server.enqueue_probes(1, '{"effect": 1}')
    outage.worker.wait_for("job.finished", timeout=15)
    counted = outage.server.query("SELECT count(*), count(DISTINCT job_id) FROM jobs_probeeffect")
    assert counted == [(4, 4)]
    expired = "SELECT count(*) FROM jobs_jobattempt WHERE outcome <> 'succeeded'"
    assert outage.server.query(expired)[0][0] in (0, 1, 2)
