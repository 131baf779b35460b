"""NOTIFY: a hint to workers that a tenant has jobs. It may be lost; polling is the truth."""

import time
from threading import Lock

import structlog
from django.db import DatabaseError, InterfaceError, connections

CHANNEL = "archiv_jobs"
#: A process sends at most one hint in this time; workers look once more that long after each hint.
QUIET_SECONDS = 0.05

log = structlog.get_logger(__name__)
_lock = Lock()
_last = 0.0


def send_hint(tenant_id: str, *, using: str = "default") -> None:
    """Notify workers in a transaction of its own, without waiting for the disk; a failure is only logged.

    Inside the inserting transaction a NOTIFY would make all commits wait for each other.
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
                [CHANNEL, tenant_id],
            )
    except (DatabaseError, InterfaceError) as error:
        log.warning("hint.failed", error=str(error))
