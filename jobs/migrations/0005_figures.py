import uuid

import django.db.models.functions.datetime
from django.db import migrations, models

from jobs.rls import queue_table, role, tenant_table

GRANTS_SQL = f"""
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs_jobminute TO {role("queue")};
GRANT SELECT, INSERT, UPDATE ON jobs_errorgroup TO {role("queue")};
GRANT SELECT ON jobs_operation TO {role("queue")};
"""
REVOKES_SQL = f"REVOKE ALL ON jobs_jobminute, jobs_errorgroup, jobs_operation FROM {role('queue')};"


class Migration(migrations.Migration):
    dependencies = [
        ("jobs", "0004_daily_chores"),
    ]

    operations = [
        migrations.CreateModel(
            name="ErrorGroup",
            fields=[
                (
                    "fingerprint",
                    models.CharField(
                        max_length=64, primary_key=True, serialize=False, verbose_name="fingerprint"
                    ),
                ),
                ("type", models.CharField(max_length=64, verbose_name="type")),
                ("kind", models.CharField(max_length=16, verbose_name="kind of failure")),
                ("jobs", models.PositiveIntegerField(verbose_name="jobs")),
                ("tenants", models.PositiveIntegerField(verbose_name="tenants")),
                ("is_more", models.BooleanField(default=False, verbose_name="more than that")),
                ("first_at", models.DateTimeField(verbose_name="first")),
                ("last_at", models.DateTimeField(verbose_name="last")),
                ("newest_job", models.BigIntegerField(verbose_name="newest job")),
                (
                    "counted_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="counted"
                    ),
                ),
            ],
            options={
                "verbose_name": "kind of error",
                "verbose_name_plural": "kinds of errors",
            },
        ),
        migrations.AddField(
            model_name="queuesample",
            name="database_bytes",
            field=models.BigIntegerField(db_default=0, default=0, verbose_name="size of the database, bytes"),
        ),
        migrations.AddField(
            model_name="queuesample",
            name="horizon_seconds",
            field=models.FloatField(db_default=0.0, default=0.0, verbose_name="oldest snapshot, seconds"),
        ),
        migrations.AddField(
            model_name="queuesample",
            name="lanes",
            field=models.JSONField(
                db_default=models.Value({}, models.JSONField()), default=dict, verbose_name="waiting by lane"
            ),
        ),
        migrations.AddField(
            model_name="queuesample",
            name="waiting",
            field=models.JSONField(
                db_default=models.Value([], models.JSONField()),
                default=list,
                verbose_name="waiting by tenant",
            ),
        ),
        migrations.CreateModel(
            name="JobMinute",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("minute", models.DateTimeField(verbose_name="from")),
                ("span", models.PositiveSmallIntegerField(db_default=1, default=1, verbose_name="minutes")),
                ("type", models.CharField(max_length=64, verbose_name="type")),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("succeeded", "succeeded"),
                            ("failed", "failed"),
                            ("retried", "to be tried again"),
                        ],
                        max_length=10,
                        verbose_name="outcome",
                    ),
                ),
                (
                    "worker",
                    models.CharField(
                        blank=True, db_default="", default="", max_length=100, verbose_name="worker"
                    ),
                ),
                ("attempts", models.PositiveIntegerField(verbose_name="attempts")),
                ("seconds", models.FloatField(verbose_name="seconds")),
            ],
            options={
                "verbose_name": "minute of the queue",
                "verbose_name_plural": "minutes of the queue",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("minute", "span", "type", "outcome", "worker"), name="jobs_jobminute_part"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Operation",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                (
                    "verb",
                    models.CharField(choices=[("requeue", "requeue")], max_length=10, verbose_name="action"),
                ),
                ("wanted", models.JSONField(verbose_name="filters")),
                ("as_of", models.DateTimeField(verbose_name="as of")),
                ("actor", models.CharField(max_length=100, verbose_name="who")),
                (
                    "origin",
                    models.CharField(blank=True, default="", max_length=100, verbose_name="from where"),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("running", "running"), ("stopped", "stopped"), ("done", "done")],
                        default="running",
                        max_length=8,
                        verbose_name="state",
                    ),
                ),
                ("total", models.PositiveIntegerField(verbose_name="to do in all")),
                ("done", models.PositiveIntegerField(default=0, verbose_name="done")),
                ("skipped", models.JSONField(default=dict, verbose_name="skipped")),
                ("after_finished_at", models.DateTimeField(blank=True, null=True, verbose_name="done up to")),
                ("after_id", models.BigIntegerField(default=0)),
                (
                    "lease_expires_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="held until"
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="ordered"
                    ),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended")),
            ],
            options={
                "verbose_name": "operation",
                "verbose_name_plural": "operations",
                "default_permissions": ("view",),
                "indexes": [
                    models.Index(fields=["-created_at"], name="jobs_operation_newest"),
                    models.Index(
                        condition=models.Q(("state", "running")),
                        fields=["lease_expires_at"],
                        name="jobs_operation_running",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TenantHour",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("tenant_id", models.UUIDField(verbose_name="tenant")),
                ("hour", models.DateTimeField(verbose_name="hour")),
                ("attempts", models.PositiveIntegerField(verbose_name="attempts")),
                ("failed", models.PositiveIntegerField(verbose_name="failed")),
                ("seconds", models.FloatField(verbose_name="seconds")),
            ],
            options={
                "verbose_name": "hour of a tenant",
                "verbose_name_plural": "hours of tenants",
                "constraints": [
                    models.UniqueConstraint(fields=("hour", "tenant_id"), name="jobs_tenanthour_one")
                ],
            },
        ),
        tenant_table("jobs_tenanthour"),
        queue_table("jobs_tenanthour", verbs="SELECT, INSERT, UPDATE"),
        migrations.RunSQL(GRANTS_SQL, REVOKES_SQL),
    ]
