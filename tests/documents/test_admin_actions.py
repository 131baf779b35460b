"""What operators do with documents from the admin, and who may."""

import pytest
from django.test import Client

from documents.models import Document
from jobs.models import Job
from tenants.models import AuditEvent, Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.documents.test_admin import LIST, make_document
from tests.factories import TenantFactory
from tests.operators import sign_in

VIEW, TRASH, PURGE, HOLD = (f"documents.{verb}_document" for verb in ("view", "trash", "purge", "hold"))


@pytest.fixture
def tenant(db: None) -> Tenant:
    made: Tenant = TenantFactory.create(name="Kanzlei Weiß")
    return made


def act(client: Client, action: str, *documents: Document) -> str:
    """Run an action on the documents, and return what the page says afterwards."""
    ticked = [str(document.pk) for document in documents]
    response = client.post(LIST, {"action": action, "_selected_action": ticked}, follow=True)
    return " ".join(str(message) for message in response.context["messages"])


def refresh(document: Document) -> Document:
    with operator_scope():
        return Document.objects.get(pk=document.pk)


def test_documents_of_two_tenants_are_trashed_restored_and_purged(tenant: Tenant) -> None:
    ours, theirs = make_document(tenant), make_document(TenantFactory.create())
    client = sign_in(VIEW, TRASH, PURGE)
    assert act(client, "trash", ours, theirs) == "2 documents trashed."
    assert act(client, "restore", ours) == "1 document restored."
    said = act(client, "purge", ours, theirs)
    assert said == "the purge of 1 document queued, 1 skipped (1 not in the trash)."
    with operator_scope():
        assert Job.objects.get(type="purge-document").document_id == theirs.pk


def test_a_hold_is_respected_and_lifted(tenant: Tenant) -> None:
    document = make_document(tenant)
    client = sign_in(VIEW, TRASH, HOLD)
    assert act(client, "hold", document) == "1 document put under hold."
    assert "1 under legal hold" in act(client, "trash", document)
    assert refresh(document).trashed_at is None
    assert act(client, "release", document) == "1 hold lifted."
    assert not refresh(document).legal_hold


def test_the_trail_names_the_operator_and_the_address(tenant: Tenant) -> None:
    act(sign_in(VIEW, TRASH), "trash", make_document(tenant))
    with tenant_scope(tenant.id):
        event = AuditEvent.objects.get(action="document.trashed")
    assert event.actor.startswith("user:")
    assert event.origin == "127.0.0.1"


def test_nothing_is_done_in_a_tenant_that_is_not_active(tenant: Tenant) -> None:
    document = make_document(tenant)
    with tenant_scope(tenant.id):
        Tenant.objects.filter(pk=tenant.pk).update(status="suspended")
    assert "is suspended" in act(sign_in(VIEW, TRASH), "trash", document)
    assert refresh(document).trashed_at is None


@pytest.mark.parametrize("action", ["trash", "restore", "purge", "hold", "release"])
def test_who_may_only_look_changes_nothing(tenant: Tenant, action: str) -> None:
    document = make_document(tenant)
    before = refresh(document).updated_at
    act(sign_in(VIEW), action, document)
    assert refresh(document).updated_at == before
    page = sign_in(VIEW).get(f"{LIST}{document.pk}/change/").content.decode()
    assert "page-actions" not in page


def test_the_page_offers_what_can_be_done(tenant: Tenant) -> None:
    document = make_document(tenant)
    client = sign_in(VIEW, TRASH, PURGE, HOLD, language="de")

    def offered() -> list[str]:
        response = client.get(f"{LIST}{document.pk}/change/")
        return [button.action for button in response.context["buttons"]]

    assert offered() == ["trash", "hold"]
    act(client, "trash", document)
    assert offered() == ["restore", "purge", "hold"]
    assert "Endgültig löschen" in client.get(f"{LIST}{document.pk}/change/").content.decode()
    act(client, "hold", document)
    assert offered() == ["restore", "release"]
