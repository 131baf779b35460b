from django.db import migrations

# A TRUNCATE asks no trigger of a row: it is refused as a whole while any document of any tenant must be kept.
# The owner's policies hide every row from it, hence the setting, which is put back.
KEEP_SQL = """
CREATE FUNCTION documents_keep_all() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
DECLARE
    former text := coalesce(current_setting('archiv.operator', true), '');
    some_are_kept boolean;
BEGIN
    PERFORM set_config('archiv.operator', 'on', true);
    some_are_kept := EXISTS (
        SELECT FROM documents_document WHERE legal_hold OR retain_until > clock_timestamp()
    );
    PERFORM set_config('archiv.operator', former, true);
    IF some_are_kept THEN
        RAISE restrict_violation USING
            MESSAGE = format('%s cannot be emptied: there are documents that must be kept', TG_TABLE_NAME),
            CONSTRAINT = 'documents_kept';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER documents_document_kept_all BEFORE TRUNCATE ON documents_document
    FOR EACH STATEMENT EXECUTE FUNCTION documents_keep_all();
CREATE TRIGGER documents_version_kept_all BEFORE TRUNCATE ON documents_documentversion
    FOR EACH STATEMENT EXECUTE FUNCTION documents_keep_all();
"""

KEEP_REVERSE_SQL = """
DROP TRIGGER documents_version_kept_all ON documents_documentversion;
DROP TRIGGER documents_document_kept_all ON documents_document;
DROP FUNCTION documents_keep_all();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("documents", "0010_naming_settings"),
    ]

    operations = [
        migrations.RunSQL(KEEP_SQL, KEEP_REVERSE_SQL),
    ]
