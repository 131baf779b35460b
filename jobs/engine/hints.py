"""NOTIFY: a hint to workers that a tenant has jobs. It may be lost; polling is the truth."""

import time
from collections.abc import Iterable
from threading import Lock

import structlog
from django.db import DatabaseError, InterfaceError, connections

from jobs.engine.store.base import Connection, array_of

CHANNEL = "archiv_jobs"
#: Sent in place of a tenant when an urgent job was queued: those are asked for apart.
URGENT = "urgent"
#: Before a tenant whose jobs have come back, so that they may lie before where claims begin.
BACK = "back:"
#: A process sends at most one hint in this time; workers look once more that long after each hint.
QUIET_SECONDS = 0.05

log = structlog.get_logger(__name__)
_lock = Lock()
_last = 0.0


def send_hint(hint: str, *, using: str = "default") -> None:
    """Notify workers of a tenant, or of `URGENT`, in a transaction of its own; a failure is only logged.

    It does not wait for the disk. Inside the inserting transaction a NOTIFY would make all commits wait for
    each other.
    """
    global _last  # noqa: PLW0603  one pace for all threads of the process
    now = time.monotonic()
    with _lock:
        if now - _last < QUIET_SECONDS:
            return
        _last = now
    try:
        with connections[using].cursor() as cursor:
            cursor.execute(
                "SELECT set_config('synchronous_commit', 'off', true), pg_notify(%s, %s)",
                [CHANNEL, hint],
            )
    except (DatabaseError, InterfaceError) as error:
        log.warning("hint.failed", error=str(error))


_BACK_SQL = """
    SELECT set_config('synchronous_commit', 'off', true),
           pg_notify(%(channel)s, %(mark)s || tenant) FROM unnest(%(tenants)s::text[]) AS back(tenant)
"""


def tell_back(connection: Connection, tenants: Iterable[str]) -> None:
    """Tell other workers of tenants whose jobs were staged or reaped: their bounds know nothing of these."""
    if back := sorted(set(tenants)):
        parameters = {"channel": CHANNEL, "mark": BACK, "tenants": array_of(back)}
        connection.execute(_BACK_SQL, parameters, prepare=True)
