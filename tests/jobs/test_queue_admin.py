"""The pages of tenants' queues: who may change them, what is written, and that it is on record."""

from typing import Any

import pytest

from jobs.models import TenantQueue
from tenants.models import AuditEvent, Tenant
from tenants.scope import operator_scope
from tests.factories import TenantFactory
from tests.operators import sign_in

QUEUES = "/admin/jobs/tenantqueue/"
EVERYTHING = ("jobs.view_tenantqueue", "jobs.add_tenantqueue", "jobs.change_tenantqueue")

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant() -> Tenant:
    made: Tenant = TenantFactory.create(name="Kanzlei Weiß")
    return made


def add(tenant: Tenant, **values: Any) -> Any:
    given = {"tenant": str(tenant.pk), "weight": "3", "max_running": "2", "paused": "on"} | values
    return sign_in(*EVERYTHING).post(QUEUES + "add/", given, follow=True)


def read(tenant: Tenant) -> TenantQueue:
    with operator_scope():
        return TenantQueue.objects.get(tenant_id=tenant.pk)


def test_a_tenants_queue_is_made_exceptional_and_that_is_on_record(tenant: Tenant) -> None:
    page = add(tenant).content.decode()
    assert "Kanzlei Weiß" in page
    queue = read(tenant)
    assert (queue.weight, queue.max_running, queue.paused, queue.closed) == (3.0, 2, True, False)
    with operator_scope():
        event = AuditEvent.objects.get(action="queue.changed")
    assert event.tenant_id == tenant.pk


def test_a_queue_is_changed_on_its_page_and_its_tenant_is_not(tenant: Tenant) -> None:
    add(tenant)
    other: Tenant = TenantFactory.create()
    given = {"tenant": str(other.pk), "weight": "1.5", "max_running": ""}
    response = sign_in(*EVERYTHING).post(f"{QUEUES}{tenant.pk}/change/", given)
    assert response.status_code == 302
    queue = read(tenant)
    assert (queue.weight, queue.max_running, queue.paused) == (1.5, None, False)
    with operator_scope():
        assert TenantQueue.objects.count() == 1


@pytest.mark.parametrize(
    ("field", "value"), [("weight", "0"), ("weight", "1001"), ("weight", "nan"), ("max_running", "0")]
)
def test_nonsense_is_refused_on_the_page(tenant: Tenant, field: str, value: str) -> None:
    response = add(tenant, **{field: value})
    assert response.status_code == 200
    assert response.context["errors"]
    with operator_scope():
        assert not TenantQueue.objects.exists()


def test_a_second_row_for_a_tenant_is_refused(tenant: Tenant) -> None:
    add(tenant)
    assert add(tenant, weight="9").context["errors"]
    assert read(tenant).weight == 3.0


def test_who_may_only_look_changes_nothing(tenant: Tenant) -> None:
    add(tenant)
    client = sign_in("jobs.view_tenantqueue")
    assert client.get(QUEUES).status_code == 200
    assert client.get(f"{QUEUES}{tenant.pk}/change/").status_code == 200
    assert client.post(f"{QUEUES}{tenant.pk}/change/", {"weight": "9"}).status_code == 403
    assert client.get(QUEUES + "add/").status_code == 403
    assert client.post(f"{QUEUES}{tenant.pk}/delete/", {"post": "yes"}).status_code == 403
    assert read(tenant).weight == 3.0


def test_strangers_see_nothing_of_queues(tenant: Tenant) -> None:
    assert sign_in("jobs.view_job").get(QUEUES).status_code == 403
