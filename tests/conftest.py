"""What every test run needs: a PostgreSQL that answers, all three connections, and nothing left behind."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import hypothesis
import psycopg
import pytest
from django.conf import settings
from django.db import connections
from django.test import TransactionTestCase
from django.test.utils import setup_databases, teardown_databases
from django.utils import translation
from psycopg import sql
from pytest_django import DjangoDbBlocker

from archiv import embedded
from archiv.database_roles import role_urls
from archiv.databases import is_stale_run
from tests.emptying import empty_tables

ALIASES = ["owner", "default", "queue"]

# How long an example takes says how busy the machine is, and nothing of the code. Examples are the same in
# every run: a build speaks of the change it builds. `--hypothesis-profile=search` looks for others.
_PROFILE = hypothesis.settings(
    deadline=None, max_examples=50, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile("archiv", _PROFILE, derandomize=True)
hypothesis.settings.register_profile("search", _PROFILE, max_examples=500)
hypothesis.settings.load_profile("archiv")

TransactionTestCase._fixture_teardown = empty_tables  # type: ignore[attr-defined]  # private


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let transactional tests name all three connections: only the owner's empties the tables afterwards."""
    for item in items:
        marker = item.get_closest_marker("django_db")
        fixtures = set(getattr(item, "fixturenames", ()))
        options: dict[str, Any] = dict(marker.kwargs) if marker else {}
        if options.get("transaction") or fixtures & {"transactional_db", "live_server"}:
            options.setdefault("databases", ALIASES)
            item.add_marker(pytest.mark.django_db(*(marker.args if marker else ()), **options), append=False)


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """Make the database of this run, for all three roles: a mirror alone would mean the real database.

    A run within a run, which has the other's addresses in its environment, works on that one's.
    """
    _be_patient()
    if "TEST_DATABASE_IS_THERE" in os.environ:
        yield
        return
    if settings.ARCHIV_EMBEDDED is not None:
        embedded.ensure(settings.ARCHIV_EMBEDDED, prefix=settings.ARCHIV_ROLE_PREFIX)
    _drop_databases_of_dead_runs()
    with django_db_blocker.unblock():
        made = setup_databases(verbosity=0, interactive=False, aliases=dict.fromkeys(ALIASES))
        _leave_sizes_unknown()
        yield
        for alias in ALIASES:
            connections[alias].close()
        _wait_until_alone()
        teardown_databases(made, verbosity=0)


@pytest.fixture(scope="session")
def process_environment(django_db_setup: None) -> dict[str, str]:
    """The environment for a process of archiv's that works on the database of this run."""
    name = connections["owner"].settings_dict["NAME"]
    urls = role_urls(database=name)
    return {**os.environ, **urls, "DJANGO_SETTINGS_MODULE": "archiv.test_settings", "PYTHONUNBUFFERED": "1"}


def _be_patient() -> None:
    """Let this process's own sessions rest and work for a minute: the short lease of tests is the workers'.

    A machine that stands still for four seconds, as busy ones do, must not end a test's transaction.
    """
    patient = "-c statement_timeout=60000 -c idle_in_transaction_session_timeout=60000"
    for alias in ("default", "queue"):
        options = connections[alias].settings_dict["OPTIONS"]
        options["options"] = f"{options.get('options', '')} {patient}".strip()


def _leave_sizes_unknown() -> None:
    """Keep autovacuum off small tables: whether it has just met one empty decides what plan a test sees.

    Those of jobs have thresholds of their own, which few tests reach.
    """
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'r' AND reloptions IS NULL"
            " AND relnamespace = 'public'::regnamespace"
        )
        for (table,) in cursor.fetchall():
            cursor.execute(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")


def _wait_until_alone(patience: float = 20.0) -> None:
    """
    Wait for the sessions of killed workers to end: the server notices a little later than we do.

    One that stays is named and ended: what a test left behind must not fail the one that came last.
    """
    address = settings.ARCHIV_OWNER_ADDRESS
    name = connections["owner"].settings_dict["NAME"]
    end = time.monotonic() + patience
    query = """
        SELECT pid, usename, application_name, state, backend_start, query
        FROM pg_stat_activity WHERE datname = %s
    """
    with psycopg.connect(replace(address, database="postgres").url(), autocommit=True) as connection:
        while others := connection.execute(query, [name]).fetchall():
            if time.monotonic() > end:
                print(f"\nSessions left behind by a test: {others}", file=sys.__stderr__)
                for pid, *_ in others:
                    # Of a role that the owner may not end, or the server's own: the server waits for those.
                    with suppress(psycopg.Error):
                        connection.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
                return
            time.sleep(0.1)


def _drop_databases_of_dead_runs() -> None:
    """Drop what a killed run could not: nobody else would ever use it."""
    address = settings.ARCHIV_OWNER_ADDRESS
    with psycopg.connect(replace(address, database="postgres").url(), autocommit=True) as connection:
        for (name,) in connection.execute("SELECT datname FROM pg_database").fetchall():
            if is_stale_run(name, address.database):
                statement = sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name))
                try:
                    connection.execute(statement)
                except psycopg.Error:  # its processes still end: the next run drops it
                    continue


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    """Forget the language of the last request: it would be that of the next test."""
    yield
    translation.deactivate()
