"""A tenant is created, made ready, suspended and resumed."""

import uuid
from collections.abc import Callable

import pytest

from jobs.models import Job, TenantQueue
from jobs.services import enqueue_job
from tenants.access import Access, operator_access
from tenants.audit_store import read_links
from tenants.capabilities import SYSTEM_SETS
from tenants.errors import TenantNameTaken, TenantNotFound, TenantsError, WrongTenantStatus
from tenants.models import CapabilitySet, Membership, Tenant
from tenants.names import InvalidTenantName
from tenants.scope import operator_scope, tenant_scope
from tenants.selectors import get_tenant_by_name
from tenants.services import create_tenant, provision_tenant, resume_tenant, suspend_tenant
from tests.factories import JobFactory, TenantFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


def status_of(tenant: Tenant) -> str:
    with tenant_scope(tenant.id):
        return Tenant.objects.get(id=tenant.id).status


def set_status(tenant: Tenant, status: str) -> None:
    with tenant_scope(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(status=status)


def test_a_tenant_comes_with_the_job_that_makes_it_ready() -> None:
    owner = UserFactory.create()
    tenant = create_tenant(name="  Mu\u0308ller & Söhne GmbH ", members=[owner.id])
    assert tenant.name == "Müller & Söhne GmbH"
    assert status_of(tenant) == "creating"
    with tenant_scope(tenant.id):
        job = Job.objects.get(tenant_id=tenant.id)
    assert (job.type, job.payload, job.lane) == ("provision-tenant", {"members": [str(owner.id)]}, 0)
    assert get_tenant_by_name("Mu\u0308ller & Söhne GmbH").id == tenant.id
    assert get_tenant_by_name(str(tenant.id)).id == tenant.id


def test_a_refused_tenant_leaves_neither_row_nor_job() -> None:
    create_tenant(name="Acme")
    calls: list[tuple[Callable[[], Tenant], type[Exception]]] = [
        (lambda: create_tenant(name="Acme"), TenantNameTaken),
        (lambda: create_tenant(name="a|b"), InvalidTenantName),
        (lambda: create_tenant(name="Zeta", timezone="Mars/Olympus"), TenantsError),
        (lambda: create_tenant(name="Zeta", timezone="../../etc/passwd"), TenantsError),
        (lambda: create_tenant(name="Zeta", languages=["deu", "../x"]), TenantsError),
        (lambda: create_tenant(name="Zeta", languages=[]), TenantsError),
        (lambda: create_tenant(name="Zeta", languages=["Latin"]), TenantsError),
        (lambda: create_tenant(name="Zeta", languages=[f"aa{end}" for end in "abcdefghi"]), TenantsError),
    ]
    for call, expected in calls:
        with pytest.raises(expected):
            call()
    with operator_scope():
        assert Tenant.objects.count() == 1
        assert Job.objects.count() == 1
    with pytest.raises(TenantNotFound):
        get_tenant_by_name("Zeta")


def test_provisioning_can_be_repeated_and_reports_members_that_do_not_exist() -> None:
    owner, nobody = UserFactory.create(), uuid.uuid4()
    tenant = create_tenant(name="Acme", members=[owner.id, nobody])
    for expected in (1, 0):
        with tenant_scope(tenant.id):
            done = provision_tenant(tenant_id=tenant.id, members=[owner.id, nobody, owner.id])
        assert (done.members_added, done.members_unknown) == (expected, (nobody,))
    with tenant_scope(tenant.id):
        sets = CapabilitySet.objects.filter(tenant_id=tenant.id, is_system=True)
        assert {held.name: tuple(held.capabilities) for held in sets} == SYSTEM_SETS
        assert Membership.objects.get(tenant_id=tenant.id).capability_set.name == "owner"
    assert status_of(tenant) == "active"


@pytest.mark.parametrize("status", ["suspended", "deleting"])
def test_a_tenant_that_is_closed_is_not_opened_by_provisioning(status: str) -> None:
    tenant = TenantFactory.create(status=status)
    with pytest.raises(WrongTenantStatus), tenant_scope(tenant.id):
        provision_tenant(tenant_id=tenant.id, members=[])
    with tenant_scope(tenant.id):
        assert not CapabilitySet.objects.exists()


def test_suspending_fails_what_waits_and_resuming_requeues_exactly_that() -> None:
    tenant, other = TenantFactory.create(), TenantFactory.create()
    access = operator_access(tenant.id)
    with tenant_scope(tenant.id):
        waiting = {enqueue_job(tenant_id=tenant.id, type="probe", payload={}) for _ in range(7)}
        later = enqueue_job(tenant_id=tenant.id, type="probe", payload={}, delay_seconds=3600)
        broken = JobFactory.create(tenant_id=tenant.id, status="failed", failure_kind="error").id
        done = JobFactory.create(tenant_id=tenant.id, status="succeeded").id
    with tenant_scope(other.id):
        others = enqueue_job(tenant_id=other.id, type="probe", payload={})
    assert suspend_tenant(access=access) == 8
    assert suspend_tenant(access=access) == 0
    assert status_of(tenant) == "suspended"
    with tenant_scope(tenant.id):
        assert TenantQueue.objects.get(tenant_id=tenant.id).closed
        failed = Job.objects.filter(status="failed", failure_kind="tenant_inactive")
        assert set(failed.values_list("id", flat=True)) == waiting | {later}
    report = resume_tenant(access=access)
    assert (report.requeued, report.skipped) == (8, {})
    assert resume_tenant(access=access).requeued == 0
    assert status_of(tenant) == "active"
    with operator_scope():
        assert not TenantQueue.objects.get(tenant_id=tenant.id).closed
        states = dict(Job.objects.values_list("id", "status"))
    assert states == {
        **dict.fromkeys(waiting | {later, others}, "queued"),
        broken: "failed",
        done: "succeeded",
    }
    actions = [link.action for link in read_links() if link.tenant_id == str(tenant.id)]
    assert actions == [
        "queue.changed",
        "tenant.suspended",
        "queue.changed",
        "tenant.resumed",
        "job.requeued",
    ]


@pytest.mark.parametrize("status", ["creating", "deleting"])
@pytest.mark.parametrize("service", [suspend_tenant, resume_tenant])
def test_only_an_open_or_suspended_tenant_is_suspended_or_resumed(
    service: Callable[..., object], status: str
) -> None:
    tenant = TenantFactory.create(status=status)
    with pytest.raises(WrongTenantStatus, match=status):
        service(access=operator_access(tenant.id))
    with pytest.raises(TenantNotFound):
        service(access=Access(uuid.uuid4(), frozenset({"tenants:write"})))
