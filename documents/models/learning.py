"""What a tenant's own filing teaches: plain counts of words in documents that people have filed.

Of one tenant only, like every row; nothing here is a model that somebody would have to unpack.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from documents.models.document import Document
from documents.models.filing import LABEL_KINDS, Label
from tenants.models import TenantRow

#: Stands for every document in the counts.
EVERY = ""


class LearnedDocument(TenantRow):
    """What was counted of one document and kind, so that just this can be taken back."""

    id = models.BigAutoField(primary_key=True)
    document = models.ForeignKey(
        Document,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="+",
        verbose_name=_("document"),
    )
    kind = models.CharField(_("kind"), max_length=16, choices=LABEL_KINDS)
    labels = ArrayField(models.UUIDField(), verbose_name=_("labels"))
    words = ArrayField(models.CharField(max_length=64), verbose_name=_("words"))

    class Meta:
        verbose_name = _("learned document")
        verbose_name_plural = _("learned documents")
        constraints = [
            models.UniqueConstraint(
                name="documents_learneddocument_once", fields=["tenant", "document", "kind"]
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.document_id}"


class WordCount(TenantRow):
    """In how many documents of a label a word stands; without a label: in how many learned of this kind."""

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(_("kind"), max_length=16, choices=LABEL_KINDS)
    label = models.ForeignKey(
        Label,
        on_delete=models.PROTECT,
        null=True,
        db_constraint=False,
        db_index=False,
        related_name="+",
        verbose_name=_("label"),
    )
    #: A word, folded; a sender as `@example.org`, an IBAN or a VAT number; or EVERY.
    word = models.CharField(_("word"), max_length=64, blank=True)
    documents = models.IntegerField(_("documents"))

    class Meta:
        verbose_name = _("count of a word")
        verbose_name_plural = _("counts of words")
        constraints = [
            models.UniqueConstraint(
                name="documents_wordcount_once",
                fields=["tenant", "word", "kind", "label"],
                nulls_distinct=False,
            )
        ]
        indexes = [models.Index(name="documents_wordcount_label", fields=["tenant", "label"])]

    def __str__(self) -> str:
        return f"{self.word or '*'}: {self.documents}"
