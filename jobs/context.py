"""What a handler gets: its job, and the ways to act on it that prove the lease."""

import socket
import time
import uuid
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import connections

from jobs.engine.store import ends, leases
from jobs.engine.store.base import Connection, Held, app_connection
from jobs.errors import GiveUp, LeaseLost, TemplateMissing
from jobs.failpoints import failpoint
from jobs.text import error_fingerprint

#: Opens the outermost transaction on `default` in which rows of this tenant can be seen.
Scope = Callable[[uuid.UUID], AbstractContextManager[None]]

#: What jobs of one batch have learned for each other, see `JobContext.once_a_batch`.
Learned = dict[Hashable, Any]

_Answer = TypeVar("_Answer")

_PROGRESS_SECONDS = 1.0


@dataclass(frozen=True)
class RunningJob:
    """One job under the lease of this attempt."""

    id: int
    tenant_id: uuid.UUID
    document_id: uuid.UUID | None
    type: str
    payload: Mapping[str, Any]
    lease: int
    retry_count: int

    @property
    def held(self) -> Held:
        """What proves the right to end this attempt."""
        return Held(self.id, self.lease)


class JobContext:
    """The way of one attempt through its handler. Nothing that it writes is seen unless the job is
    finished.
    """

    def __init__(
        self,
        job: RunningJob,
        *,
        scope: Scope,
        templates: Mapping[str, socket.socket],
        learned: Learned | None = None,
    ) -> None:
        self.job = job
        self._scope = scope
        self._templates = templates
        self._learned: Learned = {} if learned is None else learned
        self._finished = False
        self._failure: GiveUp | None = None
        self._progress_at = 0.0

    def once_a_batch(self, key: Hashable, ask: Callable[[], _Answer]) -> _Answer:
        """Return what `ask` said when a job of this batch wanted it first.

        All jobs of a batch were claimed before the first of them began: this is for what must have been read
        after the claim, and need not be read at this moment.
        """
        if key not in self._learned:
            self._learned[key] = ask()
        answer: _Answer = self._learned[key]
        return answer

    @property
    def finished(self) -> bool:
        """Whether the job was ended here, with its effects."""
        return self._finished

    @property
    def failure(self) -> GiveUp | None:
        """Why the job was failed here, if `failing` did that."""
        return self._failure

    @contextmanager
    def finishing(self) -> Iterator[None]:
        """Open the one transaction that finishes the job and writes its effects: both are seen, or neither.

        The job is finished first, which proves the lease; raises LeaseLost, and undoes everything, if it is
        lost. At most once a job. A handler without effects need not open it.
        """
        if self._finished:
            raise RuntimeError("This job is finished already: finishing() is opened once.")
        with self._under_lease(lambda connection: ends.finish(connection, self.job.held)):
            failpoint("job.body")
            yield
            failpoint("job.effects")
        self._finished = True
        failpoint("job.finished")

    @contextmanager
    def failing(self, reason: GiveUp) -> Iterator[None]:
        """Open the one transaction that fails the job for good, and writes what was learned all the same.

        As `finishing`, for a failure that is a result: the job is failed first, which proves the lease, and
        is not tried again. Do not raise `reason` afterwards: it is recorded.
        """
        if self._finished:
            raise RuntimeError("This job is finished already: failing() is opened once, and instead of it.")
        failure = ends.Failure(
            self.job.id,
            self.job.lease,
            reason.kind,
            str(reason),
            again=ends.Again.NEVER,
            fingerprint=error_fingerprint(self.job.type, reason),
        )
        with self._under_lease(lambda connection: bool(ends.fail_batch(connection, [failure]))):
            failpoint("job.body")
            yield
            failpoint("job.effects")
        self._finished, self._failure = True, reason
        failpoint("job.finished")

    @contextmanager
    def checkpointing(self) -> Iterator[None]:
        """Open a short transaction for work that a later attempt goes on from. Raises LeaseLost."""
        with self._under_lease(lambda connection: leases.checkpoint(connection, self.job.held)):
            yield

    def publish_progress(self, done: int, of: int) -> None:
        """Say how far the job is, for pages that show it; written at most once a second, and when done.

        Raises LeaseLost if it is lost: a good moment to stop.
        """
        now = time.monotonic()
        if now - self._progress_at < _PROGRESS_SECONDS and done < of:
            return
        self._progress_at = now
        held = self.job.held
        with self._under_lease(
            lambda connection: leases.publish_progress(connection, held, done=done, total=of)
        ):
            pass

    @contextmanager
    def _under_lease(self, prove: Callable[[Connection], bool]) -> Iterator[None]:
        """Open the job's scope with a statement that proves the lease. Raises LeaseLost."""
        with self._scope(self.job.tenant_id):
            with connections["default"].wrap_database_errors:
                proved = prove(app_connection())
            if not proved:
                raise LeaseLost
            yield

    def template(self, name: str) -> socket.socket:
        """Return the request socket of a registered template, for `jobs.forkserver.fork`."""
        try:
            return self._templates[name]
        except KeyError:
            raise TemplateMissing(f"The template {name!r} is not running in this worker.") from None
