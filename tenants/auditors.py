"""The audit trail hears what is done to jobs and queues."""

import uuid
from collections.abc import Mapping

from jobs.auditing import auditor
from tenants.audit import record


@auditor
def append_to_trail(
    action: str, tenant_id: uuid.UUID, details: Mapping[str, float | str | bool | None]
) -> None:
    """Append the event to the tenant's chain."""
    record(action, tenant_id=tenant_id, object_type=action.partition(".")[0], details=details)
