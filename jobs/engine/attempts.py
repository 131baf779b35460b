"""What failed attempts are recorded as: one function a way to fail."""

from jobs.backoff import backoff_seconds
from jobs.engine.messages import Report
from jobs.engine.store.claims import Claimed
from jobs.engine.store.ends import Again, Failure
from jobs.errors import UnknownJobType
from jobs.failure_words import ENDED, OVERDUE
from jobs.forkserver import Exit
from jobs.models import FailureKind
from jobs.text import fingerprint


def from_report(job: Claimed, report: Report, *, base: float) -> Failure:
    """The handler raised."""
    return Failure(
        job.id,
        job.lease,
        kind=report.kind,
        error=report.error,
        again=report.again,
        delay=backoff_seconds(job.retry_count, base=base),
        fingerprint=report.fingerprint,
        traceback=report.traceback,
    )


def crash(job: Claimed, end: Exit, *, base: float) -> Failure:
    """The child died at the job."""
    megabytes = end.max_rss // 1_000_000
    words = ENDED % {"end": end, "seconds": f"{end.cpu_seconds:.1f}", "megabytes": megabytes}
    return _own(job, FailureKind.CRASH, words, place=str(end), base=base)


def overdue(job: Claimed, timeout: float, *, base: float) -> Failure:
    """The child was killed because the job ran longer than its type may."""
    words = OVERDUE % {"seconds": f"{timeout:g}", "type": job.type}
    return _own(job, FailureKind.TIMEOUT, words, base=base)


def unknown_type(job: Claimed, error: UnknownJobType) -> Failure:
    """Nobody handles this type of job, or nobody does any more."""
    return _own(job, FailureKind.UNKNOWN_TYPE, str(error), again=Again.NEVER)


def too_large(job: Claimed) -> Failure:
    """The job does not fit into a message to a child."""
    words = f"The payload of this job has {len(job.payload)} characters: more than can be handed to a child."
    return _own(job, FailureKind.LIMIT, words, again=Again.NEVER)


def _own(
    job: Claimed,
    kind: FailureKind,
    words: str,
    *,
    place: str = "",
    again: Again = Again.WHILE_RETRIES,
    base: float = 0.0,
) -> Failure:
    """Return a failure that the dispatcher words itself."""
    return Failure(
        job.id,
        job.lease,
        kind=kind,
        error=words,
        again=again,
        delay=backoff_seconds(job.retry_count, base=base),
        fingerprint=fingerprint(job.type, kind=kind, place=place),
    )
