"""What the adversary plays with: a server, workers behind breakable networks, jobs, and the books."""

import os
import random
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace

import psycopg
from django.conf import settings
from django.db import Error, connections

from archiv import embedded
from archiv.databases import derive_address
from archiv.embedded_place import BOOTSTRAP_ROLE, EmbeddedError, Place
from jobs.scope import tenant_rows
from jobs.services import enqueue_many, set_queue
from tests.processes.proxy import Proxy
from tests.processes.workers import WorkerProcess

LEASE = 3.0
_TENANTS = 12
_SLOTS = 2
_BATCH, _BACKLOG = 25, 120
_GOOD_ORDER_SECONDS = 10.0
_START_TRIES = 3


class Server:
    """The PostgreSQL of this run, asked as its superuser, who sees the rows of all tenants."""

    def __init__(self, place: Place) -> None:
        self.place = place
        #: Held by whoever stops it: two at once would start it twice.
        self.lock = threading.Lock()
        #: How often it did not come up, and was ended and started again.
        self.hung = 0

    def ask(self, sql: str, parameters: object = None, *, patience: float = 300.0) -> list[tuple]:
        """Return the rows of one statement, which is tried again while the server is away."""
        end = time.monotonic() + patience
        while True:
            try:
                with psycopg.connect(
                    host=str(self.place.run),
                    port=5432,
                    user=BOOTSTRAP_ROLE,
                    dbname="archiv",
                    autocommit=True,
                    connect_timeout=5,
                    options="-c statement_timeout=20s",
                ) as connection:
                    cursor = connection.execute(sql, parameters)
                    return cursor.fetchall() if cursor.description else []
            except psycopg.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def stop(self) -> None:
        """Stop it in good order, or at once where that takes too long, as in the middle of a recovery."""
        embedded.stop(self.place, seconds=_GOOD_ORDER_SECONDS)

    def start(self) -> None:
        """Start it; one that does not come up is ended and started again, as by whoever watches over it."""
        for _ in range(_START_TRIES):
            try:
                return embedded.ensure(self.place)
            except (EmbeddedError, psycopg.OperationalError):
                self.hung += 1
                embedded.stop(self.place, seconds=0)
        return embedded.ensure(self.place)


@dataclass
class Slot:
    """The place of one worker: its network outlives it."""

    number: int
    proxy: Proxy
    environment: dict[str, str]
    worker: WorkerProcess | None = None
    #: Whether its end is wanted: any other end is found out.
    is_ending: bool = False

    def start(self, **environment: str) -> None:
        """Start a worker here and do not wait for it."""
        options = ("--slots", str(_SLOTS), "--lease", str(LEASE), "--grace", "2")
        self.worker = WorkerProcess(options, self.environment | environment)
        self.is_ending = False

    @property
    def name_like(self) -> str:
        """A pattern for the name of its worker."""
        return f"%:{self.worker.pid}:%" if self.worker else ""


class World:
    """Everything that may be broken, and the jobs that must survive it."""

    def __init__(self, server: Server, workers: int) -> None:
        self.server = server
        self.slots = [self._make_slot(number) for number in range(workers)]
        self.tenants = [uuid.UUID(int=n + 1) for n in range(_TENANTS)]
        #: Jobs whose enqueueing was confirmed.
        self.enqueued: set[int] = set()
        #: Workers that ended though nobody wanted it, with their last words.
        self.died: list[str] = []
        self._over = threading.Event()
        self._threads = [threading.Thread(target=one) for one in (self._enqueue, self._watch)]

    def _make_slot(self, number: int) -> Slot:
        proxy = Proxy(self.server.place.owner_address(""))
        owner = replace(settings.ARCHIV_OWNER_ADDRESS, host="127.0.0.1", port=str(proxy.port))
        environment = dict(os.environ) | {
            "DATABASE_URL": owner.url(),
            "ARCHIV_APP_DATABASE_URL": derive_address(owner, settings.ARCHIV_APP_ADDRESS.user).url(),
            "ARCHIV_QUEUE_DATABASE_URL": derive_address(owner, settings.ARCHIV_QUEUE_ADDRESS.user).url(),
            "DJANGO_SETTINGS_MODULE": "tests.processes.settings",
            "ARCHIV_LOG_LEVEL": "WARNING",
        }
        return Slot(number, proxy, environment)

    def begin(self) -> None:
        """Start the workers and the work."""
        set_queue_of = {self.tenants[0]: 2, self.tenants[1]: 1}
        for tenant, most in set_queue_of.items():
            with tenant_rows(tenant):
                set_queue(tenant_id=tenant, max_running=most)
        for slot in self.slots:
            slot.start()
        for slot in self.slots:
            assert slot.worker is not None
            slot.worker.wait_ready(300)
        for thread in self._threads:
            thread.start()

    def _enqueue(self) -> None:
        """Keep a backlog, whatever happens to the server."""
        chance = random.Random(7)
        while not self._over.wait(0.2):
            try:
                (waiting,) = self.server.ask("SELECT count(*) FROM jobs_job WHERE status = 'queued'")[0]
            except psycopg.OperationalError:
                continue  # away for minutes: whoever has to do something about that says so
            if waiting > _BACKLOG:
                continue
            tenant = chance.choice(self.tenants)
            payloads = [
                {"effect": 1, "sleep": chance.choice([0, 0, 0.02, 0.1, 0.3, 0.8])} for _ in range(_BATCH)
            ]
            try:
                with tenant_rows(tenant):
                    ids = enqueue_many(tenant_id=tenant, type="probe", payloads=payloads)
            except Error:
                connections["default"].close()  # not confirmed, so nobody may count on it
                continue
            self.enqueued.update(ids)
        connections.close_all()

    def _watch(self) -> None:
        """Start anew whatever ended, and remember who ended though nobody wanted it."""
        while not self._over.wait(0.3):
            for slot in self.slots:
                worker = slot.worker
                if worker is not None and worker.process.poll() is not None and not slot.is_ending:
                    worker.wait_exit()
                    self.died.append(f"exit {worker.process.returncode}: {worker.story()[-2000:]}")
                    slot.start()

    def wait_until_done(self, patience: float) -> None:
        """Enqueue no more, and wait until nothing is queued or runs, or patience ends."""
        end = time.monotonic() + patience
        unended = "SELECT count(*) FROM jobs_job WHERE status IN ('queued', 'processing')"
        while self.server.ask(unended)[0][0] and time.monotonic() < end:
            time.sleep(0.3)

    def stop_enqueueing(self) -> None:
        """Let what is there be done."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    def close(self) -> None:
        """Leave no process behind."""
        self._over.set()
        for slot in self.slots:
            slot.is_ending = True
            if slot.worker is not None:
                slot.worker.destroy()
            slot.proxy.close()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()


def stop_server(server: Server, how: Callable[[], object], seconds: float) -> None:
    """Take the server away for so many seconds."""
    with server.lock:
        how()
        time.sleep(seconds)
        server.start()


@dataclass(frozen=True)
class Books:
    """What the tables say at the end."""

    jobs: int
    attempts: int
    lost: int
    effects_twice: int
    effects_unfinished: int
    stuck: int


def read_outcomes(server: Server) -> dict[str, int]:
    """Return how often attempts ended in which way."""
    return dict(server.ask("SELECT outcome, count(*) FROM jobs_jobattempt GROUP BY outcome ORDER BY outcome"))


def read_stuck(server: Server) -> list[str]:
    """Return what a job that is stuck looks like, for those who have to find out why; the first ten."""
    rows = server.ask(
        """
        SELECT to_jsonb(job)::text, (
            SELECT array_agg(attempt.outcome || ' ' || left(attempt.error, 80) ORDER BY attempt.lease)::text
            FROM jobs_jobattempt AS attempt WHERE attempt.job_id = job.id AND attempt.lease > job.lease - 10
        ) FROM jobs_job AS job WHERE status IN ('queued', 'processing') ORDER BY id LIMIT 10
        """
    )
    return [f"{job} after {attempts}" for job, attempts in rows]


def read_books(server: Server, enqueued: set[int]) -> Books:
    """Count what must be nothing. Lost: a confirmed job is not there, or succeeded without its effect."""

    def count(sql: str) -> int:
        return int(server.ask(sql)[0][0])

    there = {row[0] for row in server.ask("SELECT id FROM jobs_job")}
    without = """
        SELECT count(*) FROM jobs_job AS job WHERE status = 'succeeded'
        AND NOT EXISTS (SELECT FROM jobs_probeeffect AS effect WHERE effect.job_id = job.id)
    """
    return Books(
        jobs=len(there),
        attempts=count("SELECT count(*) FROM jobs_jobattempt"),
        lost=len(enqueued - there) + count(without),
        effects_twice=count(
            "SELECT count(*) FROM (SELECT FROM jobs_probeeffect GROUP BY job_id HAVING count(*) > 1) AS twice"
        ),
        effects_unfinished=count(
            """
            SELECT count(*) FROM jobs_probeeffect AS effect LEFT JOIN jobs_job AS job
                ON job.id = effect.job_id AND job.status = 'succeeded' AND job.lease = effect.lease
            WHERE job.id IS NULL
            """
        ),
        stuck=count(
            """
            SELECT count(*) FROM jobs_job WHERE status IN ('queued', 'processing')
            OR status = 'failed' AND (error_message = '' OR failure_kind = '')
            """
        ),
    )
