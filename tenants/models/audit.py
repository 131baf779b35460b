"""The audit trail."""

from django.db import models
from django.utils.translation import gettext_lazy as _


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
        indexes = [
            # What was done to one document, for its page.
            models.Index(
                name="tenants_auditevent_document",
                fields=["tenant_id", "object_id", "-sequence"],
                condition=models.Q(object_type="document"),
            ),
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
