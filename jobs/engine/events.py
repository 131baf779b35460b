"""What the engine tells about itself: one function an event, the only place that words them.

Events of a job carry job, tenant, type, lease and worker. Nothing of a payload or of a document's text.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import structlog

log = structlog.get_logger("archiv.jobs")
_level = logging.getLogger("archiv.jobs")


def tells_claims() -> bool:
    """Whether anybody hears of claims and of jobs that are queued: asked first, since there are so many."""
    return _level.isEnabledFor(logging.DEBUG)


def tells_ends() -> bool:
    """Whether anybody hears of attempts that succeeded."""
    return _level.isEnabledFor(logging.INFO)


@dataclass(frozen=True)
class JobLabel:
    """What names a job in events and messages."""

    id: int
    tenant_id: str
    type: str
    lease: int
    worker: str

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of an event about this job."""
        return {
            "job": self.id,
            "tenant": self.tenant_id,
            "type": self.type,
            "lease": self.lease,
            "worker": self.worker,
        }


def worker_ready(worker: str, *, slots: int, types: Iterable[str]) -> None:
    """The worker claims jobs from now on."""
    log.info("worker.ready", worker=worker, slots=slots, types=sorted(types))


def worker_stopping(worker: str, *, running: int, grace: float) -> None:
    """The worker claims no more, and waits for what runs."""
    log.info("worker.stopping", worker=worker, running=running, grace=grace)


def worker_stopped(worker: str, *, released: int) -> None:
    """The worker ends; so many jobs were given back."""
    log.info("worker.stopped", worker=worker, released=released)


def job_queued(job: JobLabel) -> None:
    """A job was queued, or a second request joined it."""
    log.debug("job.queued", **job.fields)


def job_requeued(job: JobLabel) -> None:
    """A person lets a failed job run again; `worker` had it last."""
    log.info("job.requeued", **job.fields)


def job_cancelled(job: JobLabel) -> None:
    """A person ended a job; `worker` had it last."""
    log.info("job.cancelled", **job.fields)


def job_claimed(job: JobLabel, *, waited: float) -> None:
    """A job was claimed, so many seconds after it had come due."""
    log.debug("job.claimed", **job.fields, waited=round(waited, 3))


def job_finished(job: JobLabel, *, seconds: float) -> None:
    """An attempt succeeded."""
    log.info("job.finished", **job.fields, seconds=round(seconds, 3))


def job_failed(job: JobLabel, *, kind: str, status: str, error: str) -> None:
    """An attempt failed; `status` queued means that the job runs again."""
    tell = log.warning if status == "failed" else log.info
    tell("job.failed", **job.fields, kind=kind, status=status, error=error[:500])


def job_set_aside(job: JobLabel, *, kind: str, error: str) -> None:
    """A queued job failed though nothing was tried: its tenant was closed; `worker` had it last."""
    log.info("job.failed", **job.fields, kind=kind, status="failed", error=error[:500])


def job_released(job: JobLabel) -> None:
    """A job was given back unfinished, without costing it a retry."""
    log.info("job.released", **job.fields)


def lease_lost(job: JobLabel) -> None:
    """An attempt ended without its lease: nothing that it did counts."""
    log.warning("job.lease_lost", **job.fields)


def job_reaped(job: JobLabel, *, status: str) -> None:
    """A job was taken away from a worker that renewed its lease no more; `worker` is that one."""
    log.warning("job.reaped", **job.fields, status=status)


def end_refused(job: int, lease: int, kind: str, error: BaseException) -> None:
    """The database lets an attempt end in no way: the job stays as it is, and the reaper tries again."""
    log.error("job.end_refused", job=job, lease=lease, kind=kind, error=str(error)[:500])


def child_ended(worker: str, *, pid: int, how: str) -> None:
    """A child died."""
    log.warning("child.ended", worker=worker, pid=pid, how=how)


def template_ended(worker: str, *, name: str, how: str) -> None:
    """A process template died, and is started anew."""
    log.error("template.ended", worker=worker, template=name, how=how)


def database_lost(worker: str, *, where: str, error: BaseException) -> None:
    """A connection to the database was lost; it is opened again."""
    log.warning("database.lost", worker=worker, where=where, error=str(error).strip()[:500])


def database_back(worker: str, *, where: str, seconds: float) -> None:
    """A lost connection stands again, after so many seconds."""
    log.info("database.back", worker=worker, where=where, seconds=round(seconds, 1))


def heartbeat_failed(worker: str, error: BaseException) -> None:
    """A heartbeat failed though the database answers; the next one tries again."""
    log.error("heartbeat.failed", worker=worker, error=str(error).strip()[:500])


def figures_failed(worker: str, error: BaseException) -> None:
    """Figures could not be written though the database answers; the next ones are tried in their time."""
    log.error("figures.failed", worker=worker, error=str(error).strip()[:500])


def errand_ended(worker: str, *, command: str, code: int) -> None:
    """A process that runs beside the worker ended with an exit code: it found something, or failed."""
    log.error("errand.ended", worker=worker, command=command, code=code)


def fork_failed(worker: str, error: BaseException) -> None:
    """A child could not be forked; it is tried again."""
    log.error("child.fork_failed", worker=worker, error=str(error)[:500])
