from django.db import migrations

# The services refuse to change the sets that come with a tenant; this refuses whoever goes past them. A migration
# runs as the owner of the table and may: that is how existing tenants get what a later release adds to a set.
KEEP_SQL = """
CREATE FUNCTION tenants_keep_system_set() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp
AS $$
BEGIN
    IF current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID)
       OR TG_OP = 'UPDATE' AND OLD IS NOT DISTINCT FROM NEW
       OR NOT (OLD.is_system OR TG_OP = 'UPDATE' AND NEW.is_system)
       OR EXISTS (SELECT FROM tenants_tenant
                  WHERE id = OLD.tenant_id
                    AND status = CASE TG_OP WHEN 'DELETE' THEN 'deleting' ELSE 'creating' END) THEN
        RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    END IF;
    RAISE restrict_violation USING
        MESSAGE = format('the capability set %s came with its tenant and stays as it is', OLD.name),
        CONSTRAINT = 'tenants_capabilityset_fixed';
END $$;

CREATE TRIGGER tenants_capabilityset_fixed BEFORE UPDATE OR DELETE ON tenants_capabilityset
    FOR EACH ROW EXECUTE FUNCTION tenants_keep_system_set();
"""

KEEP_REVERSE_SQL = """
DROP TRIGGER tenants_capabilityset_fixed ON tenants_capabilityset;
DROP FUNCTION tenants_keep_system_set();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0003_wipe_orders"),
    ]

    operations = [
        migrations.RunSQL(KEEP_SQL, KEEP_REVERSE_SQL),
    ]
