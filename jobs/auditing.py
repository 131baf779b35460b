"""What people do to jobs, told to whoever keeps an audit trail.

The trail belongs to a higher app, which says so in its module `auditors` and is found like handlers.
"""

import uuid
from collections.abc import Callable, Mapping
from functools import cache

from django.utils.module_loading import autodiscover_modules

#: Called with the action, the tenant, and what was done as ids and numbers; in the transaction that does it.
Auditor = Callable[[str, uuid.UUID, Mapping[str, float | str | bool | None]], None]

_AUDITORS: list[Auditor] = []


def auditor(append: Auditor) -> Auditor:
    """Have `append` called for everything that is done to jobs and queues."""
    if append not in _AUDITORS:
        _AUDITORS.append(append)
    return append


@cache
def _discover() -> None:
    autodiscover_modules("auditors")


def audit(action: str, tenant_id: uuid.UUID, **details: float | str | bool | None) -> None:
    """Tell all auditors, as the last of a service: they lock the end of the tenant's trail."""
    _discover()
    for append in _AUDITORS:
        append(action, tenant_id, details)
