from django.db import migrations, models


class Migration(migrations.Migration):
    """A column with a default in the database: no row is rewritten."""

    dependencies = [("documents", "0013_mail_attachments")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="workflow_title",
            field=models.CharField(
                blank=True, db_default="", default="", max_length=200, verbose_name="title by a workflow"
            ),
        ),
    ]
