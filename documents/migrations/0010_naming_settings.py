import django.db.models.deletion
from django.db import migrations, models

from jobs.rls import tenant_table


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0009_boxes_of_words"),
        ("tenants", "0005_wipe_pages"),
    ]

    operations = [
        migrations.CreateModel(
            name="NamingSettings",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "title_template",
                    models.CharField(
                        blank=True, default="", max_length=200, verbose_name="template for titles"
                    ),
                ),
                (
                    "date_order",
                    models.CharField(
                        choices=[("DMY", "DMY"), ("MDY", "MDY"), ("YMD", "YMD")],
                        default="DMY",
                        max_length=3,
                        verbose_name="order of dates",
                    ),
                ),
                (
                    "filename_order",
                    models.CharField(
                        blank=True,
                        choices=[("DMY", "DMY"), ("MDY", "MDY"), ("YMD", "YMD")],
                        default="",
                        max_length=3,
                        verbose_name="dates in file names win, read as",
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
                "verbose_name": "naming settings",
                "verbose_name_plural": "naming settings",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant",), name="documents_namingsettings_tenant")
                ],
            },
        ),
        tenant_table("documents_namingsettings"),
    ]
