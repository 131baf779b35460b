"""How often one caller may ask: a bucket that fills evenly, one for all web processes."""

from math import ceil

from django.db import connections

from archiv.api.callers import Caller
from archiv.api.errors import TooManyRequests

_FULL_NOW = "least(%(most)s, bucket.remaining + greatest(0, {}) * %(most)s / 60.0)".format(
    "extract(epoch FROM clock_timestamp() - bucket.counted_at)::double precision"
)
#: One message to the server, hence one transaction: the tenant's scope, and one request less in the bucket if
#: there is one. A caller who has none yet begins with a full one. By the database's clock.
_TAKE = f"""
SELECT set_config('archiv.tenant_id', %(tenant)s, true);
INSERT INTO archiv_ratebucket AS bucket (tenant_id, sender, remaining, counted_at)
VALUES (%(tenant)s, %(sender)s, %(most)s - 1, clock_timestamp())
ON CONFLICT (tenant_id, sender) DO UPDATE
    SET remaining = {_FULL_NOW} - 1, counted_at = clock_timestamp()
    WHERE {_FULL_NOW} >= 1
RETURNING remaining
"""
_LOOK = f"""
SELECT set_config('archiv.tenant_id', %(tenant)s, true);
SELECT {_FULL_NOW} FROM archiv_ratebucket bucket WHERE tenant_id = %(tenant)s AND sender = %(sender)s
"""


class RateLimit:
    """At most `per_minute` requests of each caller in a minute, all at once if need be; 0: no limit."""

    def __init__(self, per_minute: int) -> None:
        self._most = float(per_minute)

    def take(self, caller: Caller) -> None:
        """Count one request. Raises `TooManyRequests`."""
        if not self._most:
            return
        values: dict[str, str | float] = {
            "tenant": str(caller.access.tenant_id),
            "sender": caller.name,
            "most": self._most,
        }
        if self._ask(_TAKE, values) is None:
            left = self._ask(_LOOK, values) or 0.0
            raise TooManyRequests(seconds=max(1, ceil((1 - left) * 60 / self._most)))

    def _ask(self, sql: str, values: dict[str, str | float]) -> float | None:
        with connections["default"].cursor() as cursor:
            cursor.execute(sql, values)
            cursor.nextset()
            row = cursor.fetchone()
        return float(row[0]) if row is not None else None
