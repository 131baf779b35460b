import django.db.models.functions.datetime
from django.db import migrations, models

from jobs.rls import role, tenant_table

# An order outlives its tenant: nobody deletes one. And a wipe walks over the ids of all jobs, so it has to know
# where they end: the application's role sees the rows of its tenant only.
GRANTS_SQL = f"""
REVOKE DELETE ON tenants_wipeorder FROM {role("app")};
GRANT SELECT ON SEQUENCE jobs_job_id_seq TO {role("app")};
"""

GRANTS_REVERSE_SQL = f"""
REVOKE SELECT ON SEQUENCE jobs_job_id_seq FROM {role("app")};
GRANT DELETE ON tenants_wipeorder TO {role("app")};
"""


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0002_audit_and_tokens"),
        ("jobs", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="tenant",
            name="retention_released_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="retention released"),
        ),
        migrations.AddField(
            model_name="tenant",
            name="retention_released_by",
            field=models.CharField(blank=True, default="", max_length=100, verbose_name="released by"),
        ),
        migrations.AddField(
            model_name="tenant",
            name="retention_released_reason",
            field=models.CharField(
                blank=True, default="", max_length=1000, verbose_name="reason of the release"
            ),
        ),
        migrations.CreateModel(
            name="WipeOrder",
            fields=[
                (
                    "nonce",
                    models.CharField(max_length=32, primary_key=True, serialize=False, verbose_name="nonce"),
                ),
                ("tenant_id", models.UUIDField(verbose_name="tenant")),
                (
                    "action",
                    models.CharField(
                        choices=[("delete", "delete"), ("reset", "reset")],
                        max_length=6,
                        verbose_name="action",
                    ),
                ),
                ("final_status", models.CharField(max_length=10, verbose_name="final status")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("requested", "waits for approval"),
                            ("accepted", "accepted"),
                            ("authorised", "at work"),
                            ("done", "done"),
                            ("cancelled", "cancelled"),
                            ("expired", "expired"),
                            ("refused", "refused"),
                        ],
                        max_length=10,
                        verbose_name="state",
                    ),
                ),
                ("ordered_by", models.CharField(max_length=100, verbose_name="ordered by")),
                (
                    "ordered_from",
                    models.CharField(blank=True, default="", max_length=100, verbose_name="from where"),
                ),
                (
                    "ordered_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="ordered"
                    ),
                ),
                (
                    "approved_by",
                    models.CharField(blank=True, default="", max_length=100, verbose_name="approved by"),
                ),
                ("issued_at", models.DateTimeField(null=True, verbose_name="signed")),
                ("accepted_at", models.DateTimeField(null=True, verbose_name="accepted")),
                ("authorised_at", models.DateTimeField(null=True, verbose_name="authorised")),
                ("ended_at", models.DateTimeField(null=True, verbose_name="ended")),
                ("job_id", models.BigIntegerField(null=True, verbose_name="job")),
                (
                    "phase",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("closing", "closing the queue"),
                            ("files", "removing files"),
                            ("index", "emptying the search index"),
                            ("rows", "removing rows"),
                            ("jobs", "removing jobs"),
                            ("files_again", "looking for files again"),
                            ("tenant", "closing the account"),
                        ],
                        default="",
                        max_length=12,
                        verbose_name="phase",
                    ),
                ),
                ("done", models.BigIntegerField(default=0, verbose_name="done so far")),
                ("total", models.BigIntegerField(default=0, verbose_name="to do in all")),
                ("report", models.JSONField(blank=True, default=dict, verbose_name="report")),
            ],
            options={
                "verbose_name": "wipe order",
                "verbose_name_plural": "wipe orders",
                "indexes": [
                    models.Index(fields=["tenant_id", "ordered_at"], name="tenants_wipeorder_tenant")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ("requested", "accepted", "authorised"))),
                        fields=("tenant_id",),
                        name="tenants_wipeorder_live",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("nonce__regex", "^[0-9a-f]{32}$")), name="tenants_wipeorder_nonce"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("action", "delete"), ("final_status", "none")),
                            models.Q(("action", "reset"), ("final_status__in", ("active", "suspended"))),
                            _connector="OR",
                        ),
                        name="tenants_wipeorder_outcome",
                    ),
                ],
            },
        ),
        tenant_table("tenants_wipeorder"),
        migrations.RunSQL(GRANTS_SQL, GRANTS_REVERSE_SQL),
    ]
