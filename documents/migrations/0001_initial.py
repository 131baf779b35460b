import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from jobs.rls import tenant_foreign_key, tenant_table

# The status is that of the document's newest analysis; a document without one is done.
VIEWS_SQL = """
CREATE VIEW chk_document WITH (security_invoker = true) AS
    SELECT document.id, document.tenant_id,
           CASE job.status WHEN 'queued' THEN 'queued' WHEN 'processing' THEN 'processing'
                           WHEN 'failed' THEN 'failed' ELSE 'done' END AS processing_status,
           version.content_hash, document.retain_until, document.legal_hold
    FROM documents_document document
    LEFT JOIN LATERAL (
        SELECT content_hash FROM documents_documentversion
        WHERE tenant_id = document.tenant_id AND document_id = document.id
        ORDER BY number DESC LIMIT 1
    ) version ON true
    LEFT JOIN LATERAL (
        SELECT status FROM jobs_job
        WHERE document_id = document.id AND tenant_id = document.tenant_id AND type = 'analyze-document'
        ORDER BY id DESC LIMIT 1
    ) job ON true;
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenants", "0001_initial"),
        ("jobs", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Document",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("title", models.CharField(max_length=255, verbose_name="title")),
                (
                    "title_manually_set",
                    models.BooleanField(default=False, verbose_name="title set by a person"),
                ),
                ("issued_at", models.DateField(blank=True, null=True, verbose_name="issued date")),
                (
                    "issued_source",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "none"),
                            ("text", "text"),
                            ("filename", "file name"),
                            ("facts", "facts of the file"),
                            ("manual", "set by a person"),
                        ],
                        default="",
                        max_length=16,
                        verbose_name="source of the issued date",
                    ),
                ),
                (
                    "issued_candidates",
                    models.JSONField(blank=True, default=list, verbose_name="candidates for the issued date"),
                ),
                ("retain_until", models.DateTimeField(blank=True, null=True, verbose_name="retain until")),
                ("legal_hold", models.BooleanField(default=False, verbose_name="legal hold")),
                (
                    "source",
                    models.CharField(
                        choices=[("admin", "admin"), ("api", "API"), ("import", "import"), ("mail", "mail")],
                        max_length=16,
                        verbose_name="source",
                    ),
                ),
                (
                    "source_ref",
                    models.CharField(
                        blank=True, default="", max_length=1024, verbose_name="reference of the source"
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="added"
                    ),
                ),
                (
                    "updated_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="updated"
                    ),
                ),
                ("trashed_at", models.DateTimeField(blank=True, null=True, verbose_name="trashed")),
                ("purging_at", models.DateTimeField(blank=True, null=True, verbose_name="purge begun")),
                (
                    "analyzed_by",
                    models.BigIntegerField(blank=True, null=True, verbose_name="analyzed by job"),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="created by",
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
                "verbose_name": "document",
                "verbose_name_plural": "documents",
            },
        ),
        migrations.CreateModel(
            name="DocumentVersion",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("number", models.PositiveIntegerField(default=1, verbose_name="number")),
                ("content_hash", models.CharField(max_length=64, verbose_name="hash")),
                ("size", models.PositiveBigIntegerField(verbose_name="size")),
                ("media_type", models.CharField(max_length=127, verbose_name="type")),
                ("filename", models.CharField(max_length=255, verbose_name="file name")),
                ("pages", models.PositiveIntegerField(blank=True, null=True, verbose_name="pages")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="added"
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="versions",
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
                "verbose_name": "version",
                "verbose_name_plural": "versions",
            },
        ),
        migrations.CreateModel(
            name="Asset",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("kind", models.CharField(max_length=32, verbose_name="kind")),
                ("job_id", models.BigIntegerField(verbose_name="job")),
                ("media_type", models.CharField(max_length=127, verbose_name="type")),
                ("size", models.PositiveBigIntegerField(verbose_name="size")),
                ("width", models.PositiveIntegerField(blank=True, null=True, verbose_name="width")),
                ("height", models.PositiveIntegerField(blank=True, null=True, verbose_name="height")),
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
                (
                    "version",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="assets",
                        to="documents.documentversion",
                        verbose_name="version",
                    ),
                ),
            ],
            options={
                "verbose_name": "asset",
                "verbose_name_plural": "assets",
            },
        ),
        migrations.CreateModel(
            name="PageCheckpoint",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("job_id", models.BigIntegerField(verbose_name="job")),
                ("page", models.PositiveIntegerField(verbose_name="page")),
                ("text", models.TextField(blank=True, verbose_name="text")),
                (
                    "source",
                    models.CharField(
                        choices=[("layer", "text layer"), ("ocr", "OCR"), ("none", "no text")],
                        max_length=8,
                        verbose_name="source",
                    ),
                ),
                ("confidence", models.FloatField(blank=True, null=True, verbose_name="confidence")),
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
                "verbose_name": "kept page",
                "verbose_name_plural": "kept pages",
            },
        ),
        migrations.CreateModel(
            name="PageText",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("page", models.PositiveIntegerField(verbose_name="page")),
                ("text", models.TextField(blank=True, verbose_name="text")),
                (
                    "source",
                    models.CharField(
                        choices=[("layer", "text layer"), ("ocr", "OCR"), ("none", "no text")],
                        max_length=8,
                        verbose_name="source",
                    ),
                ),
                ("confidence", models.FloatField(blank=True, null=True, verbose_name="confidence")),
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
                    "version",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="page_texts",
                        to="documents.documentversion",
                        verbose_name="version",
                    ),
                ),
            ],
            options={
                "verbose_name": "text of a page",
                "verbose_name_plural": "texts of pages",
            },
        ),
        migrations.CreateModel(
            name="StepResult",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("job_id", models.BigIntegerField(verbose_name="job")),
                ("step", models.CharField(max_length=32, verbose_name="step")),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("done", "done"),
                            ("nothing", "nothing found"),
                            ("skipped", "skipped"),
                            ("failed", "failed"),
                        ],
                        max_length=8,
                        verbose_name="outcome",
                    ),
                ),
                ("seconds", models.FloatField(default=0.0, verbose_name="seconds")),
                (
                    "message",
                    models.CharField(blank=True, default="", max_length=1000, verbose_name="message"),
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
                    "version",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="step_results",
                        to="documents.documentversion",
                        verbose_name="version",
                    ),
                ),
            ],
            options={
                "verbose_name": "result of a step",
                "verbose_name_plural": "results of steps",
            },
        ),
        migrations.AddIndex(
            model_name="document",
            index=models.Index(fields=["tenant", "-created_at", "-id"], name="documents_document_newest"),
        ),
        migrations.AddIndex(
            model_name="document",
            index=models.Index(fields=["tenant", "-issued_at", "-id"], name="documents_document_issued"),
        ),
        migrations.AddConstraint(
            model_name="document",
            constraint=models.UniqueConstraint(fields=("tenant", "id"), name="documents_document_tenant_id"),
        ),
        migrations.AddConstraint(
            model_name="documentversion",
            constraint=models.UniqueConstraint(
                fields=("tenant", "content_hash"), name="documents_version_hash"
            ),
        ),
        migrations.AddConstraint(
            model_name="documentversion",
            constraint=models.UniqueConstraint(
                fields=("tenant", "document", "number"), name="documents_version_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="documentversion",
            constraint=models.UniqueConstraint(fields=("tenant", "id"), name="documents_version_tenant_id"),
        ),
        migrations.AddConstraint(
            model_name="documentversion",
            constraint=models.CheckConstraint(
                condition=models.Q(("content_hash__regex", "^[0-9a-f]{64}$")),
                name="documents_version_hash_form",
            ),
        ),
        migrations.AddConstraint(
            model_name="asset",
            constraint=models.UniqueConstraint(
                fields=("tenant", "version", "kind"), name="documents_asset_kind"
            ),
        ),
        migrations.AddConstraint(
            model_name="pagecheckpoint",
            constraint=models.UniqueConstraint(
                fields=("tenant", "job_id", "page"), name="documents_pagecheckpoint_page"
            ),
        ),
        migrations.AddConstraint(
            model_name="pagetext",
            constraint=models.UniqueConstraint(
                fields=("tenant", "version", "page"), name="documents_pagetext_page"
            ),
        ),
        migrations.AddConstraint(
            model_name="stepresult",
            constraint=models.UniqueConstraint(
                fields=("tenant", "version", "step"), name="documents_stepresult_step"
            ),
        ),
        tenant_foreign_key("documents_documentversion", "document_id", "documents_document"),
        tenant_foreign_key("documents_asset", "version_id", "documents_documentversion"),
        tenant_foreign_key("documents_pagetext", "version_id", "documents_documentversion"),
        tenant_foreign_key("documents_stepresult", "version_id", "documents_documentversion"),
        tenant_table("documents_document"),
        tenant_table("documents_documentversion"),
        tenant_table("documents_asset"),
        tenant_table("documents_pagetext"),
        tenant_table("documents_pagecheckpoint"),
        tenant_table("documents_stepresult"),
        migrations.RunSQL(VIEWS_SQL, "DROP VIEW chk_document;"),
    ]
