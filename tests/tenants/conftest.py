"""A tenant with its system sets, and one access of each kind."""

from collections.abc import Callable

import pytest

from tenants.access import Access
from tenants.capabilities import SYSTEM_SETS
from tenants.models import CapabilitySet, Membership, Tenant
from tenants.scope import tenant_scope
from tests.factories import TenantFactory, UserFactory


@pytest.fixture
def tenant(transactional_db: None) -> Tenant:
    """An active tenant with the sets that every tenant has."""
    made: Tenant = TenantFactory.create()
    with tenant_scope(made.id):
        for name, capabilities in SYSTEM_SETS.items():
            CapabilitySet.objects.create(
                tenant_id=made.id, name=name, is_system=True, capabilities=list(capabilities)
            )
    return made


@pytest.fixture
def join(tenant: Tenant) -> Callable[[str], Access]:
    """Make a new user a member with the set of this name, and return what they may do."""

    def make(set_name: str) -> Access:
        user = UserFactory.create()
        with tenant_scope(tenant.id):
            held = CapabilitySet.objects.get(tenant_id=tenant.id, name=set_name)
            Membership.objects.create(tenant_id=tenant.id, user=user, capability_set=held)
        return Access(tenant_id=tenant.id, capabilities=frozenset(held.capabilities), user_id=user.id)

    return make
