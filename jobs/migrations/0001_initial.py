import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from jobs.rls import queue_table, role, tenant_table

# Claims and finishes leave dead entries in small, hot indexes: vacuum by number, not by share of a table
# that may hold millions of finished jobs.
AUTOVACUUM_SQL = """
ALTER TABLE jobs_job SET (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000,
    autovacuum_vacuum_cost_delay = 0
);
"""

# Stable, read-only views for checkers. They run with the rights of whoever asks, row-level security included.
VIEWS_SQL = """
CREATE VIEW chk_job WITH (security_invoker = true) AS
    SELECT id, tenant_id, document_id, type, status, retry_count, max_retries, lease, lease_expires_at,
           created_at
    FROM jobs_job;
CREATE VIEW chk_attempt WITH (security_invoker = true) AS
    SELECT job_id, lease, started_at, ended_at, outcome FROM jobs_jobattempt;
CREATE VIEW chk_effect WITH (security_invoker = true) AS
    SELECT job_id, lease, written_at FROM jobs_probeeffect;
"""

# The dispatcher's role sees all tenants, but only these tables.
QUEUE_GRANTS_SQL = f"""
GRANT SELECT, INSERT, UPDATE, DELETE ON jobs_workerprocess, jobs_queuesample TO {role("queue")};
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="ProbeEffect",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("tenant_id", models.UUIDField()),
                ("job_id", models.BigIntegerField()),
                ("lease", models.BigIntegerField()),
                ("written_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "verbose_name": "effect of a probe",
                "verbose_name_plural": "effects of probes",
            },
        ),
        migrations.CreateModel(
            name="WorkerProcess",
            fields=[
                (
                    "name",
                    models.CharField(max_length=100, primary_key=True, serialize=False, verbose_name="name"),
                ),
                ("host", models.CharField(max_length=255, verbose_name="host")),
                ("pid", models.PositiveIntegerField(verbose_name="process")),
                ("slots", models.PositiveIntegerField(verbose_name="slots")),
                (
                    "state",
                    models.CharField(
                        db_default="running", default="running", max_length=16, verbose_name="state"
                    ),
                ),
                (
                    "version",
                    models.CharField(db_default="", default="", max_length=64, verbose_name="version"),
                ),
                (
                    "started_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="started"
                    ),
                ),
                (
                    "beat_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="last heartbeat"
                    ),
                ),
            ],
            options={
                "verbose_name": "worker",
                "verbose_name_plural": "workers",
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("type", models.CharField(max_length=64, verbose_name="type")),
                ("payload", models.JSONField(default=dict, verbose_name="payload")),
                ("document_id", models.UUIDField(null=True, verbose_name="document")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("processing", "processing"),
                            ("succeeded", "succeeded"),
                            ("failed", "failed"),
                        ],
                        db_default="queued",
                        default="queued",
                        max_length=10,
                        verbose_name="status",
                    ),
                ),
                (
                    "home_lane",
                    models.SmallIntegerField(
                        choices=[(0, "urgent"), (1, "normal"), (2, "bulk"), (3, "later")],
                        db_default=1,
                        default=1,
                        verbose_name="home lane",
                    ),
                ),
                (
                    "lane",
                    models.SmallIntegerField(
                        choices=[(0, "urgent"), (1, "normal"), (2, "bulk"), (3, "later")],
                        db_default=1,
                        default=1,
                        verbose_name="lane",
                    ),
                ),
                ("retry_count", models.PositiveIntegerField(db_default=0, default=0, verbose_name="retries")),
                (
                    "max_retries",
                    models.PositiveIntegerField(db_default=5, default=5, verbose_name="retries allowed"),
                ),
                (
                    "error_message",
                    models.TextField(blank=True, db_default="", default="", verbose_name="error"),
                ),
                (
                    "fingerprint",
                    models.CharField(
                        blank=True, db_default="", default="", max_length=64, verbose_name="fingerprint"
                    ),
                ),
                (
                    "failure_kind",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("error", "error"),
                            ("gave_up", "gave up"),
                            ("timeout", "timeout"),
                            ("limit", "limit"),
                            ("crash", "crash"),
                            ("lease_expired", "lease expired"),
                            ("tenant_inactive", "tenant inactive"),
                            ("superseded", "superseded"),
                            ("cancelled", "cancelled"),
                            ("unknown_type", "unknown type"),
                        ],
                        db_default="",
                        default="",
                        max_length=16,
                        verbose_name="kind of failure",
                    ),
                ),
                (
                    "next_attempt_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="due"
                    ),
                ),
                ("started_at", models.DateTimeField(null=True, verbose_name="started")),
                ("finished_at", models.DateTimeField(null=True, verbose_name="finished")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created"
                    ),
                ),
                (
                    "updated_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="updated"
                    ),
                ),
                ("lease", models.BigIntegerField(db_default=0, default=0, verbose_name="lease")),
                ("lease_expires_at", models.DateTimeField(null=True, verbose_name="lease expires")),
                (
                    "worker",
                    models.CharField(
                        blank=True, db_default="", default="", max_length=100, verbose_name="worker"
                    ),
                ),
                (
                    "progress_done",
                    models.PositiveIntegerField(db_default=0, default=0, verbose_name="done so far"),
                ),
                (
                    "progress_total",
                    models.PositiveIntegerField(db_default=0, default=0, verbose_name="to do in all"),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="tenants.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "job",
                "verbose_name_plural": "jobs",
            },
        ),
        migrations.CreateModel(
            name="JobAttempt",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("tenant_id", models.UUIDField(verbose_name="tenant")),
                ("lease", models.BigIntegerField(verbose_name="lease")),
                ("started_at", models.DateTimeField(verbose_name="started")),
                (
                    "ended_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="ended"
                    ),
                ),
                ("outcome", models.CharField(max_length=16, verbose_name="outcome")),
                (
                    "worker",
                    models.CharField(db_default="", default="", max_length=100, verbose_name="worker"),
                ),
                ("error", models.TextField(blank=True, db_default="", default="", verbose_name="error")),
                (
                    "traceback",
                    models.TextField(blank=True, db_default="", default="", verbose_name="traceback"),
                ),
                (
                    "job",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="attempts",
                        to="jobs.job",
                        verbose_name="job",
                    ),
                ),
            ],
            options={
                "verbose_name": "attempt",
                "verbose_name_plural": "attempts",
            },
        ),
        migrations.CreateModel(
            name="QueueSample",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "sampled_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="sampled"
                    ),
                ),
                ("counts", models.JSONField(default=dict, verbose_name="jobs by type and status")),
                ("approximate", models.BooleanField(default=False, verbose_name="approximate")),
                ("running", models.PositiveIntegerField(default=0, verbose_name="running")),
                ("oldest_due_seconds", models.FloatField(default=0.0, verbose_name="oldest due, seconds")),
                ("worker", models.CharField(default="", max_length=100, verbose_name="worker")),
            ],
            options={
                "verbose_name": "sample of the queue",
                "verbose_name_plural": "samples of the queue",
                "indexes": [models.Index(fields=["-sampled_at"], name="jobs_queuesample_newest")],
            },
        ),
        migrations.CreateModel(
            name="TenantQueue",
            fields=[
                (
                    "tenant",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tenants.tenant",
                        verbose_name="tenant",
                    ),
                ),
                ("weight", models.FloatField(db_default=1.0, default=1.0, verbose_name="weight")),
                (
                    "max_running",
                    models.PositiveIntegerField(blank=True, null=True, verbose_name="jobs at once"),
                ),
                ("paused", models.BooleanField(db_default=False, default=False, verbose_name="paused")),
                ("closed", models.BooleanField(db_default=False, default=False, verbose_name="closed")),
            ],
            options={
                "verbose_name": "tenant queue",
                "verbose_name_plural": "tenant queues",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("weight__gt", 0), ("weight__lte", 1000)),
                        name="jobs_tenantqueue_weight",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("max_running__isnull", True), ("max_running__gt", 0), _connector="OR"
                        ),
                        name="jobs_tenantqueue_cap",
                    ),
                ],
            },
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("lane__in", (1, 2)), ("status", "queued")),
                fields=["tenant", "lane", "next_attempt_at", "id"],
                name="jobs_job_ready",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("lane", 0), ("status", "queued")),
                fields=["next_attempt_at", "id"],
                name="jobs_job_urgent",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("lane", 3), ("status", "queued")),
                fields=["next_attempt_at", "id"],
                name="jobs_job_later",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("status", "processing")), fields=["tenant", "id"], name="jobs_job_running"
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("status", "failed")),
                fields=["fingerprint", "finished_at", "tenant"],
                name="jobs_job_failed_kind",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("status", "failed")),
                fields=["tenant", "finished_at", "id"],
                name="jobs_job_failed_tenant",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("document_id__isnull", False)),
                fields=["document_id", "id"],
                name="jobs_job_document",
            ),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.CheckConstraint(
                condition=models.Q(("tenant__isnull", False)), name="jobs_job_tenant_set"
            ),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", "queued"), ("type", "analyze-document")),
                fields=("document_id",),
                name="jobs_job_queued_analysis",
            ),
        ),
        migrations.AddConstraint(
            model_name="job",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ("queued", "processing")), ("type", "purge-document")),
                fields=("document_id",),
                name="jobs_job_live_purge",
            ),
        ),
        migrations.AddConstraint(
            model_name="jobattempt",
            constraint=models.UniqueConstraint(fields=("job", "lease"), name="jobs_jobattempt_lease"),
        ),
        migrations.RunSQL(AUTOVACUUM_SQL, migrations.RunSQL.noop),
        migrations.RunSQL(VIEWS_SQL, "DROP VIEW chk_effect, chk_attempt, chk_job;"),
        tenant_table("jobs_job"),
        tenant_table("jobs_jobattempt"),
        tenant_table("jobs_tenantqueue"),
        tenant_table("jobs_probeeffect"),
        queue_table("jobs_job", verbs="SELECT, INSERT, UPDATE"),
        queue_table("jobs_jobattempt", verbs="SELECT, INSERT, UPDATE"),
        queue_table("jobs_tenantqueue", verbs="SELECT, UPDATE"),
        migrations.RunSQL(
            QUEUE_GRANTS_SQL,
            f"REVOKE ALL ON jobs_workerprocess, jobs_queuesample FROM {role('queue')};",
        ),
    ]
