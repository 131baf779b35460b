"""The pages of tenants and accounts, as operators meet them."""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.utils import timezone

from jobs.models import Job
from tenants import lifecycle_admin
from tenants.account_admin import USED_PERMISSIONS
from tenants.models import AuditEvent, Tenant, User
from tenants.scope import operator_scope
from tests.factories import (
    CapabilitySetFactory,
    MembershipFactory,
    TenantFactory,
    TenantHourFactory,
    UserFactory,
)
from tests.operators import counting, make_operator, recorded, sign_in

TENANTS = "/admin/tenants/tenant/"
USERS = "/admin/tenants/user/"
NEW = {"name": "Kanzlei Weiß", "timezone": "Europe/Berlin", "languages": "deu,eng", "owner": ""}

pytestmark = pytest.mark.django_db


def read_tenant(name: str) -> Tenant | None:
    with operator_scope():
        return Tenant.objects.filter(name=name).first()


def test_tenants_are_listed_by_name_and_found_by_a_part_of_it() -> None:
    TenantFactory.create(name="Müller")
    TenantFactory.create(name="Kanzlei Weiß", status="suspended")
    client = sign_in("tenants.view_tenant")
    page = client.get(TENANTS)
    assert [row.name for row in page.context["cl"].result_list] == ["Kanzlei Weiß", "Müller"]
    assert "state-suspended" in page.content.decode()
    for query in ({"q": "weiß"}, {"status": "suspended"}):
        assert [row.name for row in client.get(TENANTS, query).context["cl"].result_list] == ["Kanzlei Weiß"]


def test_the_list_of_tenants_goes_on_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenants.admin.TenantAdmin.list_per_page", 1)
    for name in ("b", "a [1]", 'c "x"'):
        TenantFactory.create(name=name)
    client = sign_in("tenants.view_tenant")
    seen, query = [], "?"
    while query:
        page = client.get(TENANTS + query).context["cl"]
        seen += [row.name for row in page.result_list]
        query = page.next_page
    assert seen == ["a [1]", "b", 'c "x"']


def test_a_new_tenant_is_made_by_the_service_with_the_job_that_makes_it_ready() -> None:
    owner = UserFactory.create(username="anna")
    client = sign_in("tenants.view_tenant", "tenants.add_tenant")
    response = client.post(f"{TENANTS}add/", NEW | {"name": " Kanzlei Weiß", "owner": "anna"})
    assert response.status_code == 302
    tenant = read_tenant("Kanzlei Weiß")
    assert tenant is not None
    assert (tenant.status, tenant.languages) == ("creating", ["deu", "eng"])
    with operator_scope():
        (job,) = Job.objects.filter(tenant_id=tenant.pk)
        (event,) = AuditEvent.objects.filter(tenant_id=tenant.pk)
    assert (job.type, job.payload) == ("provision-tenant", {"members": [str(owner.pk)]})
    assert event.action == "tenant.created"
    assert event.actor == f"user:{client.session['_auth_user_id']}"


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("name", "a|b", "must not contain"),
        ("name", "taken", "already exists"),
        ("name", "x\u2028y", "must not contain"),
        ("timezone", "Mars/Base", "Select a valid choice"),
        ("languages", "german", "is no code of a language"),
        ("languages", "", "required"),
        ("owner", "nobody", "no active user"),
    ],
)
def test_bad_input_is_met_with_words_and_creates_nothing(field: str, value: str, words: str) -> None:
    TenantFactory.create(name="taken")
    client = sign_in("tenants.view_tenant", "tenants.add_tenant")
    response = client.post(f"{TENANTS}add/", NEW | {field: value})
    assert response.status_code == 200
    assert words in response.content.decode()
    assert read_tenant("Kanzlei Weiß") is None


def test_who_may_only_see_tenants_makes_none() -> None:
    client = sign_in("tenants.view_tenant")
    assert client.post(f"{TENANTS}add/", NEW).status_code == 403
    assert "add/" not in client.get(TENANTS).content.decode()


def test_a_tenant_shows_its_members_and_the_ways_to_its_documents_and_jobs() -> None:
    tenant = TenantFactory.create()
    with operator_scope():
        MembershipFactory.create(
            tenant_id=tenant.pk,
            user=UserFactory.create(username="anna"),
            capability_set=CapabilitySetFactory.create(tenant_id=tenant.pk, name="owner"),
        )
    page = sign_in("tenants.view_tenant").get(f"{TENANTS}{tenant.pk}/change/").content.decode()
    assert "anna" in page
    assert f"/admin/documents/document/?tenant={tenant.pk}" in page
    assert f"/admin/jobs/failedjob/?tenant={tenant.pk}" in page


def test_a_tenant_is_neither_changed_nor_deleted_by_hand() -> None:
    tenant = TenantFactory.create()
    client = sign_in(superuser=True)
    assert client.post(f"{TENANTS}{tenant.pk}/change/", NEW).status_code == 403
    assert client.post(f"{TENANTS}{tenant.pk}/delete/", {"post": "yes"}).status_code == 403
    assert read_tenant(tenant.name) is not None


def test_no_page_of_tenants_counts_rows_and_more_rows_cost_no_more_statements() -> None:
    tenant = TenantFactory.create()
    client = sign_in(superuser=True)
    addresses = [TENANTS, f"{TENANTS}?q=t", f"{TENANTS}{tenant.pk}/change/", f"{TENANTS}add/", USERS]

    def measure() -> list[int]:
        numbers = []
        for address in addresses:
            with recorded() as statements:
                assert client.get(address).status_code == 200
            assert counting(statements) == []
            numbers.append(len(statements))
        return numbers

    before = measure()
    for _ in range(10):
        TenantFactory.create()
        UserFactory.create()
    assert measure() == before


def test_accounts_offer_only_permissions_that_open_something() -> None:
    user = UserFactory.create()
    page = sign_in(superuser=True).get(f"{USERS}{user.pk}/change/").content.decode()
    assert "Requeue failed jobs" in page
    assert "log entry" not in page


def change(client: Any, user: User, **values: object) -> int:
    data = {"username": user.username, "is_active": "on"} | values
    status: int = client.post(f"{USERS}{user.pk}/change/", data).status_code
    return status


def test_every_permission_that_a_page_asks_for_can_be_given_to_an_account() -> None:
    ours = [model for model in admin.site._registry if model._meta.app_label != "auth"]
    kinds = {(model._meta.concrete_model or model)._meta for model in ours}
    asked = {(kind.app_label, f"view_{kind.model_name}") for kind in kinds}
    asked |= {(kind.app_label, str(name)) for kind in kinds for name, _words in kind.permissions}
    app, _, name = lifecycle_admin.PERMISSION.partition(".")
    asked.add((app, name))
    assert asked - USED_PERMISSIONS.keys() == set()


def test_who_may_edit_accounts_cannot_hand_out_rights() -> None:
    user = UserFactory.create()
    client = sign_in("tenants.view_user", "tenants.change_user")
    assert change(client, user, is_superuser="on", is_staff="on", first_name="Anna") == 302
    user.refresh_from_db()
    assert (user.first_name, user.is_superuser, user.is_staff) == ("Anna", False, False)


def test_accounts_of_superusers_are_changed_by_superusers_only() -> None:
    chief = make_operator(superuser=True)
    client = sign_in("tenants.view_user", "tenants.change_user")
    assert change(client, chief, first_name="Anna") == 403
    assert client.get(f"{USERS}{chief.pk}/password/").status_code == 403
    assert change(sign_in(superuser=True), chief, first_name="Anna", is_superuser="on") == 302


def test_groups_are_for_superusers() -> None:
    group = Group.objects.create(name="operators")
    client = sign_in("auth.view_group", "auth.change_group", "auth.add_group")
    assert client.get("/admin/auth/group/").status_code == 200
    assert client.post(f"/admin/auth/group/{group.pk}/change/", {"name": "x"}).status_code == 403
    assert client.get("/admin/auth/group/add/").status_code == 403
    assert sign_in(superuser=True).get(f"/admin/auth/group/{group.pk}/change/").status_code == 200


def test_accounts_are_not_deleted() -> None:
    user = UserFactory.create()
    assert sign_in(superuser=True).post(f"{USERS}{user.pk}/delete/", {"post": "yes"}).status_code == 403


def test_the_page_of_a_tenant_says_what_it_used_and_what_its_sets_allow() -> None:
    tenant: Tenant = TenantFactory.create()
    with operator_scope():
        CapabilitySetFactory.create(tenant_id=tenant.pk, name="clerks", capabilities=["documents:read"])
        hour = timezone.now().replace(minute=0, second=0, microsecond=0)
        TenantHourFactory.create(tenant_id=tenant.pk, hour=hour, attempts=1200, failed=3, seconds=61.0)
    page = sign_in("tenants.view_tenant").get(f"/admin/tenants/tenant/{tenant.pk}/change/").content.decode()
    assert "1 min 1 s of the workers" in page
    assert "1,200 attempts, 3 failed for good." in page
    assert "clerks" in page
    assert "documents:read" in page
