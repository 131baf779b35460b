"""The audit trail: who did what, when, from where.

`record` is the last statement of the outermost service, inside its transaction: what was rolled back was not
done. Ids, hashes and numbers only: the trail outlives the documents it speaks of.
"""

import json
import uuid
from collections.abc import Mapping

from django.db import connections

from jobs.acting import Actor, acting_as, current_actor

__all__ = ["NO_TENANT", "Actor", "Detail", "acting_as", "current_actor", "record"]

#: The chain of events that belong to no tenant.
NO_TENANT = uuid.UUID(int=0)

Detail = str | int | float | bool | None | list[str] | list[int]


def record(
    action: str,
    *,
    tenant_id: uuid.UUID | None,
    object_type: str = "",
    object_id: object = "",
    details: Mapping[str, Detail] | None = None,
    using: str = "default",
) -> int:
    """Append one event to the chain of its tenant and return its number there.

    Needs the tenant's scope, or an operator's. It locks the end of the chain until the transaction ends, so
    it comes last. `details` holds ids, hashes and numbers.
    """
    actor = current_actor()
    text = json.dumps(dict(details or {}), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT archiv_audit_append(%s, %s, %s, %s, %s, %s, %s)",
            [
                tenant_id or NO_TENANT,
                action[:64],
                actor.name[:100],
                actor.origin[:100],
                object_type[:64],
                str(object_id)[:100],
                text,
            ],
        )
        (number,) = cursor.fetchone()
    return int(number)
