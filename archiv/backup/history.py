"""When backups were made: noted in the audit trail, which is on every machine."""

from datetime import timedelta

from django.db.models import F
from django.db.models.functions import Now

from tenants.audit import NO_TENANT, record
from tenants.models import AuditEvent

_MADE = "backup.made"


def note_backup(*, files: int, size: int, rows: int) -> None:
    """Note that a backup was made. Needs an operator's scope."""
    record(_MADE, tenant_id=None, details={"files": files, "bytes": size, "rows": rows})


def age_of_newest_backup() -> timedelta | None:
    """Return how long ago the newest backup was made; None: never. Needs an operator's scope."""
    events = AuditEvent.objects.filter(tenant_id=NO_TENANT, action=_MADE)
    newest = events.annotate(age=Now() - F("at")).order_by("-sequence").first()
    return None if newest is None else newest.age
