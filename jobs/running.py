"""Which job this process runs, for its log. Imported by settings: no model, no setting."""

import uuid
from collections.abc import MutableMapping
from contextvars import ContextVar
from typing import Any, Protocol


class Running(Protocol):
    """What names a running job in logged events."""

    @property
    def id(self) -> int:
        """Its id."""

    @property
    def tenant_id(self) -> uuid.UUID:
        """Whose it is."""

    @property
    def type(self) -> str:
        """Its type."""

    @property
    def lease(self) -> int:
        """The lease of this attempt."""


#: Set by a child while it runs a job.
RUNNING: ContextVar[Running | None] = ContextVar("running_job", default=None)


def name_running_job(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Say in a logged event which job runs; a processor of structlog.

    Read when something is logged: most jobs log nothing, and pay for one variable, not for four.
    """
    job = RUNNING.get()
    if job is not None:
        event.setdefault("job", job.id)
        event.setdefault("tenant", str(job.tenant_id))
        event.setdefault("type", job.type)
        event.setdefault("lease", job.lease)
    return event
