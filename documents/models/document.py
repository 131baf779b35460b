"""Documents and the files they consist of. Written by `documents.services` only."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from documents.models.retention import RetentionClass
from documents.title_templates import MAX_TEMPLATE
from tenants.models import TenantRow


class DocumentSource(models.TextChoices):
    """How a document came in."""

    ADMIN = "admin", _("admin")
    API = "api", _("API")
    IMPORT = "import", _("import")
    MAIL = "mail", _("mail")


class IssuedSource(models.TextChoices):
    """Where the issued date was found."""

    NONE = "", _("none")
    TEXT = "text", _("text layer")
    OCR = "ocr", _("OCR")
    FILENAME = "filename", _("file name")
    FACTS = "facts", _("facts of the file")
    INVOICE = "invoice", _("XML of the invoice")
    MANUAL = "manual", _("set by a person")


class IssuedDoubt(models.TextChoices):
    """Why a person should look at the issued date, if they should."""

    NONE = "", _("none")
    DIFFERS = "differs", _("another date is printed than the XML says")
    READ_ONCE = "read_once", _("read once only, by OCR")
    RIVAL = "rival", _("another date is as likely")
    MONTH_ONLY = "month_only", _("a month without a day")
    WEAK = "weak", _("nothing says that it is the date of issue")


class Document(TenantRow):
    """One paper of a tenant. Its processing status is derived from its latest analysis, see selectors."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.CharField(_("title"), max_length=255)
    title_manually_set = models.BooleanField(_("title set by a person"), default=False)
    #: The template that a workflow has given: it outlives the workflow, as its labels do.
    workflow_title = models.CharField(
        _("title by a workflow"), max_length=MAX_TEMPLATE, default="", db_default="", blank=True
    )
    issued_at = models.DateField(_("issued date"), null=True, blank=True)
    issued_source = models.CharField(
        _("source of the issued date"), max_length=16, choices=IssuedSource, default="", blank=True
    )
    #: Why the date is unconfirmed; empty where it is not, and once a person has set it.
    issued_doubt = models.CharField(
        _("doubt about the issued date"),
        max_length=16,
        choices=IssuedDoubt,
        default="",
        db_default="",
        blank=True,
    )
    #: Ranked, best first, ten at most, as `documents.pipeline.steps.issued` writes them.
    issued_candidates = models.JSONField(_("candidates for the issued date"), default=list, blank=True)
    retention_class = models.ForeignKey(
        RetentionClass,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        db_constraint=False,
        db_index=False,
        related_name="+",
        verbose_name=_("retention class"),
    )
    #: The instant at which the last day ends in the tenant's zone. The database lets nobody bring it forward.
    retain_until = models.DateTimeField(_("retain until"), null=True, blank=True)
    legal_hold = models.BooleanField(_("legal hold"), default=False)
    source = models.CharField(_("source"), max_length=16, choices=DocumentSource)
    source_ref = models.CharField(_("reference of the source"), max_length=1024, default="", blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("created by"),
    )
    created_at = models.DateTimeField(_("added"), db_default=Now())
    updated_at = models.DateTimeField(_("updated"), db_default=Now())
    trashed_at = models.DateTimeField(_("trashed"), null=True, blank=True)
    purging_at = models.DateTimeField(_("purge begun"), null=True, blank=True)
    #: The job whose analysis this row shows; effects of an older one are not applied.
    analyzed_by = models.BigIntegerField(_("analyzed by job"), null=True, blank=True)

    class Meta:
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        permissions = [
            ("trash_document", "Can trash and restore documents"),
            ("purge_document", "Can purge documents"),
            ("hold_document", "Can set and lift legal holds"),
        ]
        constraints = [
            models.UniqueConstraint(name="documents_document_tenant_id", fields=["tenant", "id"]),
        ]
        indexes = [
            models.Index(name="documents_document_newest", fields=["tenant", "-created_at", "-id"]),
            # The operators' list of all tenants' documents.
            models.Index(name="documents_document_added", fields=["-created_at", "-id"]),
            models.Index(name="documents_document_issued", fields=["tenant", "-issued_at", "-id"]),
            # The trash of a tenant, and that of all.
            models.Index(
                name="documents_document_trash",
                fields=["tenant", "-created_at", "-id"],
                condition=models.Q(trashed_at__isnull=False),
            ),
            models.Index(
                name="documents_document_trashed",
                fields=["-created_at", "-id"],
                condition=models.Q(trashed_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.title


class DocumentVersion(TenantRow):
    """One file of a document. The same bytes anywhere in a tenant are a duplicate."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    document = models.ForeignKey(
        Document,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="versions",
        verbose_name=_("document"),
    )
    number = models.PositiveIntegerField(_("number"), default=1)
    #: SHA-256 of the bytes, 64 lower-case hexadecimal digits.
    content_hash = models.CharField(_("hash"), max_length=64)
    #: Bytes.
    size = models.PositiveBigIntegerField(_("size"))
    media_type = models.CharField(_("type"), max_length=127)
    #: The name under which it came, cleaned.
    filename = models.CharField(_("file name"), max_length=255)
    pages = models.PositiveIntegerField(_("pages"), null=True, blank=True)
    created_at = models.DateTimeField(_("added"), db_default=Now())

    class Meta:
        verbose_name = _("version")
        verbose_name_plural = _("versions")
        constraints = [
            models.UniqueConstraint(name="documents_version_hash", fields=["tenant", "content_hash"]),
            models.UniqueConstraint(name="documents_version_number", fields=["tenant", "document", "number"]),
            models.UniqueConstraint(name="documents_version_tenant_id", fields=["tenant", "id"]),
            models.CheckConstraint(
                name="documents_version_hash_form",
                condition=models.Q(content_hash__regex=r"^[0-9a-f]{64}$"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.filename} ({self.number})"

    @property
    def vault_path(self) -> str:
        """Where the original lies, relative to the vault. It ends in this id: never used twice."""
        return f"{self.tenant_id}/{self.content_hash[:2]}/{self.content_hash}-{self.id}"
