"""Isolation beneath the queries: what the catalogue says, and raw SQL as the application's role."""

import uuid
from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, IntegrityError, connections, transaction
from django.db.models import ForeignKey

from documents.models import Document, DocumentVersion
from tenants.audit import record
from tenants.models import Membership, Tenant
from tenants.scope import ScopeError, operator_scope, tenant_scope
from tests import factories, filing_factories

pytestmark = pytest.mark.django_db(transaction=True)

#: Written by the statement that changes the job itself; a key would be checked for every job that ends.
WITHOUT_KEY = {("jobs_jobattempt", "job_id")}

#: Tables of the application that belong to no tenant.
SHARED_TABLES = {"jobs_workerprocess", "jobs_queuesample", "jobs_dailychore", "jobs_jobminute",
                 "jobs_errorgroup", "jobs_operation", "tenants_user",
                 "tenants_user_groups", "tenants_user_user_permissions"}  # fmt: skip


def rows(alias: str, sql: str, parameters: list[str] | None = None) -> list[tuple[Any, ...]]:
    with connections[alias].cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchall() if cursor.description else []


def tables_of_tenants() -> dict[str, str]:
    """Every table with tenant data and the column that says whose."""
    found = rows(
        "owner",
        """SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
           WHERE c.relkind IN ('r', 'p', 'm') AND c.relnamespace = 'public'::regnamespace
             AND a.attname = 'tenant_id' AND NOT a.attisdropped ORDER BY 1""",
    )
    return {"tenants_tenant": "id"} | {str(name): "tenant_id" for (name,) in found}


def make_full_tenant() -> Tenant:
    """A tenant with a row in every table."""
    tenant = factories.TenantFactory.create()
    with tenant_scope(tenant.id):
        for make in (
            factories.MembershipFactory,
            factories.ApiTokenFactory,
            factories.KeptAnswerFactory,
            factories.RateBucketFactory,
            factories.WipeOrderFactory,
            factories.JobAttemptFactory,
            factories.TenantQueueFactory,
            factories.ProbeEffectFactory,
            factories.TenantHourFactory,
            factories.AssetFactory,
            factories.PageTextFactory,
            factories.PageCheckpointFactory,
            factories.StepResultFactory,
            factories.FileFactsFactory,
            factories.SearchEntryFactory,
            factories.IndexedCopyFactory,
            factories.TenantIndexFactory,
            factories.RetentionClassFactory,
            factories.NamingSettingsFactory,
            factories.VaultCheckFactory,
            factories.VaultFindingFactory,
            filing_factories.MatchingRuleFactory,
            filing_factories.WorkflowRunFactory,
            filing_factories.NoteFactory,
            filing_factories.FilingFactory,
            filing_factories.FilingSettingsFactory,
            filing_factories.LearnedDocumentFactory,
            filing_factories.WordCountFactory,
            factories.MailAttachmentFactory,
        ):
            make.create(tenant_id=tenant.id)
        record("test.made", tenant_id=tenant.id)
    return tenant


def count(table: str) -> int:
    (found,) = rows("default", f"SELECT count(*) FROM {table}")
    return int(str(found[0]))


def test_every_table_of_the_application_has_a_tenant_or_is_known_to_have_none() -> None:
    ours = {
        str(name)
        for (name,) in rows(
            "owner",
            """SELECT relname FROM pg_class WHERE relkind IN ('r', 'p', 'm')
               AND relnamespace = 'public'::regnamespace AND relname ~ '^(archiv|documents|tenants|jobs)_'""",
        )
    }
    assert ours - SHARED_TABLES == set(tables_of_tenants())


def test_every_table_with_tenant_data_forces_row_level_security_by_tenant_and_operator() -> None:
    for table, column in tables_of_tenants().items():
        ((enabled, forced),) = rows(
            "owner",
            "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = %s::regclass",
            [table],
        )
        assert (enabled, forced) == (True, True), f"{table} is not under forced row-level security"
        policies: dict[str, str] = dict(
            rows("owner", "SELECT policyname, qual FROM pg_policies WHERE tablename = %s", [table])
        )
        assert "archiv_tenant()" in str(policies.get("tenant_rows")), f"{table} has no policy by tenant"
        assert column in str(policies["tenant_rows"])
        assert "archiv_operator()" in str(policies.get("operator_rows")), f"{table} has no operator's policy"


def test_a_new_table_without_a_policy_is_found() -> None:
    with pytest.raises(AssertionError, match="archiv_new"), transaction.atomic(using="owner"):
        rows("owner", "CREATE TABLE archiv_new (tenant_id uuid)")
        test_every_table_with_tenant_data_forces_row_level_security_by_tenant_and_operator()


def test_every_key_between_tables_of_tenants_carries_the_tenant() -> None:
    keys = rows(
        "owner",
        """SELECT c.conrelid::regclass::text, array_agg(a.attname::text ORDER BY a.attname),
                  c.confrelid::regclass::text
           FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)
           WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace GROUP BY c.oid""",
    )
    tables = tables_of_tenants()
    covered = set()
    for table, columns, target in keys:
        assert isinstance(columns, list)
        if target == "tenants_tenant" or str(table) not in tables or str(target) not in tables:
            continue
        assert "tenant_id" in columns, f"{table}{columns} → {target} does not carry the tenant"
        covered |= {(str(table), column) for column in columns if column not in ("tenant_id", "kind")}
    expected = {
        (model._meta.db_table, field.column)
        for model in apps.get_models()
        for field in model._meta.fields
        if isinstance(field, ForeignKey)
        and model._meta.db_table in tables
        and field.related_model._meta.db_table in set(tables) - {"tenants_tenant"}
    }
    assert expected - WITHOUT_KEY == covered


def test_the_application_sees_nothing_without_a_tenant_and_its_own_with_one() -> None:
    acme, zeta = make_full_tenant(), make_full_tenant()
    for table, column in tables_of_tenants().items():
        assert count(table) == 0, f"{table} shows rows with no tenant set"
        for tenant in (acme, zeta):
            with tenant_scope(tenant.id):
                found = {str(owner) for (owner,) in rows("default", f"SELECT {column} FROM {table}")}
            assert found == {str(tenant.id)}, f"{table} in the scope of one tenant"


def test_every_view_shows_only_the_rows_of_the_tenant_that_is_set() -> None:
    acme = make_full_tenant()
    make_full_tenant()
    views = [
        (str(name), str(options))
        for name, options in rows(
            "owner",
            """SELECT relname, coalesce(reloptions::text, '') FROM pg_class
               WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace""",
        )
    ]
    assert {"chk_job", "chk_document", "chk_attempt", "chk_effect"} <= {name for name, _ in views}
    for name, options in views:
        assert "security_invoker=true" in options, f"{name} runs with the rights of its owner"
        assert count(name) == 0
        with tenant_scope(acme.id):
            inside = count(name)
        with operator_scope():
            everything = count(name)
        assert 0 < inside < everything


def test_no_row_can_be_changed_deleted_or_moved_across_tenants() -> None:
    acme, zeta = make_full_tenant(), make_full_tenant()
    for table, column in tables_of_tenants().items():
        for scoped in (None, acme.id):
            for verb in (
                f"UPDATE {table} SET {column} = {column} WHERE {column} = %s",
                f"DELETE FROM {table} WHERE {column} = %s",
            ):
                assert touched(scoped, verb, zeta.id) in {0, None}, f"{verb} in the scope of {scoped}"
        moved = touched(acme.id, f"UPDATE {table} SET {column} = %s", zeta.id)
        assert moved is None, f"a row of {table} was moved to another tenant"


def touched(scope: uuid.UUID | None, sql: str, parameter: uuid.UUID) -> int | None:
    """Rows met by a statement that is rolled back; None when the database refused it."""
    try:
        with transaction.atomic():
            if scope is not None:
                rows("default", "SELECT set_config('archiv.tenant_id', %s, true)", [str(scope)])
            with connections["default"].cursor() as cursor:
                cursor.execute(sql, [parameter])
                met: int = cursor.rowcount
            transaction.set_rollback(True)
        return met
    except DatabaseError:
        return None


def test_no_row_can_be_written_for_another_tenant() -> None:
    acme, zeta = factories.TenantFactory.create(), factories.TenantFactory.create()
    with pytest.raises(DatabaseError, match="row-level security"), tenant_scope(acme.id):
        factories.DocumentFactory.create(tenant_id=zeta.id)
    with pytest.raises(DatabaseError, match="row-level security"):
        Document.objects.create(tenant_id=zeta.id, title="x", source="import")


def test_the_database_refuses_a_key_to_a_row_of_another_tenant() -> None:
    acme, zeta = make_full_tenant(), make_full_tenant()
    with tenant_scope(zeta.id):
        foreign_document = factories.DocumentFactory.create(tenant_id=zeta.id)
        foreign_set = factories.CapabilitySetFactory.create(tenant_id=zeta.id)
    with pytest.raises(IntegrityError), tenant_scope(acme.id):
        factories.DocumentVersionFactory.create(
            tenant_id=acme.id, document_id=foreign_document.id, document=None
        )
    with pytest.raises(IntegrityError), tenant_scope(acme.id):
        Membership.objects.filter(tenant_id=acme.id).update(capability_set_id=foreign_set.id)


@pytest.mark.parametrize(
    "sql",
    [
        "TRUNCATE documents_document",
        "SET LOCAL row_security = off; SELECT * FROM documents_document",
        "SET ROLE archiv_owner",
        "SET ROLE archiv_queue",
        "SET ROLE archiv_search",
        "ALTER TABLE documents_document DISABLE ROW LEVEL SECURITY",
        "DROP POLICY tenant_rows ON documents_document",
        "ALTER TABLE documents_document NO FORCE ROW LEVEL SECURITY",
        "CREATE TABLE loot AS SELECT * FROM documents_document",
        "COPY documents_document FROM PROGRAM 'true'",
    ],
)
def test_the_application_cannot_lift_its_limits(sql: str) -> None:
    make_full_tenant()
    with pytest.raises(DatabaseError), transaction.atomic():
        rows("default", sql)


def test_neither_role_owns_anything_or_bypasses_row_level_security() -> None:
    for alias in ("default", "queue"):
        ((bypasses, superuser, creates, owned),) = rows(
            alias,
            """SELECT rolbypassrls, rolsuper, rolcreaterole OR rolcreatedb,
                      (SELECT count(*) FROM pg_class WHERE relowner = r.oid)
               FROM pg_roles r WHERE rolname = current_user""",
        )
        assert (bypasses, superuser, creates, owned) == (False, False, False, 0), alias


def test_the_dispatcher_sees_all_jobs_and_no_document() -> None:
    make_full_tenant()
    make_full_tenant()
    ((jobs,),) = rows("queue", "SELECT count(*) FROM jobs_job")
    assert jobs == 2
    granted = {
        str(table)
        for (table,) in rows(
            "owner",
            """SELECT relname FROM pg_class
               WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'm', 'v')
               AND has_table_privilege(%s, oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')""",
            [connections["queue"].settings_dict["USER"]],
        )
    }
    assert granted == {
        "jobs_job",
        "jobs_jobattempt",
        "jobs_tenantqueue",
        "jobs_workerprocess",
        "jobs_queuesample",
        "jobs_dailychore",
        "jobs_jobminute",
        "jobs_tenanthour",
        "jobs_errorgroup",
        "jobs_operation",
    }


def test_the_owner_of_the_tables_is_bound_too() -> None:
    make_full_tenant()
    assert rows("owner", "SELECT count(*) FROM documents_document") == [(0,)]
    with operator_scope(using="owner"):
        assert rows("owner", "SELECT count(*) > 0 FROM documents_document") == [(True,)]


def test_a_scope_ends_with_its_transaction_and_after_an_error() -> None:
    acme = make_full_tenant()
    with tenant_scope(acme.id):
        assert Document.objects.count() > 0
    assert Document.objects.count() == 0
    with pytest.raises(ZeroDivisionError), tenant_scope(acme.id):
        _ = 1 / 0
    assert Document.objects.count() == 0
    with transaction.atomic():
        with tenant_scope(acme.id), tenant_scope(acme.id):
            pass
        assert Document.objects.count() == 0, "a released savepoint keeps a setting unless it is put back"
        with pytest.raises(ZeroDivisionError), tenant_scope(acme.id):
            _ = 1 / 0
        assert Document.objects.count() == 0


def test_a_scope_within_that_of_another_tenant_is_refused() -> None:
    acme, zeta = make_full_tenant(), make_full_tenant()
    with tenant_scope(acme.id):
        with pytest.raises(ScopeError), tenant_scope(zeta.id):
            pass
        assert DocumentVersion.objects.filter(tenant_id=acme.id).exists()
