from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("jobs", "0006_operations_on_documents"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="job",
            index=models.Index(
                condition=models.Q(
                    ("status__in", ("queued", "processing", "failed")), ("type", "change-documents")
                ),
                fields=["id"],
                name="jobs_job_parts",
            ),
        ),
        migrations.AlterField(
            model_name="operation",
            name="state",
            field=models.CharField(
                choices=[
                    ("running", "running"),
                    ("stopped", "stopped"),
                    ("ended", "ended, not all done"),
                    ("done", "done"),
                ],
                default="running",
                max_length=8,
                verbose_name="state",
            ),
        ),
    ]
