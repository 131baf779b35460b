"""How an attempt ends: finish, fail, release, reap. Each statement proves the lease and writes the
JobAttempt.
"""

import json
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import partial

import psycopg
from psycopg import errors
from psycopg.pq import TransactionStatus

from jobs.backoff import backoff_seconds
from jobs.engine import events
from jobs.engine.store.base import IS_RUNNING, Connection, Held, array_of, execute_prepared
from jobs.models import FailureKind, JobStatus
from jobs.text import FIXED_MESSAGE, MESSAGE_CHARACTERS, TRACEBACK_CHARACTERS, clean_text, fingerprint

# More than this ahead, a job waits in the lane `later`, where no claim passes it.
LATER_SECONDS = 2.0
# Rows of a batch that cannot be reaped as a whole are tried one by one for so long; the rest comes next time.
_REAP_SECONDS = 0.2
#: The end of an attempt that the database takes in no words.
REFUSED = "refused"
_TRIES = 5


class Again(StrEnum):
    """Whether a job runs again after a failed attempt."""

    #: While it has retries left.
    WHILE_RETRIES = "while_retries"
    #: Not at all: trying again would not help.
    NEVER = "never"
    #: Whatever it has left: the failure was not its own.
    ALWAYS = "always"


@dataclass(frozen=True)
class Failure:
    """One failed attempt. `delay` in seconds, used if the job runs again; texts are cleaned when stored."""

    id: int
    lease: int
    kind: str
    error: str
    again: Again = Again.WHILE_RETRIES
    delay: float = 0.0
    fingerprint: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class Ended:
    """What became of a job whose attempt ended: `status` queued means that it runs again.

    Processing: another transaction keeps the row, or a twin that is not committed yet, so the end is to be
    written a little later. `REFUSED`: the database takes this end in no words.
    """

    id: int
    lease: int
    status: str
    kind: str

    @property
    def is_written(self) -> bool:
        """Whether the attempt has ended in the database."""
        return self.status not in (JobStatus.PROCESSING, REFUSED)


@dataclass(frozen=True)
class Expired:
    """A running job whose lease has ended."""

    id: int
    lease: int
    tenant_id: str
    type: str
    retry_count: int
    worker: str


_ATTEMPT_COLUMNS = "(tenant_id, job_id, lease, started_at, ended_at, outcome, worker, error, traceback)"

_SUCCEED = """
    SET status = 'succeeded', finished_at = statement_timestamp(), updated_at = statement_timestamp(),
        lease_expires_at = NULL, error_message = '', failure_kind = '', fingerprint = ''
"""
_SUCCEEDED_ATTEMPT = f"""
    INSERT INTO jobs_jobattempt {_ATTEMPT_COLUMNS}
    SELECT tenant_id, id, lease, started_at, statement_timestamp(), 'succeeded', worker, '', '' FROM ended
"""

_FINISH_SQL = f"""
    WITH ended AS (
        UPDATE jobs_job {_SUCCEED}
        WHERE id = %(id)s AND status = 'processing' AND lease = %(lease)s
        RETURNING id, tenant_id, lease, started_at, worker
    )
    {_SUCCEEDED_ATTEMPT}
"""


def finish(connection: Connection, held: Held) -> bool:
    """Finish one job in the transaction that is open, before its effects; False: the lease is lost.

    From here to the end of the transaction the row is locked, so nobody can take the job away meanwhile.
    """
    parameters = {"id": held.id, "lease": held.lease}
    return execute_prepared(connection, _FINISH_SQL, parameters).rowcount == 1


#: Parts of a statement that finish jobs of the arrays `ids` and `leases`; what they leave is `UNFINISHED`.
FINISHING = f"""
    given AS MATERIALIZED (
        SELECT * FROM unnest(%(ids)s::bigint[], %(leases)s::bigint[]) AS given(id, lease)
    ),
    held AS MATERIALIZED (
        SELECT job.id
        FROM given JOIN jobs_job AS job ON job.id = given.id AND job.lease = given.lease
        WHERE {IS_RUNNING}
        FOR NO KEY UPDATE OF job SKIP LOCKED
    ),
    ended AS (
        UPDATE jobs_job {_SUCCEED}
        WHERE id = ANY(ARRAY(SELECT held.id FROM held))
        RETURNING id, tenant_id, lease, started_at, worker
    ),
    attempt AS ({_SUCCEEDED_ATTEMPT})
"""
UNFINISHED = "FROM given WHERE NOT EXISTS (SELECT FROM held WHERE held.id = given.id)"

_FINISH_BATCH_SQL = f"WITH {FINISHING} SELECT given.id {UNFINISHED}"


def finish_batch(connection: Connection, held: Sequence[Held]) -> set[int]:
    """Finish jobs without effects in the database, in one statement; returns the ids whose lease still held.

    Rows that another transaction keeps are left out as well: `read_back` tells them from lost leases.
    """
    if not held:
        return set()
    rows = connection.execute(_FINISH_BATCH_SQL, arrays_of(held), prepare=True).fetchall()
    return {job.id for job in held} - {row[0] for row in rows}


def arrays_of(held: Iterable[Held]) -> dict[str, object]:
    """Return ids and leases as arrays in order of the id, which is the order in which rows are locked."""
    ordered = sorted(held)
    return {"ids": array_of(job.id for job in ordered), "leases": array_of(job.lease for job in ordered)}


# One statement ends every attempt that did not succeed. `again`: whether the job runs again. An analysis that
# would be queued beside a queued twin of the same document ends as superseded instead, and hands its force
# on: the twin is locked first, so it cannot be claimed in between; a twin that is being claimed is skipped,
# and is no twin any more a moment later. A twin that commits after this snapshot is a unique violation: see
# `_end`.
def _end_sql(*, recheck: str, skip: str) -> str:
    return f"""
    WITH given AS MATERIALIZED (
        SELECT * FROM json_to_recordset(%(given)s::json) AS given(
            id bigint, lease bigint, kind text, error text, again text, delay double precision,
            fingerprint text, traceback text
        )
    ),
    held AS MATERIALIZED (
        SELECT job.id, job.tenant_id, job.document_id, job.type, job.payload, given.kind, given.error,
               given.delay, given.fingerprint, given.traceback, given.kind = 'released' AS released,
               given.again = 'always' OR (given.again = 'while_retries' AND job.retry_count < job.max_retries)
                   AS again
        FROM given JOIN jobs_job AS job ON job.id = given.id AND job.lease = given.lease
        WHERE {IS_RUNNING} {recheck}
        FOR NO KEY UPDATE OF job {skip}
    ),
    twin AS MATERIALIZED (
        SELECT job.id, job.tenant_id, job.document_id
        FROM held JOIN jobs_job AS job USING (tenant_id, document_id)
        WHERE held.again AND held.type = 'analyze-document'
          AND job.type = 'analyze-document' AND job.status = 'queued'
        FOR NO KEY UPDATE OF job SKIP LOCKED
    ),
    handed AS (
        UPDATE jobs_job
        SET payload = payload || '{{"force": true}}'::jsonb, updated_at = statement_timestamp()
        WHERE id = ANY(ARRAY(
            SELECT twin.id FROM twin JOIN held USING (tenant_id, document_id)
            WHERE held.again AND held.payload ->> 'force' = 'true'
        ))
    ),
    fate AS MATERIALIZED (
        SELECT held.*, twin.id AS twin_id, held.again AND twin.id IS NOT NULL AS superseded,
               held.again AND twin.id IS NULL AS queued
        FROM held LEFT JOIN twin USING (tenant_id, document_id)
    ),
    ended AS (
        UPDATE jobs_job AS job
        SET status = CASE WHEN fate.queued THEN 'queued' ELSE 'failed' END,
            lane = CASE WHEN fate.queued AND fate.delay > {LATER_SECONDS} AND job.home_lane <> 0 THEN 3
                        ELSE job.home_lane END,
            retry_count = CASE WHEN fate.queued AND NOT fate.released AND job.retry_count < job.max_retries
                               THEN job.retry_count + 1 ELSE job.retry_count END,
            next_attempt_at = CASE WHEN fate.queued
                                   THEN statement_timestamp() + make_interval(secs => fate.delay)
                                   ELSE job.next_attempt_at END,
            finished_at = CASE WHEN fate.queued THEN NULL ELSE statement_timestamp() END,
            updated_at = statement_timestamp(),
            lease_expires_at = NULL,
            error_message = CASE WHEN fate.superseded
                                 THEN 'Job ' || fate.twin_id || ' for the same document does this work. '
                                      || fate.error
                                 WHEN fate.released THEN job.error_message ELSE fate.error END,
            failure_kind = CASE WHEN fate.superseded THEN 'superseded'
                                WHEN fate.released THEN job.failure_kind ELSE fate.kind END,
            fingerprint = CASE WHEN fate.released THEN job.fingerprint ELSE fate.fingerprint END
        FROM fate
        WHERE job.id = fate.id AND job.id = ANY(ARRAY(SELECT held.id FROM held))
        RETURNING job.id, job.tenant_id, job.lease, job.started_at, job.worker, job.status, job.failure_kind,
                  fate.kind, fate.error, fate.traceback
    ),
    attempt AS (
        INSERT INTO jobs_jobattempt {_ATTEMPT_COLUMNS}
        SELECT tenant_id, id, lease, started_at, statement_timestamp(), kind, worker, error, traceback
        FROM ended
    )
    SELECT id, lease, status, CASE WHEN failure_kind = 'superseded' THEN failure_kind ELSE kind END FROM ended
"""


_FAIL_SQL = _end_sql(recheck="", skip="")
# A job that is being finished is not the reaper's, however late it is; nor one that was renewed since it was
# seen.
_REAP_SQL = _end_sql(recheck="AND job.lease_expires_at < statement_timestamp()", skip="SKIP LOCKED")


def fail_batch(connection: Connection, failures: Iterable[Failure]) -> list[Ended]:
    """End failed attempts: run again later, or failed for good. Those whose lease is lost are left out.

    Never waits for what others have locked: see `Ended`.
    """
    return _end(connection, _FAIL_SQL, failures)


def release(connection: Connection, held: Iterable[Held]) -> list[Ended]:
    """Give jobs back to the queue, due at once; the attempt costs them no retry."""
    return _end(
        connection, _FAIL_SQL, (Failure(job.id, job.lease, "released", "", Again.ALWAYS) for job in held)
    )


_EXPIRED_SQL = """
    SELECT job.id, job.lease, job.tenant_id::text, job.type, job.retry_count, job.worker FROM jobs_job AS job
    WHERE job.status = 'processing' AND (job.tenant_id, job.id) > (%(tenant)s::uuid, %(id)s::bigint)
      AND job.lease_expires_at < statement_timestamp()
    ORDER BY job.tenant_id, job.id LIMIT %(limit)s
"""


def find_expired(connection: Connection, *, after: Expired | None, limit: int) -> list[Expired]:
    """Return running jobs whose lease has ended, in order of tenant and id, from behind `after`."""
    start = (after.tenant_id, after.id) if after else ("00000000-0000-0000-0000-000000000000", 0)
    parameters = {"tenant": start[0], "id": start[1], "limit": limit}
    return [Expired(*row) for row in connection.execute(_EXPIRED_SQL, parameters, prepare=True).fetchall()]


def reap(connection: Connection, expired: Sequence[Expired], *, backoff_base: float) -> list[Ended]:
    """Take jobs away from workers that renew their leases no more: an attempt that nobody reported.

    Each row is locked and looked at again, and left out if it is not to be reaped any more. One that cannot
    be reaped is named, see `Ended`, and does not keep the others.
    """
    failures = [
        Failure(
            job.id,
            job.lease,
            FailureKind.LEASE_EXPIRED,
            f"Worker {job.worker} no longer renewed its lease: it was killed, stopped, or cut off.",
            delay=backoff_seconds(job.retry_count, base=backoff_base),
            fingerprint=fingerprint(job.type, kind=FailureKind.LEASE_EXPIRED),
        )
        for job in expired
    ]
    return _end(connection, _REAP_SQL, failures, seconds=_REAP_SECONDS)


def _end(
    connection: Connection, sql: str, failures: Iterable[Failure], *, seconds: float = math.inf
) -> list[Ended]:
    """Run one statement for all; if the database refuses it for whatever row, one for each, so long."""
    ordered = sorted(failures, key=lambda failure: failure.id)
    if len(ordered) > 1:
        try:
            return _execute(connection, sql, ordered)
        except psycopg.Error:
            if _is_over(connection):
                raise
    ended: list[Ended] = []
    until = time.monotonic() + seconds
    for failure in ordered:
        ended += _end_one(connection, sql, failure)
        if time.monotonic() >= until:
            break
    return ended


def _end_one(connection: Connection, sql: str, failure: Failure) -> list[Ended]:
    """Try with the failure's own words, again where a twin was in the way, and at last with a fixed text.

    What the database refuses even then is told as an event, and keeps nobody else waiting.
    """
    for _ in range(_TRIES):
        try:
            return _execute(connection, sql, [failure])
        except (errors.UniqueViolation, errors.DeadlockDetected):
            continue  # a twin of the document was queued meanwhile: now it can be seen
        except errors.LockNotAvailable:
            if _is_over(connection):
                raise
            return [Ended(failure.id, failure.lease, JobStatus.PROCESSING, failure.kind)]
        except psycopg.Error:
            if _is_over(connection):
                raise
            break
    try:
        return _execute(connection, sql, [replace(failure, error=FIXED_MESSAGE, traceback="")])
    except psycopg.Error as error:
        if _is_over(connection):
            raise
        events.end_refused(failure.id, failure.lease, failure.kind, error)
        return [Ended(failure.id, failure.lease, REFUSED, failure.kind)]


def _is_over(connection: Connection) -> bool:
    """Whether no further try can help: the connection is gone, or the transaction that it carries is."""
    return connection.broken or connection.info.transaction_status == TransactionStatus.INERROR


def _execute(connection: Connection, sql: str, failures: Sequence[Failure]) -> list[Ended]:
    given = json.dumps([_storable(failure) for failure in failures])
    rows = connection.execute(sql, {"given": given}, prepare=True).fetchall()
    return [Ended(*row) for row in rows]


def _storable(failure: Failure) -> dict[str, object]:
    clean = partial(clean_text, limit=MESSAGE_CHARACTERS)
    return asdict(failure) | {
        "error": clean(failure.error),
        "traceback": clean_text(failure.traceback, TRACEBACK_CHARACTERS),
    }


_READ_BACK_SQL = """
    SELECT job.id, job.status FROM unnest(%(ids)s::bigint[], %(leases)s::bigint[]) AS given(id, lease)
    JOIN jobs_job AS job ON job.id = given.id AND job.lease = given.lease
    WHERE job.status IN ('succeeded', 'processing')
"""


def read_back(connection: Connection, held: Iterable[Held]) -> dict[int, str]:
    """Return what is on record of jobs whose end was refused, if their lease was not lost.

    Succeeded: they finished under this very lease, though nobody was told. Processing: they still run.
    """
    return dict(connection.execute(_READ_BACK_SQL, arrays_of(held), prepare=True).fetchall())


_HELD_BY_SQL = "SELECT id, lease FROM jobs_job WHERE status = 'processing' AND worker = %(worker)s"


def find_held_by(connection: Connection, worker: str) -> set[Held]:
    """Return the jobs that a worker holds: after a loss of the connection, those whose claim it never heard
    of.
    """
    return {Held(*row) for row in connection.execute(_HELD_BY_SQL, {"worker": worker}).fetchall()}
