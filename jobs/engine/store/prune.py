"""Pruning: take finished jobs and their attempts away once nobody asks for them any more.

Runs as `archiv_app` in an operator's scope, over the rows of all tenants.
"""

from dataclasses import dataclass

from jobs.engine.store.base import Connection

#: Types whose jobs are kept for good: the job of a wipe is part of its proof, and outlives the tenant.
KEPT_TYPES = ("delete-tenant",)


@dataclass(frozen=True)
class Pruned:
    """One window of ids: what went of it, the last id it looked at, None at the end."""

    succeeded: int
    failed: int
    attempts: int
    last_id: int | None


# No index finds jobs by the day they ended: every finish would pay for one that only this uses. So it walks
# over the primary key, a window a statement, and ends at the first window that is too young as a whole: none
# ends before it is made. How far a document is follows from its newest analysis, so a failed analysis stays
# while no newer one is there, and no newer one goes while an older failed one stays.
_CHOOSE_SQL = """
    WITH page AS MATERIALIZED (
        SELECT id, created_at FROM jobs_job WHERE id > %(after)s ORDER BY id LIMIT %(limit)s
    ),
    old AS MATERIALIZED (
        SELECT job.id, job.status FROM page JOIN jobs_job AS job USING (id)
        WHERE job.type <> ALL (%(kept)s)
          AND (
            (job.status = 'succeeded'
             AND job.finished_at < statement_timestamp() - make_interval(secs => %(succeeded)s)
             AND NOT EXISTS (
                SELECT FROM jobs_job AS earlier
                WHERE earlier.document_id = job.document_id AND earlier.tenant_id = job.tenant_id
                  AND earlier.type = job.type AND earlier.status = 'failed' AND earlier.id < job.id))
            OR
            (job.status = 'failed'
             AND job.finished_at < statement_timestamp() - make_interval(secs => %(failed)s)
             AND (job.document_id IS NULL OR job.type <> 'analyze-document' OR EXISTS (
                SELECT FROM jobs_job AS later
                WHERE later.document_id = job.document_id AND later.tenant_id = job.tenant_id
                  AND later.type = job.type AND later.id > job.id)))
          )
        {lock}
    )
"""
_RESULT_SQL = """
    SELECT (SELECT count(*) FROM {jobs} AS job WHERE job.status = 'succeeded'),
           (SELECT count(*) FROM {jobs} AS job WHERE job.status = 'failed'),
           (SELECT count(*) FROM {attempts} AS attempt),
           (SELECT max(id) FROM page HAVING min(created_at) < statement_timestamp()
                - make_interval(secs => least(%(succeeded)s, %(failed)s)))
"""
_PRUNE_SQL = (
    _CHOOSE_SQL.format(lock="ORDER BY job.id FOR UPDATE OF job SKIP LOCKED")
    + """,
    job_gone AS (DELETE FROM jobs_job AS job USING old WHERE job.id = old.id RETURNING job.status),
    attempt_gone AS (
        DELETE FROM jobs_jobattempt AS attempt USING old WHERE attempt.job_id = old.id RETURNING 1
    )
"""
    + _RESULT_SQL.format(jobs="job_gone", attempts="attempt_gone")
)
_COUNT_SQL = _CHOOSE_SQL.format(lock="") + _RESULT_SQL.format(
    jobs="old", attempts="(SELECT FROM jobs_jobattempt WHERE job_id IN (SELECT id FROM old))"
)


def prune_window(
    connection: Connection,
    *,
    after: int,
    limit: int,
    succeeded_seconds: float,
    failed_seconds: float,
    remove: bool,
) -> Pruned:
    """Remove (or count) what ended longer ago, among the `limit` jobs that follow the id `after`.

    What somebody else has locked is left for the next time. `last_id` is None when nothing older can follow.
    """
    parameters = {
        "after": after,
        "limit": limit,
        "succeeded": succeeded_seconds,
        "failed": failed_seconds,
        "kept": list(KEPT_TYPES),
    }
    row = connection.execute(_PRUNE_SQL if remove else _COUNT_SQL, parameters).fetchone()
    assert row is not None, "a statement without FROM gives a row"
    return Pruned(*row)
