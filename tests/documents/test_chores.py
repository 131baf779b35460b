"""The nightly look at a share of the vault."""

from datetime import UTC, date, datetime

import pytest
from pytest_django import Settings

from documents.chores import check_vault
from documents.models import VaultCheck
from jobs.models import Job
from tenants.models import Tenant
from tenants.scope import operator_scope
from tests.documents.conftest import Store
from tests.factories import TenantFactory, VaultCheckFactory


def today() -> date:
    return datetime.now(UTC).date()


def queued() -> list[tuple[str, int, int]]:
    with operator_scope():
        jobs = Job.objects.filter(type="verify-archive", status="queued").order_by("tenant__name")
        return [(str(job.tenant), job.payload["share"], job.payload["shares"]) for job in jobs]


@pytest.mark.django_db
def test_each_active_tenant_has_its_next_share_looked_at(settings: Settings) -> None:
    settings.ARCHIV_CHECK_NIGHTS = 7
    for name, status in (("Anders", "active"), ("Berg", "active"), ("Cordes", "suspended")):
        tenant: Tenant = TenantFactory.create(name=name, status=status)
        if name == "Berg":
            with operator_scope():
                VaultCheckFactory.create(tenant_id=tenant.id, share=2, shares=7)
                VaultCheck.objects.update(ended_at=datetime(2026, 1, 1, tzinfo=UTC))
    assert check_vault(today()).message == "Checks queued for 2 tenants; 0 left alone."
    assert queued() == [("Anders", 0, 7), ("Berg", 3, 7)]
    assert check_vault(today()).message == "Checks queued for 0 tenants; 2 left alone."
    assert len(queued()) == 2, "what waits from yesterday does not pile up"


@pytest.mark.django_db
def test_what_was_looked_at_tonight_is_not_looked_at_again(settings: Settings) -> None:
    settings.ARCHIV_CHECK_NIGHTS, settings.ARCHIV_CHORES_HOUR = 7, 0
    tenant: Tenant = TenantFactory.create()
    with operator_scope():
        VaultCheckFactory.create(tenant_id=tenant.id, share=2, shares=7)
    check_vault(today())
    assert queued() == []


def test_it_can_be_switched_off(store: Store, settings: Settings) -> None:
    store()
    settings.ARCHIV_CHECK_NIGHTS = 0
    assert "ARCHIV_CHECK_NIGHTS" in check_vault(today()).message
    assert queued() == []
