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


class ApiToken(TenantRow):
    """A key to one tenant for a machine. Only its hash is stored, found by its prefix.

    What it may do is its set, cut down to what its maker may still do at that moment.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=100)
    #: The first characters of the token; they find the row and prove nothing.
    prefix = models.CharField(_("prefix"), max_length=16, unique=True)
    #: SHA-256 of the whole token, 64 lower-case hexadecimal digits.
    digest = models.CharField(_("digest"), max_length=64)
    capability_set = models.ForeignKey(
        CapabilitySet,
        on_delete=models.PROTECT,
        db_constraint=False,
        related_name="tokens",
        verbose_name=_("capability set"),
    )
    created_by = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="tokens", verbose_name=_("created by")
    )
    created_at = models.DateTimeField(_("created"), db_default=Now())
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)

    class Meta:
        verbose_name = _("token")
        verbose_name_plural = _("tokens")
        indexes = [models.Index(name="tenants_apitoken_tenant", fields=["tenant", "created_at"])]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class AuditEvent(models.Model):
    """One thing that was done. Appended by `tenants.audit` through a function of the owner, never changed.

    Ids, hashes and numbers only, no titles, names or text: it outlives document and tenant. Each event
    carries the hash of the one before it in its tenant's chain; events without a tenant are one chain of the
    nil UUID.
    """

    id = models.BigAutoField(primary_key=True)
    tenant_id = models.UUIDField(_("tenant"))
    #: From 1, without gaps, in each chain.
    sequence = models.BigIntegerField(_("number"))
    at = models.DateTimeField(_("time"))
    action = models.CharField(_("action"), max_length=64)
    actor = models.CharField(_("who"), max_length=100)
    origin = models.CharField(_("from where"), max_length=100)
    object_type = models.CharField(_("kind of object"), max_length=64)
    object_id = models.CharField(_("object"), max_length=100)
    #: Canonical JSON, kept as text so that its bytes can be hashed again.
    details = models.TextField(_("details"))
    previous_hash = models.CharField(_("hash before"), max_length=64)
    hash = models.CharField(_("hash"), max_length=64)

    class Meta:
        verbose_name = _("audit event")
        verbose_name_plural = _("audit trail")
        constraints = [
            models.UniqueConstraint(name="tenants_auditevent_sequence", fields=["tenant_id", "sequence"])
        ]

    def __str__(self) -> str:
        return f"{self.sequence}: {self.action}"


class AuditHead(models.Model):
    """The last link of each chain. Its row lock puts the events of one tenant in order."""

    tenant_id = models.UUIDField(_("tenant"), primary_key=True)
    sequence = models.BigIntegerField(_("number"))
    hash = models.CharField(_("hash"), max_length=64)

    class Meta:
        verbose_name = _("end of an audit trail")
        verbose_name_plural = _("ends of audit trails")

    def __str__(self) -> str:
        return f"{self.tenant_id}: {self.sequence}"
