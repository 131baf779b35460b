import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

from jobs.rls import role, tenant_foreign_key, tenant_table

# The application reads the audit trail and appends to it by this function only. Every field is hashed behind
# its length in bytes, so that no text can shift from one field into the next.
APPEND_SQL = f"""
CREATE FUNCTION archiv_audit_link(previous text, VARIADIC fields text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
    AS $$
        SELECT encode(sha256(convert_to(previous || string_agg(octet_length(field) || ':' || field, ''
                                                               ORDER BY place), 'UTF8')), 'hex')
        FROM unnest(fields) WITH ORDINALITY AS part (field, place)
    $$;

CREATE FUNCTION archiv_audit_append(
    of_tenant uuid, an_action text, an_actor text, an_origin text, an_object_type text, an_object_id text,
    some_details text
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    head tenants_audithead%ROWTYPE;
    moment timestamptz := clock_timestamp();
    link text;
BEGIN
    IF of_tenant <> '00000000-0000-0000-0000-000000000000' AND NOT archiv_operator()
       AND of_tenant IS DISTINCT FROM archiv_tenant() THEN
        RAISE insufficient_privilege USING MESSAGE = 'an event belongs to the tenant whose scope is open';
    END IF;
    INSERT INTO tenants_audithead (tenant_id, sequence, hash) VALUES (of_tenant, 0, repeat('0', 64))
        ON CONFLICT (tenant_id) DO NOTHING;
    SELECT * INTO head FROM tenants_audithead WHERE tenant_id = of_tenant FOR UPDATE;
    link := archiv_audit_link(
        head.hash, of_tenant::text, (head.sequence + 1)::text,
        (extract(epoch FROM moment) * 1000000)::bigint::text,
        an_action, an_actor, an_origin, an_object_type, an_object_id, some_details
    );
    INSERT INTO tenants_auditevent (tenant_id, sequence, at, action, actor, origin, object_type, object_id,
                                    details, previous_hash, hash)
        VALUES (of_tenant, head.sequence + 1, moment, an_action, an_actor, an_origin, an_object_type,
                an_object_id, some_details, head.hash, link);
    UPDATE tenants_audithead SET sequence = head.sequence + 1, hash = link WHERE tenant_id = of_tenant;
    RETURN head.sequence + 1;
END $$;

REVOKE ALL ON FUNCTION archiv_audit_append(uuid, text, text, text, text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION archiv_audit_append(uuid, text, text, text, text, text, text) TO {role("app")};
REVOKE INSERT, UPDATE, DELETE ON tenants_auditevent, tenants_audithead FROM {role("app")};
CREATE POLICY owner_appends ON tenants_auditevent TO CURRENT_USER USING (true) WITH CHECK (true);
CREATE POLICY owner_appends ON tenants_audithead TO CURRENT_USER USING (true) WITH CHECK (true);
"""

APPEND_REVERSE_SQL = """
DROP POLICY owner_appends ON tenants_audithead;
DROP POLICY owner_appends ON tenants_auditevent;
DROP FUNCTION archiv_audit_append(uuid, text, text, text, text, text, text);
DROP FUNCTION archiv_audit_link(text, text[]);
"""

# A request shows its token before anybody knows whose it is: the row of that prefix may be seen, no other.
TOKEN_SQL = """
CREATE POLICY token_of_prefix ON tenants_apitoken FOR SELECT
    USING (prefix = (SELECT NULLIF(current_setting('archiv.token_prefix', true), '')));
CREATE POLICY membership_of_user ON tenants_membership FOR SELECT
    USING (user_id = (SELECT NULLIF(current_setting('archiv.user_id', true), '')::uuid));
"""

TOKEN_REVERSE_SQL = """
DROP POLICY membership_of_user ON tenants_membership;
DROP POLICY token_of_prefix ON tenants_apitoken;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                ("tenant_id", models.UUIDField(primary_key=True, serialize=False, verbose_name="tenant")),
                ("sequence", models.BigIntegerField(verbose_name="number")),
                ("hash", models.CharField(max_length=64, verbose_name="hash")),
            ],
            options={
                "verbose_name": "end of an audit trail",
                "verbose_name_plural": "ends of audit trails",
            },
        ),
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("tenant_id", models.UUIDField(verbose_name="tenant")),
                ("sequence", models.BigIntegerField(verbose_name="number")),
                ("at", models.DateTimeField(verbose_name="time")),
                ("action", models.CharField(max_length=64, verbose_name="action")),
                ("actor", models.CharField(max_length=100, verbose_name="who")),
                ("origin", models.CharField(max_length=100, verbose_name="from where")),
                ("object_type", models.CharField(max_length=64, verbose_name="kind of object")),
                ("object_id", models.CharField(max_length=100, verbose_name="object")),
                ("details", models.TextField(verbose_name="details")),
                ("previous_hash", models.CharField(max_length=64, verbose_name="hash before")),
                ("hash", models.CharField(max_length=64, verbose_name="hash")),
            ],
            options={
                "verbose_name": "audit event",
                "verbose_name_plural": "audit trail",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant_id", "sequence"), name="tenants_auditevent_sequence"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=100, verbose_name="name")),
                ("prefix", models.CharField(max_length=16, unique=True, verbose_name="prefix")),
                ("digest", models.CharField(max_length=64, verbose_name="digest")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created"
                    ),
                ),
                ("expires_at", models.DateTimeField(blank=True, null=True, verbose_name="expires")),
                ("last_used_at", models.DateTimeField(blank=True, null=True, verbose_name="last used")),
                ("revoked_at", models.DateTimeField(blank=True, null=True, verbose_name="revoked")),
                (
                    "capability_set",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tokens",
                        to="tenants.capabilityset",
                        verbose_name="capability set",
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tokens",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="created by",
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
                "verbose_name": "token",
                "verbose_name_plural": "tokens",
                "indexes": [models.Index(fields=["tenant", "created_at"], name="tenants_apitoken_tenant")],
            },
        ),
        tenant_foreign_key("tenants_apitoken", "capability_set_id", "tenants_capabilityset"),
        tenant_table("tenants_apitoken"),
        tenant_table("tenants_auditevent"),
        tenant_table("tenants_audithead"),
        migrations.RunSQL(APPEND_SQL, APPEND_REVERSE_SQL),
        migrations.RunSQL(TOKEN_SQL, TOKEN_REVERSE_SQL),
    ]
