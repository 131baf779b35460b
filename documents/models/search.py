"""What full-text search on PostgreSQL looks through. Written by `documents.search.postgres` only."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.utils.translation import gettext_lazy as _

from documents.models.document import Document
from tenants.models import TenantRow


class SearchEntry(TenantRow):
    """The words of one document, gone with it. Words stand as `documents.search.words.fold` leaves them."""

    id = models.BigAutoField(primary_key=True)
    document = models.ForeignKey(
        Document,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="+",
        verbose_name=_("document"),
    )
    #: Title, file name and text, with a blank before and behind each word; phrases are looked for in it.
    content = models.TextField(_("content"))
    #: German, English and plain forms, each behind the key of its tenant; the title's weigh most.
    vector = SearchVectorField(_("words"))
    #: Those of the title and the file name alone.
    title = SearchVectorField(_("words of the title"), null=True)
    #: When the document was stored; it never changes.
    added_at = models.DateTimeField(_("added"), null=True)
    issued_at = models.DateField(_("issued date"), null=True, blank=True)

    class Meta:
        verbose_name = _("search entry")
        verbose_name_plural = _("search entries")
        constraints = [
            models.UniqueConstraint(name="documents_searchentry_document", fields=["tenant", "document"]),
        ]
        indexes = [
            # Without a pending list, which every search would have to read through, whoever filled it.
            GinIndex(name="documents_searchentry_words", fields=["vector"], fastupdate=False),
            # What words end in, so that their parts are found; worked out for the index only.
            GinIndex(
                models.Func(
                    models.F("tenant_id"),
                    models.F("content"),
                    function="archiv_search_parts",
                    output_field=SearchVectorField(),
                ),
                name="documents_searchentry_parts",
                fastupdate=False,
            ),
            GinIndex(name="documents_searchentry_titles", fields=["title"], fastupdate=False),
            # Words that follow each other, so that phrases are found.
            GinIndex(
                models.Func(
                    models.F("tenant_id"),
                    models.F("content"),
                    function="archiv_search_pairs",
                    output_field=ArrayField(models.BigIntegerField()),
                ),
                name="documents_searchentry_pairs",
                fastupdate=False,
            ),
            # The tenant's documents from the newest on, told without looking at them.
            models.Index(
                models.F("tenant_id"),
                models.Func(
                    models.F("issued_at"),
                    models.F("added_at"),
                    function="archiv_search_day",
                    output_field=models.DateField(),
                ),
                models.F("id"),
                include=("issued_at", "added_at"),
                name="documents_searchentry_days",
            ),
        ]

    def __str__(self) -> str:
        return f"words of {self.document_id}"
