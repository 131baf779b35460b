"""What people do to jobs: requeue, cancel; and what closing a tenant does to what is queued.

These run as `archiv_app` in the scope of whoever asks: rows outside of it are missing. Several jobs are
always locked in order of their ids, so that two operators cannot wait for each other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_noop

from jobs.engine.store.base import Connection, array_of
from jobs.engine.store.ends import LATER_SECONDS
from jobs.text import clean_text


@dataclass(frozen=True)
class Verdict:
    """What a statement of an operator did to one job: `outcome` is done, or the reason why not."""

    id: int
    tenant_id: str | None
    outcome: str
    type: str = ""
    lease: int = 0
    worker: str = ""


DONE = "done"
#: Reasons for leaving a job alone, in words for the person who asked; pages translate them.
REASONS: Mapping[str, str] = {
    "missing": gettext_noop("no such job"),
    "queued": gettext_noop("queued already"),
    "processing": gettext_noop("running"),
    "succeeded": gettext_noop("succeeded"),
    "failed": gettext_noop("failed already"),
    "twin": gettext_noop("another job for the same document is queued and does its work"),
}

_REQUEUE_SQL = f"""
    WITH given AS MATERIALIZED (
        SELECT * FROM unnest(%(ids)s::bigint[], %(delays)s::double precision[]) AS given(id, delay)
    ),
    found AS MATERIALIZED (
        SELECT job.id, job.tenant_id, job.document_id, job.type, job.payload, given.delay
        FROM given JOIN jobs_job AS job ON job.id = given.id
        WHERE job.status = 'failed'
        FOR NO KEY UPDATE OF job
    ),
    twin AS MATERIALIZED (
        -- An operator's scope shows the jobs of all tenants: a twin is one within the tenant.
        SELECT job.id, job.tenant_id, job.document_id, job.type
        FROM found JOIN jobs_job AS job USING (tenant_id, document_id, type)
        WHERE (job.type = 'analyze-document' AND job.status = 'queued')
           OR (job.type = 'purge-document' AND job.status IN ('queued', 'processing'))
    ),
    handed AS (
        UPDATE jobs_job
        SET payload = payload || '{{"force": true}}'::jsonb, updated_at = statement_timestamp()
        WHERE status = 'queued' AND id IN (
            SELECT twin.id FROM twin
            JOIN found USING (tenant_id, document_id, type)
            WHERE found.type = 'analyze-document' AND found.payload ->> 'force' = 'true'
        )
    ),
    ordered AS MATERIALIZED (
        -- Two analyses of one document exclude each other by an index: entered in the order of documents, as
        -- whoever queues several does, or two who requeue would wait for each other.
        SELECT found.* FROM found ORDER BY found.document_id, found.id
    ),
    requeued AS (
        UPDATE jobs_job AS job
        SET status = 'queued', retry_count = 0, error_message = '', failure_kind = '', fingerprint = '',
            lane = CASE WHEN ordered.delay > {LATER_SECONDS} AND job.home_lane <> 0 THEN 3
                        ELSE job.home_lane END,
            next_attempt_at = statement_timestamp() + make_interval(secs => ordered.delay),
            finished_at = NULL, updated_at = statement_timestamp()
        FROM ordered
        WHERE job.id = ordered.id AND NOT EXISTS (
            SELECT FROM twin
            WHERE (twin.tenant_id, twin.document_id, twin.type)
                = (ordered.tenant_id, ordered.document_id, ordered.type)
        )
        RETURNING job.id, job.type, job.payload
    ),
    reopened AS (
        -- What an operation had not done because its jobs had failed is under way again.
        UPDATE jobs_operation AS operation SET state = 'running', ended_at = NULL
        WHERE operation.state = 'ended' AND operation.id::text IN (
            SELECT requeued.payload ->> 'operation_id' FROM requeued WHERE requeued.type = 'change-documents'
        )
    )
    SELECT given.id, job.tenant_id::text,
           CASE WHEN requeued.id IS NOT NULL THEN '{DONE}' WHEN found.id IS NOT NULL THEN 'twin'
                ELSE coalesce(job.status, 'missing') END,
           coalesce(job.type, ''), coalesce(job.lease, 0), coalesce(job.worker, '')
    FROM given LEFT JOIN jobs_job AS job ON job.id = given.id
    LEFT JOIN found ON found.id = given.id LEFT JOIN requeued ON requeued.id = given.id
"""


def requeue(connection: Connection, delays: Mapping[int, float]) -> list[Verdict]:
    """Let failed jobs run again, each after its delay in seconds, with all their retries; their attempts
    stay. An operation that had ended without them runs again.

    Only what is failed at this moment is touched. An analysis with a queued twin stays failed, and hands its
    force on. Raises UniqueViolation, which undoes all, if a twin was queued meanwhile or two of these are
    twins.
    """
    ids = sorted(delays)
    parameters = {
        "ids": array_of(ids),
        "delays": array_of(float(delays[id_]) for id_ in ids),
    }
    return [Verdict(*row) for row in connection.execute(_REQUEUE_SQL, parameters, prepare=True).fetchall()]


_CANCEL_SQL = f"""
    WITH given AS MATERIALIZED (SELECT unnest(%(ids)s::bigint[]) AS id),
    found AS MATERIALIZED (
        SELECT job.id, job.status FROM given JOIN jobs_job AS job ON job.id = given.id
        WHERE job.status IN ('queued', 'processing')
        FOR NO KEY UPDATE OF job
    ),
    ended AS (
        UPDATE jobs_job AS job
        SET status = 'failed', failure_kind = 'cancelled', error_message = %(message)s, fingerprint = '',
            lease_expires_at = NULL, finished_at = statement_timestamp(), updated_at = statement_timestamp()
        FROM found WHERE job.id = found.id
        RETURNING job.id, job.tenant_id, job.lease, job.started_at, job.worker, found.status AS status_before
    ),
    attempt AS (
        INSERT INTO jobs_jobattempt
            (tenant_id, job_id, lease, started_at, ended_at, outcome, worker, error, traceback)
        SELECT tenant_id, id, lease, started_at, statement_timestamp(), 'cancelled', worker, %(message)s, ''
        FROM ended WHERE status_before = 'processing'
    )
    SELECT given.id, job.tenant_id::text,
           CASE WHEN ended.id IS NOT NULL THEN '{DONE}' ELSE coalesce(job.status, 'missing') END,
           coalesce(job.type, ''), coalesce(job.lease, 0), coalesce(job.worker, '')
    FROM given LEFT JOIN jobs_job AS job ON job.id = given.id LEFT JOIN ended ON ended.id = given.id
"""


def cancel(connection: Connection, ids: Sequence[int], *, message: str) -> list[Verdict]:
    """End queued and running jobs as cancelled. What a running one does from now on does not count."""
    parameters = {"ids": array_of(sorted(set(ids))), "message": clean_text(message)}
    return [Verdict(*row) for row in connection.execute(_CANCEL_SQL, parameters, prepare=True).fetchall()]


_FAIL_QUEUED_SQL = f"""
    WITH candidate AS MATERIALIZED (
        SELECT id FROM jobs_job
        WHERE status = 'queued' AND tenant_id = %(tenant)s::uuid AND lane <> 0
        ORDER BY id LIMIT %(limit)s
    ),
    found AS MATERIALIZED (
        SELECT job.id FROM candidate JOIN jobs_job AS job ON job.id = candidate.id
        WHERE job.status = 'queued'
        FOR NO KEY UPDATE OF job
    )
    UPDATE jobs_job AS job
    SET status = 'failed', failure_kind = %(kind)s, error_message = %(message)s, fingerprint = '',
        finished_at = statement_timestamp(), updated_at = statement_timestamp()
    FROM found WHERE job.id = found.id
    RETURNING job.id, job.tenant_id::text, '{DONE}', job.type, job.lease, job.worker
"""


def fail_queued(
    connection: Connection, tenant_id: str, *, kind: str, message: str, limit: int
) -> list[Verdict]:
    """Fail at most `limit` queued jobs of a tenant, urgent ones left out; returns those."""
    parameters = {"tenant": tenant_id, "kind": kind, "message": clean_text(message), "limit": limit}
    return [
        Verdict(*row) for row in connection.execute(_FAIL_QUEUED_SQL, parameters, prepare=True).fetchall()
    ]
