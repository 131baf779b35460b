"""What came with a mail."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from documents.models.document import Document
from tenants.models import TenantRow


class MailAttachment(TenantRow):
    """A file that came with a mail, and the document that it is; none any more once that was purged."""

    id = models.BigAutoField(primary_key=True)
    mail = models.ForeignKey(
        Document,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="attachments",
        verbose_name=_("mail"),
    )
    #: Its place in the mail, from 1.
    number = models.PositiveSmallIntegerField(_("number"))
    filename = models.CharField(_("file name"), max_length=255)
    #: SHA-256 of the bytes: what has been taken out once is not taken out again after it was purged.
    content_hash = models.CharField(_("hash"), max_length=64)
    document = models.ForeignKey(
        Document,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        db_constraint=False,
        db_index=False,
        related_name="came_with",
        verbose_name=_("document"),
    )
    #: How many mails deep: 1 in a mail that was stored, 2 in one that was attached to it.
    depth = models.PositiveSmallIntegerField(_("depth"), default=1)

    class Meta:
        verbose_name = _("attachment of a mail")
        verbose_name_plural = _("attachments of mails")
        constraints = [
            models.UniqueConstraint(
                name="documents_mailattachment_place", fields=["tenant", "mail", "number"]
            )
        ]
        indexes = [models.Index(name="documents_mailattachment_doc", fields=["tenant", "document"])]

    def __str__(self) -> str:
        return f"{self.filename} ({self.number})"
