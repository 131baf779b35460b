"""Behind pgbouncer in transaction mode: no session is ours for longer than a transaction."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections

from archiv.database_roles import role_urls
from jobs.models import JobStatus
from jobs.scope import tenant_rows
from jobs.services import set_queue
from tests.jobs.bench import Bench
from tests.processes.looking import effects, unended, wait_until
from tests.processes.workers import WorkerProcess

pytestmark = pytest.mark.slow

QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus
PGBOUNCER = shutil.which("pgbouncer", path=os.environ.get("PATH", "") + ":/usr/sbin")


class Pooler:
    """One pgbouncer on a port of its own, before the server of this run."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        server = settings.ARCHIV_OWNER_ADDRESS
        roles = (server, settings.ARCHIV_APP_ADDRESS, settings.ARCHIV_QUEUE_ADDRESS)
        users = folder / "users.txt"
        users.write_text("".join(f'"{role.user}" "{role.password}"\n' for role in roles))
        self.config = folder / "pgbouncer.ini"
        self.config.write_text(
            f"""[databases]
* = host={server.host or "/var/run/postgresql"} port={server.port or 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = {"plain" if server.password else "trust"}
auth_file = {users}
pool_mode = transaction
default_pool_size = 4
logfile = {folder / "log"}
"""
        )
        # It refuses root, and the socket of the embedded server is open to its own user only.
        place = settings.ARCHIV_EMBEDDED
        self.account = place.account if place is not None and os.geteuid() == 0 else None
        if self.account is not None:
            for path in (folder, users, self.config):
                os.chown(path, self.account.uid, self.account.gid)
        self.start()

    def start(self) -> None:
        assert PGBOUNCER is not None
        user, group = (self.account.uid, self.account.gid) if self.account else (None, None)
        self.process = subprocess.Popen([PGBOUNCER, str(self.config)], user=user, group=group)
        end = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert self.process.poll() is None, "pgbouncer ended: see its words above"
                assert time.monotonic() < end, "pgbouncer does not answer"
                time.sleep(0.05)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def pooler() -> Iterator[Pooler]:
    if PGBOUNCER is None:
        pytest.skip("NO TEST BEHIND A POOLER WAS RUN: pgbouncer is missing (apt-get install pgbouncer)")
    folder = Path(tempfile.mkdtemp(prefix="archiv-pooler-", dir="/tmp")).resolve()
    pooler = Pooler(folder)
    yield pooler
    pooler.kill()
    shutil.rmtree(folder)


def test_workers_behind_a_pooler_do_each_job_once_and_outlive_it(
    bench: Bench, start: Callable[..., WorkerProcess], pooler: Pooler
) -> None:
    changes = {
        "database": connections["owner"].settings_dict["NAME"],
        "host": "127.0.0.1",
        "port": str(pooler.port),
    }
    given = role_urls(**changes) | {"ARCHIV_POOLED": "1"}
    capped, tenant = bench.tenant(), bench.tenant()
    with tenant_rows(capped):
        set_queue(tenant_id=capped, max_running=1)
    workers = [start("--slots", "2", "--lease", "2", **given) for _ in range(2)]
    done: list[int] = []
    for _ in range(2):
        done += bench.enqueue(tenant, 15, payload={"effect": 1, "sleep": 0.05})
        done += bench.enqueue(capped, 5, payload={"effect": 1})
        workers[0].wait_for("job.claimed")
        (failing,) = bench.enqueue(tenant, payload={"fail": "always"})
        bench.change(failing, max_retries=1)
        # In the middle of it, and once more with those that came back.
        pooler.kill()
        pooler.start()
        wait_until(bench, lambda: not unended(bench))
        assert bench.statuses(failing) == [FAILED]
    assert set(bench.statuses(*done)) == {SUCCEEDED}
    assert effects(bench) == Counter(done)
    assert all(worker.process.poll() is None for worker in workers)
    assert workers[0].count("database.lost") > 0
