"""The audit trail in the database: appended by everybody who acts, changed by nobody."""

import json
from datetime import date
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connections, transaction

from tenants.audit import Actor, acting_as, record
from tenants.audit_store import read_links, verify_chains, write_heads
from tenants.models import AuditEvent, AuditHead, Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.factories import TenantFactory

pytestmark = pytest.mark.django_db(transaction=True)


def make_trail(length: int = 5) -> Tenant:
    tenant: Tenant = TenantFactory.create()
    for number in range(length):
        with tenant_scope(tenant.id):
            record("document.stored", tenant_id=tenant.id, object_type="document", object_id=number)
    return tenant


def tamper(sql: str) -> None:
    """Change the trail with the rights of the database's owner, past every policy."""
    with operator_scope(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute(sql)


def test_an_event_says_who_did_what_when_and_from_where() -> None:
    tenant = TenantFactory.create()
    with acting_as(Actor("user:ü", "2001:db8::1")), tenant_scope(tenant.id):
        number = record(
            "document.downloaded",
            tenant_id=tenant.id,
            object_type="document",
            object_id="x",
            details={"bytes": 7, "hash": "ab"},
        )
    with tenant_scope(tenant.id):
        event = AuditEvent.objects.get(tenant_id=tenant.id)
    assert number == event.sequence == 1
    assert (event.actor, event.origin) == ("user:ü", "2001:db8::1")
    assert (event.action, event.object_type, event.object_id) == ("document.downloaded", "document", "x")
    assert json.loads(event.details) == {"bytes": 7, "hash": "ab"}
    assert list(verify_chains(Path("/nonexistent"))) == []


def test_what_was_rolled_back_was_not_done() -> None:
    tenant = make_trail(1)
    with pytest.raises(ZeroDivisionError), tenant_scope(tenant.id):
        record("document.purged", tenant_id=tenant.id)
        _ = 1 / 0
    assert [link.action for link in read_links()] == ["document.stored"]


def test_a_trail_of_more_than_nine_events_is_whole() -> None:
    make_trail(12)
    assert [link.sequence for link in read_links()] == [str(number) for number in range(1, 13)]
    assert list(verify_chains(Path("/nonexistent"))) == []


def test_an_event_without_a_tenant_has_a_chain_of_its_own() -> None:
    tenant = make_trail(2)
    with transaction.atomic():
        record("worker.started", tenant_id=None)
    with tenant_scope(tenant.id):
        assert AuditEvent.objects.count() == 2
    assert len(list(read_links())) == 3
    assert list(verify_chains(Path("/nonexistent"))) == []


def test_nothing_is_appended_to_the_trail_of_another_tenant() -> None:
    acme, zeta = TenantFactory.create(), TenantFactory.create()
    with pytest.raises(DatabaseError, match="scope"), tenant_scope(acme.id):
        record("document.stored", tenant_id=zeta.id)
    with pytest.raises(DatabaseError, match="scope"), transaction.atomic():
        record("document.stored", tenant_id=zeta.id)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE tenants_auditevent SET actor = 'nobody'",
        "DELETE FROM tenants_auditevent",
        "INSERT INTO tenants_auditevent (tenant_id, sequence) VALUES (gen_random_uuid(), 1)",
        "TRUNCATE tenants_auditevent",
        "UPDATE tenants_audithead SET sequence = 0",
    ],
)
def test_the_application_cannot_tamper(sql: str) -> None:
    make_trail(2)
    with pytest.raises(DatabaseError, match="permission denied"), operator_scope():
        connections["default"].cursor().execute(sql)


@pytest.mark.parametrize(
    ("kind", "sql", "first_bad"),
    [
        ("edited", "UPDATE tenants_auditevent SET actor = 'nobody' WHERE sequence = 3", 3),
        ("removed from the middle", "DELETE FROM tenants_auditevent WHERE sequence = 3", 3),
        ("cut off the end", "DELETE FROM tenants_auditevent WHERE sequence > 3", 5),
        (
            "cut off the end and its head moved back",
            """DELETE FROM tenants_auditevent WHERE sequence > 3;
               UPDATE tenants_audithead SET sequence = 3, hash =
                   (SELECT hash FROM tenants_auditevent WHERE sequence = 3)""",
            5,
        ),
        (
            "inserted",
            """UPDATE tenants_auditevent SET sequence = sequence + 1000 WHERE sequence > 2;
               UPDATE tenants_auditevent SET sequence = sequence - 999 WHERE sequence > 1000;
               INSERT INTO tenants_auditevent (tenant_id, sequence, at, action, actor, origin, object_type,
                   object_id, details, previous_hash, hash)
               SELECT tenant_id, 3, at, 'forged', actor, origin, object_type, object_id, details, hash, hash
               FROM tenants_auditevent WHERE sequence = 2""",
            3,
        ),
        (
            "swapped",
            """UPDATE tenants_auditevent SET sequence = 1000 WHERE sequence = 2;
               UPDATE tenants_auditevent SET sequence = 2 WHERE sequence = 3;
               UPDATE tenants_auditevent SET sequence = 3 WHERE sequence = 1000""",
            2,
        ),
    ],
)
def test_every_kind_of_tampering_is_found_and_the_first_bad_event_named(
    kind: str, sql: str, first_bad: int, tmp_path: Path
) -> None:
    tenant = make_trail(5)
    write_heads(tmp_path, date(2026, 11, 29))
    tamper(sql)
    found = [(finding.tenant_id, finding.sequence) for finding in verify_chains(tmp_path)]
    assert found == [(str(tenant.id), first_bad)], kind


def test_the_command_says_yes_or_no_and_signs_only_what_is_whole(tmp_path: Path) -> None:
    make_trail(3)
    out = StringIO()
    call_command("verify_audit", heads=tmp_path, sign=True, json=True, stdout=out)
    answer = json.loads(out.getvalue())
    assert answer["ok"] is True
    signed = Path(answer["signed"])
    assert signed.parent == tmp_path
    before = signed.read_text()
    tamper("DELETE FROM tenants_auditevent WHERE sequence = 2")
    out = StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("verify_audit", heads=tmp_path, sign=True, stdout=out)
    assert stopped.value.code == 1
    assert "event 2" in out.getvalue()
    assert signed.read_text() == before


def test_a_head_signed_with_a_former_key_still_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_trail(2)
    write_heads(tmp_path, date(2026, 11, 29))
    monkeypatch.setattr(settings, "SECRET_KEY_FALLBACKS", [settings.SECRET_KEY])
    monkeypatch.setattr(settings, "SECRET_KEY", "another-key")
    assert list(verify_chains(tmp_path)) == []


def test_the_end_of_a_chain_is_kept_for_the_next_event() -> None:
    tenant = make_trail(4)
    with tenant_scope(tenant.id):
        head = AuditHead.objects.get(tenant_id=tenant.id)
        assert head.sequence == 4
        assert head.hash == AuditEvent.objects.get(tenant_id=tenant.id, sequence=4).hash
