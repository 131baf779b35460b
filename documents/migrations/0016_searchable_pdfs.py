from django.db import migrations, models


class Migration(migrations.Migration):
    """Let a tenant have searchable PDFs made of all its scans."""

    dependencies = [("documents", "0015_search_language")]

    operations = [
        migrations.AddField(
            "namingsettings",
            "searchable_pdfs",
            models.BooleanField(
                db_default=False, default=False, verbose_name="make searchable PDFs of all scans"
            ),
        ),
    ]
