"""Users and tenants, and what every table with tenant data has."""

import uuid

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tenants.names import InvalidTenantName, clean_tenant_name


class User(AbstractUser):
    """A person who signs in. Which tenants they may see is said by their memberships."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    class Meta(AbstractUser.Meta):
        pass


class TenantStatus(models.TextChoices):
    """Where a tenant stands in its life."""

    CREATING = "creating", _("creating")
    ACTIVE = "active", _("active")
    SUSPENDED = "suspended", _("suspended")
    DELETING = "deleting", _("deleting")


def validate_tenant_name(name: str) -> None:
    """Refuse a name that is not in the form in which names are stored."""
    try:
        cleaned = clean_tenant_name(name)
    except InvalidTenantName as error:
        raise ValidationError(str(error)) from error
    if cleaned != name:
        raise ValidationError(_("Write the name in composed form (NFC) and without blanks around it."))


def default_languages() -> list[str]:
    """Return the languages that are read in a tenant's papers unless it says otherwise (ISO 639-2)."""
    return ["deu", "eng"]


class Tenant(models.Model):
    """One client whose papers are kept apart from everybody else's."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=255, unique=True, validators=[validate_tenant_name])
    status = models.CharField(_("status"), max_length=10, choices=TenantStatus, default=TenantStatus.CREATING)
    status_before = models.CharField(
        _("status before the wipe order"), max_length=10, choices=TenantStatus, default="", blank=True
    )
    timezone = models.CharField(_("time zone"), max_length=64, default="Europe/Berlin")
    languages = ArrayField(
        models.CharField(max_length=16), verbose_name=_("languages"), default=default_languages
    )
    #: The papers stored until then were handed over: a wipe need not wait for their retention to end.
    retention_released_at = models.DateTimeField(_("retention released"), null=True, blank=True)
    retention_released_by = models.CharField(_("released by"), max_length=100, default="", blank=True)
    retention_released_reason = models.CharField(
        _("reason of the release"), max_length=1000, default="", blank=True
    )
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("tenant")
        verbose_name_plural = _("tenants")

    def __str__(self) -> str:
        return self.name


class TenantRow(models.Model):
    """What every table with tenant data has. Row-level security is keyed by `tenant_id`."""

    tenant = models.ForeignKey(
        Tenant, on_delete=models.PROTECT, related_name="+", db_index=False, verbose_name=_("tenant")
    )

    class Meta:
        abstract = True
