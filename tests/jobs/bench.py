"""A workbench for the engine: simulated workers on real connections, and rows as an operator sees them."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings
from django.db import connections

from jobs.engine.database import open_connection
from jobs.engine.store import claims, ends
from jobs.engine.store.base import Connection, Held
from jobs.engine.store.claims import Claimed, Terms, Wanted
from jobs.models import Job, JobAttempt, JobStatus, Lane
from jobs.scope import all_rows, tenant_rows
from jobs.services import enqueue_job

_TABLES = (
    "jobs_jobattempt",
    "jobs_job",
    "jobs_tenantqueue",
    "jobs_probeeffect",
    "jobs_workerprocess",
    "jobs_queuesample",
    "jobs_dailychore",
    "jobs_jobminute",
    "jobs_tenanthour",
    "jobs_errorgroup",
    "jobs_operation",
)


@dataclass
class SimulatedWorker:
    """One worker without processes: a name, a connection as `archiv_queue`, and the verbs it needs most."""

    name: str
    connection: Connection
    lease: float = 30.0
    types: tuple[str, ...] | None = None

    @property
    def terms(self) -> Terms:
        return Terms(self.name, self.lease, self.types)

    def claim(self, tenant_id: uuid.UUID, jobs: int = 10, lane: Lane = Lane.NORMAL) -> list[Claimed]:
        wanted = Wanted(str(tenant_id), int(lane), jobs)
        return claims.claim(self.connection, [wanted], self.terms)

    def claim_one(self, tenant_id: uuid.UUID) -> Claimed:
        (job,) = self.claim(tenant_id, 1)
        return job

    def fail(self, job: Claimed, **failure: Any) -> list[ends.Ended]:
        fields = {"kind": "error", "error": "it broke"} | failure
        return ends.fail_batch(self.connection, [ends.Failure(job.id, job.lease, **fields)])


def held(*jobs: Claimed) -> list[Held]:
    return [Held(job.id, job.lease) for job in jobs]


@dataclass
class Bench:
    """Everything made here is gone when the test ends."""

    workers: list[SimulatedWorker] = field(default_factory=list)
    _owner: Connection | None = None

    def worker(self, name: str = "worker-a", **options: Any) -> SimulatedWorker:
        made = SimulatedWorker(name, open_connection("test"), **options)
        self.workers.append(made)
        return made

    def tenant(self) -> uuid.UUID:
        return uuid.uuid4()

    def enqueue(self, tenant_id: uuid.UUID, number: int = 1, **options: Any) -> list[int]:
        fields = {"type": "probe", "payload": {}} | options
        with tenant_rows(tenant_id):
            return [enqueue_job(tenant_id=tenant_id, **fields) for _ in range(number)]

    def job(self, job_id: int) -> Job:
        with all_rows():
            return Job.objects.get(id=job_id)

    def jobs(self, **filters: Any) -> list[Job]:
        with all_rows():
            return list(Job.objects.filter(**filters).order_by("id"))

    def statuses(self, *job_ids: int) -> list[JobStatus]:
        return [JobStatus(self.job(job_id).status) for job_id in job_ids]

    def attempts(self, job_id: int) -> list[JobAttempt]:
        with all_rows():
            return list(JobAttempt.objects.filter(job_id=job_id).order_by("lease"))

    def run_sql(self, sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        """Run one statement as the owner, with the rows of all tenants, in a transaction of its own."""
        if self._owner is None:
            self._owner = open_connection("test", alias="owner")
            self._owner.execute("SET archiv.operator = 'on'; SET lock_timeout = 0")
        cursor = self._owner.execute(sql, parameters)
        return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        """Take away whatever is left, and end all sessions."""
        self.clear()
        for connection in [worker.connection for worker in self.workers] + [self._owner]:
            if connection is not None:
                connection.close()

    def owner_address(self) -> str:
        """Where a test connects as the owner by itself, to hold a lock beside everybody else."""
        address = settings.ARCHIV_OWNER_ADDRESS
        return replace(address, database=connections["owner"].settings_dict["NAME"]).url()

    def change(self, job_id: int, **columns: object) -> None:
        """Set columns of a job to SQL expressions."""
        changes = ", ".join(f"{name} = {expression}" for name, expression in columns.items())
        self.run_sql(f"UPDATE jobs_job SET {changes} WHERE id = %s", [job_id])

    def clear(self) -> None:
        """Take every row of the queue away."""
        self.run_sql("; ".join(f"DELETE FROM {table}" for table in _TABLES))

    def end_lease(self, job_id: int) -> None:
        self.change(job_id, lease_expires_at="statement_timestamp() - interval '1 second'")


@contextmanager
def open_bench(django_db_blocker: Any) -> Iterator[Bench]:
    with django_db_blocker.unblock():
        bench = Bench()
        try:
            yield bench
        finally:
            bench.close()
