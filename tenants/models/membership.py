"""Who may do what in a tenant: capability sets, members, tokens."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tenants.models.tenant import TenantRow, User


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
