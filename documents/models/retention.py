"""How long the papers of a tenant must be kept, by class."""

import uuid

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from documents.retention import MAX_YEARS
from tenants.models import TenantRow


class RetentionClass(TenantRow):
    """One class of papers with the years for which they must be kept. Three come with every tenant."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=100)
    years = models.PositiveSmallIntegerField(_("years"))
    #: What is stored gets this class by itself.
    is_default = models.BooleanField(_("for new documents"), default=False)
    created_at = models.DateTimeField(_("added"), db_default=Now())

    class Meta:
        verbose_name = _("retention class")
        verbose_name_plural = _("retention classes")
        constraints = [
            models.UniqueConstraint(name="documents_retentionclass_name", fields=["tenant", "name"]),
            models.UniqueConstraint(name="documents_retentionclass_tenant_id", fields=["tenant", "id"]),
            models.UniqueConstraint(
                name="documents_retentionclass_default",
                fields=["tenant"],
                condition=models.Q(is_default=True),
            ),
            models.CheckConstraint(
                name="documents_retentionclass_years",
                condition=models.Q(years__gte=1, years__lte=MAX_YEARS),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.years})"
