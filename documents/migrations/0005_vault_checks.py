import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from jobs.rls import tenant_table


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0004_retention"),
        ("tenants", "0003_wipe_orders"),
    ]

    operations = [
        migrations.CreateModel(
            name="VaultCheck",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("share", models.PositiveSmallIntegerField(verbose_name="share")),
                ("shares", models.PositiveSmallIntegerField(verbose_name="shares")),
                ("started_at", models.DateTimeField(verbose_name="started")),
                (
                    "ended_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="ended"
                    ),
                ),
                ("files", models.PositiveBigIntegerField(verbose_name="files")),
                ("size", models.PositiveBigIntegerField(verbose_name="bytes")),
                ("problems", models.PositiveIntegerField(verbose_name="problems")),
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
                "verbose_name": "check of the vault",
                "verbose_name_plural": "checks of the vault",
                "indexes": [models.Index(fields=["tenant", "-id"], name="documents_vaultcheck_tenant")],
            },
        ),
        migrations.CreateModel(
            name="VaultFinding",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("path", models.CharField(max_length=1024, verbose_name="path")),
                (
                    "problem",
                    models.CharField(
                        choices=[
                            ("changed", "changed"),
                            ("cut", "cut off"),
                            ("swapped", "swapped with another"),
                            ("missing", "missing"),
                            ("stray", "does not belong here"),
                            ("mode", "other permissions"),
                            ("unreadable", "cannot be read"),
                        ],
                        max_length=10,
                        verbose_name="problem",
                    ),
                ),
                (
                    "found_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="found"
                    ),
                ),
                (
                    "seen_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="seen last"
                    ),
                ),
                ("resolved_at", models.DateTimeField(null=True, verbose_name="resolved")),
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
                "verbose_name": "damaged file",
                "verbose_name_plural": "damaged files",
                "indexes": [
                    models.Index(
                        condition=models.Q(("resolved_at__isnull", True)),
                        fields=["tenant", "id"],
                        name="documents_vaultfinding_open",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "path"), name="documents_vaultfinding_path")
                ],
            },
        ),
        tenant_table("documents_vaultcheck"),
        tenant_table("documents_vaultfinding"),
    ]
