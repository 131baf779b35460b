import django.db.models.deletion
from django.db import migrations, models

from jobs.rls import tenant_foreign_key, tenant_table


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0006_trash_and_asset_hashes"),
        ("tenants", "0004_system_sets"),
    ]

    operations = [
        migrations.AddField(
            model_name="document",
            name="issued_doubt",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "none"),
                    ("differs", "another date is printed than the XML says"),
                    ("read_once", "read once only, by OCR"),
                    ("rival", "another date is as likely"),
                    ("month_only", "a month without a day"),
                    ("weak", "nothing says that it is the date of issue"),
                ],
                db_default="",
                default="",
                max_length=16,
                verbose_name="doubt about the issued date",
            ),
        ),
        migrations.AlterField(
            model_name="document",
            name="issued_source",
            field=models.CharField(
                blank=True,
                choices=[
                    ("", "none"),
                    ("text", "text layer"),
                    ("ocr", "OCR"),
                    ("filename", "file name"),
                    ("facts", "facts of the file"),
                    ("invoice", "XML of the invoice"),
                    ("manual", "set by a person"),
                ],
                default="",
                max_length=16,
                verbose_name="source of the issued date",
            ),
        ),
        migrations.CreateModel(
            name="FileFacts",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "syntax",
                    models.CharField(
                        choices=[
                            ("mail", "mail headers"),
                            ("cii", "XML invoice (CII)"),
                            ("ubl", "XML invoice (UBL)"),
                        ],
                        max_length=8,
                        verbose_name="stated as",
                    ),
                ),
                ("issued", models.DateField(null=True, verbose_name="issued date")),
                (
                    "subject",
                    models.CharField(blank=True, default="", max_length=1000, verbose_name="subject"),
                ),
                ("author", models.CharField(blank=True, default="", max_length=1000, verbose_name="author")),
                ("profile", models.CharField(blank=True, default="", max_length=255, verbose_name="profile")),
                (
                    "type_code",
                    models.CharField(blank=True, default="", max_length=255, verbose_name="code of its type"),
                ),
                ("number", models.CharField(blank=True, default="", max_length=255, verbose_name="number")),
                ("due", models.DateField(null=True, verbose_name="due date")),
                ("seller", models.CharField(blank=True, default="", max_length=255, verbose_name="seller")),
                ("buyer", models.CharField(blank=True, default="", max_length=255, verbose_name="buyer")),
                (
                    "net",
                    models.DecimalField(
                        decimal_places=2, max_digits=17, null=True, verbose_name="net amount"
                    ),
                ),
                ("tax", models.DecimalField(decimal_places=2, max_digits=17, null=True, verbose_name="tax")),
                (
                    "gross",
                    models.DecimalField(
                        decimal_places=2, max_digits=17, null=True, verbose_name="gross amount"
                    ),
                ),
                ("currency", models.CharField(blank=True, default="", max_length=3, verbose_name="currency")),
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
                        related_name="facts",
                        to="documents.documentversion",
                        verbose_name="version",
                    ),
                ),
            ],
            options={
                "verbose_name": "facts of a file",
                "verbose_name_plural": "facts of files",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "version"), name="documents_filefacts_version")
                ],
            },
        ),
        tenant_table("documents_filefacts"),
        tenant_foreign_key("documents_filefacts", "version_id", "documents_documentversion"),
    ]
