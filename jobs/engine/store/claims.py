"""Claim: take due jobs, and with them their leases."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

import psycopg
from django.db import connections, transaction
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from jobs.engine.store.base import Connection, Held, array_of
from jobs.engine.store.ends import FINISHING, UNFINISHED, arrays_of
from jobs.models import Job, JobStatus, Lane

# Django writes a limit as a number only. This one is replaced by the room of each tenant in turn; the planner
# need not see it, since the ready index is the only plan that neither sorts nor scans.
_LIMIT = 987_654_321


@dataclass(frozen=True)
class Wanted:
    """How many jobs of one tenant's lane a claim may take."""

    tenant_id: str
    lane: int
    jobs: int
    #: Only rows behind this one: microseconds since 1970 of `next_attempt_at`, and an id.
    behind: tuple[int, int] = (0, 0)


class Claimed(NamedTuple):
    """One job that was claimed. Values pass through the dispatcher as the database wrote them.

    A tuple, as `Held` is: a frozen dataclass takes ten times as long to make, for thousands a second.
    """

    id: int
    tenant_id: str
    type: str
    payload: str
    document_id: str | None
    lease: int
    retry_count: int
    max_retries: int
    lane: int
    #: Seconds from when it was due until it was claimed.
    waited: float
    #: Its place in its lane, and of the claim: the moment in microseconds, the snapshot's xmin and xmax.
    due: int = 0
    claimed: int = 0
    xmin: int = 0
    xmax: int = 0


@dataclass(frozen=True)
class Terms:
    """On what terms a worker claims: its name, the length of a lease in seconds, the types it handles (None:
    all).
    """

    worker: str
    lease_seconds: float
    types: tuple[str, ...] | None = None


_RETURNING = """
    RETURNING job.id, job.tenant_id::text, job.type, job.payload::text, job.document_id::text, job.lease,
              job.retry_count, job.max_retries, job.lane,
              extract(epoch FROM statement_timestamp() - job.next_attempt_at)::double precision,
              (extract(epoch FROM job.next_attempt_at) * 1000000)::bigint,
              (SELECT (extract(epoch FROM statement_timestamp()) * 1000000)::bigint),
              (SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint),
              (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
"""

_DUE_FIRST = attrgetter("due", "id")
# In place of what a job that is not finished has no values for.
_NULLS = ", NULL" * (len(Claimed._fields) - 1)

_TAKE = f"""
    UPDATE jobs_job AS job
    SET status = 'processing', lease = job.lease + 1, worker = %(worker)s,
        lease_expires_at = statement_timestamp() + make_interval(secs => %(seconds)s),
        started_at = statement_timestamp(), updated_at = statement_timestamp(), finished_at = NULL,
        progress_done = 0, progress_total = 0
    WHERE job.id = ANY(ARRAY(SELECT pick.id FROM pick))
    {_RETURNING}
"""

# The guard is the truth about pause and closing: what the dispatcher remembers is half a second old.
_OPEN = """
    NOT EXISTS (
        SELECT FROM jobs_tenantqueue AS queue
        WHERE queue.tenant_id = due.tenant_id AND (queue.paused OR queue.closed {or_capped})
    )
"""


def _compile(rows: QuerySet[Job, Any], limit: str) -> str:
    """Return the SQL of a queryset with its values written in: the predicate must be that of the index, to
    the letter.
    """
    wrapper = connections[rows.db]
    is_ours = wrapper.connection is None
    try:
        # Compiling a row lock asks for a transaction, and quoting values for a connection.
        with transaction.atomic(using=rows.db):
            sql, params = rows.query.get_compiler(rows.db).as_sql()
            text = psycopg.ClientCursor(wrapper.connection).mogrify(sql, params)
    finally:
        if is_ours:
            wrapper.close()
    return text.replace(f"LIMIT {_LIMIT}", f"LIMIT {limit}").replace("%", "%%")


def _filtered(rows: QuerySet[Job], types: bool) -> QuerySet[Job, Any]:
    rows = rows.filter(next_attempt_at__lte=RawSQL("statement_timestamp()", ()))
    if types:
        rows = rows.filter(type__in=RawSQL("SELECT wanted.type FROM wanted", ()))
    return rows.order_by("next_attempt_at", "id").values("id")[:_LIMIT]


_WANTED_TYPES = "wanted AS MATERIALIZED (SELECT unnest(%(types)s::text[]) AS type),"


# A row comparison, which the ready index answers from where it begins.
_BEHIND = RawSQL(
    """("jobs_job"."next_attempt_at", "jobs_job"."id") >
       ('epoch'::timestamptz + due.behind_time * interval '1 microsecond', due.behind_id)""",
    (),
    output_field=BooleanField(),
)


@cache
def _claim_sql(types: bool, *, capped: bool = False, finishing: bool = False) -> str:
    ready = (
        Job.objects.using("queue")
        .filter(
            tenant_id=RawSQL("due.tenant_id", ()),
            lane=RawSQL("due.lane", ()),
            status=JobStatus.QUEUED,
            lane__in=(Lane.NORMAL, Lane.BULK),
        )
        .filter(_BEHIND)
    )
    pick = _compile(_filtered(ready.select_for_update(skip_locked=True), types), "due.jobs")
    taking = _TAKE
    if finishing:
        taking = f", taken AS ({_TAKE}) SELECT * FROM taken UNION ALL SELECT given.id {_NULLS} {UNFINISHED}"
    return f"""
    WITH {_WANTED_TYPES if types else ""} {FINISHING + "," if finishing else ""}
    pick AS MATERIALIZED (
        SELECT ready.id
        FROM unnest(%(tenants)s::uuid[], %(lanes)s::smallint[], %(jobs)s::integer[],
                    %(behind_times)s::bigint[], %(behind_ids)s::bigint[])
            AS due(tenant_id, lane, jobs, behind_time, behind_id)
        CROSS JOIN LATERAL ({pick}) AS ready
        WHERE {_OPEN.format(or_capped="" if capped else "OR queue.max_running IS NOT NULL")}
    )
    {taking}
    """


@cache
def _urgent_sql(types: bool) -> str:
    urgent = Job.objects.using("queue").filter(status=JobStatus.QUEUED, lane=Lane.URGENT)
    pick = _compile(_filtered(urgent.select_for_update(skip_locked=True), types), "%(jobs)s")
    pick = pick.replace("%%(jobs)s", "%(jobs)s")
    return f"WITH {_WANTED_TYPES if types else ''} pick AS MATERIALIZED ({pick}) {_TAKE}"


def claim(connection: Connection, wanted: Sequence[Wanted], terms: Terms) -> list[Claimed]:
    """Take due jobs of open tenants without a cap, at most as many of each as wanted, oldest first.

    Rows that another worker is claiming are skipped. Commits before it returns: the leases are ours.
    """
    if not wanted:
        return []
    return _taken(connection, _claim_sql(terms.types is not None), _terms(terms) | _asked(wanted))


def claim_and_finish(
    connection: Connection, wanted: Sequence[Wanted], terms: Terms, finishing: Sequence[Held]
) -> tuple[list[Claimed], set[int]]:
    """Claim, and finish jobs without effects in the same statement: one commit for both.

    Returns what `claim` and `finish_batch` return. No row can be meant by both: one is queued, the other
    runs.
    """
    sql = _claim_sql(terms.types is not None, finishing=True)
    parameters = _terms(terms) | _asked(wanted) | arrays_of(finishing)
    rows = connection.execute(sql, parameters, prepare=True).fetchall()
    refused = {row[0] for row in rows if row[1] is None}
    claimed = [row for row in rows if row[1] is not None] if refused else rows
    return _in_order(claimed), {job.id for job in finishing} - refused


def _asked(wanted: Sequence[Wanted]) -> dict[str, object]:
    return {
        "tenants": array_of(want.tenant_id for want in wanted),
        "lanes": array_of(want.lane for want in wanted),
        "jobs": array_of(want.jobs for want in wanted),
        "behind_times": array_of(want.behind[0] for want in wanted),
        "behind_ids": array_of(want.behind[1] for want in wanted),
    }


def claim_capped(
    connection: Connection, tenant_id: str, wanted: Sequence[Wanted], terms: Terms
) -> list[Claimed]:
    """Take due jobs of one tenant that may run only so many at once, over all workers.

    Two statements in one transaction: lock the tenant's queue, then count and claim. In one statement the
    count would be older than the lock, and four workers would admit four jobs at a cap of two. Nothing is
    taken while another worker does the same.
    """
    sql, parameters = _claim_sql(terms.types is not None, capped=True), _terms(terms)
    with connection.transaction():
        locked = connection.execute(_LOCK_QUEUE_SQL, {"tenant": tenant_id}, prepare=True).fetchone()
        if locked is None:
            return []
        running = connection.execute(_RUNNING_SQL, {"tenant": tenant_id}, prepare=True).fetchone()
        room = locked[0] - (running[0] if running else 0)
        claimed: list[Claimed] = []
        for want in wanted:
            jobs = min(want.jobs, room - len(claimed))
            if jobs > 0:
                asked = _asked([replace(want, tenant_id=tenant_id, jobs=jobs)])
                claimed += _taken(connection, sql, parameters | asked)
        return claimed


_LOCK_QUEUE_SQL = """
    SELECT coalesce(max_running, 2147483647) FROM jobs_tenantqueue
    WHERE tenant_id = %(tenant)s::uuid AND NOT paused AND NOT closed FOR NO KEY UPDATE SKIP LOCKED
"""
_RUNNING_SQL = """
    SELECT count(*) FROM jobs_job
    WHERE tenant_id = %(tenant)s::uuid AND status = 'processing' AND home_lane <> 0
"""


def claim_urgent(connection: Connection, jobs: int, terms: Terms) -> list[Claimed]:
    """Take due jobs of the lane `urgent`, whoever's they are: outside fairness, pause, cap and closing."""
    return _taken(connection, _urgent_sql(terms.types is not None), _terms(terms) | {"jobs": jobs})


def _terms(terms: Terms) -> dict[str, object]:
    parameters: dict[str, object] = {"worker": terms.worker, "seconds": terms.lease_seconds}
    if terms.types is not None:
        # Types are checked against the registry, whose names need no quoting.
        parameters["types"] = array_of(terms.types)
    return parameters


def _taken(connection: Connection, sql: str, parameters: dict[str, object]) -> list[Claimed]:
    return _in_order(connection.execute(sql, parameters, prepare=True).fetchall())


def _in_order(rows: list[tuple[Any, ...]]) -> list[Claimed]:
    """Return claimed jobs, whatever came due first at the beginning."""
    return sorted(map(Claimed._make, rows), key=_DUE_FIRST)
