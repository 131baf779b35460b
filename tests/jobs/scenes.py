"""What two sides of an interleaving do: one a verb about a job, the other what a worker does meanwhile."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from jobs.context import JobContext, RunningJob
from jobs.engine.store import ends, leases
from jobs.engine.store.base import Held
from jobs.engine.store.claims import Claimed
from jobs.errors import GiveUp, LeaseLost
from jobs.models import ProbeEffect
from jobs.scope import tenant_rows
from jobs.services import cancel_jobs, enqueue_many, requeue_jobs
from tests.jobs.bench import Bench, SimulatedWorker, held
from tests.jobs.invariants import Seen
from tests.jobs.stepping import Side

Act = Callable[["Scene", Side], None]


def context_of(job: Claimed) -> JobContext:
    """What the handler of a claimed job gets in its child."""
    running = RunningJob(job.id, uuid.UUID(job.tenant_id), None, job.type, {}, job.lease, job.retry_count)
    return JobContext(running, scope=tenant_rows, templates={})


@dataclass
class Scene:
    """One tenant with jobs in which two sides meet, and what these were told."""

    bench: Bench
    tenant: uuid.UUID
    #: Jobs that worker "dead" holds under leases that have ended; it may be alive all the same.
    mine: list[Claimed] = field(default_factory=list)
    #: Ids of all jobs that were there at the beginning.
    ids: list[int] = field(default_factory=list)
    claimed: list[Held] = field(default_factory=list)
    finished: list[Held] = field(default_factory=list)
    refused: list[Exception] = field(default_factory=list)

    @property
    def seen(self) -> Seen:
        """What was told to the sides."""
        return Seen(self.claimed, self.finished)

    def enqueue(self, number: int = 1) -> None:
        """Queue jobs that are due now."""
        with tenant_rows(self.tenant):
            self.ids += enqueue_many(tenant_id=self.tenant, type="probe", payloads=[{}] * number)

    def finish_with_effect(self, job: Claimed) -> None:
        """Finish a job in the transaction that writes its effect, as a handler does."""
        try:
            with context_of(job).finishing():
                ProbeEffect.objects.create(tenant_id=self.tenant, job_id=job.id, lease=job.lease)
        except LeaseLost as error:
            self.refused.append(error)
        else:
            self.finished += held(job)


# --- What the holder of the job does, or an operator


def finish(scene: Scene, side: Side) -> None:
    """The handler finishes with its effect."""
    scene.finish_with_effect(scene.mine[0])


def finish_batch(scene: Scene, side: Side) -> None:
    """The dispatcher finishes jobs without effects in one statement."""
    ends.finish_batch(side.worker.connection, held(*scene.mine))


def fail(scene: Scene, side: Side) -> None:
    """The dispatcher records failures in one statement."""
    ends.fail_batch(
        side.worker.connection, [ends.Failure(job.id, job.lease, "error", "it broke") for job in scene.mine]
    )


def fail_with_effect(scene: Scene, side: Side) -> None:
    """The handler fails for good, in a transaction of its own."""
    job = scene.mine[0]
    try:
        with context_of(job).failing(GiveUp("no use")):
            pass
    except LeaseLost as error:
        scene.refused.append(error)


def release(scene: Scene, side: Side) -> None:
    """The dispatcher gives jobs back."""
    ends.release(side.worker.connection, held(*scene.mine))


def beat(scene: Scene, side: Side) -> None:
    """The heartbeat renews, and what it reports lost is lost."""
    told = leases.beat(side.worker.connection, held(*scene.mine), seconds=60.0)
    assert told.lost | told.skipped <= set(held(*scene.mine))


def checkpoint(scene: Scene, side: Side) -> None:
    """The handler keeps some of its work, and says how far it is."""
    try:
        context = context_of(scene.mine[0])
        with context.checkpointing():
            ProbeEffect.objects.filter(job_id=scene.mine[0].id).exists()
        context.publish_progress(1, 1)
    except LeaseLost as error:
        scene.refused.append(error)


def requeue(scene: Scene, side: Side) -> None:
    """An operator lets all of them run again; those that are not failed are skipped."""
    with tenant_rows(scene.tenant):
        requeue_jobs(job_ids=scene.ids, spread_seconds=0.0)


def cancel(scene: Scene, side: Side) -> None:
    """An operator ends all of them."""
    with tenant_rows(scene.tenant):
        cancel_jobs(job_ids=scene.ids)


# --- What a worker does meanwhile


def reap(scene: Scene, side: Side) -> None:
    """Take away what nobody renews."""
    connection = side.worker.connection
    expired = ends.find_expired(connection, after=None, limit=10)
    ends.reap(connection, expired, backoff_base=0.0)


def claim(scene: Scene, side: Side) -> None:
    """Claim what is due."""
    _claim(scene, side.worker)


def claim_and_finish(scene: Scene, side: Side) -> None:
    """Claim what is due, and finish it."""
    for job in _claim(scene, side.worker):
        scene.finish_with_effect(job)


def reap_claim_and_finish(scene: Scene, side: Side) -> None:
    """Take away what nobody renews, claim what is due, and finish it."""
    reap(scene, side)
    claim_and_finish(scene, side)


def _claim(scene: Scene, worker: SimulatedWorker) -> list[Claimed]:
    claimed = worker.claim(scene.tenant)
    scene.claimed += held(*claimed)
    return claimed


# --- How a scene begins


def running(scene: Scene, number: int = 1) -> None:
    """Jobs run under leases that have ended."""
    scene.enqueue(number)
    scene.mine = scene.bench.workers[0].claim(scene.tenant)
    scene.claimed += held(*scene.mine)
    scene.bench.run_sql("UPDATE jobs_job SET lease_expires_at = statement_timestamp() - interval '1 second'")


def running_batch(scene: Scene) -> None:
    """Three of them."""
    running(scene, 3)


def failed_and_running(scene: Scene) -> None:
    """One has failed, another runs."""
    running(scene, 2)
    worker, first = scene.bench.workers[0], scene.mine[0]
    worker.fail(first, again=ends.Again.NEVER)


def queued_and_running(scene: Scene) -> None:
    """One runs, another waits."""
    running(scene)
    scene.enqueue()


@dataclass(frozen=True)
class Verb:
    """One side with the beginning that it needs, and what must be true besides when both have ended."""

    act: Act
    begin: Callable[[Scene], None] = running
    check: Callable[[Scene], None] = lambda scene: None


VERBS = {
    "finish": Verb(finish),
    "fail": Verb(fail),
    "fail with effects": Verb(fail_with_effect),
    "beat": Verb(beat),
    "checkpoint": Verb(checkpoint),
    "requeue": Verb(requeue, failed_and_running),
    "cancel": Verb(cancel, queued_and_running),
    "finish a batch": Verb(finish_batch, running_batch),
    "fail a batch": Verb(fail, running_batch),
    "release a batch": Verb(release, running_batch),
}
MEANWHILE = {
    "reap": reap,
    "claim": claim,
    "claim and finish": claim_and_finish,
    "reap, claim and finish": reap_claim_and_finish,
}
