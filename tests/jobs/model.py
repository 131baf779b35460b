"""The queue as plain Python: what each verb does to jobs, said a second time and without a database."""

from dataclasses import dataclass, field, replace

from jobs.models import JobStatus, Lane

QUEUED, PROCESSING, SUCCEEDED, FAILED = JobStatus
ANALYZE, PURGE = "analyze-document", "purge-document"
#: More than this ahead, a job waits in the lane `later`.
_LATER_SECONDS = 2.0


@dataclass(frozen=True)
class Entry:
    """One job. `due` and `ends` in seconds on the model's own clock."""

    tenant: int
    type: str
    due: float
    lane: Lane = Lane.NORMAL
    #: Whether it waits in the lane `later`.
    waits: bool = False
    document: int | None = None
    force: bool = False
    status: JobStatus = QUEUED
    kind: str = ""
    lease: int = 0
    retries: int = 0
    most: int = 5
    ends: float = 0.0
    #: Lease and outcome of each attempt that ended.
    attempts: tuple[tuple[int, str], ...] = ()
    #: Leases under which an effect was written.
    effects: tuple[int, ...] = ()

    def holds(self, lease: int) -> bool:
        """Whether this lease is the right to end the job."""
        return self.status == PROCESSING and self.lease == lease

    def is_twin_of(self, other: "Entry") -> bool:
        """Whether both ask for the same of one document."""
        same = (self.tenant, self.document, self.type) == (other.tenant, other.document, other.type)
        return same and self.document is not None


@dataclass
class Model:
    """All jobs by id, what is exceptional of tenants' queues, and a clock that only jumps."""

    now: float = 0.0
    jobs: dict[int, Entry] = field(default_factory=dict)
    shut: set[int] = field(default_factory=set)
    caps: dict[int, int] = field(default_factory=dict)

    def enqueue(self, job_id: int, entry: Entry, *, delay: float = 0.0) -> None:
        """Queue a job that is due after so many seconds."""
        waits = delay > _LATER_SECONDS and entry.lane != Lane.URGENT
        self.jobs[job_id] = replace(entry, due=self.now + delay, waits=waits)

    def twin(self, entry: Entry, *statuses: JobStatus) -> int | None:
        """Return the job in one of these statuses that asks for the same as this one."""
        for job_id, job in self.jobs.items():
            if job is not entry and job.status in statuses and job.is_twin_of(entry):
                return job_id
        return None

    def join(self, job_id: int, *, force: bool) -> None:
        """A second request for an analysis meets the queued one."""
        job = self.jobs[job_id]
        self.jobs[job_id] = replace(job, force=job.force or force, due=min(job.due, self.now), waits=False)

    def due(self, lane: Lane, tenant: int | None = None) -> set[int]:
        """Return the jobs that a claim may take, of one tenant or of all."""
        return {
            job_id
            for job_id, job in self.jobs.items()
            if tenant in (None, job.tenant)
            and (job.lane, job.status, job.waits) == (lane, QUEUED, False)
            and job.due <= self.now
        }

    def room(self, tenant: int) -> int:
        """Return how many more jobs of a tenant a claim may take."""
        if tenant in self.shut:
            return 0
        running = [
            job
            for job in self.jobs.values()
            if (job.tenant, job.status) == (tenant, PROCESSING) and job.lane != Lane.URGENT
        ]
        return max(0, self.caps[tenant] - len(running)) if tenant in self.caps else len(self.jobs)

    def stage(self) -> None:
        """What has come due leaves the lane `later`."""
        for job_id, job in self.jobs.items():
            if job.waits and job.status == QUEUED and job.due <= self.now:
                self.jobs[job_id] = replace(job, waits=False)

    def claim(self, job_id: int, *, seconds: float) -> int:
        """Take a job; returns the lease."""
        job = self.jobs[job_id]
        self.jobs[job_id] = replace(job, status=PROCESSING, lease=job.lease + 1, ends=self.now + seconds)
        return job.lease + 1

    def beat(self, job_id: int, lease: int, *, seconds: float) -> bool:
        """Renew a lease; False: it is lost."""
        job = self.jobs[job_id]
        if job.holds(lease):
            self.jobs[job_id] = replace(job, ends=self.now + seconds)
        return job.holds(lease)

    def finish(self, job_id: int, lease: int, *, effect: bool) -> bool:
        """Finish a job, with its effect if it has one; False: the lease is lost."""
        job = self.jobs[job_id]
        if not job.holds(lease):
            return False
        effects = (*job.effects, lease) if effect else job.effects
        attempts = (*job.attempts, (lease, "succeeded"))
        self.jobs[job_id] = replace(job, status=SUCCEEDED, kind="", effects=effects, attempts=attempts)
        return True

    def fail(self, job_id: int, lease: int, kind: str, *, again: str = "while_retries", delay: float) -> str:
        """End a failed attempt; returns the status of the job, nothing if the lease is lost."""
        job = self.jobs[job_id]
        if not job.holds(lease):
            return ""
        released = kind == "released"
        runs_again = again == "always" or (again == "while_retries" and job.retries < job.most)
        ended = replace(job, attempts=(*job.attempts, (lease, kind)), kind=job.kind if released else kind)
        twin = self.twin(job, QUEUED) if runs_again and job.type == ANALYZE else None
        if twin is not None:
            self._hand_on(job, twin)
            ended = replace(ended, status=FAILED, kind="superseded")
        elif runs_again:
            charged = not released and job.retries < job.most
            waits = delay > _LATER_SECONDS and job.lane != Lane.URGENT
            ended = replace(
                ended, status=QUEUED, retries=job.retries + charged, due=self.now + delay, waits=waits
            )
        else:
            ended = replace(ended, status=FAILED)
        self.jobs[job_id] = ended
        return ended.status

    def _hand_on(self, job: Entry, twin: int) -> None:
        self.jobs[twin] = replace(self.jobs[twin], force=self.jobs[twin].force or job.force)

    def expired(self) -> list[int]:
        """Return the running jobs whose leases have ended."""
        return sorted(
            job_id for job_id, job in self.jobs.items() if job.status == PROCESSING and job.ends < self.now
        )

    def requeue(self, job_id: int) -> bool:
        """Let a failed job run again; False: it is not failed, or another does its work."""
        job = self.jobs[job_id]
        if job.status != FAILED:
            return False
        twins = (QUEUED,) if job.type == ANALYZE else (QUEUED, PROCESSING)
        twin = self.twin(job, *twins)
        if twin is not None:
            if job.type == ANALYZE:
                self._hand_on(job, twin)
            return False
        self.jobs[job_id] = replace(job, status=QUEUED, kind="", retries=0, due=self.now, waits=False)
        return True

    def cancel(self, job_id: int) -> bool:
        """End a queued or running job; False: it has ended."""
        job = self.jobs[job_id]
        if job.status == PROCESSING:
            job = replace(job, attempts=(*job.attempts, (job.lease, "cancelled")))
        elif job.status != QUEUED:
            return False
        self.jobs[job_id] = replace(job, status=FAILED, kind="cancelled", waits=False)
        return True

    def set_aside(self, tenant: int) -> None:
        """A tenant is closed: what waits fails."""
        self.shut.add(tenant)
        for job_id, job in self.jobs.items():
            if (job.tenant, job.status) == (tenant, QUEUED) and job.lane != Lane.URGENT:
                self.jobs[job_id] = replace(job, status=FAILED, kind="tenant_inactive", waits=False)
