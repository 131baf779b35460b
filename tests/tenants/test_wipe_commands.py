"""The commands about wipes: what they show, ask and refuse, and how they follow a wipe."""

import io
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from pytest_django import Settings

from documents.models import Document
from jobs.services import cancel_jobs
from tenants.access import operator_access
from tenants.audit import Actor, acting_as
from tenants.scope import tenant_scope
from tenants.services import order_wipe
from tests.factories import TenantFactory
from tests.tenants.wiping import (
    job_of,
    make_tenant,
    newest_order,
    refresh,
    signed,
    state_of,
    work_off,
)

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def run_json(*arguments: str) -> dict[str, Any]:
    answer = json.loads(run(*arguments, "--json"))
    assert isinstance(answer, dict)
    return answer


def test_without_a_verb_it_shows_what_would_go_and_changes_nothing() -> None:
    tenant = make_tenant(documents=2)
    before = state_of(tenant.id)
    shown = run("delete_tenant", tenant.name)
    assert f"A delete of {tenant.name} ({tenant.id}, active) would take away:" in shown
    for line in (
        "files: originals 3 35 bytes",
        "files: assets 2 14 bytes",
        "documents 2",
        "memberships 1",
        "Running jobs, which would be ended: 0.",
        "Nothing was changed. Add --sign to order it.",
    ):
        assert line in " ".join(shown.split()), line
    data = run_json("delete_tenant", tenant.name, "--reset")
    assert data["found"]["originals"] == {"count": 3, "bytes": 35}
    assert "tenants_membership" not in data["found"], "a reset keeps the members"
    assert (data["obstacles"], data["running_jobs"], data["status"]) == ([], 0, "active")
    assert state_of(tenant.id) == before


def test_what_forbids_a_wipe_is_shown_before_and_said_when_it_is_ordered() -> None:
    tenant = make_tenant(documents=2)
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(legal_hold=True)
    assert "FORBIDDEN: 2 documents are under legal hold" in run("delete_tenant", tenant.name)
    (held,) = run_json("delete_tenant", tenant.name)["obstacles"]
    assert (held["kind"], held["count"]) == ("legal_hold", 2)
    with pytest.raises(CommandError, match="2 documents are under legal hold"):
        run("delete_tenant", tenant.name, "--sign", "--yes")


def test_an_order_is_signed_carried_out_and_its_tenant_gone() -> None:
    tenant = make_tenant(documents=1)
    data = run_json("delete_tenant", tenant.name, "--sign", "--yes")
    assert (data["state"], data["action"], data["final_status"]) == ("accepted", "delete", "none")
    assert f"accepted, job {data['job']} waits for a worker" in run("delete_tenant", tenant.name)
    assert work_off() == ""
    with pytest.raises(CommandError, match="no tenant called"):
        run("delete_tenant", tenant.name)


def test_a_reset_says_how_it_ends_and_is_followed_to_the_end() -> None:
    tenant = make_tenant(documents=1)
    data = run_json("delete_tenant", tenant.name, "--sign", "--reset", "--final-status", "active", "--yes")
    assert (data["action"], data["final_status"]) == ("reset", "active")
    assert work_off() == ""
    done = run_json("delete_tenant", tenant.name, "--wait")
    assert (done["state"], done["report"]["found"]["documents_document"]) == ("done", {"count": 1})
    assert run("delete_tenant", tenant.name, "--wait").startswith("Done: ")


def test_an_order_is_taken_back() -> None:
    tenant = make_tenant(documents=1)
    run("delete_tenant", tenant.name, "--sign", "--yes")
    assert run("delete_tenant", tenant.name, "--cancel").startswith(f"Took back the wipe of {tenant.name}: ")
    found = refresh(tenant)
    assert found is not None
    assert found.status == "active"
    with pytest.raises(CommandError, match="no wipe order of this tenant to cancel"):
        run("delete_tenant", tenant.name, "--cancel")
    with pytest.raises(CommandError, match="The order was cancelled"):
        run("delete_tenant", tenant.name, "--wait")


def test_an_order_signed_elsewhere_is_read_from_a_file(tmp_path: Path) -> None:
    tenant = make_tenant(documents=1)
    path = tmp_path / "order.json"
    path.write_text(json.dumps(signed(tenant), ensure_ascii=False))
    assert "Ordered the delete of" in run("delete_tenant", tenant.name, "--submit", str(path))
    assert work_off() == ""
    with pytest.raises(CommandError, match="used already"):
        run("delete_tenant", tenant.name, "--submit", str(path))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read: No such file"),
        (b"\xff{}", "not written in UTF-8"),
        (b"{}", "is not complete"),
        (b'{"nonce": 1, "nonce": 1}', "'nonce' twice"),
        (b"nonsense", "no JSON"),
    ],
)
def test_a_file_that_is_no_order_is_refused_in_words(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    tenant = TenantFactory.create()
    path = tmp_path / "order.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CommandError, match=said):
        run("delete_tenant", tenant.name, "--submit", str(path))


def test_options_that_contradict_each_other_are_refused() -> None:
    tenant = TenantFactory.create()
    for arguments, said in (
        (["--final-status", "active"], "needs --reset"),
        (["--reset", "--cancel"], "--reset goes with --sign"),
        (["--sign"], "say --yes"),
        (["--sign", "--cancel"], "not allowed with"),
        (["--wait"], "No wipe of .* is at work"),
    ):
        with pytest.raises(CommandError, match=said):
            run("delete_tenant", tenant.name, *arguments)
    found = refresh(tenant)
    assert found is not None
    assert found.status == "active"


def test_whoever_is_asked_must_type_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    tenant = TenantFactory.create()
    monkeypatch.setattr("sys.stdin", type("Terminal", (io.StringIO,), {"isatty": lambda self: True})())
    monkeypatch.setattr("builtins.input", lambda prompt: "another name")
    with pytest.raises(CommandError, match="not its name"):
        run("delete_tenant", tenant.name, "--sign")
    monkeypatch.setattr("builtins.input", lambda prompt: tenant.name)
    assert "Ordered the delete of" in run("delete_tenant", tenant.name, "--sign")


def test_waiting_ends_when_the_order_is_refused_or_its_job_fails() -> None:
    tenant = make_tenant(documents=1)
    placed = order_wipe(access=operator_access(tenant.id))
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(legal_hold=True)
    assert "legal hold" in work_off()
    with pytest.raises(CommandError, match=r"The order was refused\. .* legal hold"):
        run("delete_tenant", tenant.name, "--wait")
    assert job_of(placed.job_id or 0).status == "failed"
    with tenant_scope(tenant.id):
        Document.objects.filter(tenant_id=tenant.id).update(legal_hold=False)
    again = order_wipe(access=operator_access(tenant.id))
    with tenant_scope(tenant.id):
        cancel_jobs(job_ids=[again.job_id or 0], by="anna")
    with pytest.raises(CommandError, match="has failed: Cancelled by anna"):
        run("delete_tenant", tenant.name, "--wait")


def test_retention_is_released_with_a_reason() -> None:
    tenant = TenantFactory.create()
    assert "released_at" in run_json("release_retention", tenant.name, "--reason", "handed over")
    assert "Retention was released at" in run("delete_tenant", tenant.name)
    with pytest.raises(CommandError, match="Say why"):
        run("release_retention", tenant.name, "--reason", " ")


def test_a_wipe_is_approved_by_another_account(settings: Settings) -> None:
    settings.ARCHIV_WIPE_APPROVAL = True
    tenant = make_tenant(documents=1)
    with acting_as(Actor("user:anna")):
        order_wipe(access=operator_access(tenant.id))
    assert "requested by user:anna" in run("delete_tenant", tenant.name)
    assert "Ordered the delete of" in run("approve_wipe", tenant.name)
    assert newest_order(tenant).approved_by.startswith("command:")


def test_the_account_that_requested_a_wipe_cannot_approve_it_under_another_name(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ARCHIV_WIPE_APPROVAL = True
    tenant = TenantFactory.create()
    assert "approve_wipe" in run("delete_tenant", tenant.name, "--sign", "--yes")
    monkeypatch.setenv("LOGNAME", "somebody-else")
    monkeypatch.setenv("USER", "somebody-else")
    with pytest.raises(CommandError, match="another operator has to approve"):
        run("approve_wipe", tenant.name)


@pytest.mark.django_db(transaction=True)
def test_the_progress_is_shown_while_a_wipe_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    tenant = make_tenant(documents=1)
    order_wipe(access=operator_access(tenant.id))
    worker = threading.Thread(target=_work_off_elsewhere)
    first = True

    def go_on(seconds: float) -> None:
        """Let the wipe begin once its waiting was shown, and end before the next look."""
        nonlocal first
        if first:
            worker.start()
            worker.join(30)
            first = False

    monkeypatch.setattr("tenants.management.wipes.time.sleep", go_on)
    shown = run("delete_tenant", tenant.name, "--wait").splitlines()
    assert shown[0].endswith("waits for a worker")
    assert shown[-1].startswith("Done: ")


def _work_off_elsewhere() -> None:
    try:
        work_off()
    finally:
        connections["default"].close()
