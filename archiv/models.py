"""What the API itself remembers: answers to requests with an Idempotency-Key, and how often callers ask."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tenants.models import TenantRow


class KeptAnswer(TenantRow):
    """The answer to one request, for whoever sends it again. Gone after a day. Written by the API only."""

    id = models.BigAutoField(primary_key=True)
    #: Who sent it: `user:<id>` or `token:<id>`; others' keys are not met.
    sender = models.CharField(_("sender"), max_length=64)
    key = models.CharField(_("key"), max_length=255)
    #: SHA-256 of method, address and body: the same key with another request is a mistake of the sender.
    fingerprint = models.CharField(_("fingerprint"), max_length=64)
    #: Null while the request is being done.
    status = models.PositiveSmallIntegerField(_("status"), null=True)
    headers = models.JSONField(_("headers"), default=dict)
    body = models.TextField(_("body"), default="", blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        verbose_name = _("kept answer")
        verbose_name_plural = _("kept answers")
        constraints = [
            models.UniqueConstraint(name="archiv_keptanswer_key", fields=["tenant", "sender", "key"]),
        ]
        indexes = [models.Index(name="archiv_keptanswer_age", fields=["tenant", "created_at"])]

    def __str__(self) -> str:
        return f"{self.sender}: {self.key}"


class RateBucket(TenantRow):
    """How many requests a caller has left, and since when. Written by the API only.

    The table is unlogged, which is what makes counting cheap: after a crash of the database all are full.
    """

    pk = models.CompositePrimaryKey("tenant_id", "sender")
    #: As in `KeptAnswer`.
    sender = models.CharField(_("sender"), max_length=64)
    remaining = models.FloatField(_("requests left"))
    counted_at = models.DateTimeField(_("counted"))

    class Meta:
        verbose_name = _("bucket of requests")
        verbose_name_plural = _("buckets of requests")

    def __str__(self) -> str:
        return f"{self.sender}: {self.remaining:.0f}"
