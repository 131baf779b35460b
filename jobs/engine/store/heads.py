"""Heads: whose jobs are due. One page of a walk through the ready index, whatever backlog and history."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from jobs.engine.store.base import Connection, array_of

#: A tenant and a lane: the order of the ready index.
Key = tuple[str, int]
_FIRST: Key = (str(uuid.UUID(int=0)), 0)
_LAST: Key = (str(uuid.UUID(int=2**128 - 1)), 32_767)


@dataclass(frozen=True)
class Head:
    """The first job that waits for one tenant in one lane; `due_in` is seconds from now, 0 or less is due.

    `row` is its place: microseconds since 1970, and its id.
    """

    tenant_id: str
    lane: int
    due_in: float
    row: tuple[int, int]


@dataclass(frozen=True)
class Known:
    """A lane of a tenant that is known to be empty up to a row."""

    key: Key
    behind: tuple[int, int]


_COLUMNS = """
    tenant_id::text, lane, extract(epoch FROM next_attempt_at - statement_timestamp())::double precision,
    (extract(epoch FROM next_attempt_at) * 1000000)::bigint, id
"""
_KNOWN_SQL = f"""
    SELECT {_COLUMNS}
    FROM unnest(%(tenants)s::uuid[], %(lanes)s::smallint[], %(times)s::bigint[], %(ids)s::bigint[])
        AS known(tenant, in_lane, behind_time, behind_id)
    CROSS JOIN LATERAL (
        SELECT job.tenant_id, job.lane, job.next_attempt_at, job.id FROM jobs_job AS job
        WHERE job.status = 'queued' AND job.lane IN (1, 2)
          AND job.tenant_id = known.tenant AND job.lane = known.in_lane
          AND (job.next_attempt_at, job.id) >
              ('epoch'::timestamptz + known.behind_time * interval '1 microsecond', known.behind_id)
        ORDER BY job.tenant_id, job.lane, job.next_attempt_at, job.id LIMIT 1
    ) AS head
"""
# A loose index scan of each gap between known lanes: one probe for each lane that has a job.
_STEP = """
    SELECT job.tenant_id, job.lane, job.next_attempt_at, job.id FROM jobs_job AS job
    WHERE job.status = 'queued' AND job.lane IN (1, 2)
      AND (job.tenant_id, job.lane) > ({after}) AND (job.tenant_id, job.lane) < (gap.to_tenant, gap.to_lane)
    ORDER BY job.tenant_id, job.lane, job.next_attempt_at, job.id LIMIT 1
"""
_GAPS_SQL = f"""
    SELECT {_COLUMNS}, gap.number
    FROM unnest(%(numbers)s::integer[], %(tenants)s::uuid[], %(lanes)s::smallint[],
                %(to_tenants)s::uuid[], %(to_lanes)s::smallint[])
        AS gap(number, tenant, in_lane, to_tenant, to_lane)
    CROSS JOIN LATERAL (
        WITH RECURSIVE walk AS (
            ({_STEP.format(after="gap.tenant, gap.in_lane")})
            UNION ALL
            SELECT head.* FROM walk
            CROSS JOIN LATERAL ({_STEP.format(after="walk.tenant_id, walk.lane")}) AS head
        )
        SELECT * FROM walk LIMIT %(bound)s
    ) AS found
"""


def due_heads(
    connection: Connection, *, after: Key | None, bound: int, known: Sequence[Known] = ()
) -> tuple[list[Head], Key | None]:
    """Return heads in order of the index from behind `after`, and how far it was read; None: to its end.

    `known` are the lanes behind `after` that have a bound, in order: each is read from there, so that entries
    of finished jobs cost nothing. A gap between them gives at most `bound` heads, and the page ends there.
    """
    page, more = known[:bound], len(known) > bound
    end = page[-1].key if more else _LAST
    keys = [one.key for one in page]
    starts, ends = [after or _FIRST, *keys], [*keys, _LAST]
    if more:
        starts, ends = starts[:-1], ends[:-1]
    heads: list[Head] = []
    if page:
        parameters = {
            "tenants": array_of(key[0] for key in keys),
            "lanes": array_of(key[1] for key in keys),
            "times": array_of(one.behind[0] for one in page),
            "ids": array_of(one.behind[1] for one in page),
        }
        rows = connection.execute(_KNOWN_SQL, parameters, prepare=True).fetchall()
        heads = [Head(row[0], row[1], row[2], (row[3], row[4])) for row in rows]
    gaps = {
        "numbers": array_of(range(len(starts))),
        "tenants": array_of(key[0] for key in starts),
        "lanes": array_of(key[1] for key in starts),
        "to_tenants": array_of(key[0] for key in ends),
        "to_lanes": array_of(key[1] for key in ends),
        "bound": bound,
    }
    found: dict[int, list[Head]] = {}
    for row in connection.execute(_GAPS_SQL, gaps, prepare=True).fetchall():
        found.setdefault(row[5], []).append(Head(row[0], row[1], row[2], (row[3], row[4])))
    for number in sorted(found):
        heads += found[number]
        if len(found[number]) == bound:
            last = found[number][-1]
            more, end = True, (last.tenant_id, last.lane)
            break
    page_of_heads = [head for head in heads if (head.tenant_id, head.lane) <= end]
    return sorted(page_of_heads, key=lambda head: (head.tenant_id, head.lane)), end if more else None
