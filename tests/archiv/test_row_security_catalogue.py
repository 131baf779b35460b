"""What the catalogue says of functions, views and unique indexes: each of them a way around a policy."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connections, transaction

from tests.archiv.test_row_security import make_full_tenant, rows, tables_of_tenants

pytestmark = pytest.mark.django_db(transaction=True)

#: Unique without the tenant, because nobody chooses the value: the server draws or counts it.
DRAWN = {
    ("tenants_apitoken", ("prefix",)): "random characters",
    ("tenants_wipeorder", ("nonce",)): "32 random digits; an order works once anywhere",
    ("jobs_jobattempt", ("job_id", "lease")): "a job that was claimed, and its own counter",
    ("tenants_tenant", ("name",)): "only operators name tenants",
    ("jobs_probeeffect", ("job_id", "lease")): "a job that was claimed, and its own counter",
}

#: How a function that runs as its owner is asked about another tenant, and what it may answer.
DEFINERS: dict[str, tuple[str, str, Callable[[list[Any]], bool]]] = {
    "archiv_search": (
        "archiv_search",
        "SELECT * FROM archiv_search('{1}', '{text}', '{f}', '{f}', '{%text%}', '{}', '{}', NULL, NULL, '{}',"
        " NULL, 9)",
        lambda found: len(found) == 1,
    ),
    "archiv_audit_append": (
        "archiv_owner",
        "SELECT archiv_audit_append(%(other)s, 'a', 'b', 'c', 'd', 'e', '{}')",
        lambda found: False,
    ),
}


def definers() -> dict[str, tuple[str, str, str]]:
    """Return owner, search path and access rights of each function that runs as its owner."""
    found = rows(
        "owner",
        """SELECT proname, proowner::regrole::text, coalesce(proconfig::text, ''), coalesce(proacl::text, '')
           FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
           WHERE prosecdef AND nspname NOT IN ('pg_catalog', 'information_schema')""",
    )
    return {str(name): (str(owner), str(config), str(acl)) for name, owner, config, acl in found}


def role(name: str) -> str:
    return str(connections[name].settings_dict["USER"])


def test_only_search_and_the_audit_append_run_as_their_owner() -> None:
    assert set(definers()) == set(DEFINERS)


@pytest.mark.parametrize("name", DEFINERS)
def test_a_function_that_runs_as_its_owner_is_fenced(name: str) -> None:
    owner, config, rights = definers()[name]
    assert owner == role("owner") or owner.endswith(DEFINERS[name][0])
    assert re.search(r'search_path=[^"]*, pg_temp"', config), (
        "nothing of a session comes before what it calls"
    )
    granted = {entry.partition("=")[0] for entry in rights.strip("{}").replace('"', "").split(",")}
    assert granted == {owner, role("default")}, "nobody else, and not PUBLIC, may call it"
    ((login, superuser, bypasses),) = rows(
        "owner", "SELECT rolcanlogin, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = %s", [owner]
    )
    assert not superuser
    assert not bypasses
    assert login == (owner == role("owner"))


@pytest.mark.parametrize("name", DEFINERS)
def test_a_function_that_runs_as_its_owner_shows_nothing_of_another_tenant(name: str) -> None:
    ours, theirs = make_full_tenant(), make_full_tenant()
    _, sql, allowed = DEFINERS[name]

    def ask(scope: Any, other: Any) -> str:
        try:
            with transaction.atomic(), connections["default"].cursor() as cursor:
                cursor.execute("SELECT set_config('archiv.tenant_id', %s, true)", [scope])
                cursor.execute(sql, {"other": other} if "%(other)s" in sql else None)
                found = cursor.fetchall()
        except DatabaseError as error:
            return str(error)
        assert allowed(found) if scope else found == [], f"{name} shows {found}"
        return "" if scope else "nothing"

    nobody = "00000000-0000-4000-8000-000000000001"
    assert ask(str(ours.id), str(theirs.id)) == ask(str(ours.id), nobody)
    assert ask("", str(theirs.id)) == ask("", nobody) != ""


def test_nobody_can_put_something_into_the_search_path_of_those_functions() -> None:
    for alias in ("default", "queue"):
        assert rows(alias, "SELECT has_schema_privilege('public', 'CREATE')") == [(False,)]
    assert rows("owner", "SELECT has_schema_privilege('public', 'public', 'CREATE')") == [(False,)]


def test_all_other_functions_of_ours_run_as_whoever_calls_them() -> None:
    found = rows(
        "owner",
        """SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND NOT prosecdef
             AND proname ~ '^(archiv|documents|tenants|jobs)_'""",
    )
    assert len(found) > 5, "the search finds them"


def test_there_are_no_materialised_views_foreign_tables_or_rules() -> None:
    """None of the three knows policies."""
    assert rows("owner", "SELECT relname FROM pg_class WHERE relkind IN ('m', 'f')") == []
    assert rows(
        "owner",
        "SELECT tablename, rulename FROM pg_rules WHERE schemaname = 'public' AND rulename <> '_RETURN'",
    ) == []  # fmt: skip


def test_a_view_that_runs_as_its_owner_is_found() -> None:
    with transaction.atomic(using="owner"):
        rows("owner", "CREATE VIEW archiv_loot AS SELECT * FROM documents_document")
        assert unfenced_views() == ["archiv_loot"]
        transaction.set_rollback(True, using="owner")
    assert unfenced_views() == []


def unfenced_views() -> list[str]:
    found = rows(
        "owner",
        """SELECT relname FROM pg_class WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace
             AND NOT coalesce(reloptions, '{}') && ARRAY['security_invoker=true', 'security_invoker=on']""",
    )
    return [str(name) for (name,) in found]


def test_every_unique_index_carries_the_tenant_or_a_value_that_nobody_chooses() -> None:
    """An index meets the rows of all tenants: who can choose the value learns whether another has it."""
    found = rows(
        "owner",
        """SELECT indrelid::regclass::text, indisprimary,
                  array(SELECT attname::text FROM pg_attribute
                        WHERE attrelid = indrelid AND attnum = ANY (indkey::int2[]) ORDER BY 1)
           FROM pg_index WHERE indisunique""",
    )
    tables = tables_of_tenants()
    unexplained = {
        (str(table), tuple(columns))
        for table, primary, columns in found
        if str(table) in tables and not primary and tables[str(table)] not in columns
        and (str(table), tuple(columns)) not in DRAWN
    }  # fmt: skip
    assert unexplained == set()
