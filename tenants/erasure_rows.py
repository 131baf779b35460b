"""Taking the rows of a tenant out of one table, in batches that cost the same however many went before."""

import uuid
from collections.abc import Iterator

from django.db import connections

from tenants.erasure import BATCH, Amount, Wipe
from tenants.scope import tenant_scope


class TableRows:
    """The rows of one table. See `tenants.erasure.Eraser`.

    `key` names the column that follows the tenant in an index: the walk goes along it and never back, so that
    it does not meet its own dead rows again, which a long transaction elsewhere would keep from vacuum.
    """

    def __init__(self, table: str, label: str, *, key: str) -> None:
        self._table = table
        self.labels = {table: label}
        self._key = key

    def count(self, tenant_id: uuid.UUID, *, spare_job: int) -> Iterator[Amount]:
        """See `Eraser.count`."""
        with tenant_scope(tenant_id), connections["default"].cursor() as cursor:
            cursor.execute(f"SELECT count(*) FROM {self._table} WHERE tenant_id = %s", [tenant_id])
            (rows,) = cursor.fetchone()
        yield Amount(self._table, self.labels[self._table], rows)

    def erase(self, wipe: Wipe) -> int:
        """See `Eraser.erase`. Begins anew until a walk finds nothing: a row that moved was passed by."""
        erased = 0
        while walked := self._walk(wipe):
            erased += walked
        return erased

    def _walk(self, wipe: Wipe) -> int:
        erased, last, more = 0, None, True
        while more:
            with wipe.batch() as tally, connections["default"].cursor() as cursor:
                cursor.execute(self._sql(last), {"tenant": wipe.tenant_id, "last": last, "limit": BATCH})
                gone, found, last = cursor.fetchone()
                tally.add(gone)
            erased += gone
            more = found == BATCH and gone > 0
        return erased

    def _sql(self, last: object) -> str:
        onwards = f"AND {self._key} >= %(last)s" if last is not None else ""
        return f"""
            WITH doomed AS MATERIALIZED (
                SELECT ctid AS place, {self._key} AS key FROM {self._table}
                WHERE tenant_id = %(tenant)s {onwards} ORDER BY tenant_id, {self._key} LIMIT %(limit)s
            ),
            gone AS (
                DELETE FROM {self._table}
                WHERE ctid = ANY(ARRAY(SELECT place FROM doomed)) AND tenant_id = %(tenant)s RETURNING 1
            )
            SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM doomed),
                   (SELECT key FROM doomed ORDER BY key DESC LIMIT 1)
        """
