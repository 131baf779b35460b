"""What the format of a file itself says of it: the headers of a mail, the XML of an electronic invoice."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from documents.models.document import DocumentVersion
from tenants.models import TenantRow

#: What files state, as fields of `FileFacts`.
STATED = (
    "syntax", "issued", "subject", "author", "profile", "type_code", "number", "due", "seller", "buyer",
    "net", "tax", "gross", "currency",
)  # fmt: skip


class FactsSyntax(models.TextChoices):
    """The language in which a file states its facts."""

    MAIL = "mail", _("mail headers")
    CII = "cii", _("XML invoice (CII)")
    UBL = "ubl", _("XML invoice (UBL)")


class FileFacts(TenantRow):
    """The facts of one version; a file that states none has no row. They beat any guess."""

    id = models.BigAutoField(primary_key=True)
    version = models.ForeignKey(
        DocumentVersion,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="facts",
        verbose_name=_("version"),
    )
    syntax = models.CharField(_("stated as"), max_length=8, choices=FactsSyntax)
    issued = models.DateField(_("issued date"), null=True)
    #: Of a mail.
    subject = models.CharField(_("subject"), max_length=1000, default="", blank=True)
    author = models.CharField(_("author"), max_length=1000, default="", blank=True)
    #: The rest is of an invoice. The guideline that its XML follows, and its type by UNTDID 1001.
    profile = models.CharField(_("profile"), max_length=255, default="", blank=True)
    type_code = models.CharField(_("code of its type"), max_length=255, default="", blank=True)
    number = models.CharField(_("number"), max_length=255, default="", blank=True)
    due = models.DateField(_("due date"), null=True)
    seller = models.CharField(_("seller"), max_length=255, default="", blank=True)
    buyer = models.CharField(_("buyer"), max_length=255, default="", blank=True)
    net = models.DecimalField(_("net amount"), max_digits=17, decimal_places=2, null=True)
    tax = models.DecimalField(_("tax"), max_digits=17, decimal_places=2, null=True)
    gross = models.DecimalField(_("gross amount"), max_digits=17, decimal_places=2, null=True)
    currency = models.CharField(_("currency"), max_length=3, default="", blank=True)

    class Meta:
        verbose_name = _("facts of a file")
        verbose_name_plural = _("facts of files")
        constraints = [
            models.UniqueConstraint(name="documents_filefacts_version", fields=["tenant", "version"])
        ]

    def __str__(self) -> str:
        return f"{self.syntax} of {self.version_id}"

    @property
    def is_invoice(self) -> bool:
        """Whether these are the facts of an electronic invoice."""
        return self.syntax != FactsSyntax.MAIL
