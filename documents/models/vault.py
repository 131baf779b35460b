"""What was found when the files of the vault were looked at."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tenants.models import TenantRow


class FileProblem(models.TextChoices):
    """What can be wrong with a file of the vault."""

    CHANGED = "changed", _("changed")
    CUT = "cut", _("cut off")
    SWAPPED = "swapped", _("swapped with another")
    MISSING = "missing", _("missing")
    STRAY = "stray", _("does not belong here")
    MODE = "mode", _("other permissions")
    UNREADABLE = "unreadable", _("cannot be read")


class VaultCheck(TenantRow):
    """One look at the files of a tenant, all of them or a share."""

    id = models.BigAutoField(primary_key=True)
    #: Share `share` (from 0) of `shares`; 0 of 1 is everything.
    share = models.PositiveSmallIntegerField(_("share"))
    shares = models.PositiveSmallIntegerField(_("shares"))
    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"), db_default=Now())
    files = models.PositiveBigIntegerField(_("files"))
    #: Bytes that were hashed.
    size = models.PositiveBigIntegerField(_("bytes"))
    problems = models.PositiveIntegerField(_("problems"))

    class Meta:
        verbose_name = _("check of the vault")
        verbose_name_plural = _("checks of the vault")
        indexes = [models.Index(name="documents_vaultcheck_tenant", fields=["tenant", "-id"])]

    def __str__(self) -> str:
        return f"{self.share + 1}/{self.shares}"


class VaultFinding(TenantRow):
    """One file with which something is wrong; `resolved_at` once a later look found nothing."""

    id = models.BigAutoField(primary_key=True)
    #: Relative to the vault.
    path = models.CharField(_("path"), max_length=1024)
    problem = models.CharField(_("problem"), max_length=10, choices=FileProblem)
    found_at = models.DateTimeField(_("found"), db_default=Now())
    seen_at = models.DateTimeField(_("seen last"), db_default=Now())
    resolved_at = models.DateTimeField(_("resolved"), null=True)

    class Meta:
        verbose_name = _("damaged file")
        verbose_name_plural = _("damaged files")
        constraints = [models.UniqueConstraint(name="documents_vaultfinding_path", fields=["tenant", "path"])]
        indexes = [
            models.Index(
                name="documents_vaultfinding_open",
                fields=["tenant", "id"],
                condition=models.Q(resolved_at__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"{self.path}: {self.get_problem_display()}"
