"""The only writer of tenants, members and capability sets. Each call is one transaction."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import IntegrityError, transaction

from jobs.services import enqueue_job, notify_after_commit
from tenants.capabilities import OWNER, SYSTEM_SETS
from tenants.errors import TenantNameTaken, TenantsError, WrongTenantStatus
from tenants.models import CapabilitySet, Membership, Tenant, TenantStatus, User
from tenants.names import clean_tenant_name
from tenants.scope import tenant_scope


@dataclass(frozen=True)
class Provisioned:
    """What one run of `provision_tenant` found: members added, and ids no user has."""

    members_added: int
    members_unknown: tuple[uuid.UUID, ...]


def create_tenant(
    *,
    name: str,
    members: Iterable[uuid.UUID] = (),
    timezone: str = "Europe/Berlin",
    languages: Iterable[str] = ("deu", "eng"),
) -> Tenant:
    """Create a tenant and, in the same transaction, the job that makes it ready.

    `members` become owners. Raises `InvalidTenantName`, `TenantNameTaken`, or `TenantsError` for a zone that
    does not exist.
    """
    cleaned = clean_tenant_name(name)
    _check_timezone(timezone)
    tenant = Tenant(id=uuid.uuid4(), name=cleaned, timezone=timezone, languages=list(languages))
    with tenant_scope(tenant.id):
        try:
            with transaction.atomic():
                tenant.save(force_insert=True)
        except IntegrityError as error:
            if "tenants_tenant_name" not in str(error):
                raise
            raise TenantNameTaken(
                f"There is a tenant called {cleaned!r} already: choose another name."
            ) from error
        enqueue_job(
            tenant_id=tenant.id,
            type="provision-tenant",
            payload={"members": [str(member) for member in members]},
        )
        notify_after_commit(tenant.id)
    return tenant


def provision_tenant(*, tenant_id: uuid.UUID, members: Iterable[uuid.UUID]) -> Provisioned:
    """Give the tenant its system sets and its owners, and make it active. Needs its scope; can be repeated.

    A member that does not exist is reported and does not stop the rest. A tenant that is active already stays
    so. Raises `WrongTenantStatus` when it is neither being created nor active.
    """
    for name, capabilities in SYSTEM_SETS.items():
        CapabilitySet.objects.update_or_create(
            tenant_id=tenant_id,
            name=name,
            defaults={"is_system": True, "capabilities": list(capabilities)},
        )
    owner_set = CapabilitySet.objects.get(tenant_id=tenant_id, name=OWNER)
    wanted = list(dict.fromkeys(members))
    known = set(User.objects.filter(id__in=wanted).values_list("id", flat=True))
    added = 0
    for user_id in wanted:
        if user_id in known:
            _, created = Membership.objects.get_or_create(
                tenant_id=tenant_id, user_id=user_id, defaults={"capability_set": owner_set}
            )
            added += created
    opened = Tenant.objects.filter(
        id=tenant_id, status__in=(TenantStatus.CREATING, TenantStatus.ACTIVE)
    ).update(status=TenantStatus.ACTIVE)
    if not opened:
        raise WrongTenantStatus("The tenant is neither being created nor active, so it was not made ready.")
    return Provisioned(added, tuple(user_id for user_id in wanted if user_id not in known))


def _check_timezone(name: str) -> None:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise TenantsError(f"There is no time zone {name!r}: give one such as Europe/Berlin.") from error
