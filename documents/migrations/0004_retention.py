import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from jobs.rls import tenant_foreign_key, tenant_table

# Why a document may not go, or nothing. Nothing that a caller can say counts: only its own columns, the clock of
# the database, and a wipe that was authorised after the tenant's retention was released. What the caller's
# policies do not show keeps the document.
KEEP_SQL = """
CREATE FUNCTION documents_reason_to_keep(document documents_document) RETURNS text
    LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
BEGIN
    IF document.legal_hold THEN
        RETURN 'legal_hold';
    END IF;
    IF document.retain_until IS NULL OR document.retain_until <= clock_timestamp() THEN
        RETURN NULL;
    END IF;
    IF EXISTS (
        SELECT FROM tenants_tenant AS tenant
        WHERE tenant.id = document.tenant_id AND tenant.status = 'deleting'
          AND tenant.retention_released_at >= document.created_at
          AND EXISTS (SELECT FROM tenants_wipeorder AS wipe
                      WHERE wipe.tenant_id = document.tenant_id AND wipe.state = 'authorised')
    ) THEN
        RETURN NULL;
    END IF;
    RETURN 'retention';
END $$;

CREATE FUNCTION documents_refuse_to_lose(document documents_document, what text) RETURNS void
    LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
DECLARE
    reason text := documents_reason_to_keep(document);
BEGIN
    IF reason IS NOT NULL THEN
        RAISE restrict_violation USING
            MESSAGE = format('document %s must be kept: %s', document.id, what),
            DETAIL = CASE reason WHEN 'legal_hold' THEN 'It is under legal hold.'
                     ELSE format('Its retention ends at %s.', document.retain_until) END,
            CONSTRAINT = 'documents_kept';
    END IF;
END $$;

CREATE FUNCTION documents_keep_document() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM documents_refuse_to_lose(OLD, 'it cannot be deleted');
        RETURN OLD;
    END IF;
    IF (NEW.id, NEW.tenant_id) <> (OLD.id, OLD.tenant_id) THEN
        PERFORM documents_refuse_to_lose(OLD, 'it cannot become another one');
    END IF;
    IF OLD.retain_until IS NOT NULL AND (NEW.retain_until IS NULL OR NEW.retain_until < OLD.retain_until) THEN
        RAISE restrict_violation USING
            MESSAGE = format('the retention of document %s can be lengthened only', OLD.id),
            DETAIL = format('It ends at %s.', OLD.retain_until),
            CONSTRAINT = 'documents_retention_lengthens';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION documents_keep_version() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
DECLARE
    document documents_document;
BEGIN
    IF TG_OP = 'UPDATE' AND (NEW.id, NEW.tenant_id, NEW.document_id, NEW.content_hash)
                          = (OLD.id, OLD.tenant_id, OLD.document_id, OLD.content_hash) THEN
        RETURN NEW;
    END IF;
    SELECT * INTO document FROM documents_document
        WHERE tenant_id = OLD.tenant_id AND id = OLD.document_id;
    IF FOUND THEN
        PERFORM documents_refuse_to_lose(document, 'its versions stay as they are');
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

CREATE TRIGGER documents_document_kept BEFORE DELETE OR UPDATE OF id, tenant_id, retain_until
    ON documents_document FOR EACH ROW EXECUTE FUNCTION documents_keep_document();
CREATE TRIGGER documents_version_kept BEFORE DELETE OR UPDATE OF id, tenant_id, document_id, content_hash
    ON documents_documentversion FOR EACH ROW EXECUTE FUNCTION documents_keep_version();
"""

KEEP_REVERSE_SQL = """
DROP TRIGGER documents_version_kept ON documents_documentversion;
DROP TRIGGER documents_document_kept ON documents_document;
DROP FUNCTION documents_keep_version();
DROP FUNCTION documents_keep_document();
DROP FUNCTION documents_refuse_to_lose(documents_document, text);
DROP FUNCTION documents_reason_to_keep(documents_document);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0003_newest_of_all_tenants"),
        ("tenants", "0003_wipe_orders"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="document",
            options={
                "permissions": [
                    ("trash_document", "Can trash and restore documents"),
                    ("purge_document", "Can purge documents"),
                    ("hold_document", "Can set and lift legal holds"),
                ],
                "verbose_name": "document",
                "verbose_name_plural": "documents",
            },
        ),
        migrations.CreateModel(
            name="RetentionClass",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("name", models.CharField(max_length=100, verbose_name="name")),
                ("years", models.PositiveSmallIntegerField(verbose_name="years")),
                ("is_default", models.BooleanField(default=False, verbose_name="for new documents")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="added"
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
                "verbose_name": "retention class",
                "verbose_name_plural": "retention classes",
            },
        ),
        migrations.AddField(
            model_name="document",
            name="retention_class",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="documents.retentionclass",
                verbose_name="retention class",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionclass",
            constraint=models.UniqueConstraint(
                fields=("tenant", "name"), name="documents_retentionclass_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionclass",
            constraint=models.UniqueConstraint(
                fields=("tenant", "id"), name="documents_retentionclass_tenant_id"
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionclass",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_default", True)),
                fields=("tenant",),
                name="documents_retentionclass_default",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionclass",
            constraint=models.CheckConstraint(
                condition=models.Q(("years__gte", 1), ("years__lte", 100)),
                name="documents_retentionclass_years",
            ),
        ),
        tenant_foreign_key("documents_document", "retention_class_id", "documents_retentionclass"),
        tenant_table("documents_retentionclass"),
        migrations.RunSQL(KEEP_SQL, KEEP_REVERSE_SQL),
    ]
