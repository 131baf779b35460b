from django.db import migrations

# What the guard of jobs asks before each of them, in one call: the setting of the scope, one row through its policy,
# and the former setting again. Called by whom it may see rows for, and with no right of its own.
STATUS_SQL = """
CREATE FUNCTION archiv_tenant_status(tenant uuid) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before text := coalesce(current_setting('archiv.tenant_id', true), '');
    found text;
BEGIN
    PERFORM set_config('archiv.tenant_id', tenant::text, true);
    SELECT status INTO found FROM public.tenants_tenant WHERE id = tenant;
    PERFORM set_config('archiv.tenant_id', before, true);
    RETURN found;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0006_events_of_documents"),
    ]

    operations = [
        migrations.RunSQL(STATUS_SQL, "DROP FUNCTION archiv_tenant_status(uuid);"),
    ]
