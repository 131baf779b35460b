"""Trash and holds: what lies there is found by nobody and can come back; what is held is left alone."""

import uuid

import pytest

from documents.models import Document
from documents.search.results import search_documents
from documents.services.changes import ChangeReport
from documents.services.holds import hold_documents, release_documents
from documents.services.trash import restore_documents, trash_documents
from documents.vault import LocalVault
from jobs.models import Job
from tenants.access import Access, operator_access
from tenants.errors import CapabilityDenied, TenantNotActive, WipeUnderWay
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store
from tests.factories import TenantFactory, WipeOrderFactory


def document_of(tenant: Tenant, document_id: uuid.UUID) -> Document:
    with tenant_scope(tenant.id):
        return Document.objects.get(pk=document_id)


def found(tenant: Tenant, text: str) -> int:
    return len(search_documents(tenant_id=tenant.id, text=text).hits)


def trail(tenant: Tenant) -> list[str]:
    with tenant_scope(tenant.id):
        events = AuditEvent.objects.filter(tenant_id=tenant.id).order_by("sequence")
        return list(events.values_list("action", flat=True))


def trash(tenant: Tenant, *ids: uuid.UUID) -> ChangeReport:
    return trash_documents(access=operator_access(tenant.id), document_ids=ids)


def restore(tenant: Tenant, *ids: uuid.UUID) -> ChangeReport:
    return restore_documents(access=operator_access(tenant.id), document_ids=ids)


def test_what_is_trashed_is_found_no_more_and_what_is_restored_is_found_again(
    store: Store, tenant: Tenant, vault: LocalVault
) -> None:
    stored = store(b"paper", "Kaufvertrag.txt")
    assert found(tenant, "kaufvertrag") == 1
    assert trash(tenant, stored.document_id) == ChangeReport(1)
    assert found(tenant, "kaufvertrag") == 0
    assert len(list(vault.list(""))) == 1
    assert restore(tenant, stored.document_id) == ChangeReport(1)
    assert found(tenant, "kaufvertrag") == 1
    assert trail(tenant) == ["document.stored", "document.trashed", "document.restored"]
    with tenant_scope(tenant.id):
        assert Job.objects.filter(status="queued", type="analyze-document").count() == 1, "it was joined"


def test_an_analysis_puts_nothing_into_the_index_while_the_document_is_in_the_trash(
    store: Store, tenant: Tenant, analyze: object
) -> None:
    stored = store(b"Mietvertrag ueber eine Garage", "brief.txt")
    trash(tenant, stored.document_id)
    assert callable(analyze)
    assert analyze(stored).status == "succeeded"
    assert found(tenant, "garage") == 0
    restore(tenant, stored.document_id)
    assert analyze(stored).status == "succeeded"
    assert found(tenant, "garage") == 1


def test_bytes_that_lie_in_the_trash_are_named_when_they_come_again(store: Store, tenant: Tenant) -> None:
    first = store(b"paper")
    trash(tenant, first.document_id)
    again = store(b"paper")
    assert (again.document_id, again.duplicate, again.trashed) == (first.document_id, True, True)


def test_documents_that_cannot_be_changed_are_counted_by_reason(store: Store, tenant: Tenant) -> None:
    one, two = store(b"one"), store(b"two")
    trash(tenant, one.document_id)
    report = trash(tenant, one.document_id, two.document_id, two.document_id, uuid.uuid4())
    assert report == ChangeReport(1, {"in the trash already": 1, "not there": 1})
    report = restore(tenant, one.document_id, uuid.uuid4())
    assert report == ChangeReport(1, {"not there": 1})
    assert restore(tenant, one.document_id) == ChangeReport(0, {"not in the trash": 1})


def test_nobody_reaches_the_documents_of_another_tenant(store: Store, tenant: Tenant) -> None:
    stored, other = store(b"paper"), TenantFactory.create()
    assert trash(other, stored.document_id) == ChangeReport(0, {"not there": 1})
    assert document_of(tenant, stored.document_id).trashed_at is None


def test_what_is_being_purged_cannot_be_restored_held_or_trashed(store: Store, tenant: Tenant) -> None:
    stored = store(b"paper")
    trash(tenant, stored.document_id)
    with tenant_scope(tenant.id):
        document = Document.objects.get()
        Document.objects.update(purging_at=document.trashed_at)
    left = ChangeReport(0, {"being purged": 1})
    access, ids = operator_access(tenant.id), [stored.document_id]
    assert restore(tenant, stored.document_id) == left
    assert trash(tenant, stored.document_id) == left
    assert hold_documents(access=access, document_ids=ids) == left


def test_a_document_under_hold_is_not_trashed_and_the_refusal_is_in_the_trail(
    store: Store, tenant: Tenant
) -> None:
    stored = store(b"paper")
    access, ids = operator_access(tenant.id), [stored.document_id]
    assert hold_documents(access=access, document_ids=ids) == ChangeReport(1)
    assert trash(tenant, *ids) == ChangeReport(0, {"under legal hold": 1})
    assert hold_documents(access=access, document_ids=ids).skipped == {"under legal hold already": 1}
    assert release_documents(access=access, document_ids=ids) == ChangeReport(1)
    assert release_documents(access=access, document_ids=ids).skipped == {"not under legal hold": 1}
    assert trash(tenant, *ids) == ChangeReport(1)
    assert trail(tenant)[1:] == [
        "document.held",
        "document.trash_refused",
        "document.released",
        "document.trashed",
    ]


def test_a_hold_stops_a_wipe_that_waits_but_not_one_at_work(store: Store, tenant: Tenant) -> None:
    stored = store(b"paper")
    access, ids = operator_access(tenant.id), [stored.document_id]
    with tenant_scope(tenant.id):
        Tenant.objects.filter(pk=tenant.pk).update(status="deleting")
        order = WipeOrderFactory.create(tenant_id=tenant.id, state="accepted")
    assert hold_documents(access=access, document_ids=ids) == ChangeReport(1)
    with tenant_scope(tenant.id):
        type(order).objects.filter(pk=order.pk).update(state="authorised")
    with pytest.raises(WipeUnderWay):
        release_documents(access=access, document_ids=ids)


def test_nothing_is_trashed_in_a_tenant_that_is_not_active(store: Store, tenant: Tenant) -> None:
    stored = store(b"paper")
    with tenant_scope(tenant.id):
        Tenant.objects.filter(pk=tenant.pk).update(status="suspended")
    with pytest.raises(TenantNotActive, match="is suspended"):
        trash(tenant, stored.document_id)


def test_trash_and_holds_ask_for_their_capabilities(tenant: Tenant) -> None:
    reader = Access(tenant_id=tenant.id, capabilities=frozenset({"documents:read"}))
    for service in (trash_documents, restore_documents, hold_documents, release_documents):
        with pytest.raises(CapabilityDenied):
            service(access=reader, document_ids=[])
