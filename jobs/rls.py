"""SQL for row-level security, used by the migrations of every app.

Every table with tenant data has a `tenant_id`, ENABLE and FORCE ROW LEVEL SECURITY, one policy for the
tenant that is set in the transaction and one for operators. The policies name no role, so they bind the
owner of the tables too. The functions they call stand in the first migration of `tenants`.
"""

from django.conf import settings
from django.db import migrations


def role(name: str) -> str:
    """Return the name of one of archiv's roles on this server, quoted for SQL.

    Roles are one set for a whole PostgreSQL server, so `ARCHIV_ROLE_PREFIX` keeps installations apart.
    """
    quoted = f"{settings.ARCHIV_ROLE_PREFIX}archiv_{name}".replace('"', '""')
    return f'"{quoted}"'


def tenant_table(table: str, *, column: str = "tenant_id") -> migrations.RunSQL:
    """Put `table` under row-level security, keyed by `column`."""
    return migrations.RunSQL(
        sql=f"""
        ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
        ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
        CREATE POLICY tenant_rows ON {table}
            USING ({column} = (SELECT archiv_tenant()))
            WITH CHECK ({column} = (SELECT archiv_tenant()));
        CREATE POLICY operator_rows ON {table}
            USING ((SELECT archiv_operator()))
            WITH CHECK ((SELECT archiv_operator()));
        """,
        reverse_sql=f"""
        DROP POLICY operator_rows ON {table};
        DROP POLICY tenant_rows ON {table};
        ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY;
        ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;
        """,
    )


def queue_table(table: str, *, verbs: str) -> migrations.RunSQL:
    """Let the dispatcher's role use the whole of `table` with `verbs`, and with nothing else."""
    return migrations.RunSQL(
        sql=f"""
        GRANT {verbs} ON {table} TO {role("queue")};
        CREATE POLICY queue_rows ON {table} TO {role("queue")} USING (true) WITH CHECK (true);
        """,
        reverse_sql=f"""
        DROP POLICY queue_rows ON {table};
        REVOKE {verbs} ON {table} FROM {role("queue")};
        """,
    )


def tenant_foreign_key(table: str, column: str, target: str, *, on_delete: str = "") -> migrations.RunSQL:
    """Tie `(tenant_id, column)` to `(tenant_id, id)` of `target`, so that no row can point at another tenant.

    `target` needs a unique constraint over `(tenant_id, id)`. Deferrable, as Django's own keys are.
    """
    name = f"{table}_{column}_tenant_fk"
    return migrations.RunSQL(
        sql=f"""
        ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY (tenant_id, {column})
            REFERENCES {target} (tenant_id, id) {on_delete} DEFERRABLE INITIALLY DEFERRED;
        """,
        reverse_sql=f"ALTER TABLE {table} DROP CONSTRAINT {name};",
    )
