"""Which tenants' texts lie in an engine of search outside the database, and which copies of them count."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from documents.models.document import Document
from tenants.models import TenantRow


class IndexState(models.TextChoices):
    """How far a tenant has moved to the engine outside; one that has no row is served by PostgreSQL."""

    FILLING = "filling", _("being filled")  # PostgreSQL answers, both are written
    SERVING = "serving", _("answering")  # the engine answers, it alone is written
    LEAVING = "leaving", _("being left")  # the engine answers, both are written


class TenantIndex(TenantRow):
    """The index of one tenant in the engine outside."""

    id = models.BigAutoField(primary_key=True)
    state = models.CharField(_("state"), max_length=8, choices=IndexState.choices)

    class Meta:
        verbose_name = _("index of a tenant")
        verbose_name_plural = _("indexes of tenants")
        constraints = [models.UniqueConstraint(name="documents_tenantindex_tenant", fields=["tenant"])]

    def __str__(self) -> str:
        return f"{self.tenant_id}: {self.state}"


class IndexedCopy(TenantRow):
    """One document that is to be found in the engine outside.

    Every change draws a new `wanted`; the copy that is sent carries it, and becomes `found` once the engine
    has it. A copy with any other mark is an old one, and is no hit.
    """

    id = models.BigAutoField(primary_key=True)
    document = models.ForeignKey(
        Document,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="+",
        verbose_name=_("document"),
    )
    wanted = models.UUIDField(_("wanted"))
    found = models.UUIDField(_("found"), null=True, blank=True)

    class Meta:
        verbose_name = _("copy in the search index")
        verbose_name_plural = _("copies in the search index")
        constraints = [
            models.UniqueConstraint(name="documents_indexedcopy_document", fields=["tenant", "document"])
        ]
        indexes = [
            models.Index(
                name="documents_indexedcopy_waiting",
                fields=["tenant", "id"],
                condition=models.Q(found=None) | ~models.Q(found=models.F("wanted")),
            )
        ]

    def __str__(self) -> str:
        return f"copy of {self.document_id}"
