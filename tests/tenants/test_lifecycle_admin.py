"""The page of a tenant: suspend, resume and add a member, for operators who may."""

import uuid

import pytest
from django.test import Client

from documents.models import Document
from jobs.models import TenantQueue
from jobs.services import enqueue_job
from tenants.audit_store import read_links
from tenants.models import Membership, Tenant, TenantStatus
from tenants.scope import operator_scope, tenant_scope
from tests.factories import UserFactory
from tests.operators import sign_in
from tests.tenants.wiping import make_tenant, state_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator() -> Client:
    return sign_in("tenants.view_tenant", "tenants.change_tenant")


def page(tenant: Tenant, end: str = "change") -> str:
    return f"/admin/tenants/tenant/{tenant.pk}/{end}/"


def test_an_operator_suspends_and_resumes_a_tenant(tenant: Tenant, operator: Client) -> None:
    with tenant_scope(tenant.id):
        enqueue_job(tenant_id=tenant.id, type="probe", payload={})
    assert page(tenant, "suspend") in operator.get(page(tenant)).content.decode()
    said = operator.post(page(tenant, "suspend"), follow=True).content.decode()
    assert "The tenant is suspended; 1 job was set aside until it is resumed." in said
    assert page(tenant, "resume") in said
    assert page(tenant, "suspend") not in said
    said = operator.post(page(tenant, "resume"), follow=True).content.decode()
    assert "The tenant is active again; 1 job was requeued." in said
    assert {link.actor.partition(":")[0] for link in read_links()} == {"user"}


def test_an_operator_adds_a_member(tenant: Tenant, operator: Client) -> None:
    user = UserFactory.create()
    form = {"user": f" {user.username} ", "capability_set": "readonly"}
    said = operator.post(page(tenant, "add-member"), form, follow=True).content.decode()
    assert f"New member: {user.username}." in said
    with operator_scope():
        assert Membership.objects.get().capability_set.name == "readonly"
    assert "already" in operator.post(page(tenant, "add-member"), form, follow=True).content.decode()
    nobody = operator.post(
        page(tenant, "add-member"), {"user": "nobody", "capability_set": "user"}, follow=True
    )
    assert "no user called" in nobody.content.decode()
    nothing = operator.post(page(tenant, "add-member"), {"user": user.username}, follow=True)
    assert "no capability set" in nothing.content.decode()


def test_the_queue_is_shown_and_a_tenant_is_paused_and_unpaused(tenant: Tenant) -> None:
    client = sign_in("tenants.view_tenant", "jobs.change_tenantqueue", "jobs.add_tenantqueue")
    shown = client.get(page(tenant)).content.decode()
    assert "no limit" in shown
    assert f"/admin/jobs/tenantqueue/add/?tenant={tenant.pk}" in shown
    assert page(tenant, "suspend") not in shown
    said = client.post(page(tenant, "pause"), follow=True).content.decode()
    assert f"Paused: {tenant.name}." in said
    assert page(tenant, "unpause") in said
    with operator_scope():
        assert TenantQueue.objects.get().paused
    assert "begun again" in client.post(page(tenant, "unpause"), follow=True).content.decode()
    with operator_scope():
        assert not TenantQueue.objects.get().paused
    assert [link.action for link in read_links()][-2:] == ["queue.changed", "queue.changed"]
    assert client.post(page(Tenant(id=uuid.uuid4()), "pause")).status_code == 302
    with operator_scope():
        assert TenantQueue.objects.count() == 1, "a tenant that is gone gets no queue"


def test_what_a_tenant_has_and_what_forbids_a_wipe_is_counted_on_a_page_of_its_own() -> None:
    tenant = make_tenant("Kanzlei Weiß", documents=2)
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(legal_hold=True)
    before = state_of(tenant.id)
    client = sign_in("tenants.view_tenant")
    assert page(tenant, "amounts") in client.get(page(tenant)).content.decode()
    shown = client.get(page(tenant, "amounts")).content.decode()
    assert "What lies there: Kanzlei Weiß" in shown
    assert "files: originals" in shown
    assert "2 documents are under legal hold" in shown
    assert state_of(tenant.id) == before
    assert client.get(page(Tenant(id=uuid.uuid4()), "amounts")).status_code == 404
    assert sign_in("jobs.view_job").get(page(tenant, "amounts")).status_code == 403


def test_what_cannot_be_is_answered_in_words(tenant: Tenant, operator: Client) -> None:
    with tenant_scope(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(status=TenantStatus.DELETING)
    said = operator.post(page(tenant, "suspend"), follow=True).content.decode()
    assert "only an active one can be suspended" in said
    assert operator.get(page(tenant, "suspend")).status_code == 405
    gone = Tenant(id=uuid.uuid4())
    assert operator.post(page(gone, "suspend")).status_code == 302


def test_who_may_only_look_has_no_buttons_and_cannot_post(tenant: Tenant) -> None:
    looking = sign_in("tenants.view_tenant")
    assert "page-actions" not in looking.get(page(tenant)).content.decode()
    for end in ("suspend", "resume", "pause", "unpause", "add-member"):
        assert looking.post(page(tenant, end)).status_code == 403
        assert Client().post(page(tenant, end)).status_code == 302
    with operator_scope():
        assert Tenant.objects.get().status == TenantStatus.ACTIVE
