"""Upkeep by the dispatcher: stage what has come due, read tenants' exceptions, keep the rows of workers."""

from dataclasses import dataclass

from jobs.engine.store.base import Connection

_STAGE_SQL = """
    WITH due AS MATERIALIZED (
        SELECT id FROM jobs_job
        WHERE status = 'queued' AND lane = 3 AND next_attempt_at <= statement_timestamp()
        ORDER BY next_attempt_at, id LIMIT %(limit)s
        FOR NO KEY UPDATE SKIP LOCKED
    )
    UPDATE jobs_job SET lane = home_lane
    WHERE id = ANY(ARRAY(SELECT due.id FROM due))
    RETURNING tenant_id::text
"""


def stage(connection: Connection, *, limit: int) -> list[str]:
    """Move at most `limit` jobs that have come due into their own lane; returns the tenant of each."""
    return [row[0] for row in connection.execute(_STAGE_SQL, {"limit": limit}, prepare=True).fetchall()]


@dataclass(frozen=True)
class QueueRule:
    """What is exceptional about a tenant's queue."""

    weight: float
    max_running: int | None
    open: bool


_RULES_SQL = """
    SELECT tenant_id::text, weight, max_running, NOT (paused OR closed) FROM jobs_tenantqueue
"""


def read_rules(connection: Connection) -> dict[str, QueueRule]:
    """Return the exceptions of all tenants that have any."""
    return {row[0]: QueueRule(*row[1:]) for row in connection.execute(_RULES_SQL, prepare=True).fetchall()}


@dataclass(frozen=True)
class Worker:
    """A dispatcher as it shows itself to operators."""

    name: str
    host: str
    pid: int
    slots: int
    version: str


_ENTER_SQL = """
    INSERT INTO jobs_workerprocess (name, host, pid, slots, state, version, started_at, beat_at)
    VALUES (%(name)s, %(host)s, %(pid)s, %(slots)s, %(state)s, %(version)s,
            statement_timestamp(), statement_timestamp())
    ON CONFLICT (name) DO UPDATE SET state = excluded.state, beat_at = excluded.beat_at
"""


def show_worker(connection: Connection, worker: Worker, *, state: str) -> None:
    """Write that this worker lives, and what it does: running or stopping."""
    parameters = {
        "name": worker.name,
        "host": worker.host,
        "pid": worker.pid,
        "slots": worker.slots,
        "version": worker.version,
        "state": state,
    }
    connection.execute(_ENTER_SQL, parameters, prepare=True)


def remove_worker(connection: Connection, name: str) -> None:
    """Take this worker's row away: it has said goodbye."""
    connection.execute("DELETE FROM jobs_workerprocess WHERE name = %(name)s", {"name": name}, prepare=True)


_FORGET_SQL = """
    DELETE FROM jobs_workerprocess
    WHERE beat_at < statement_timestamp() - make_interval(secs => %(seconds)s)
"""


def forget_workers(connection: Connection, *, seconds: float) -> int:
    """Take away the rows of workers that have not beaten for so long; returns how many."""
    return connection.execute(_FORGET_SQL, {"seconds": seconds}, prepare=True).rowcount
