"""The ends of the audit trails, signed once a day by themselves."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from django.db import connections
from pytest_django import Settings

from tenants.audit_chain import derive_key, read_heads
from tenants.audit_store import verify_chains, write_heads
from tenants.chores import sign_audit_heads
from tenants.scope import operator_scope
from tests.tenants.test_audit import make_trail

pytestmark = pytest.mark.django_db(transaction=True)
FIRST, SECOND = date(2026, 3, 1), date(2026, 3, 2)


@pytest.fixture
def heads(settings: Settings, tmp_path: Path) -> Path:
    settings.ARCHIV_AUDIT_HEADS = tmp_path / "heads"
    return tmp_path / "heads"


def forge(sql: str) -> None:
    with operator_scope(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute(sql)


def test_the_ends_of_a_day_are_signed_in_a_file_of_the_day(heads: Path) -> None:
    tenant = make_trail(3)
    report = sign_audit_heads(FIRST)
    assert report.ok
    assert "2026-03-01.json" in report.message
    assert list(verify_chains(heads)) == []
    forge("DELETE FROM tenants_auditevent WHERE sequence > 1")
    assert [finding.tenant_id for finding in verify_chains(heads)] == [str(tenant.id)]


def test_a_damaged_trail_is_not_signed_and_named(heads: Path) -> None:
    tenant = make_trail(3)
    assert sign_audit_heads(FIRST).ok
    forge("UPDATE tenants_auditevent SET actor = 'nobody' WHERE sequence = 2")
    report = sign_audit_heads(SECOND)
    assert not report.ok
    assert f"tenant {tenant.id}, event 2: it was edited" in report.message
    assert [file.name for file in heads.iterdir()] == ["2026-03-01.json"]


def test_a_file_of_heads_that_somebody_else_signed_is_an_alarm(heads: Path) -> None:
    make_trail(1)
    assert sign_audit_heads(FIRST).ok
    file = heads / "2026-03-01.json"
    file.write_text(file.read_text().replace('"signature": "', '"signature": "0'))
    assert not sign_audit_heads(SECOND).ok


def test_heads_signed_with_a_former_key_still_count(heads: Path, settings: Settings) -> None:
    make_trail(3)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "k" * 50, []
    write_heads(heads, FIRST)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, ["k" * 50]
    assert sign_audit_heads(SECOND).ok
    keys = [derive_key(secret) for secret in ("n" * 50, "k" * 50)]
    read: Callable[[str], object] = lambda name: read_heads(keys, (heads / name).read_text())  # noqa: E731
    assert read("2026-03-01.json") == read("2026-03-02.json")
    settings.SECRET_KEY_FALLBACKS = []
    (heads / "2026-03-02.json").unlink()
    assert not sign_audit_heads(SECOND).ok, "nobody knows the key any more"
