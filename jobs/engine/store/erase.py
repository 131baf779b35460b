"""What the wipe of a tenant does to its queue: end what runs, and take the rows away.

These run as `archiv_app` in the scope of the tenant, whose rows are all they see.
"""

from dataclasses import dataclass

from jobs.engine.store.base import Connection, Held
from jobs.text import clean_text

# One statement proves the lease of the job that asks and ends the others: all are locked in order of their
# ids, as everybody locks several jobs. The lease is raised besides, so that no requeue can meet it again.
_END_OTHERS_SQL = """
    WITH found AS MATERIALIZED (
        SELECT id, lease FROM jobs_job
        WHERE tenant_id = %(tenant)s::uuid AND status = 'processing'
        ORDER BY id
        FOR NO KEY UPDATE
    ),
    proof AS MATERIALIZED (SELECT FROM found WHERE id = %(id)s AND lease = %(lease)s),
    ended AS (
        UPDATE jobs_job AS job
        SET status = 'failed', lease = job.lease + 1, failure_kind = %(kind)s, error_message = %(message)s,
            fingerprint = '', lease_expires_at = NULL, finished_at = statement_timestamp(),
            updated_at = statement_timestamp()
        FROM found
        WHERE job.id = found.id AND job.id <> %(id)s AND EXISTS (SELECT FROM proof)
        RETURNING job.id, job.tenant_id, found.lease, job.started_at, job.worker
    ),
    attempt AS (
        INSERT INTO jobs_jobattempt
            (tenant_id, job_id, lease, started_at, ended_at, outcome, worker, error, traceback)
        SELECT tenant_id, id, lease, started_at, statement_timestamp(), %(kind)s, worker, %(message)s, ''
        FROM ended
    )
    SELECT EXISTS (SELECT FROM proof), (SELECT count(*) FROM ended)
"""


def end_others(connection: Connection, held: Held, *, tenant_id: str, kind: str, message: str) -> int | None:
    """End all that runs for a tenant but the job that asks, under leases that nobody holds.

    Waits for finishes that are open. Returns how many; None, and nothing is ended: the lease is lost.
    """
    parameters = {
        "id": held.id,
        "lease": held.lease,
        "tenant": tenant_id,
        "kind": kind,
        "message": clean_text(message),
    }
    row = connection.execute(_END_OTHERS_SQL, parameters, prepare=True).fetchone()
    assert row is not None, "a statement without FROM gives a row"
    return int(row[1]) if row[0] else None


@dataclass(frozen=True)
class Rows:
    """Rows of a tenant's queue."""

    jobs: int
    attempts: int
    effects: int

    def __add__(self, other: "Rows") -> "Rows":
        return Rows(self.jobs + other.jobs, self.attempts + other.attempts, self.effects + other.effects)


# No index finds all jobs of a tenant: every finish of every tenant would pay for one that only a wipe uses.
# So it walks over the ids, a window a statement, as far as the sequence has come.
_LAST_ID_SQL = "SELECT last_value FROM jobs_job_id_seq"
_JOBS_OF_WINDOW = """
    jobs_job WHERE tenant_id = %(tenant)s::uuid AND id > %(after)s AND id <= %(until)s AND id <> %(spare)s
"""
_ATTEMPTS_OF_WINDOW = """
    jobs_jobattempt
    WHERE tenant_id = %(tenant)s::uuid AND job_id > %(after)s AND job_id <= %(until)s AND job_id <> %(spare)s
"""
# Probes are of test installations, and few.
_EFFECTS_OF_WINDOW = """
    jobs_probeeffect WHERE tenant_id = %(tenant)s::uuid AND job_id > %(after)s AND job_id <= %(until)s
"""
_COUNT_SQL = f"""
    SELECT (SELECT count(*) FROM {_JOBS_OF_WINDOW}), (SELECT count(*) FROM {_ATTEMPTS_OF_WINDOW}),
           (SELECT count(*) FROM {_EFFECTS_OF_WINDOW})
"""
_ERASE_SQL = f"""
    WITH job AS (DELETE FROM {_JOBS_OF_WINDOW} RETURNING 1),
    attempt AS (DELETE FROM {_ATTEMPTS_OF_WINDOW} RETURNING 1),
    effect AS (DELETE FROM {_EFFECTS_OF_WINDOW} RETURNING 1)
    SELECT (SELECT count(*) FROM job), (SELECT count(*) FROM attempt), (SELECT count(*) FROM effect)
"""


def last_id(connection: Connection) -> int:
    """Return the highest id a job has had, whoever's it was."""
    row = connection.execute(_LAST_ID_SQL).fetchone()
    assert row is not None, "a sequence has a row"
    return int(row[0])


def count_window(connection: Connection, *, tenant_id: str, after: int, until: int, spare: int) -> Rows:
    """Count the jobs of a tenant with an id after `after` and up to `until`, without the job `spare`."""
    return _window(connection, _COUNT_SQL, tenant_id, after, until, spare)


def erase_window(connection: Connection, *, tenant_id: str, after: int, until: int, spare: int) -> Rows:
    """Delete what `count_window` counts."""
    return _window(connection, _ERASE_SQL, tenant_id, after, until, spare)


def _window(connection: Connection, sql: str, tenant_id: str, after: int, until: int, spare: int) -> Rows:
    parameters = {"tenant": tenant_id, "after": after, "until": until, "spare": spare}
    row = connection.execute(sql, parameters, prepare=True).fetchone()
    assert row is not None, "a statement without FROM gives a row"
    return Rows(*row)
