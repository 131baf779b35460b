"""The checks of the installation: one test an id."""

from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.checks import run_checks
from django.db import connections

from archiv import checks


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


def test_every_check_has_a_test_here() -> None:
    names = {function.__doc__.partition(":")[0] for function in vars(checks).values() if _is_check(function)}
    here = Path(__file__).read_text()
    assert names
    assert all(f"def test_{name.removeprefix('archiv.').lower()}_" in here for name in names)


def _is_check(value: object) -> bool:
    return getattr(value, "__module__", "") == checks.__name__ and hasattr(value, "tags")
