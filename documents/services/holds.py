"""Legal holds: what is under one is neither trashed nor purged nor wiped, whatever its dates say."""

import uuid
from collections.abc import Iterable

from django.db.models.functions import Now

from documents.models import Document
from documents.services.changes import ChangeReport, Changes, in_batches, lock_documents, record_document
from tenants.access import Access, requires
from tenants.errors import TenantNotFound, WipeUnderWay
from tenants.models import Tenant, WipeOrder, WipeState
from tenants.scope import tenant_scope

_HELD_ALREADY = "under legal hold already"
_NOT_HELD = "not under legal hold"


@requires("tenants:write")
def hold_documents(*, access: Access, document_ids: Iterable[uuid.UUID]) -> ChangeReport:
    """Put documents under legal hold, those in the trash too; a purge that has begun goes on.

    Also while the tenant is suspended, or waits for a wipe: the hold stops it. One transaction a batch.
    Raises `WipeUnderWay`, `TenantNotFound`.
    """
    return _set_holds(access, document_ids, held=True)


@requires("tenants:write")
def release_documents(*, access: Access, document_ids: Iterable[uuid.UUID]) -> ChangeReport:
    """Lift the legal hold of documents; their retention stays. One transaction a batch.

    Raises `WipeUnderWay`, `TenantNotFound`.
    """
    return _set_holds(access, document_ids, held=False)


def _set_holds(access: Access, document_ids: Iterable[uuid.UUID], *, held: bool) -> ChangeReport:
    changes = Changes()
    for batch in in_batches(document_ids):
        with tenant_scope(access.tenant_id):
            _lock_tenant(access.tenant_id)
            documents = lock_documents(access.tenant_id, batch, changes)
            changed = [document for document in documents if document.legal_hold is not held]
            ids = [document.pk for document in changed]
            Document.objects.filter(tenant_id=access.tenant_id, pk__in=ids).update(
                legal_hold=held, updated_at=Now()
            )
            for document in changed:
                record_document("document.held" if held else "document.released", document)
        changes.changed(len(changed))
        changes.skipped(
            _HELD_ALREADY if held else _NOT_HELD, {document.pk for document in documents} - set(ids)
        )
    return changes.report()


def _lock_tenant(tenant_id: uuid.UUID) -> None:
    """Keep a wipe from being authorised until the transaction ends, or raise `WipeUnderWay`."""
    if not Tenant.objects.select_for_update(no_key=True).filter(pk=tenant_id).exists():
        raise TenantNotFound
    if WipeOrder.objects.filter(tenant_id=tenant_id, state=WipeState.AUTHORISED).exists():
        raise WipeUnderWay
