"""Workflows of a tenant, their runs, and the notes they leave. Written by `documents.services` only."""

import uuid

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from documents.filing.names import MAX_NAME
from documents.models.document import Document
from tenants.models import TenantRow


class Workflow(TenantRow):
    """What is done with a document when it has been read for the first time, if the conditions hold."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(_("name"), max_length=MAX_NAME)
    #: The name as it is compared, see `Label.key`.
    key = models.CharField(_("key"), max_length=3 * MAX_NAME, editable=False)
    #: Those with a lower number are run first.
    position = models.PositiveSmallIntegerField(_("position"), default=100)
    enabled = models.BooleanField(_("switched on"), default=True)
    #: As `documents.workflows.parsing` reads them; labels by their ids.
    conditions = models.JSONField(_("conditions"), default=dict, blank=True)
    actions = models.JSONField(_("actions"), default=list, blank=True)
    created_at = models.DateTimeField(_("added"), db_default=Now())

    class Meta:
        verbose_name = _("workflow")
        verbose_name_plural = _("workflows")
        constraints = [
            models.UniqueConstraint(name="documents_workflow_name", fields=["tenant", "key"]),
            models.UniqueConstraint(name="documents_workflow_tenant_id", fields=["tenant", "id"]),
        ]
        indexes = [models.Index(name="documents_workflow_newest", fields=["-created_at", "-id"])]

    def __str__(self) -> str:
        return self.name


class WorkflowRun(TenantRow):
    """What one workflow did to one document, once."""

    id = models.BigAutoField(primary_key=True)
    workflow = models.ForeignKey(
        Workflow,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="runs",
        verbose_name=_("workflow"),
    )
    document = models.ForeignKey(
        Document,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="workflow_runs",
        verbose_name=_("document"),
    )
    #: The job of the analysis.
    job_id = models.BigIntegerField(_("job"))
    #: `[{"do": "add_tags", "outcome": "done", "message": "…"}]` in the order of the actions.
    results = models.JSONField(_("results"), default=list, blank=True)
    created_at = models.DateTimeField(_("time"), db_default=Now())

    class Meta:
        verbose_name = _("run of a workflow")
        verbose_name_plural = _("runs of workflows")
        constraints = [
            models.UniqueConstraint(
                name="documents_workflowrun_once", fields=["tenant", "document", "workflow"]
            ),
            models.UniqueConstraint(name="documents_workflowrun_tenant_id", fields=["tenant", "id"]),
        ]
        indexes = [
            models.Index(name="documents_workflowrun_flow", fields=["tenant", "workflow", "-id"]),
        ]

    def __str__(self) -> str:
        return f"{self.workflow_id}: {self.document_id}"


class Note(TenantRow):
    """A remark on a document, for people."""

    id = models.BigAutoField(primary_key=True)
    document = models.ForeignKey(
        Document,
        on_delete=models.PROTECT,
        db_constraint=False,
        db_index=False,
        related_name="notes",
        verbose_name=_("document"),
    )
    text = models.CharField(_("text"), max_length=1000)
    #: Who wrote it, as the audit trail names them: `workflow:<id>`, `user:<id>`.
    written_by = models.CharField(_("written by"), max_length=100)
    created_at = models.DateTimeField(_("time"), db_default=Now())

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        indexes = [models.Index(name="documents_note_document", fields=["tenant", "document", "id"])]

    def __str__(self) -> str:
        return self.text[:50]
