"""Papers that must be kept stop a wipe, until the retention of the tenant is released."""

from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db.models.functions import Now

from documents.models import Document
from tenants.audit import Actor, acting_as
from tenants.audit_store import read_links
from tenants.errors import (
    TenantsError,
    WipeForbidden,
)
from tenants.scope import tenant_scope
from tenants.services import (
    order_wipe,
    release_retention,
)
from tests.factories import DocumentFactory, TenantFactory
from tests.tenants.wiping import (
    access,
    make_tenant,
    newest_order,
    signed,
    state_of,
    submit,
    work_off,
)

pytestmark = pytest.mark.django_db


def test_a_document_under_legal_hold_stops_a_wipe_before_it_starts() -> None:
    tenant = make_tenant(documents=1)
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(legal_hold=True)
    release_retention(access=access(tenant), reason="handed over")
    before = state_of(tenant.id)
    calls: list[Callable[[], object]] = [
        lambda: order_wipe(access=access(tenant)),
        lambda: order_wipe(access=access(tenant), action="reset"),
        lambda: submit(tenant, signed(tenant)),
    ]
    for call in calls:
        with pytest.raises(WipeForbidden, match="1 document is under legal hold: it must be lifted first"):
            call()
    after = state_of(tenant.id)
    assert {table for table, rows in after.rows.items() if rows != before.rows[table]} == {
        "tenants_auditevent",
        "tenants_audithead",
    }
    assert [link.action for link in read_links()][-3:] == ["wipe.forbidden"] * 3


@pytest.mark.parametrize(("seconds", "forbidden"), [(1, True), (-1, False)])
def test_retention_ends_by_the_clock_of_the_database(seconds: int, forbidden: bool) -> None:
    tenant = make_tenant(documents=2)
    retain_until = Now() + timedelta(seconds=60 * seconds)
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(retain_until=retain_until)
    if forbidden:
        with pytest.raises(WipeForbidden, match="2 documents are to be kept, the last until 2"):
            order_wipe(access=access(tenant))
    else:
        order_wipe(access=access(tenant))


def test_the_last_day_of_retention_is_named_as_the_tenant_counts_days() -> None:
    tenant = make_tenant(documents=1)
    end_of_2090 = datetime(2091, 1, 1, tzinfo=ZoneInfo(tenant.timezone))
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(retain_until=end_of_2090)
    with pytest.raises(WipeForbidden, match="the last until 2090-12-31: wait"):
        order_wipe(access=access(tenant))


def test_a_released_retention_covers_what_was_there_and_is_told_in_the_report() -> None:
    tenant = make_tenant(documents=1)
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(retain_until=Now() + timedelta(days=900))
    with acting_as(Actor("command:anna", "host")):
        release_retention(access=access(tenant), reason="  handed over\n to the client ")
    with tenant_scope(tenant.id):
        DocumentFactory.create(tenant_id=tenant.id, retain_until=Now() + timedelta(days=900))
    with pytest.raises(WipeForbidden, match="1 document is to be kept"):
        order_wipe(access=access(tenant))
    with acting_as(Actor("command:anna", "host")):
        release_retention(access=access(tenant), reason="handed over to the client, the new one too")
    order_wipe(access=access(tenant))
    assert work_off() == ""
    released = newest_order(tenant).report["retention_released"]
    assert (released["by"], released["reason"]) == (
        "command:anna",
        "handed over to the client, the new one too",
    )
    assert "retention.released" in [link.action for link in read_links()]


@pytest.mark.parametrize("reason", ["", " \n ", "x" * 1001, "a\x00b"])
def test_retention_is_not_released_without_a_reason(reason: str) -> None:
    with pytest.raises(TenantsError, match="Say why"):
        release_retention(access=access(TenantFactory.create()), reason=reason)


def test_a_hold_that_comes_between_order_and_wipe_stops_it() -> None:
    tenant = make_tenant(documents=1)
    order_wipe(access=access(tenant))
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(legal_hold=True)
    before = state_of(tenant.id)
    assert "legal hold" in work_off()
    assert newest_order(tenant).state == "refused"
    assert state_of(tenant.id).rows["documents_document"] == before.rows["documents_document"]
