"""How much of the archive a tenant uses."""

from dataclasses import dataclass

from django.db.models import Count, Q, Sum

from documents.models import Document, DocumentVersion
from tenants.access import Access, requires
from tenants.scope import tenant_scope


@dataclass(frozen=True)
class Usage:
    """What lies in a tenant's archive now, the trash included. `size` in bytes of originals."""

    documents: int
    trashed: int
    versions: int
    size: int
    pages: int


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
    )
