"""What a tenant says about how its papers are dated and named, and what is made of them."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from documents.dates import ORDERS
from documents.title_templates import MAX_TEMPLATE
from tenants.models import TenantRow


class NamingSettings(TenantRow):
    """The wishes of one tenant; one that has none has no row."""

    id = models.BigAutoField(primary_key=True)
    #: Empty: titles are as they are found.
    title_template = models.CharField(
        _("template for titles"), max_length=MAX_TEMPLATE, default="", blank=True
    )
    #: How 03/04/2024 is read where the document itself does not show it.
    date_order = models.CharField(
        _("order of dates"), max_length=3, choices=[(order, order) for order in ORDERS], default="DMY"
    )
    #: The order of dates in file names, which win over the text then. Empty: only where the text has none.
    filename_order = models.CharField(
        _("dates in file names win, read as"),
        max_length=3,
        choices=[(order, order) for order in ORDERS],
        default="",
        blank=True,
    )

    #: Whether each scan gets a searchable PDF once it has been read.
    searchable_pdfs = models.BooleanField(
        _("make searchable PDFs of all scans"), default=False, db_default=False
    )

    class Meta:
        verbose_name = _("naming settings")
        verbose_name_plural = _("naming settings")
        constraints = [models.UniqueConstraint(name="documents_namingsettings_tenant", fields=["tenant"])]

    def __str__(self) -> str:
        return str(self.tenant)
