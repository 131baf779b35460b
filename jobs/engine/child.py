"""The child: runs handlers, one job after the other. It never claims, and never opens a user's file."""

import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, close_old_connections, connections

from jobs.context import JobContext, Learned, RunningJob
from jobs.engine.cell import Cell
from jobs.engine.messages import (
    LETTERS,
    MESSAGE_BYTES,
    Buffer,
    ChildSetup,
    Outcome,
    Report,
    decode_batch,
    encode_report,
)
from jobs.engine.store.ends import Again
from jobs.errors import GiveUp, LeaseLost, Outage, UnknownJobType
from jobs.failpoints import failpoint
from jobs.models import FailureKind
from jobs.registry import get_job_type
from jobs.running import RUNNING
from jobs.text import clean_text, describe_error, describe_traceback, error_fingerprint

log = structlog.get_logger("archiv.jobs")
# When memory runs out, the kernel shall choose the process that one job runs in, not the dispatcher.
_OOM_SCORE = b"600"
_IDLE_IN_TRANSACTION = "25P03"
_PAUSE_SECONDS = 1.0


def main(payload: bytes, descriptors: list[int]) -> None:
    """Run in the forked process: take batches of jobs from the channel until it closes."""
    setup = ChildSetup.decode(payload)
    channel = socket.socket(fileno=descriptors[0])
    cell = Cell(descriptors[1])
    names = zip(setup.templates, descriptors[2:], strict=True)
    templates = {name: socket.socket(fileno=descriptor) for name, descriptor in names}
    # Whoever stops a whole service means the dispatcher: it lets jobs end, and kills what does not.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_bytes(_OOM_SCORE)
    structlog.contextvars.bind_contextvars(worker=setup.worker)
    worked_at = time.monotonic()
    buffer = memoryview(bytearray(MESSAGE_BYTES))
    while size := _receive(channel, buffer):
        # Looked at after a failure, and after a pause in which a server may have gone: not before each job.
        if time.monotonic() - worked_at > _PAUSE_SECONDS:
            _tidy_connections()
        try:
            run_batch(buffer[:size], channel, cell, templates)
        except OSError:
            return  # the dispatcher is gone, and so are we in a moment
        worked_at = time.monotonic()


def run_batch(data: Buffer, channel: socket.socket, cell: Cell, templates: dict[str, socket.socket]) -> None:
    """Run jobs one after the other until they are taken back; raises OSError without a dispatcher."""
    failed: Report | None = None
    learned: Learned = {}
    for index, job in enumerate(decode_batch(data)):
        if failed is not None:
            channel.send(encode_report(failed, idle=False))
            failed = None
        if not cell.begin(index):
            break
        report = run_job(job, templates, learned)
        letter = LETTERS.get(report.outcome)
        if letter is None:
            failed = report
        else:
            cell.end(index, letter)
    channel.send(encode_report(failed, idle=True))


def _receive(channel: socket.socket, buffer: memoryview) -> int:
    """Wait for a message and return its length; 0: there will be no other."""
    try:
        return channel.recv_into(buffer)
    except ConnectionError:
        return 0


def run_job(job: RunningJob, templates: dict[str, socket.socket], learned: Learned | None = None) -> Report:
    """Run the handler of one job, whatever it does, and say how the attempt ended.

    `learned` is what jobs of the same batch share, see `JobContext.once_a_batch`.
    """
    context: JobContext | None = None
    running = RUNNING.set(job)
    try:
        job_type = get_job_type(job.type)
        context = JobContext(job, scope=job_type.scope, templates=templates, learned=learned)
        failpoint("job.started")
        job_type.run(context)
    except BaseException as error:  # noqa: BLE001  a handler may raise anything; each end of an attempt is recorded
        report = report_error(job, error, context)
    else:
        report = report_end(context)
    finally:
        RUNNING.reset(running)
    if report.outcome is Outcome.FAILED:
        _tidy_connections()
    return report


def report_end(context: JobContext) -> Report:
    """Return how the attempt of a handler ended that raised nothing, or nothing that counts."""
    if (failure := context.failure) is not None:
        return Report(context.job.id, Outcome.GAVE_UP, kind=failure.kind, error=clean_text(str(failure)))
    return Report(context.job.id, Outcome.FINISHED if context.finished else Outcome.DONE)


def report_error(job: RunningJob, error: BaseException, context: JobContext | None) -> Report:
    """Return what an exception of the handler means for the job."""
    if context is not None and context.finished:
        log.warning("job.error_after_finish", error=describe_error(error))
        return report_end(context)
    if isinstance(error, LeaseLost):
        return Report(job.id, Outcome.LOST)
    kind, again = _judge(error)
    return Report(
        job.id,
        Outcome.FAILED,
        kind=kind,
        error=clean_text(str(error)) if isinstance(error, GiveUp | UnknownJobType) else describe_error(error),
        again=again,
        fingerprint=error_fingerprint(job.type, error),
        traceback=describe_traceback(error),
    )


def _judge(error: BaseException) -> tuple[str, Again]:
    if isinstance(error, GiveUp):
        return error.kind, Again.NEVER
    if isinstance(error, UnknownJobType):
        return FailureKind.UNKNOWN_TYPE, Again.NEVER
    if isinstance(error, Outage) or _database_is_away(error):
        return FailureKind.ERROR, Again.ALWAYS
    return FailureKind.ERROR, Again.WHILE_RETRIES


def _database_is_away(error: BaseException) -> bool:
    """Whether an error of the database is about the connection and not about what was asked."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    if getattr(error.__cause__, "sqlstate", None) == _IDLE_IN_TRANSACTION:
        return False  # the handler's own doing: trying for ever would not help
    connection = connections["default"].connection
    return connection is None or bool(connection.broken or connection.closed)


def _tidy_connections() -> None:
    """Close a connection that broke or is old; the next job opens a new one."""
    with suppress(DatabaseError, InterfaceError):
        close_old_connections()
