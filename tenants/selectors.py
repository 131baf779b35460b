"""Reading tenants and what belongs to them. The tenant comes first in every call."""

import unicodedata
import uuid

from tenants.errors import CapabilitySetNotFound, TenantNotFound, UserNotFound
from tenants.models import CapabilitySet, Tenant, User
from tenants.scope import operator_scope


def get_tenant_by_name(name: str) -> Tenant:
    """Return the tenant that a command names, by its name or its id.

    Opens an operator's scope of its own. Raises `TenantNotFound`.
    """
    cleaned = unicodedata.normalize("NFC", name).strip()
    with operator_scope():
        tenant = Tenant.objects.filter(name=cleaned).first()
        if tenant is None:
            try:
                tenant = Tenant.objects.filter(id=uuid.UUID(cleaned)).first()
            except ValueError:
                tenant = None
    if tenant is None:
        raise TenantNotFound(f"There is no tenant called {cleaned!r}: create it with `create_tenant`.")
    return tenant


def get_user(name: str) -> User:
    """Return the user with this user name. Raises `UserNotFound`."""
    user = User.objects.filter(username=name).first()
    if user is None:
        raise UserNotFound("There is no user called %(name)r: create the account first.", name=name)
    return user


def get_capability_set(tenant_id: uuid.UUID, name: str) -> CapabilitySet:
    """Return the tenant's capability set of this name, to grant it; needs its scope.

    It stays as it is until the transaction ends: neither changed nor deleted. Raises `CapabilitySetNotFound`.
    """
    sets = CapabilitySet.objects.select_for_update(no_key=True)
    found = sets.filter(tenant_id=tenant_id, name=name).first()
    if found is None:
        raise CapabilitySetNotFound("The tenant has no capability set called %(name)r.", name=name)
    return found
