"""Retention classes: which a tenant has, which a document is in, and until when that has it kept."""

import uuid
from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

from django.db.models import Q
from django.db.models.functions import Now

from documents.errors import BadRetentionClass, UnknownRetentionClass
from documents.models import Document, RetentionClass
from documents.retention import BUILT_IN, MAX_YEARS, compute_retention, lengthen
from documents.services.changes import (
    ChangeReport,
    Changes,
    in_batches,
    lock_active_tenant,
    lock_documents,
    record_document,
)
from tenants.access import Access, requires
from tenants.audit import record
from tenants.scope import tenant_scope

_MAX_NAME = 100
_IN_CLASS = "in this class already"


@requires("documents:read")
def list_retention_classes(*, access: Access) -> Sequence[RetentionClass]:
    """Return the classes of a tenant by name, those that come with it first. Raises `TenantNotFound`."""
    with tenant_scope(access.tenant_id):
        _ensure_built_in(access.tenant_id)
        rows = RetentionClass.objects.filter(tenant_id=access.tenant_id)
        return sorted(rows, key=lambda row: (row.name not in BUILT_IN, row.name))


@requires("tenants:write")
def create_retention_class(*, access: Access, name: str, years: int) -> RetentionClass:
    """Give a tenant a class of its own. Classes are not changed afterwards: papers were kept because of them.

    Raises `BadRetentionClass`, `TenantNotActive`, `TenantNotFound`.
    """
    cleaned = " ".join(name.split())
    if not cleaned or len(cleaned) > _MAX_NAME or not cleaned.isprintable():
        raise BadRetentionClass("The name of a class has 1 to %(most)d printable characters.", most=_MAX_NAME)
    if not 1 <= years <= MAX_YEARS:
        raise BadRetentionClass(
            "Papers are kept for 1 to %(most)d years, not for %(years)d.", most=MAX_YEARS, years=years
        )
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        _ensure_built_in(access.tenant_id)
        made, created = RetentionClass.objects.get_or_create(
            tenant_id=access.tenant_id, name=cleaned, defaults={"years": years}
        )
        if not created and made.years != years:
            raise BadRetentionClass(
                "There is a class %(name)r of %(years)d years already: choose another name.",
                name=cleaned,
                years=made.years,
            )
        if created:
            _record(access, "retention_class.created", made)
    return made


@requires("tenants:write")
def choose_default_class(*, access: Access, name: str | None) -> RetentionClass | None:
    """Have everything that is stored from now on begin in this class, or, with None, in no class.

    Raises `UnknownRetentionClass`, `TenantNotActive`, `TenantNotFound`.
    """
    with tenant_scope(access.tenant_id):
        lock_active_tenant(access.tenant_id)
        chosen = None if name is None else find_class(access.tenant_id, name)
        rows = RetentionClass.objects.filter(tenant_id=access.tenant_id)
        rows.filter(is_default=True).update(is_default=False)
        if chosen is None:
            record("retention_class.no_default", tenant_id=access.tenant_id)
        else:
            rows.filter(pk=chosen.pk).update(is_default=True)
            chosen.is_default = True
            _record(access, "retention_class.default", chosen)
    return chosen


@requires("documents:write")
def classify_documents(*, access: Access, document_ids: Iterable[uuid.UUID], name: str) -> ChangeReport:
    """Put documents, those in the trash too, into a retention class; their retention can only grow by it.

    One transaction a batch. Raises `UnknownRetentionClass`, `TenantNotActive`, `TenantNotFound`.
    """
    changes = Changes()
    for batch in in_batches(document_ids):
        with tenant_scope(access.tenant_id):
            tenant = lock_active_tenant(access.tenant_id)
            chosen = find_class(access.tenant_id, name)
            documents = lock_documents(access.tenant_id, batch, changes)
            changed = [document for document in documents if document.retention_class_id != chosen.pk]
            for document in changed:
                document.retention_class = chosen
                extend_retention(document, zone=tenant.zone)
                document.updated_at = Now()
                document.save(update_fields=["retention_class", "retain_until", "updated_at"])
            for document in changed:
                assert document.retain_until is not None, "a class has years"
                until = document.retain_until.isoformat()
                record_document(
                    "document.classified", document, retention_class=str(chosen.pk), retain_until=until
                )
        changes.changed(len(changed))
        changes.skipped(_IN_CLASS, [document.pk for document in documents if document not in changed])
    return changes.report()


def extend_retention(document: Document, *, zone: ZoneInfo) -> None:
    """Lengthen the retention of a document to what its class and its dates ask for now; never shorten it.

    For services that change one of these: sets the field, and leaves saving to them.
    """
    if document.retention_class is None:
        return
    computed = compute_retention(
        stored=document.created_at,
        issued=document.issued_at,
        years=document.retention_class.years,
        zone=zone,
    )
    document.retain_until = lengthen(document.retain_until, computed)


def find_default_class(tenant_id: uuid.UUID) -> RetentionClass | None:
    """Return the class in which new documents of a tenant begin. Needs its scope."""
    return RetentionClass.objects.filter(tenant_id=tenant_id, is_default=True).first()


def is_kept() -> Q:
    """Return the condition on documents that must be kept, by the database's clock."""
    return Q(legal_hold=True) | Q(retain_until__isnull=False, retain_until__gt=Now())


def find_class(tenant_id: uuid.UUID, name: str) -> RetentionClass:
    """Return the tenant's class of this name. Needs its scope. Raises `UnknownRetentionClass`."""
    _ensure_built_in(tenant_id)
    found = RetentionClass.objects.filter(tenant_id=tenant_id, name=name).first()
    if found is None:
        known = RetentionClass.objects.filter(tenant_id=tenant_id).order_by("name")
        names = ", ".join(known.values_list("name", flat=True))
        raise UnknownRetentionClass(
            "There is no retention class %(name)r. There are: %(names)s.", name=name, names=names
        )
    return found


def _ensure_built_in(tenant_id: uuid.UUID) -> None:
    """Make the classes that every tenant has, once."""
    found = RetentionClass.objects.filter(tenant_id=tenant_id, name__in=list(BUILT_IN))
    missing = BUILT_IN.keys() - set(found.values_list("name", flat=True))
    RetentionClass.objects.bulk_create(
        (RetentionClass(tenant_id=tenant_id, name=name, years=BUILT_IN[name]) for name in sorted(missing)),
        ignore_conflicts=True,
    )


def _record(access: Access, action: str, row: RetentionClass) -> None:
    record(
        action,
        tenant_id=access.tenant_id,
        object_type="retention_class",
        object_id=row.pk,
        details={"years": row.years},
    )
