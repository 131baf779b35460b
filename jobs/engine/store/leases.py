"""Keeping a lease: beat for all jobs of a worker, checkpoint and progress for one job in its child."""

from collections.abc import Iterable
from dataclasses import dataclass

from jobs.engine.store.base import IS_RUNNING, Connection, Held, array_of, execute_prepared

# Rows that an open finish has locked are skipped: waiting for one of them let the leases of all others end.
_BEAT_SQL = f"""
    WITH given AS MATERIALIZED (
        SELECT * FROM unnest(%(ids)s::bigint[], %(leases)s::bigint[]) AS given(id, lease)
    ),
    held AS MATERIALIZED (
        SELECT job.id FROM given JOIN jobs_job AS job ON job.id = given.id AND job.lease = given.lease
        WHERE {IS_RUNNING}
        FOR NO KEY UPDATE OF job SKIP LOCKED
    ),
    renewed AS (
        UPDATE jobs_job SET lease_expires_at = statement_timestamp() + make_interval(secs => %(seconds)s)
        WHERE id = ANY(ARRAY(SELECT held.id FROM held))
        RETURNING id
    )
    SELECT given.id, given.lease, job.id IS NOT NULL
    FROM given LEFT JOIN renewed ON renewed.id = given.id
    LEFT JOIN jobs_job AS job ON job.id = given.id AND job.lease = given.lease AND {IS_RUNNING}
    WHERE renewed.id IS NULL
"""


@dataclass(frozen=True)
class Beat:
    """What a heartbeat could not renew."""

    #: Taken away, cancelled, or finished by their child a moment ago.
    lost: frozenset[Held]
    #: Locked by an open transaction, most often a finish.
    skipped: frozenset[Held]


def beat(connection: Connection, held: Iterable[Held], *, seconds: float) -> Beat:
    """Renew all these leases in one statement, for `seconds` from now by the database's clock."""
    ordered = sorted(held)
    if not ordered:
        return Beat(frozenset(), frozenset())
    parameters = {
        "ids": array_of(job.id for job in ordered),
        "leases": array_of(job.lease for job in ordered),
        "seconds": seconds,
    }
    rows = connection.execute(_BEAT_SQL, parameters, prepare=True).fetchall()
    return Beat(
        lost=frozenset(Held(row[0], row[1]) for row in rows if not row[2]),
        skipped=frozenset(Held(row[0], row[1]) for row in rows if row[2]),
    )


_CHECKPOINT_SQL = """
    SELECT FROM jobs_job WHERE id = %(id)s AND status = 'processing' AND lease = %(lease)s
    FOR NO KEY UPDATE
"""


def checkpoint(connection: Connection, held: Held) -> bool:
    """Prove the lease and keep it until the open transaction ends; False: it is lost."""
    parameters = {"id": held.id, "lease": held.lease}
    return execute_prepared(connection, _CHECKPOINT_SQL, parameters).rowcount == 1


_PROGRESS_SQL = """
    UPDATE jobs_job SET progress_done = %(done)s, progress_total = %(total)s
    WHERE id = %(id)s AND status = 'processing' AND lease = %(lease)s
"""


def publish_progress(connection: Connection, held: Held, *, done: int, total: int) -> bool:
    """Say how far a running job is; False: its lease is lost."""
    parameters = {"id": held.id, "lease": held.lease, "done": done, "total": total}
    return execute_prepared(connection, _PROGRESS_SQL, parameters).rowcount == 1
