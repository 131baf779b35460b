"""How much of the archive a tenant uses."""

import uuid
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection
from django.db.models import Count, Q, Sum

from documents.models import Document, DocumentVersion
from jobs.models import TenantHour
from tenants.access import Access, requires
from tenants.scope import tenant_scope

#: Days of which worker time is added up.
USAGE_DAYS = 30


@dataclass(frozen=True)
class Usage:
    """What lies in a tenant's archive now, the trash included. `size` in bytes of originals.

    `worker_seconds` is what its jobs took of the workers in the last `USAGE_DAYS` days, failures included.
    """

    documents: int
    trashed: int
    versions: int
    size: int
    pages: int
    worker_seconds: float


@requires("tenants:read")
def measure_usage(*, access: Access) -> Usage:
    """Count what a tenant has. The cost grows with its own documents, not with those of others."""
    with tenant_scope(access.tenant_id):
        rows = Document.objects.filter(tenant_id=access.tenant_id)
        documents = rows.aggregate(all=Count("id"), trashed=Count("id", filter=Q(trashed_at__isnull=False)))
        versions = DocumentVersion.objects.filter(tenant_id=access.tenant_id)
        files = versions.aggregate(all=Count("id"), size=Sum("size"), pages=Sum("pages"))
    return Usage(
        documents=documents["all"],
        trashed=documents["trashed"],
        versions=files["all"],
        size=files["size"] or 0,
        pages=files["pages"] or 0,
        worker_seconds=round(_worker_seconds(access.tenant_id), 3),
    )


def _worker_seconds(tenant_id: uuid.UUID) -> float:
    """Hour by hour, because the index begins with the hour: so other tenants' rows cost nothing."""
    with tenant_scope(tenant_id):
        with connection.cursor() as cursor:
            cursor.execute("SELECT date_trunc('hour', statement_timestamp(), 'UTC')")
            now = cursor.fetchone()[0]
        hours = [now - timedelta(hours=number) for number in range(24 * USAGE_DAYS)]
        rows = TenantHour.objects.filter(tenant_id=tenant_id, hour__in=hours)
        return rows.aggregate(seconds=Sum("seconds"))["seconds"] or 0.0
