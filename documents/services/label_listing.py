"""Reading labels: all of a kind, and those of a document."""

import uuid
from collections.abc import Sequence

from documents.filing import FilingState, LabelKind
from documents.models import Filing, Label
from documents.services.labels import requires_of_kind
from tenants.access import Access, requires
from tenants.scope import tenant_scope


@requires_of_kind("read")
def list_labels(*, access: Access, kind: LabelKind) -> Sequence[Label]:
    """Return all labels of a kind by name; a tenant has a bounded number of them."""
    with tenant_scope(access.tenant_id):
        return list(Label.objects.filter(tenant_id=access.tenant_id, kind=kind).order_by("key"))


@requires("documents:read")
def list_filed(*, access: Access, document_id: uuid.UUID) -> Sequence[Label]:
    """Return the labels that a document is filed under, by kind and name."""
    with tenant_scope(access.tenant_id):
        filings = Filing.objects.filter(
            tenant_id=access.tenant_id, document_id=document_id, state=FilingState.FILED
        )
        ids = list(filings.values_list("label_id", flat=True))
        return list(Label.objects.filter(tenant_id=access.tenant_id, pk__in=ids).order_by("kind", "key"))
