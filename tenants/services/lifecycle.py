"""The life of a tenant: created, made ready, suspended, resumed."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db import IntegrityError, transaction
from psycopg.errors import UniqueViolation

from jobs.services import RequeueReport, enqueue_job, set_queue
from tenants.access import Access, requires
from tenants.audit import record
from tenants.capabilities import OWNER, SYSTEM_SETS
from tenants.errors import TenantNameTaken, TenantsError, WrongTenantStatus
from tenants.languages import MOST_LANGUAGES, is_language
from tenants.models import CapabilitySet, Membership, Tenant, TenantStatus, User
from tenants.names import clean_tenant_name
from tenants.scope import tenant_scope
from tenants.services.closing import bring_jobs_back, lock_tenant, set_jobs_aside


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

    `members` become owners. Raises `InvalidTenantName`, `TenantNameTaken`, or `TenantsError` for a zone
    or language that cannot be.
    """
    cleaned = clean_tenant_name(name)
    _check_timezone(timezone)
    wanted_languages = list(dict.fromkeys(languages))
    _check_languages(wanted_languages)
    tenant = Tenant(id=uuid.uuid4(), name=cleaned, timezone=timezone, languages=wanted_languages)
    with tenant_scope(tenant.id):
        try:
            with transaction.atomic():
                tenant.save(force_insert=True)
        except IntegrityError as error:
            if not isinstance(error.__cause__, UniqueViolation):
                raise
            raise TenantNameTaken(
                "There is a tenant called %(name)r already: choose another name.", name=cleaned
            ) from error
        enqueue_job(
            tenant_id=tenant.id,
            type="provision-tenant",
            payload={"members": [str(member) for member in members]},
        )
        record("tenant.created", tenant_id=tenant.id, object_type="tenant", object_id=tenant.id)
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
    record(
        "tenant.provisioned",
        tenant_id=tenant_id,
        object_type="tenant",
        object_id=tenant_id,
        details={"members_added": added, "members_unknown": len(wanted) - len(known)},
    )
    return Provisioned(added, tuple(user_id for user_id in wanted if user_id not in known))


@requires("tenants:write")
def suspend_tenant(*, access: Access) -> int:
    """Close an active tenant: no uploads, no jobs, no tokens, until it is resumed. Nothing is lost.

    Status and closed queue are committed first, then the queued jobs fail in batches as `tenant_inactive`;
    what a worker has claimed by then meets the guard. Returns how many jobs now wait for `resume_tenant`.
    Called again it finishes what a crash left undone. Raises `WrongTenantStatus`.
    """
    tenant_id = access.tenant_id
    with tenant_scope(tenant_id):
        tenant = lock_tenant(tenant_id)
        if tenant.status not in (TenantStatus.ACTIVE, TenantStatus.SUSPENDED):
            raise WrongTenantStatus(
                "The tenant is %(status)s: only an active one can be suspended.",
                status=TenantStatus(tenant.status),
            )
        set_queue(tenant_id=tenant_id, closed=True)
        if tenant.status == TenantStatus.ACTIVE:
            Tenant.objects.filter(id=tenant_id).update(status=TenantStatus.SUSPENDED)
            record("tenant.suspended", tenant_id=tenant_id, object_type="tenant", object_id=tenant_id)
    return set_jobs_aside(tenant_id=tenant_id, message="The tenant was suspended.")


@requires("tenants:write")
def resume_tenant(*, access: Access) -> RequeueReport:
    """Open a suspended tenant again and requeue just the jobs that failed because it was closed, spread.

    Called again it finishes what a crash left undone. Raises `WrongTenantStatus`.
    """
    tenant_id = access.tenant_id
    with tenant_scope(tenant_id):
        tenant = lock_tenant(tenant_id)
        if tenant.status not in (TenantStatus.ACTIVE, TenantStatus.SUSPENDED):
            raise WrongTenantStatus(
                "The tenant is %(status)s: only a suspended one can be resumed.",
                status=TenantStatus(tenant.status),
            )
        set_queue(tenant_id=tenant_id, closed=False)
        if tenant.status == TenantStatus.SUSPENDED:
            Tenant.objects.filter(id=tenant_id).update(status=TenantStatus.ACTIVE)
            record("tenant.resumed", tenant_id=tenant_id, object_type="tenant", object_id=tenant_id)
    return bring_jobs_back(tenant_id=tenant_id)


def _check_timezone(name: str) -> None:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise TenantsError(
            "There is no time zone %(name)r: give one such as Europe/Berlin.", name=name
        ) from error


def _check_languages(languages: list[str]) -> None:
    bad = [language for language in languages if not is_language(language)]
    if bad or not languages:
        raise TenantsError(
            "Languages are given as tesseract names them, such as deu or chi_sim,"
            f" not {', '.join(bad)[:200] or 'none at all'}."
        )
    if len(languages) > MOST_LANGUAGES:
        raise TenantsError(f"A tenant has at most {MOST_LANGUAGES} languages, not {len(languages)}.")
