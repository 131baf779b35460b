"""The pages of wipe orders: what operators see of them, and the second pair of eyes in the admin."""

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.test.utils import override_settings

from documents.models import Document
from tenants.audit import Actor, acting_as
from tenants.models import Tenant, User, WipeOrder
from tenants.scope import operator_scope, tenant_scope
from tenants.services import order_wipe
from tests.factories import TenantFactory
from tests.operators import explain, make_operator, recorded
from tests.tenants.test_wipe import stopping_after
from tests.tenants.wiping import (
    access,
    claim_wipe,
    job_of,
    make_tenant,
    newest_order,
    refresh,
    run_sql,
    run_wipe,
    status_of,
    work_off,
)

pytestmark = pytest.mark.django_db(transaction=True)

LIST = "/admin/tenants/wipeorder/"
RIGHTS = ("tenants.view_wipeorder", "tenants.view_tenant", "tenants.approve_wipe")


def sign_in(*permissions: str) -> tuple[Client, User]:
    user = make_operator(*permissions)
    user.set_password("kiosk-Wolke-77")
    user.save()
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client, user


def page(order: WipeOrder, end: str = "change") -> str:
    return f"{LIST}{order.nonce}/{end}/"


def post(client: Client, order: WipeOrder, end: str, password: str = "kiosk-Wolke-77") -> str:
    return client.post(page(order, end), {"password": password}, follow=True).content.decode()


@pytest.fixture
def requested() -> Iterator[Tenant]:
    """A tenant whose wipe was requested by a command, where two operators are needed."""
    tenant = make_tenant("Kanzlei Weiß", documents=1)
    with override_settings(ARCHIV_WIPE_APPROVAL=True):
        with acting_as(Actor("command:anna", "host")):
            order_wipe(access=access(tenant))
        yield tenant


def test_another_operator_approves_a_request_with_their_password(requested: Tenant) -> None:
    client, user = sign_in(*RIGHTS)
    order = newest_order(requested)
    shown = client.get(page(order)).content.decode()
    assert "command:anna" in shown
    assert "waits for approval" in shown
    assert "That is not your password" in post(client, order, "approve", "wrong")
    assert newest_order(requested).state == "requested"
    assert "Approved: job" in post(client, order, "approve")
    assert status_of(requested) == "deleting"
    assert work_off() == ""
    done = newest_order(requested)
    assert (done.state, done.approved_by) == ("done", f"user:{user.pk}")
    shown = client.get(page(order)).content.decode()
    assert user.username in shown
    assert f"{requested.pk} (deleted)" in shown
    assert "What has gone" in shown


def test_the_one_who_asked_does_not_approve_in_the_admin_either(requested: Tenant) -> None:
    client, user = sign_in(*RIGHTS)
    user.username = "anna"
    user.save()
    assert "another operator has to approve it" in post(client, newest_order(requested), "approve")
    assert newest_order(requested).state == "requested"


def test_a_request_is_refused_and_an_order_is_taken_back(requested: Tenant) -> None:
    client, _ = sign_in(*RIGHTS)
    order = newest_order(requested)
    assert "Taken back; 0 jobs run again." in post(client, order, "cancel")
    assert newest_order(requested).state == "cancelled"
    with override_settings(ARCHIV_WIPE_APPROVAL=False):
        placed = order_wipe(access=access(requested))
    assert "Take back" in client.get(page(newest_order(requested))).content.decode()
    assert "Taken back; 1 job runs again." in post(client, newest_order(requested), "cancel")
    assert job_of(placed.job_id or 0).failure_kind == "cancelled"
    assert status_of(requested) == "active"


def test_only_the_request_that_was_looked_at_is_approved(requested: Tenant) -> None:
    client, _ = sign_in(*RIGHTS)
    seen = newest_order(requested)
    post(client, seen, "cancel")
    with acting_as(Actor("command:anna")):
        order_wipe(access=access(requested), action="reset")
    assert "There is no request to wipe this tenant." in post(client, seen, "approve")
    assert "There is no wipe order of this tenant to cancel." in post(client, seen, "cancel")
    assert newest_order(requested).state == "requested"


def test_who_may_only_look_has_no_buttons_and_cannot_post(requested: Tenant) -> None:
    client, _ = sign_in("tenants.view_wipeorder")
    order = newest_order(requested)
    assert "page-actions" not in client.get(page(order)).content.decode()
    for end in ("approve", "cancel"):
        assert client.post(page(order, end), {"password": "kiosk-Wolke-77"}).status_code == 403
        assert client.get(page(order, end)).status_code == 405
        assert Client().post(page(order, end)).status_code == 302
    assert newest_order(requested).state == "requested"


def test_a_running_wipe_shows_how_far_it_is_on_its_page_and_on_that_of_the_tenant() -> None:
    tenant = make_tenant()
    order_wipe(access=access(tenant))
    attempt = claim_wipe()
    with stopping_after(8):
        run_wipe(attempt)
    order = newest_order(tenant)
    client, _ = sign_in(*RIGHTS)
    for address in (page(order), f"/admin/tenants/tenant/{tenant.pk}/change/"):
        shown = client.get(address).content.decode()
        assert f'<progress max="{order.total}" value="{order.done}"' in shown
        assert "removing rows" in shown
        assert "data-refresh" in shown
    percent = 100 * order.done // order.total
    assert f"removing rows, {percent} %" in client.get(LIST).content.decode()


def test_a_wipe_whose_job_has_failed_says_so_and_leads_to_the_job() -> None:
    tenant = make_tenant()
    placed = order_wipe(access=access(tenant))
    run_sql("UPDATE tenants_wipeorder SET state = 'authorised', phase = 'files' WHERE state = 'accepted'")
    run_sql(
        "UPDATE jobs_job SET status = 'failed', error_message = 'the vault is away' WHERE id = %s",
        [placed.job_id],
    )
    client, _ = sign_in(*RIGHTS)
    shown = client.get(page(newest_order(tenant))).content.decode()
    assert "its job has failed" in shown
    assert "the vault is away" in shown
    assert f"/admin/jobs/job/{placed.job_id}/change/" in shown
    assert "data-refresh" not in shown


def test_the_page_of_a_tenant_says_how_to_order_a_wipe_in_commands_that_can_be_copied() -> None:
    tenant = TenantFactory.create(name="O'Hara & $HOME GmbH")
    client, _ = sign_in(*RIGHTS)
    shown = client.get(f"/admin/tenants/tenant/{tenant.pk}/change/").content.decode()
    quoted = "&#x27;O&#x27;&quot;&#x27;&quot;&#x27;Hara &amp; $HOME GmbH&#x27;"
    assert f"manage.py delete_tenant {quoted} --sign" in shown


def test_orders_are_listed_in_the_order_of_an_index_and_by_state(requested: Tenant) -> None:
    client, _ = sign_in(*RIGHTS)
    with recorded() as statements:
        shown = client.get(LIST).content.decode()
    assert "Kanzlei Weiß" in shown
    (statement,) = [sql for sql in statements if "tenants_wipeorder" in sql and "LIMIT 51" in sql]
    assert "tenants_wipeorder_newest" in explain(statement)
    for query, number in (("state=requested", 1), ("state=done", 0), (f"tenant={requested.pk}", 2)):
        assert len(client.get(f"{LIST}?{query}").context["cl"].result_list) == number
    with operator_scope():
        assert WipeOrder.objects.count() == 2


def test_a_wipe_of_a_tenant_that_is_gone_keeps_its_page() -> None:
    tenant = make_tenant()
    order_wipe(access=access(tenant))
    assert work_off() == ""
    assert refresh(tenant) is None
    client, _ = sign_in("tenants.view_wipeorder")
    shown = client.get(page(newest_order(tenant))).content.decode()
    assert f"{tenant.pk} (deleted): delete tenant" in shown or str(tenant.pk) in shown
    assert "files: originals" in shown


def test_what_forbids_a_wipe_and_why_it_is_not_approved_is_said_in_the_language_of_the_page(
    requested: Tenant,
) -> None:
    last_day = datetime(2091, 1, 1, tzinfo=ZoneInfo(requested.timezone))
    with tenant_scope(requested.id):
        Document.objects.filter(tenant_id=requested.id).update(legal_hold=True, retain_until=last_day)
    client, user = sign_in(*RIGHTS)
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    forbidden = (
        "1 Dokument hat einen Sperrvermerk: Er muss zuerst aufgehoben werden.",
        "1 Dokument ist aufzubewahren, längstens bis 31.12.2090: Warten Sie",
    )
    counted = client.get(f"/admin/tenants/tenant/{requested.pk}/amounts/").content.decode()
    answered = post(client, newest_order(requested), "approve")
    for words in forbidden:
        assert words in counted
        assert words in answered
    user.username = "anna"
    user.save()
    answered = post(client, newest_order(requested), "approve")
    assert "anna hat diese Löschung beantragt: Jemand anderes muss ihr zustimmen." in answered
    post(client, newest_order(requested), "cancel")
    assert "keine Löschanordnung, die zurückgenommen" in post(client, newest_order(requested), "cancel")
