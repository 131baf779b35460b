"""Figures for pages: what ended, by minute and by tenant and hour; what failed, by cause; who waits.

Written by workers from memory, or by the one that samples; no page counts jobs.
"""

import json
from collections.abc import Iterable

from psycopg import errors

from jobs.engine.store.base import Connection
from jobs.engine.store.oldest import BOUNDS, OLDEST_SQL
from jobs.engine.tally import TenantCount, TypeCount
from jobs.figure_models import WAITING_COUNTED

_STATEMENT_MILLISECONDS = 100
#: Minutes are rolled up to tens after so long, and forgotten after so long (seconds).
ROLLED_UP_AFTER, FORGOTTEN_AFTER = 2 * 3600, 8 * 86_400
_GROUPS, _COUNTED = 200, 1_001
_WALKED_TENANTS, _SHOWN_TENANTS, _COUNTED_LANE = 200, 50, 20_001

_MINUTES_SQL = """
    INSERT INTO jobs_jobminute AS known (minute, span, type, outcome, worker, attempts, seconds)
    SELECT date_trunc('minute', statement_timestamp()), 1, type, outcome, %(worker)s, attempts, seconds
    FROM json_to_recordset(%(counts)s::json)
        AS given(type text, outcome text, attempts integer, seconds double precision)
    ON CONFLICT (minute, span, type, outcome, worker) DO UPDATE
    SET attempts = known.attempts + excluded.attempts, seconds = known.seconds + excluded.seconds
"""
_HOURS_SQL = """
    INSERT INTO jobs_tenanthour AS known (tenant_id, hour, attempts, failed, seconds)
    SELECT tenant_id, date_trunc('hour', statement_timestamp(), 'UTC'), attempts, failed, seconds
    FROM json_to_recordset(%(counts)s::json)
        AS given(tenant_id uuid, attempts integer, failed integer, seconds double precision)
    ON CONFLICT (hour, tenant_id) DO UPDATE
    SET attempts = known.attempts + excluded.attempts, failed = known.failed + excluded.failed,
        seconds = known.seconds + excluded.seconds
"""


def add_counts(
    connection: Connection, *, worker: str, types: Iterable[TypeCount], tenants: Iterable[TenantCount]
) -> None:
    """Add what ended in a worker to this minute and this hour, in one transaction."""
    with connection.transaction():
        counts = json.dumps([vars(one) for one in types])
        connection.execute(_MINUTES_SQL, {"worker": worker, "counts": counts}, prepare=True)
        counts = json.dumps([vars(one) for one in tenants])
        connection.execute(_HOURS_SQL, {"counts": counts}, prepare=True)


_ROLL_UP_SQL = """
    WITH old AS (
        DELETE FROM jobs_jobminute
        WHERE span = 1
          AND minute < date_bin(
              '10 minutes', statement_timestamp() - make_interval(secs => %(after)s), 'epoch')
        RETURNING minute, type, outcome, attempts, seconds
    )
    INSERT INTO jobs_jobminute AS known (minute, span, type, outcome, worker, attempts, seconds)
    SELECT date_bin('10 minutes', minute, 'epoch'), 10, type, outcome, '', sum(attempts), sum(seconds)
    FROM old GROUP BY 1, 3, 4
    ON CONFLICT (minute, span, type, outcome, worker) DO UPDATE
    SET attempts = known.attempts + excluded.attempts, seconds = known.seconds + excluded.seconds
"""
_FORGET_SQL = """
    DELETE FROM jobs_jobminute WHERE minute < statement_timestamp() - make_interval(secs => %(after)s)
"""
# Walks from one fingerprint to the next in the index of failures, and counts each so far and no further.
_GROUPS_SQL = """
    WITH RECURSIVE walk AS (
        (SELECT fingerprint FROM jobs_job WHERE status = 'failed' AND fingerprint > ''
         ORDER BY fingerprint, finished_at, tenant_id LIMIT 1)
        UNION ALL
        SELECT next.fingerprint FROM walk CROSS JOIN LATERAL (
            SELECT fingerprint FROM jobs_job WHERE status = 'failed' AND fingerprint > walk.fingerprint
            ORDER BY fingerprint, finished_at, tenant_id LIMIT 1
        ) AS next
    ),
    known AS (SELECT fingerprint FROM walk LIMIT %(groups)s)
    INSERT INTO jobs_errorgroup AS kept
        (fingerprint, type, kind, jobs, tenants, is_more, first_at, last_at, newest_job, counted_at)
    SELECT known.fingerprint, newest.type, newest.failure_kind, least(part.jobs, %(counted)s - 1),
           part.tenants, part.jobs >= %(counted)s, part.first_at, newest.finished_at, newest.id,
           statement_timestamp()
    FROM known
    CROSS JOIN LATERAL (
        SELECT count(*) AS jobs, count(DISTINCT tenant_id) AS tenants, min(finished_at) AS first_at
        FROM (
            SELECT tenant_id, finished_at FROM jobs_job
            WHERE status = 'failed' AND fingerprint = known.fingerprint
            ORDER BY fingerprint, finished_at LIMIT %(counted)s
        ) AS counted
    ) AS part
    CROSS JOIN LATERAL (
        SELECT id, type, failure_kind, finished_at FROM jobs_job
        WHERE status = 'failed' AND fingerprint = known.fingerprint
        ORDER BY fingerprint DESC, finished_at DESC LIMIT 1
    ) AS newest
    ON CONFLICT (fingerprint) DO UPDATE
    SET jobs = excluded.jobs, tenants = excluded.tenants, is_more = excluded.is_more,
        kind = excluded.kind, first_at = least(kept.first_at, excluded.first_at), last_at = excluded.last_at,
        newest_job = excluded.newest_job, counted_at = excluded.counted_at
"""
# What was not met again has no failed job left.
_EMPTY_GROUPS_SQL = """
    UPDATE jobs_errorgroup SET jobs = 0, tenants = 0, is_more = false, counted_at = statement_timestamp()
    WHERE jobs > 0 AND counted_at < statement_timestamp() AND NOT EXISTS (
        SELECT FROM jobs_job AS job
        WHERE job.status = 'failed' AND job.fingerprint = jobs_errorgroup.fingerprint
    )
"""
# From the lowest tenant on that has jobs waiting, each the next one.
_WALK = """
    {name} AS (
        (SELECT tenant_id FROM jobs_job
         WHERE status = 'queued' AND lane IN (1, 2) AND tenant_id {within} %(start)s::uuid
         ORDER BY tenant_id, lane, next_attempt_at, id LIMIT 1)
        UNION ALL
        SELECT next.tenant_id FROM {name} CROSS JOIN LATERAL (
            SELECT tenant_id FROM jobs_job
            WHERE status = 'queued' AND lane IN (1, 2)
              AND tenant_id > {name}.tenant_id AND tenant_id {within} %(start)s::uuid
            ORDER BY tenant_id, lane, next_attempt_at, id LIMIT 1
        ) AS next
    )
"""
_WAITING_SQL = f"""
    WITH RECURSIVE
    {_WALK.format(name="above", within=">=")},
    {_WALK.format(name="below", within="<")},
    chosen AS (
        (SELECT tenant_id FROM above UNION ALL SELECT tenant_id FROM below LIMIT %(walked)s)
        UNION
        SELECT (entry ->> 'tenant')::uuid FROM (
            SELECT waiting FROM jobs_queuesample WHERE id < %(sample)s ORDER BY sampled_at DESC LIMIT 1
        ) AS former CROSS JOIN jsonb_array_elements(former.waiting) AS entry
    ),
    counted AS (
        SELECT chosen.tenant_id, part.jobs, part.oldest FROM chosen CROSS JOIN LATERAL (
            SELECT count(*) AS jobs,
                   greatest(0, extract(epoch FROM statement_timestamp() - min(next_attempt_at))) AS oldest
            FROM (
                SELECT next_attempt_at FROM jobs_job
                WHERE status = 'queued' AND lane IN (1, 2) AND tenant_id = chosen.tenant_id LIMIT %(counted)s
            ) AS head
        ) AS part
        WHERE part.jobs > 0 ORDER BY part.jobs DESC, part.oldest DESC LIMIT %(shown)s
    )
    SELECT coalesce(jsonb_agg(
        jsonb_build_object('tenant', tenant_id, 'waiting', jobs, 'oldest', round(oldest::numeric, 1))
        ORDER BY jobs DESC, oldest DESC), '[]')
    FROM counted
"""
# In the order of the index, so that it reads so many entries and no more.
_LANES_SQL = """
    SELECT coalesce(jsonb_object_agg(lane, jobs), '{}') FROM (
        SELECT lane, count(*) AS jobs FROM (
            (SELECT lane FROM jobs_job WHERE status = 'queued' AND lane IN (1, 2)
             ORDER BY tenant_id, lane, next_attempt_at, id LIMIT %(counted)s)
            UNION ALL (SELECT lane FROM jobs_job WHERE status = 'queued' AND lane = 0 LIMIT %(counted)s)
            UNION ALL (SELECT lane FROM jobs_job WHERE status = 'queued' AND lane = 3 LIMIT %(counted)s)
        ) AS part GROUP BY lane
    ) AS lanes
"""
_MACHINE_SQL = """
    SELECT pg_database_size(current_database()),
           coalesce((SELECT max(extract(epoch FROM statement_timestamp() - xact_start))
                     FROM pg_stat_activity
                     WHERE datname = current_database() AND backend_xmin IS NOT NULL
                       AND pid <> pg_backend_pid()), 0)::double precision
"""
_COMPLETE_SQL = """
    UPDATE jobs_queuesample
    SET waiting = coalesce(%(waiting)s::jsonb, waiting), lanes = coalesce(%(lanes)s::jsonb, lanes),
        oldest_by_type = %(oldest)s::jsonb, database_bytes = %(size)s, horizon_seconds = %(horizon)s,
        vault_used_bytes = %(vault)s
    WHERE id = %(sample)s
"""


def complete_sample(
    connection: Connection, *, sample: int, start: str, vault_used: int | None = None
) -> None:
    """Add to a sample what costs more: who waits, by lane, the oldest due job of each type, the size of the
    database, the oldest snapshot; and the bytes used on the vault's disk, where they are known.

    `start` is the id at which the walk around all tenants begins, another one each time: with more than 200
    that wait, those with most are counted each time and the others in turn, each up to 500 jobs. What takes
    longer than 100 ms is left out.
    """
    waiting = _bounded(
        connection,
        _WAITING_SQL,
        {
            "start": start,
            "sample": sample,
            "walked": _WALKED_TENANTS,
            "counted": WAITING_COUNTED + 1,
            "shown": _SHOWN_TENANTS,
        },
    )
    lanes = _bounded(connection, _LANES_SQL, {"counted": _COUNTED_LANE})
    oldest = _bounded(connection, OLDEST_SQL, BOUNDS)
    machine = _bounded(connection, _MACHINE_SQL, {}) or (0, 0.0)
    parameters = {
        "sample": sample,
        "waiting": json.dumps(waiting[0]) if waiting else None,
        "lanes": json.dumps(lanes[0]) if lanes else None,
        "oldest": json.dumps(oldest[0]) if oldest else None,
        "vault": vault_used,
        "size": machine[0],
        "horizon": machine[1],
    }
    connection.execute(_COMPLETE_SQL, parameters)


def group_errors(connection: Connection) -> None:
    """Count the failed jobs by cause."""
    for statement in (_GROUPS_SQL, _EMPTY_GROUPS_SQL):
        _bounded(connection, statement, {"groups": _GROUPS, "counted": _COUNTED})


def roll_up(connection: Connection) -> None:
    """Put ten minutes into one row once they are two hours old, and forget those older than eight days."""
    _bounded(connection, _ROLL_UP_SQL, {"after": ROLLED_UP_AFTER})
    _bounded(connection, _FORGET_SQL, {"after": FORGOTTEN_AFTER})


def _bounded(
    connection: Connection, statement: str, parameters: dict[str, object]
) -> tuple[object, ...] | None:
    """Run one statement in a transaction of its own; None if it took too long: rather no figure than that."""
    try:
        with connection.transaction():
            connection.execute(f"SET LOCAL statement_timeout = {_STATEMENT_MILLISECONDS}")
            cursor = connection.execute(statement, parameters)
            return cursor.fetchone() if cursor.description else ()
    except (errors.QueryCanceled, errors.LockNotAvailable):
        return None
