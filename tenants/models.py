"""Users, tenants, what members may do. Written by `tenants.services` only."""

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


class CapabilitySet(TenantRow):
    """A named set of capabilities of one tenant. System sets come with the tenant and cannot be changed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=64)
    is_system = models.BooleanField(_("system set"), default=False)
    capabilities = ArrayField(
        models.CharField(max_length=64), verbose_name=_("capabilities"), default=list, blank=True
    )

    class Meta:
        verbose_name = _("capability set")
        verbose_name_plural = _("capability sets")
        constraints = [
            models.UniqueConstraint(name="tenants_capabilityset_name", fields=["tenant", "name"]),
            models.UniqueConstraint(name="tenants_capabilityset_tenant_id", fields=["tenant", "id"]),
        ]

    def __str__(self) -> str:
        return self.name


class Membership(TenantRow):
    """One user's place in one tenant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="memberships", verbose_name=_("user")
    )
    capability_set = models.ForeignKey(
        CapabilitySet,
        on_delete=models.PROTECT,
        db_constraint=False,
        related_name="memberships",
        verbose_name=_("capability set"),
    )
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = [
            models.UniqueConstraint(name="tenants_membership_user", fields=["tenant", "user"]),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.tenant_id}"
