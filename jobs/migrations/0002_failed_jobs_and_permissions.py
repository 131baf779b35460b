from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="FailedJob",
            fields=[],
            options={
                "verbose_name": "failed job",
                "verbose_name_plural": "failed jobs",
                "proxy": True,
                "default_permissions": (),
                "indexes": [],
                "constraints": [],
            },
            bases=("jobs.job",),
        ),
        migrations.AlterModelOptions(
            name="job",
            options={
                "permissions": [
                    ("requeue_job", "Can requeue failed jobs"),
                    ("cancel_job", "Can cancel jobs"),
                ],
                "verbose_name": "job",
                "verbose_name_plural": "jobs",
            },
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("status", "failed")),
                fields=["finished_at", "id"],
                name="jobs_job_failed_newest",
            ),
        ),
    ]
