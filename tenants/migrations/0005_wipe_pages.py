from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("tenants", "0004_system_sets"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="wipeorder",
            options={
                "permissions": [("approve_wipe", "Can approve and take back wipes")],
                "verbose_name": "wipe order",
                "verbose_name_plural": "wipe orders",
            },
        ),
        migrations.AlterField(
            model_name="wipeorder",
            name="action",
            field=models.CharField(
                choices=[("delete", "delete tenant"), ("reset", "empty tenant")],
                max_length=6,
                verbose_name="action",
            ),
        ),
        migrations.AlterField(
            model_name="wipeorder",
            name="phase",
            field=models.CharField(
                blank=True,
                choices=[
                    ("closing", "closing the queue"),
                    ("files", "removing files"),
                    ("index", "emptying the search index"),
                    ("rows", "removing rows"),
                    ("jobs", "removing jobs"),
                    ("files_again", "looking for files again"),
                    ("tenant", "removing the tenant, or opening it again"),
                ],
                default="",
                max_length=12,
                verbose_name="phase",
            ),
        ),
        AddIndexConcurrently(
            model_name="wipeorder",
            index=models.Index(fields=["-ordered_at", "-nonce"], name="tenants_wipeorder_newest"),
        ),
    ]
