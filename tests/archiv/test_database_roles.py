"""Roles: made once, corrected where they differ, and asked for in one message where they cannot be made."""

import re
from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest

from archiv.database_roles import LoginRole, RoleError, ensure_roles
from archiv.databases import Address, derive_address
from archiv.embedded_place import Place
from tests.archiv.servers import query

PREFIX = "r_"
APP, QUEUE, SEARCH = f"{PREFIX}archiv_app", f"{PREFIX}archiv_queue", f"{PREFIX}archiv_search"


@pytest.fixture
def owner(running: Place) -> Iterator[Address]:
    """An owner who may make roles, on a server where a password counts, before archiv was there."""
    access = running.data / "pg_hba.conf"
    before = access.read_text()
    access.write_text(f"local all {APP} scram-sha-256\nlocal all {QUEUE} scram-sha-256\n{before}")
    query(running, "SELECT pg_reload_conf()")
    query(running, "CREATE ROLE r_owner LOGIN CREATEROLE CREATEDB PASSWORD 'first'")
    query(running, "CREATE DATABASE r_papers OWNER r_owner")
    yield Address("r_owner", "first", str(running.run), "5432", "r_papers")
    query(running, "DROP DATABASE r_papers WITH (FORCE)")
    for role in (APP, QUEUE, SEARCH, "r_owner"):
        query(running, f"DROP ROLE IF EXISTS {role}")
    access.write_text(before)
    query(running, "SELECT pg_reload_conf()")


def roles_of(owner: Address, **session: str) -> tuple[LoginRole, LoginRole]:
    return LoginRole(derive_address(owner, APP)), LoginRole(derive_address(owner, QUEUE), session)


def test_an_owner_who_may_makes_the_roles_and_they_sign_in(owner: Address, running: Place) -> None:
    app, queue = roles_of(owner)
    ensure_roles(owner, app, queue, prefix=PREFIX)
    for role in (app, queue):
        with psycopg.connect(role.address.url()) as connection:
            assert connection.info.user == role.name
    condition = f"rolname IN ('{APP}', '{QUEUE}', '{SEARCH}') AND (rolsuper OR rolbypassrls OR rolcreaterole)"
    assert query(running, f"SELECT count(*) FROM pg_roles WHERE {condition}") == 0
    assert query(running, f"SELECT rolcanlogin FROM pg_roles WHERE rolname = '{SEARCH}'") is False


def test_the_owner_may_give_to_the_search_role_but_does_not_have_its_rights(owner: Address) -> None:
    ensure_roles(owner, *roles_of(owner), prefix=PREFIX)
    with psycopg.connect(owner.url()) as connection:
        row = connection.execute(
            "SELECT pg_has_role(%(s)s, 'SET'), pg_has_role(%(s)s, 'USAGE')", {"s": SEARCH}
        ).fetchone()
    assert row == (True, False)


def test_a_second_time_changes_nothing(owner: Address, running: Place) -> None:
    ensure_roles(owner, *roles_of(owner), prefix=PREFIX)
    hashed = (
        f"SELECT string_agg(rolpassword, ' ' ORDER BY rolname) FROM pg_authid WHERE rolname ~ '^{PREFIX}'"
    )
    before = query(running, hashed)
    ensure_roles(owner, *roles_of(owner), prefix=PREFIX)
    assert query(running, hashed) == before


def test_a_new_password_of_the_owners_reaches_the_other_roles(owner: Address, running: Place) -> None:
    ensure_roles(owner, *roles_of(owner), prefix=PREFIX)
    query(running, "ALTER ROLE r_owner PASSWORD 'second'")
    changed = replace(owner, password="second")
    app, queue = roles_of(changed)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(app.address.url())
    ensure_roles(changed, app, queue, prefix=PREFIX)
    psycopg.connect(app.address.url()).close()


def test_session_settings_are_kept_with_the_role_for_a_pooler(owner: Address) -> None:
    app, queue = roles_of(owner, enable_seqscan="off", statement_timeout="4000")
    ensure_roles(owner, app, queue, prefix=PREFIX)
    with psycopg.connect(queue.address.url()) as connection:
        row = connection.execute("SELECT current_setting('enable_seqscan')").fetchone()
    assert row == ("off",)


def test_an_owner_who_may_not_is_told_the_whole_sql_and_it_is_enough(owner: Address, running: Place) -> None:
    query(running, "ALTER ROLE r_owner NOCREATEROLE")
    app, queue = roles_of(owner)
    with pytest.raises(RoleError) as refused:
        ensure_roles(owner, app, queue, prefix=PREFIX)
    message = str(refused.value)
    assert "r_owner may not make" in message
    assert "first" not in message
    assert app.address.password not in message
    with psycopg.connect(
        replace(owner, user="postgres", password="").url(), autocommit=True
    ) as administrator:
        for statement in re.findall(r"^    (.*;)$", message, re.MULTILINE):
            administrator.execute(statement.encode())
    ensure_roles(owner, app, queue, prefix=PREFIX)
    psycopg.connect(queue.address.url()).close()


def test_a_role_that_passes_row_security_by_is_not_accepted(owner: Address, running: Place) -> None:
    query(running, f"CREATE ROLE {APP} LOGIN BYPASSRLS")
    with pytest.raises(RoleError, match=f'ALTER ROLE "{APP}" LOGIN NOSUPERUSER NOBYPASSRLS'):
        ensure_roles(owner, *roles_of(owner), prefix=PREFIX)


def test_a_hardened_database_is_opened_to_the_roles(owner: Address, running: Place) -> None:
    with psycopg.connect(owner.url(), autocommit=True) as connection:
        connection.execute("REVOKE CONNECT, TEMPORARY ON DATABASE r_papers FROM PUBLIC")
        connection.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
    app, queue = roles_of(owner)
    ensure_roles(owner, app, queue, prefix=PREFIX)
    with psycopg.connect(app.address.url()) as connection:
        row = connection.execute("SELECT has_schema_privilege('public', 'USAGE')").fetchone()
    assert row == (True,)


def test_an_owner_who_may_not_make_tables_is_told_so_before_the_first(owner: Address, running: Place) -> None:
    query(running, "ALTER DATABASE r_papers OWNER TO postgres")
    with pytest.raises(RoleError, match='GRANT CREATE ON SCHEMA public TO "r_owner";'):
        ensure_roles(owner, *roles_of(owner), prefix=PREFIX)


def test_two_prefixes_share_a_server_without_meeting(owner: Address, running: Place) -> None:
    ensure_roles(owner, *roles_of(owner), prefix=PREFIX)
    both = "SELECT count(*) FROM pg_roles WHERE rolname IN ('p_archiv_app', 'r_archiv_app')"
    assert query(running, both) == 2


def test_a_database_that_is_not_in_utf8_is_refused(owner: Address, running: Place) -> None:
    query(running, "CREATE DATABASE r_latin OWNER r_owner ENCODING LATIN1 LOCALE 'C' TEMPLATE template0")
    try:
        with pytest.raises(RoleError, match="LATIN1"):
            ensure_roles(replace(owner, database="r_latin"), *roles_of(owner), prefix=PREFIX)
    finally:
        query(running, "DROP DATABASE r_latin WITH (FORCE)")
