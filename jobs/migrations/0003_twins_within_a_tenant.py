from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0002_failed_jobs_and_permissions"),
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="job", name="jobs_job_queued_analysis"),
        migrations.RemoveConstraint(model_name="job", name="jobs_job_live_purge"),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", "queued"), ("type", "analyze-document")),
                fields=("tenant", "document_id"),
                name="jobs_job_queued_analysis",
            ),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ("queued", "processing")), ("type", "purge-document")),
                fields=("tenant", "document_id"),
                name="jobs_job_live_purge",
            ),
        ),
    ]
