from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("documents", "0005_vault_checks"),
    ]

    operations = [
        migrations.AddField(
            model_name="asset",
            name="content_hash",
            field=models.CharField(blank=True, db_default="", default="", max_length=64, verbose_name="hash"),
        ),
        AddIndexConcurrently(
            model_name="document",
            index=models.Index(
                condition=models.Q(("trashed_at__isnull", False)),
                fields=["tenant", "-created_at", "-id"],
                name="documents_document_trash",
            ),
        ),
        AddIndexConcurrently(
            model_name="document",
            index=models.Index(
                condition=models.Q(("trashed_at__isnull", False)),
                fields=["-created_at", "-id"],
                name="documents_document_trashed",
            ),
        ),
    ]
