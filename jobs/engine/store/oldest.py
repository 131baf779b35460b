"""How long the oldest due job of each type has waited: found without an index that knows jobs by type.

One that did would have to be written with every job that is queued, and could take a claim's place in the
ready index in a plan. So due jobs are read in the order in which they are claimed, as many of each tenant's
lane as of another, and what is said of a type is exact as long as no job that was not read can be older.
"""

#: Lanes of tenants that are looked at, due jobs that are read of all of them, and of each other lane.
BOUNDS: dict[str, object] = {"heads": 500, "rows": 5_000, "beside": 1_000}

# `cut.until` is when the first job that was not read came due, or later: null, if all were read.
OLDEST_SQL = """
    WITH RECURSIVE walk AS (
        (
            SELECT tenant_id, lane FROM jobs_job WHERE status = 'queued' AND lane IN (1, 2)
            ORDER BY tenant_id, lane, next_attempt_at, id LIMIT 1
        )
        UNION ALL
        SELECT head.tenant_id, head.lane FROM walk CROSS JOIN LATERAL (
            SELECT job.tenant_id, job.lane FROM jobs_job AS job
            WHERE job.status = 'queued' AND job.lane IN (1, 2)
              AND (job.tenant_id, job.lane) > (walk.tenant_id, walk.lane)
            ORDER BY job.tenant_id, job.lane, job.next_attempt_at, job.id LIMIT 1
        ) AS head
    ),
    heads AS MATERIALIZED (SELECT tenant_id, lane FROM walk LIMIT %(heads)s + 1),
    share AS MATERIALIZED (SELECT greatest(1, %(rows)s / greatest(1, count(*))) AS rows FROM heads),
    due AS MATERIALIZED (
        SELECT heads.tenant_id, heads.lane, job.type, job.next_attempt_at
        FROM (SELECT tenant_id, lane FROM heads LIMIT %(heads)s) AS heads CROSS JOIN LATERAL (
            SELECT type, next_attempt_at FROM jobs_job
            WHERE status = 'queued' AND lane IN (1, 2)
              AND tenant_id = heads.tenant_id AND lane = heads.lane
              AND next_attempt_at <= statement_timestamp()
            ORDER BY tenant_id, lane, next_attempt_at, id LIMIT (SELECT rows FROM share)
        ) AS job
        UNION ALL
        (SELECT NULL, lane, type, next_attempt_at FROM jobs_job
         WHERE status = 'queued' AND lane = 0 AND next_attempt_at <= statement_timestamp()
         ORDER BY next_attempt_at, id LIMIT %(beside)s)
        UNION ALL
        (SELECT NULL, lane, type, next_attempt_at FROM jobs_job
         WHERE status = 'queued' AND lane = 3 AND next_attempt_at <= statement_timestamp()
         ORDER BY next_attempt_at, id LIMIT %(beside)s)
    ),
    cut AS (
        SELECT CASE WHEN (SELECT count(*) FROM heads) > %(heads)s THEN '-infinity' ELSE min(last) END AS until
        FROM (
            SELECT max(next_attempt_at) AS last FROM due GROUP BY tenant_id, lane
            HAVING count(*) >= CASE WHEN lane IN (1, 2) THEN (SELECT rows FROM share) ELSE %(beside)s END
        ) AS lanes
    )
    SELECT jsonb_build_object(
        'types', (
            SELECT coalesce(jsonb_object_agg(type, jsonb_build_object(
                'seconds', round(extract(epoch FROM statement_timestamp() - first), 1),
                'is_least', coalesce(first > (SELECT until FROM cut), false)
            )), '{}')
            FROM (SELECT type, min(next_attempt_at) AS first FROM due GROUP BY type) AS types
        ),
        'within', (
            SELECT round(extract(epoch FROM statement_timestamp() - until), 1) FROM cut WHERE isfinite(until)
        )
    )
"""
