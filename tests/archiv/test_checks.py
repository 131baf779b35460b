"""The checks of the installation: one test an id."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.checks import run_checks
from django.db import connections

from archiv import checks

ROOT = Path(__file__).resolve().parents[2]


def ids(databases: list[str] | None = None) -> set[str]:
    return {message.id or "" for message in run_checks(include_deployment_checks=True, databases=databases)}


def test_e001_production_needs_a_key_of_its_own(settings: LazySettings) -> None:
    settings.ARCHIV_SECRET_KEY_IS_LOCAL = False
    assert "archiv.E001" not in ids()
    settings.ARCHIV_SECRET_KEY_IS_LOCAL = True
    assert "archiv.E001" in ids()


def test_w001_a_misspelt_setting_is_named(settings: LazySettings) -> None:
    assert "archiv.W001" not in ids()
    settings.UNKNOWN_SETTINGS = ("ARCHIV_LEASE_SECOND",)
    assert "archiv.W001" in ids()
    assert "ARCHIV_LEASE_SECOND " in checks.settings_are_known()[0].msg


@pytest.mark.django_db(transaction=True)
def test_w002_an_owner_whom_policies_do_not_bind_is_noticed() -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        unbound = cursor.fetchone()[0]
    assert ("archiv.W002" in ids(["owner", "default"])) == unbound
    assert "archiv.W002" not in ids(["default"])


@pytest.mark.django_db(transaction=True)
def test_e002_a_role_that_sees_every_tenant_is_refused() -> None:
    assert "archiv.E002" not in ids(["default", "queue"])
    assert checks.unbound_role("owner").endswith(("who owns tables", "a superuser"))


@pytest.fixture
def owning_application(transactional_db: None) -> Iterator[None]:
    """The application's role owns a table, as it does where somebody ran the migrations with it."""
    role = connections["default"].settings_dict["USER"]
    with connections["owner"].cursor() as cursor:
        cursor.execute(f'GRANT CREATE ON SCHEMA public TO "{role}"')
    with connections["default"].cursor() as cursor:
        cursor.execute("CREATE TABLE papers_of_all (paper text)")
    yield
    with connections["default"].cursor() as cursor:
        cursor.execute("DROP TABLE papers_of_all")
    with connections["owner"].cursor() as cursor:
        cursor.execute(f'REVOKE CREATE ON SCHEMA public FROM "{role}"')


@pytest.mark.parametrize("program", [["manage.py", "runworker", "--drain"], ["-c", "import archiv.wsgi"]])
def test_neither_worker_nor_site_starts_as_a_role_that_owns_tables(
    program: list[str], owning_application: None, process_environment: dict[str, str]
) -> None:
    ended = subprocess.run(
        [sys.executable, *program],
        env=process_environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 1
    assert "who owns tables: row-level security would not hold" in ended.stderr
    assert "ready pid" not in ended.stdout


def test_every_check_has_a_test_here() -> None:
    names = {function.__doc__.partition(":")[0] for function in vars(checks).values() if _is_check(function)}
    here = Path(__file__).read_text()
    assert names
    assert all(f"def test_{name.removeprefix('archiv.').lower()}_" in here for name in names)


def _is_check(value: object) -> bool:
    return getattr(value, "__module__", "") == checks.__name__ and hasattr(value, "tags")
