import uuid

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from jobs.rls import tenant_foreign_key, tenant_table

# A row of filing carries the kind of its label, so that an index keeps single labels single: the key proves it.
LABEL_KEY_SQL = """
ALTER TABLE documents_filing ADD CONSTRAINT documents_filing_label_id_tenant_fk
    FOREIGN KEY (tenant_id, kind, label_id) REFERENCES documents_label (tenant_id, kind, id)
    DEFERRABLE INITIALLY DEFERRED;
"""
LABEL_KEY_REVERSE_SQL = "ALTER TABLE documents_filing DROP CONSTRAINT documents_filing_label_id_tenant_fk;"


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0007_file_facts"),
        ("tenants", "0004_system_sets"),
    ]

    operations = [
        migrations.CreateModel(
            name="Label",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("tag", "tag"),
                            ("correspondent", "correspondent"),
                            ("document_type", "document type"),
                        ],
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                ("name", models.CharField(max_length=100, verbose_name="name")),
                ("key", models.CharField(editable=False, max_length=300, verbose_name="key")),
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
                "verbose_name": "label",
                "verbose_name_plural": "labels",
            },
        ),
        migrations.CreateModel(
            name="Correspondent",
            fields=[],
            options={
                "verbose_name": "correspondent",
                "verbose_name_plural": "correspondents",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("documents.label",),
        ),
        migrations.CreateModel(
            name="DocumentType",
            fields=[],
            options={
                "verbose_name": "document type",
                "verbose_name_plural": "document types",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("documents.label",),
        ),
        migrations.CreateModel(
            name="Tag",
            fields=[],
            options={
                "verbose_name": "tag",
                "verbose_name_plural": "tags",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("documents.label",),
        ),
        migrations.CreateModel(
            name="LearnedDocument",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("tag", "tag"),
                            ("correspondent", "correspondent"),
                            ("document_type", "document type"),
                        ],
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                (
                    "labels",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), size=None, verbose_name="labels"
                    ),
                ),
                (
                    "words",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), size=None, verbose_name="words"
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
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
                "verbose_name": "learned document",
                "verbose_name_plural": "learned documents",
            },
        ),
        migrations.CreateModel(
            name="MatchingRule",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("none", "switched off"),
                            ("any", "any of the words"),
                            ("all", "all words"),
                            ("exact", "exactly these words in a row"),
                            ("regex", "regular expression"),
                            ("fuzzy", "something like it"),
                        ],
                        default="any",
                        max_length=8,
                        verbose_name="kind",
                    ),
                ),
                ("pattern", models.CharField(blank=True, default="", max_length=500, verbose_name="pattern")),
                ("likeness", models.PositiveSmallIntegerField(default=90, verbose_name="likeness")),
                ("stopped_at", models.DateTimeField(blank=True, null=True, verbose_name="stopped")),
                (
                    "stopped_because",
                    models.CharField(
                        blank=True, default="", max_length=200, verbose_name="why it was stopped"
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="added"
                    ),
                ),
                (
                    "label",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rules",
                        to="documents.label",
                        verbose_name="label",
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
                "verbose_name": "rule",
                "verbose_name_plural": "rules",
            },
        ),
        migrations.CreateModel(
            name="Filing",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("tag", "tag"),
                            ("correspondent", "correspondent"),
                            ("document_type", "document type"),
                        ],
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("filed", "filed"),
                            ("suggested", "suggested"),
                            ("refused", "refused"),
                            ("removed", "taken away"),
                        ],
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                (
                    "set_by",
                    models.CharField(
                        choices=[
                            ("person", "a person"),
                            ("rule", "a rule"),
                            ("suggestion", "a suggestion"),
                            ("workflow", "a workflow"),
                        ],
                        max_length=10,
                        verbose_name="set by",
                    ),
                ),
                ("confidence", models.FloatField(blank=True, null=True, verbose_name="confidence")),
                ("because", models.JSONField(blank=True, default=list, verbose_name="because of")),
                (
                    "decided_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="decided"
                    ),
                ),
                (
                    "document",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="filings",
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
                    "label",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="filings",
                        to="documents.label",
                        verbose_name="label",
                    ),
                ),
                (
                    "rule",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="documents.matchingrule",
                        verbose_name="rule",
                    ),
                ),
            ],
            options={
                "verbose_name": "filing",
                "verbose_name_plural": "filings",
            },
        ),
        migrations.CreateModel(
            name="WordCount",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("tag", "tag"),
                            ("correspondent", "correspondent"),
                            ("document_type", "document type"),
                        ],
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                ("word", models.CharField(blank=True, max_length=64, verbose_name="word")),
                ("documents", models.IntegerField(verbose_name="documents")),
                (
                    "label",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="documents.label",
                        verbose_name="label",
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
                "verbose_name": "count of a word",
                "verbose_name_plural": "counts of words",
            },
        ),
        migrations.CreateModel(
            name="FilingSettings",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "apply_above",
                    models.FloatField(
                        blank=True, null=True, verbose_name="file suggestions by themselves from"
                    ),
                ),
                ("revision", models.BigIntegerField(default=0, verbose_name="revision")),
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
                "verbose_name": "settings of filing",
                "verbose_name_plural": "settings of filing",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant",), name="documents_filingsettings_tenant"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("apply_above", None),
                            models.Q(("apply_above__gte", 0.5), ("apply_above__lte", 1.0)),
                            _connector="OR",
                        ),
                        name="documents_filingsettings_apply",
                    ),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="label",
            index=models.Index(fields=["-created_at", "-id"], name="documents_label_newest"),
        ),
        migrations.AddConstraint(
            model_name="label",
            constraint=models.UniqueConstraint(fields=("tenant", "kind", "key"), name="documents_label_name"),
        ),
        migrations.AddConstraint(
            model_name="label",
            constraint=models.UniqueConstraint(fields=("tenant", "id"), name="documents_label_tenant_id"),
        ),
        migrations.AddConstraint(
            model_name="label",
            constraint=models.UniqueConstraint(
                fields=("tenant", "kind", "id"), name="documents_label_tenant_kind"
            ),
        ),
        migrations.AddConstraint(
            model_name="label",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["tag", "correspondent", "document_type"])),
                name="documents_label_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="learneddocument",
            constraint=models.UniqueConstraint(
                fields=("tenant", "document", "kind"), name="documents_learneddocument_once"
            ),
        ),
        migrations.AddIndex(
            model_name="matchingrule",
            index=models.Index(fields=["tenant", "label"], name="documents_matchingrule_label"),
        ),
        migrations.AddIndex(
            model_name="matchingrule",
            index=models.Index(fields=["-created_at", "-id"], name="documents_matchingrule_newest"),
        ),
        migrations.AddConstraint(
            model_name="matchingrule",
            constraint=models.UniqueConstraint(
                fields=("tenant", "id"), name="documents_matchingrule_tenant_id"
            ),
        ),
        migrations.AddConstraint(
            model_name="matchingrule",
            constraint=models.CheckConstraint(
                condition=models.Q(("likeness__gte", 60), ("likeness__lte", 100)),
                name="documents_matchingrule_likeness",
            ),
        ),
        migrations.AddIndex(
            model_name="filing",
            index=models.Index(
                fields=["tenant", "label", "state", "document"], name="documents_filing_label"
            ),
        ),
        migrations.AddIndex(
            model_name="filing",
            index=models.Index(
                condition=models.Q(("rule__isnull", False)),
                fields=["tenant", "rule"],
                name="documents_filing_rule",
            ),
        ),
        migrations.AddConstraint(
            model_name="filing",
            constraint=models.UniqueConstraint(
                fields=("tenant", "document", "label"), name="documents_filing_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="filing",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "filed"), models.Q(("kind", "tag"), _negated=True)),
                fields=("tenant", "document", "kind"),
                name="documents_filing_single",
            ),
        ),
        migrations.AddIndex(
            model_name="wordcount",
            index=models.Index(fields=["tenant", "label"], name="documents_wordcount_label"),
        ),
        migrations.AddConstraint(
            model_name="wordcount",
            constraint=models.UniqueConstraint(
                fields=("tenant", "word", "kind", "label"),
                name="documents_wordcount_once",
                nulls_distinct=False,
            ),
        ),
        tenant_foreign_key("documents_matchingrule", "label_id", "documents_label"),
        tenant_foreign_key("documents_filing", "document_id", "documents_document"),
        migrations.RunSQL(LABEL_KEY_SQL, LABEL_KEY_REVERSE_SQL),
        tenant_foreign_key(
            "documents_filing", "rule_id", "documents_matchingrule", on_delete="ON DELETE SET NULL (rule_id)"
        ),
        tenant_foreign_key("documents_learneddocument", "document_id", "documents_document"),
        tenant_foreign_key("documents_wordcount", "label_id", "documents_label"),
        *(
            tenant_table(f"documents_{name}")
            for name in ("label", "matchingrule", "filing", "filingsettings", "learneddocument", "wordcount")
        ),
    ]
