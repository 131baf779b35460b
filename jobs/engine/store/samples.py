"""Samples: what the queue looks like, written by one worker now and then, so that no page counts jobs."""

import json
from dataclasses import dataclass, replace

from psycopg import errors

from jobs.engine.store.base import Connection

#: Seconds between two samples, over all workers.
SAMPLE_SECONDS = 15.0
#: Samples older than this (seconds) are removed.
KEEP_SECONDS = 7 * 86_400
_STATEMENT_MILLISECONDS = 250
_LOCK = 7_263_940_115_202_611
# A table up to this size is counted; beyond it, finished jobs are estimated from some of its pages.
_EXACT_PAGES = 2_000
_SAMPLED_PAGES = 1_000
_BOUND = 20_000


@dataclass(frozen=True)
class Sample:
    """What was written, under which id: `approximate` if a figure in it is an estimate."""

    counts: dict[str, dict[str, int]]
    approximate: bool
    running: int
    oldest_due_seconds: float
    id: int = 0


_DUE_SQL = """
    SELECT pg_try_advisory_xact_lock(%(lock)s) AND NOT EXISTS (
        SELECT FROM jobs_queuesample
        WHERE sampled_at > statement_timestamp() - make_interval(secs => %(seconds)s)
    ), pg_relation_size('jobs_job') / current_setting('block_size')::integer
"""
_EXACT_SQL = "SELECT type, status, count(*) FROM jobs_job GROUP BY type, status"
_SAMPLED_SQL = """
    SELECT type, status, (count(*) * %(factor)s)::bigint FROM jobs_job TABLESAMPLE SYSTEM (%(percent)s)
    GROUP BY type, status
"""
# Each reads one partial index, and at most so many rows of it.
_LIVE_SQL = (
    ("queued", "status = 'queued' AND lane IN (1, 2)"),
    ("queued", "status = 'queued' AND lane = 0"),
    ("queued", "status = 'queued' AND lane = 3"),
    ("processing", "status = 'processing'"),
    ("failed", "status = 'failed'"),
)
_OLDEST_SQL = """
    WITH RECURSIVE walk AS (
        (
            SELECT tenant_id, lane, next_attempt_at FROM jobs_job
            WHERE status = 'queued' AND lane IN (1, 2)
            ORDER BY tenant_id, lane, next_attempt_at, id LIMIT 1
        )
        UNION ALL
        SELECT head.tenant_id, head.lane, head.next_attempt_at
        FROM walk CROSS JOIN LATERAL (
            SELECT job.tenant_id, job.lane, job.next_attempt_at FROM jobs_job AS job
            WHERE job.status = 'queued' AND job.lane IN (1, 2)
              AND (job.tenant_id, job.lane) > (walk.tenant_id, walk.lane)
            ORDER BY job.tenant_id, job.lane, job.next_attempt_at, job.id LIMIT 1
        ) AS head
    ),
    heads AS (SELECT next_attempt_at FROM walk LIMIT %(bound)s)
    SELECT coalesce(greatest(0, extract(epoch FROM statement_timestamp() - min(next_attempt_at))), 0)
               ::double precision, count(*)
    FROM heads
"""
_INSERT_SQL = """
    INSERT INTO jobs_queuesample (sampled_at, counts, approximate, running, oldest_due_seconds, worker)
    VALUES (statement_timestamp(), %(counts)s::jsonb, %(approximate)s, %(running)s, %(oldest)s, %(worker)s)
    RETURNING id
"""
_PRUNE_SQL = """
    DELETE FROM jobs_queuesample
    WHERE sampled_at < statement_timestamp() - make_interval(secs => %(seconds)s)
"""
_HEADS_BOUND = 2_000


def sample(connection: Connection, *, worker: str, every: float = SAMPLE_SECONDS) -> Sample | None:
    """Write one sample, unless another worker did so within `every` seconds or is at it; None then.

    Exact while the table is small. No statement of it takes longer than 250 ms: rather no sample than a slow
    one.
    """
    try:
        with connection.transaction():
            connection.execute(f"SET LOCAL statement_timeout = {_STATEMENT_MILLISECONDS}")
            row = connection.execute(_DUE_SQL, {"lock": _LOCK, "seconds": every}).fetchone()
            if row is None or not row[0]:
                return None
            taken = _take(connection, pages=row[1])
            parameters = {
                "counts": json.dumps(taken.counts),
                "approximate": taken.approximate,
                "running": taken.running,
                "oldest": taken.oldest_due_seconds,
                "worker": worker,
            }
            written = connection.execute(_INSERT_SQL, parameters).fetchone()
            connection.execute(_PRUNE_SQL, {"seconds": KEEP_SECONDS})
            assert written is not None, "one row was inserted"
            return replace(taken, id=written[0])
    except (errors.QueryCanceled, errors.LockNotAvailable):
        return None


def _take(connection: Connection, *, pages: int) -> Sample:
    if pages <= _EXACT_PAGES:
        counts, approximate = _counted(connection, _EXACT_SQL, {}), False
    else:
        percent = min(100.0, 100.0 * _SAMPLED_PAGES / pages)
        counts = _counted(connection, _SAMPLED_SQL, {"percent": percent, "factor": 100.0 / percent})
        _count_live(connection, counts)
        approximate = True
    oldest = connection.execute(_OLDEST_SQL, {"bound": _HEADS_BOUND}).fetchone()
    assert oldest is not None, "an aggregate gives a row"
    return Sample(
        counts=counts,
        approximate=approximate or oldest[1] >= _HEADS_BOUND,
        running=sum(by_status.get("processing", 0) for by_status in counts.values()),
        oldest_due_seconds=oldest[0],
    )


def _counted(connection: Connection, sql: str, parameters: dict[str, object]) -> dict[str, dict[str, int]]:
    counts: dict[str, dict[str, int]] = {}
    for type_name, status, number in connection.execute(sql, parameters).fetchall():
        counts.setdefault(type_name, {})[status] = number
    return counts


def _count_live(connection: Connection, counts: dict[str, dict[str, int]]) -> None:
    """Put exact figures in place of the estimates, where no more than `_BOUND` rows have to be read for
    them.
    """
    exact: dict[str, dict[str, int]] = {}
    unknown: set[str] = set()
    for status, condition in _LIVE_SQL:
        rows = connection.execute(
            f"SELECT type, count(*) FROM (SELECT type FROM jobs_job WHERE {condition} LIMIT {_BOUND}) AS part"
            " GROUP BY type"
        ).fetchall()
        if sum(number for _, number in rows) >= _BOUND:
            unknown.add(status)
        for type_name, number in rows:
            by_status = exact.setdefault(type_name, {})
            by_status[status] = by_status.get(status, 0) + number
    for by_status in counts.values():
        for status in ("queued", "processing", "failed"):
            if status not in unknown:
                by_status.pop(status, None)
    for type_name, by_status in exact.items():
        for status, number in by_status.items():
            known = counts.setdefault(type_name, {})
            known[status] = max(known.get(status, 0), number)
