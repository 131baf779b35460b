import uuid

import django.contrib.auth.models
import django.contrib.auth.validators
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import tenants.models
from jobs.rls import role, tenant_foreign_key, tenant_table
from tenants.names import FORBIDDEN_SQL

SETTINGS_SQL = """
CREATE FUNCTION archiv_tenant() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('archiv.tenant_id', true), '')::uuid;
CREATE FUNCTION archiv_operator() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
    RETURN coalesce(current_setting('archiv.operator', true), '') = 'on';
"""

# Later tables and views of the owner are the application's to read and write; the migration of a table
# that must be narrower takes rights away again.
GRANTS_SQL = f"""
GRANT USAGE ON SCHEMA public TO {role("app")}, {role("queue")};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {role("app")};
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {role("app")};
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role("app")};
"""

GRANTS_REVERSE_SQL = f"""
ALTER DEFAULT PRIVILEGES IN SCHEMA public
    REVOKE SELECT, INSERT, UPDATE, DELETE ON TABLES FROM {role("app")};
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role("app")}, {role("queue")};
REVOKE USAGE ON SCHEMA public FROM {role("app")}, {role("queue")};
"""

NAME_CHECK_SQL = f"""
ALTER TABLE tenants_tenant ADD CONSTRAINT tenants_tenant_name_grammar CHECK (
    char_length(name) BETWEEN 1 AND 255 AND name IS NFC NORMALIZED AND name !~ '{FORBIDDEN_SQL}'
);
"""


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.RunSQL(SETTINGS_SQL, "DROP FUNCTION archiv_operator(); DROP FUNCTION archiv_tenant();"),
        migrations.RunSQL(GRANTS_SQL, GRANTS_REVERSE_SQL),
        migrations.CreateModel(
            name="Tenant",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "name",
                    models.CharField(
                        max_length=255,
                        unique=True,
                        validators=[tenants.models.validate_tenant_name],
                        verbose_name="name",
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("creating", "creating"),
                            ("active", "active"),
                            ("suspended", "suspended"),
                            ("deleting", "deleting"),
                        ],
                        default="creating",
                        max_length=10,
                        verbose_name="status",
                    ),
                ),
                (
                    "status_before",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("creating", "creating"),
                            ("active", "active"),
                            ("suspended", "suspended"),
                            ("deleting", "deleting"),
                        ],
                        default="",
                        max_length=10,
                        verbose_name="status before the wipe order",
                    ),
                ),
                (
                    "timezone",
                    models.CharField(default="Europe/Berlin", max_length=64, verbose_name="time zone"),
                ),
                (
                    "languages",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=16),
                        default=tenants.models.default_languages,
                        size=None,
                        verbose_name="languages",
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created"
                    ),
                ),
            ],
            options={
                "verbose_name": "tenant",
                "verbose_name_plural": "tenants",
            },
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "username",
                    models.CharField(
                        error_messages={"unique": "A user with that username already exists."},
                        help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                        max_length=150,
                        unique=True,
                        validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                        verbose_name="username",
                    ),
                ),
                ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                (
                    "is_staff",
                    models.BooleanField(
                        default=False,
                        help_text="Designates whether the user can log into this admin site.",
                        verbose_name="staff status",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        default=True,
                        help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                        verbose_name="active",
                    ),
                ),
                (
                    "date_joined",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined"),
                ),
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "verbose_name": "user",
                "verbose_name_plural": "users",
                "abstract": False,
            },
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="CapabilitySet",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=64, verbose_name="name")),
                ("is_system", models.BooleanField(default=False, verbose_name="system set")),
                (
                    "capabilities",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="capabilities",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "capability set",
                "verbose_name_plural": "capability sets",
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created"
                    ),
                ),
                (
                    "capability_set",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="memberships",
                        to="tenants.capabilityset",
                        verbose_name="capability set",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                        verbose_name="tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "membership",
                "verbose_name_plural": "memberships",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "user"), name="tenants_membership_user")
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="capabilityset",
            constraint=models.UniqueConstraint(fields=("tenant", "name"), name="tenants_capabilityset_name"),
        ),
        migrations.AddConstraint(
            model_name="capabilityset",
            constraint=models.UniqueConstraint(
                fields=("tenant", "id"), name="tenants_capabilityset_tenant_id"
            ),
        ),
        migrations.RunSQL(
            NAME_CHECK_SQL, "ALTER TABLE tenants_tenant DROP CONSTRAINT tenants_tenant_name_grammar;"
        ),
        tenant_foreign_key("tenants_membership", "capability_set_id", "tenants_capabilityset"),
        tenant_table("tenants_tenant", column="id"),
        tenant_table("tenants_capabilityset"),
        tenant_table("tenants_membership"),
    ]
