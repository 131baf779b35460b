"""What was read from a file: text, pictures, and how each step of the pipeline ended."""

import uuid

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from documents.models.document import DocumentVersion
from tenants.models import TenantRow


class TextSource(models.TextChoices):
    """Where the text of a page came from."""

    LAYER = "layer", _("text layer")
    OCR = "ocr", _("OCR")
    NONE = "none", _("no text")


class StepOutcome(models.TextChoices):
    """How a step of the pipeline ended. Nothing to do is a result, not a failure."""

    DONE = "done", _("done")
    NOTHING = "nothing", _("nothing found")
    SKIPPED = "skipped", _("skipped")
    FAILED = "failed", _("failed")


class Asset(TenantRow):
    """A file made from a version, such as its thumbnail; one for each kind."""

    #: The kind of the picture of the first page.
    THUMBNAIL = "thumbnail"
    #: The kind of the PDF with words over its pages.
    SEARCHABLE = "searchable"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    version = models.ForeignKey(
        DocumentVersion,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="assets",
        verbose_name=_("version"),
    )
    kind = models.CharField(_("kind"), max_length=32)
    #: The job that made it; part of the path, so that no path is used twice.
    job_id = models.BigIntegerField(_("job"))
    media_type = models.CharField(_("type"), max_length=127)
    #: SHA-256 of the bytes, as 64 lower-case hexadecimal digits; empty for those made before it was kept,
    #: until a check of the vault has read them.
    content_hash = models.CharField(_("hash"), max_length=64, default="", db_default="", blank=True)
    #: Bytes.
    size = models.PositiveBigIntegerField(_("size"))
    #: Pixels.
    width = models.PositiveIntegerField(_("width"), null=True, blank=True)
    height = models.PositiveIntegerField(_("height"), null=True, blank=True)
    created_at = models.DateTimeField(_("added"), db_default=Now())

    class Meta:
        verbose_name = _("asset")
        verbose_name_plural = _("assets")
        constraints = [
            models.UniqueConstraint(name="documents_asset_kind", fields=["tenant", "version", "kind"])
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.version_id}"

    @property
    def vault_path(self) -> str:
        """Where the file lies, relative to the vault."""
        return f"{self.tenant_id}/assets/{self.version_id}/{self.kind}-{self.job_id}"


class PageText(TenantRow):
    """The text of one page (from 1)."""

    id = models.BigAutoField(primary_key=True)
    version = models.ForeignKey(
        DocumentVersion,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="page_texts",
        verbose_name=_("version"),
    )
    page = models.PositiveIntegerField(_("page"))
    text = models.TextField(_("text"), blank=True)
    source = models.CharField(_("source"), max_length=8, choices=TextSource)
    #: 0 to 1; for OCR the mean over the words, weighted by their length.
    confidence = models.FloatField(_("confidence"), null=True, blank=True)
    #: The words OCR found and where they stand, packed by `documents.ocr.boxes`.
    boxes = models.BinaryField(_("boxes of words"), null=True, blank=True)

    class Meta:
        verbose_name = _("text of a page")
        verbose_name_plural = _("texts of pages")
        constraints = [
            models.UniqueConstraint(name="documents_pagetext_page", fields=["tenant", "version", "page"])
        ]

    def __str__(self) -> str:
        return f"{self.version_id}, page {self.page}"


class PageCheckpoint(TenantRow):
    """A page read by a job that has not finished: for the pipeline only, gone when the job ends."""

    id = models.BigAutoField(primary_key=True)
    job_id = models.BigIntegerField(_("job"))
    page = models.PositiveIntegerField(_("page"))
    text = models.TextField(_("text"), blank=True)
    source = models.CharField(_("source"), max_length=8, choices=TextSource)
    confidence = models.FloatField(_("confidence"), null=True, blank=True)
    #: The words OCR found and where they stand, packed by `documents.ocr.boxes`.
    boxes = models.BinaryField(_("boxes of words"), null=True, blank=True)

    class Meta:
        verbose_name = _("kept page")
        verbose_name_plural = _("kept pages")
        constraints = [
            models.UniqueConstraint(name="documents_pagecheckpoint_page", fields=["tenant", "job_id", "page"])
        ]

    def __str__(self) -> str:
        return f"job {self.job_id}, page {self.page}"


class StepResult(TenantRow):
    """How one step ended in the latest analysis of a version."""

    id = models.BigAutoField(primary_key=True)
    version = models.ForeignKey(
        DocumentVersion,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="step_results",
        verbose_name=_("version"),
    )
    job_id = models.BigIntegerField(_("job"))
    step = models.CharField(_("step"), max_length=32)
    outcome = models.CharField(_("outcome"), max_length=8, choices=StepOutcome)
    seconds = models.FloatField(_("seconds"), default=0.0)
    message = models.CharField(_("message"), max_length=1000, default="", blank=True)

    class Meta:
        verbose_name = _("result of a step")
        verbose_name_plural = _("results of steps")
        constraints = [
            models.UniqueConstraint(name="documents_stepresult_step", fields=["tenant", "version", "step"])
        ]

    def __str__(self) -> str:
        return f"{self.step}: {self.outcome}"
