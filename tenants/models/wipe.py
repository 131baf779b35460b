"""Wipe orders: each an order to delete a tenant or to empty it, its way and its report."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class WipeState(models.TextChoices):
    """Where a wipe order stands. Only an authorised one removes anything."""

    REQUESTED = "requested", _("waits for approval")
    ACCEPTED = "accepted", _("accepted")
    AUTHORISED = "authorised", _("at work")
    DONE = "done", _("done")
    CANCELLED = "cancelled", _("cancelled")
    EXPIRED = "expired", _("expired")
    REFUSED = "refused", _("refused")


class WipePhase(models.TextChoices):
    """What a wipe does at the moment, in this order. Each phase can be repeated."""

    CLOSING = "closing", _("closing the queue")
    FILES = "files", _("removing files")
    INDEX = "index", _("emptying the search index")
    ROWS = "rows", _("removing rows")
    JOBS = "jobs", _("removing jobs")
    FILES_AGAIN = "files_again", _("looking for files again")
    TENANT = "tenant", _("removing the tenant, or opening it again")


class WipeOrder(models.Model):
    """One order to wipe a tenant, its way and its report. It outlives the tenant, and is never deleted."""

    LIVE = (WipeState.REQUESTED, WipeState.ACCEPTED, WipeState.AUTHORISED)

    #: 32 hexadecimal digits: an order works once.
    nonce = models.CharField(_("nonce"), max_length=32, primary_key=True)
    tenant_id = models.UUIDField(_("tenant"))
    action = models.CharField(
        _("action"), max_length=6, choices={"delete": _("delete tenant"), "reset": _("empty tenant")}
    )
    final_status = models.CharField(_("final status"), max_length=10)
    state = models.CharField(_("state"), max_length=10, choices=WipeState)
    ordered_by = models.CharField(_("ordered by"), max_length=100)
    ordered_from = models.CharField(_("from where"), max_length=100, default="", blank=True)
    ordered_at = models.DateTimeField(_("ordered"), db_default=Now())
    approved_by = models.CharField(_("approved by"), max_length=100, default="", blank=True)
    #: When it was signed, as the signature has it; null for a request.
    issued_at = models.DateTimeField(_("signed"), null=True)
    accepted_at = models.DateTimeField(_("accepted"), null=True)
    authorised_at = models.DateTimeField(_("authorised"), null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)
    job_id = models.BigIntegerField(_("job"), null=True)
    phase = models.CharField(_("phase"), max_length=12, choices=WipePhase, default="", blank=True)
    #: Rows, files and entries removed so far, and those that were there at the start.
    done = models.BigIntegerField(_("done so far"), default=0)
    total = models.BigIntegerField(_("to do in all"), default=0)
    #: What was there when the tenant was closed, and has gone: `tenants.wipe_report`.
    report = models.JSONField(_("report"), default=dict, blank=True)

    class Meta:
        verbose_name = _("wipe order")
        verbose_name_plural = _("wipe orders")
        constraints = [
            models.UniqueConstraint(
                name="tenants_wipeorder_live",
                fields=["tenant_id"],
                condition=models.Q(state__in=("requested", "accepted", "authorised")),
            ),
            models.CheckConstraint(
                name="tenants_wipeorder_nonce", condition=models.Q(nonce__regex=r"^[0-9a-f]{32}$")
            ),
            models.CheckConstraint(
                name="tenants_wipeorder_outcome",
                condition=models.Q(action="delete", final_status="none")
                | models.Q(action="reset", final_status__in=("active", "suspended")),
            ),
        ]
        permissions = [("approve_wipe", "Can approve and take back wipes")]
        indexes = [
            models.Index(name="tenants_wipeorder_tenant", fields=["tenant_id", "ordered_at"]),
            models.Index(name="tenants_wipeorder_newest", fields=["-ordered_at", "-nonce"]),
        ]

    def __str__(self) -> str:
        return f"{self.get_action_display()} · {self.nonce[:8]}"
