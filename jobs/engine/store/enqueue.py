"""Enqueue: put a job in the queue, in the transaction that is open."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jobs.engine.store.base import Connection, execute_prepared
from jobs.engine.store.ends import LATER_SECONDS
from jobs.models import Lane


@dataclass(frozen=True)
class NewJob:
    """One job to be queued; due `delay_seconds` from now by the database's clock."""

    tenant_id: uuid.UUID
    type: str
    payload: Mapping[str, object]
    document_id: uuid.UUID | None
    lane: Lane
    max_retries: int
    delay_seconds: float = 0.0


_INSERT_SQL = """
    INSERT INTO jobs_job (tenant_id, type, payload, document_id, status, home_lane, lane, max_retries,
                          next_attempt_at, created_at, updated_at, retry_count, lease, error_message,
                          failure_kind, fingerprint, worker, progress_done, progress_total)
    VALUES (%(tenant)s::uuid, %(type)s, %(payload)s::jsonb, %(document)s::uuid, 'queued', %(home_lane)s,
            %(lane)s, %(max_retries)s, statement_timestamp() + make_interval(secs => %(delay)s),
            statement_timestamp(), statement_timestamp(), 0, 0, '', '', '', '', 0, 0)
"""

# COPY is refused under row-level security; one array of JSON is as quick. Ids grow with the order given.
_INSERT_MANY_SQL = """
    INSERT INTO jobs_job (tenant_id, type, payload, status, home_lane, lane, max_retries, next_attempt_at)
    SELECT %(tenant)s::uuid, %(type)s, given.payload, 'queued', %(home_lane)s::smallint, %(lane)s::smallint,
           %(max_retries)s::integer, statement_timestamp() + make_interval(secs => %(delay)s)
    FROM jsonb_array_elements(%(payloads)s::jsonb) WITH ORDINALITY AS given(payload, number)
    ORDER BY given.number
    RETURNING id
"""

# The twin that is joined keeps its place in the queue, or comes forward if it was waiting for a retry. A twin
# that is being claimed is waited for, and then it is none: PostgreSQL looks again and inserts.
_JOIN_SQL = """
    ON CONFLICT (tenant_id, document_id) WHERE status = 'queued' AND type = 'analyze-document' DO UPDATE SET
        payload = excluded.payload || jsonb_build_object('force',
            coalesce((jobs_job.payload ->> 'force')::boolean, false)
            OR coalesce((excluded.payload ->> 'force')::boolean, false))
            || CASE WHEN jobs_job.payload ? 'only' THEN jsonb_build_object('only', (
                SELECT jsonb_agg(DISTINCT part) FROM jsonb_array_elements(
                    jobs_job.payload -> 'only' || coalesce(excluded.payload -> 'only', '[]')) AS part))
               ELSE '{}' END,
        home_lane = least(jobs_job.home_lane, excluded.home_lane),
        lane = least(jobs_job.home_lane, excluded.home_lane),
        next_attempt_at = least(jobs_job.next_attempt_at, excluded.next_attempt_at),
        updated_at = statement_timestamp()
"""


def insert_job(connection: Connection, job: NewJob) -> int:
    """Queue one job; returns its id."""
    return _insert(connection, f"{_INSERT_SQL} RETURNING id", job)


def insert_jobs(connection: Connection, job: NewJob, payloads: Sequence[Mapping[str, object]]) -> list[int]:
    """Queue one job for each payload, all else as in `job`, in one statement; returns their ids in order."""
    parameters = _parameters(job) | {"payloads": json.dumps(list(payloads))}
    return [row[0] for row in execute_prepared(connection, _INSERT_MANY_SQL, parameters).fetchall()]


def join_analysis(connection: Connection, job: NewJob) -> int:
    """Queue one analysis, or join the one that is queued for the document; returns the id of that one.

    The joined job gets the newer version, the stronger force, and the parts of both.
    """
    return _insert(connection, f"{_INSERT_SQL} {_JOIN_SQL} RETURNING id", job)


def _insert(connection: Connection, sql: str, job: NewJob) -> int:
    row = execute_prepared(connection, sql, _parameters(job)).fetchone()
    assert row is not None, "INSERT … RETURNING gives a row"
    return int(row[0])


def _parameters(job: NewJob) -> dict[str, object]:
    waits = job.delay_seconds > LATER_SECONDS and job.lane != Lane.URGENT
    return {
        "tenant": str(job.tenant_id),
        "type": job.type,
        "payload": json.dumps(job.payload),
        "document": str(job.document_id) if job.document_id else None,
        "home_lane": int(job.lane),
        "lane": int(Lane.LATER if waits else job.lane),
        "max_retries": job.max_retries,
        "delay": job.delay_seconds,
    }
