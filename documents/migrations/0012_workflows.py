import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from jobs.rls import tenant_foreign_key, tenant_table


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0011_no_truncate_while_kept"),
        ("tenants", "0005_wipe_pages"),
    ]

    operations = [
        migrations.CreateModel(
            name="Workflow",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=100, verbose_name="name")),
                ("key", models.CharField(editable=False, max_length=300, verbose_name="key")),
                ("position", models.PositiveSmallIntegerField(default=100, verbose_name="position")),
                ("enabled", models.BooleanField(default=True, verbose_name="switched on")),
                ("conditions", models.JSONField(blank=True, default=dict, verbose_name="conditions")),
                ("actions", models.JSONField(blank=True, default=list, verbose_name="actions")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="added"
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "workflow",
                "verbose_name_plural": "workflows",
            },
        ),
        migrations.CreateModel(
            name="WorkflowRun",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("job_id", models.BigIntegerField(verbose_name="job")),
                ("results", models.JSONField(blank=True, default=list, verbose_name="results")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="time"
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="workflow_runs",
                        to="documents.document",
                        verbose_name="document",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                        verbose_name="tenant",
                    ),
                ),
                (
                    "workflow",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="documents.workflow",
                        verbose_name="workflow",
                    ),
                ),
            ],
            options={
                "verbose_name": "run of a workflow",
                "verbose_name_plural": "runs of workflows",
            },
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("text", models.CharField(max_length=1000, verbose_name="text")),
                ("written_by", models.CharField(max_length=100, verbose_name="written by")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="time"
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="notes",
                        to="documents.document",
                        verbose_name="document",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "note",
                "verbose_name_plural": "notes",
                "indexes": [
                    models.Index(fields=["tenant", "document", "id"], name="documents_note_document")
                ],
            },
        ),
        migrations.AddIndex(
            model_name="workflow",
            index=models.Index(fields=["-created_at", "-id"], name="documents_workflow_newest"),
        ),
        migrations.AddConstraint(
            model_name="workflow",
            constraint=models.UniqueConstraint(fields=("tenant", "key"), name="documents_workflow_name"),
        ),
        migrations.AddConstraint(
            model_name="workflow",
            constraint=models.UniqueConstraint(fields=("tenant", "id"), name="documents_workflow_tenant_id"),
        ),
        migrations.AddIndex(
            model_name="workflowrun",
            index=models.Index(fields=["tenant", "workflow", "-id"], name="documents_workflowrun_flow"),
        ),
        migrations.AddConstraint(
            model_name="workflowrun",
            constraint=models.UniqueConstraint(
                fields=("tenant", "document", "workflow"), name="documents_workflowrun_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="workflowrun",
            constraint=models.UniqueConstraint(
                fields=("tenant", "id"), name="documents_workflowrun_tenant_id"
            ),
        ),
        tenant_foreign_key("documents_workflowrun", "workflow_id", "documents_workflow"),
        tenant_foreign_key("documents_workflowrun", "document_id", "documents_document"),
        tenant_foreign_key("documents_note", "document_id", "documents_document"),
        *(tenant_table(f"documents_{name}") for name in ("workflow", "workflowrun", "note")),
    ]
