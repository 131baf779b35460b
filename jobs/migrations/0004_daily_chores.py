from django.db import migrations, models

from jobs.rls import role

# The dispatcher asks whether anything is due; what it starts works as the application.
GRANT_SQL = f"GRANT SELECT ON jobs_dailychore TO {role('queue')}"
REVOKE_SQL = f"REVOKE SELECT ON jobs_dailychore FROM {role('queue')}"


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0003_twins_within_a_tenant"),
    ]

    operations = [
        migrations.CreateModel(
            name="DailyChore",
            fields=[
                (
                    "name",
                    models.CharField(max_length=64, primary_key=True, serialize=False, verbose_name="name"),
                ),
                ("day", models.DateField(verbose_name="day")),
                ("started_at", models.DateTimeField(verbose_name="begun")),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended")),
                ("lease_expires_at", models.DateTimeField(verbose_name="held until")),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("running", "running"),
                            ("done", "done"),
                            ("alarm", "something is wrong"),
                            ("failed", "failed"),
                        ],
                        max_length=8,
                        verbose_name="outcome",
                    ),
                ),
                (
                    "message",
                    models.CharField(blank=True, default="", max_length=1000, verbose_name="message"),
                ),
            ],
            options={
                "verbose_name": "daily chore",
                "verbose_name_plural": "daily chores",
            },
        ),
        migrations.RunSQL(GRANT_SQL, REVOKE_SQL),
    ]
