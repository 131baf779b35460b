"""Workflows on documents that come in: what is done, what is recorded, what a person's word keeps."""

import http.server
import ipaddress
import json
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
from django.core.management import call_command
from django.db.models import F

from documents.errors import BadWorkflowDefinition, WorkflowNotFound
from documents.filing import LabelKind, RuleKind
from documents.models import Document, Filing, Note, Workflow, WorkflowRun
from documents.pipeline import Page, Reading
from documents.services import StoredDocument
from documents.services.apply_rules import apply_rules, preview_rules
from documents.services.filing import file_documents
from documents.services.labels import create_label, delete_label
from documents.services.reanalyze import reanalyze_documents
from documents.services.rules import add_rule, remove_rule
from documents.services.webhooks import workflow_key
from documents.services.workflow_preview import preview_workflows
from documents.services.workflows import (
    change_workflow,
    create_workflow,
    delete_workflow,
    switch_workflow,
)
from documents.webhooks import sign
from jobs.models import Job
from tenants.access import Access, operator_access
from tenants.models import Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.documents.conftest import Store, claim, end, run_attempt
from tests.factories import DocumentVersionFactory, PageTextFactory, TenantFactory

pytestmark = pytest.mark.django_db(transaction=True)
Analyze = Callable[[StoredDocument], Job]
TAG, SENDER, TYPE = LabelKind.TAG, LabelKind.CORRESPONDENT, LabelKind.DOCUMENT_TYPE


@pytest.fixture
def access(tenant: Tenant) -> Access:
    return operator_access(tenant.id)


def label(access: Access, name: str, kind: LabelKind = TAG) -> uuid.UUID:
    return create_label(access=access, kind=kind, name=name).pk


def workflow(
    access: Access, actions: list[dict[str, Any]], conditions: Any = None, name: str = "w"
) -> Workflow:
    return create_workflow(access=access, name=name, conditions=conditions or {}, actions=actions)


def stands(access: Access, document_id: uuid.UUID) -> dict[str, tuple[str, str]]:
    with tenant_scope(access.tenant_id):
        rows = Filing.objects.filter(tenant_id=access.tenant_id, document_id=document_id)
        return {row.label.name: (row.state, row.set_by) for row in rows.select_related("label")}


def outcomes(access: Access, document_id: uuid.UUID) -> list[tuple[str, str]]:
    with tenant_scope(access.tenant_id):
        runs = WorkflowRun.objects.filter(tenant_id=access.tenant_id, document_id=document_id).order_by("id")
        return [(each["do"], each["outcome"]) for run in runs for each in run.results]


def test_a_workflow_files_classifies_and_leaves_a_note_and_its_run_says_so(
    access: Access, store: Store, analyze: Analyze
) -> None:
    for name, kind in (("a", TAG), ("b", TAG), ("X", SENDER), ("Bescheid", TYPE)):
        label(access, name, kind)
    add_rule(access=access, kind=TAG, label_id=label(access, "weg"), rule_kind=RuleKind.ANY, pattern="strom")
    workflow(
        access,
        [
            {"do": "add_tags", "tags": ["a", "b"]},
            {"do": "remove_tags", "tags": ["weg"]},
            {"do": "set_correspondent", "correspondent": "X"},
            {"do": "set_document_type", "document_type": "bescheid"},
            {"do": "set_retention_class", "name": "vouchers"},
            {"do": "add_note", "text": "bitte prüfen"},
        ],
        {"source": "import", "text": {"pattern": "strom"}},
    )
    fits, other = store(b"Strom im Januar"), store(b"Gas im Januar")
    analyze(fits)
    analyze(other)
    assert stands(access, fits.document_id) == {
        "a": ("filed", "workflow"),
        "b": ("filed", "workflow"),
        "weg": ("removed", "workflow"),
        "X": ("filed", "workflow"),
        "Bescheid": ("filed", "workflow"),
    }
    assert [outcome for _, outcome in outcomes(access, fits.document_id)] == ["done"] * 6
    assert outcomes(access, other.document_id) == []
    with tenant_scope(access.tenant_id):
        document = Document.objects.get(pk=fits.document_id)
        assert document.retention_class is not None
        assert document.retain_until is not None
        (note,) = Note.objects.filter(tenant_id=access.tenant_id)
    assert (note.document_id, note.text) == (fits.document_id, "bitte prüfen")
    assert note.written_by.startswith("workflow:")


def test_what_a_person_decided_while_the_document_waited_stays(
    access: Access, store: Store, analyze: Analyze
) -> None:
    mine, theirs, tag = label(access, "X", SENDER), label(access, "Y", SENDER), label(access, "a")
    workflow(
        access,
        [{"do": "set_correspondent", "correspondent": "Y"}, {"do": "add_tags", "tags": ["a"]}],
    )
    stored = store(b"Strom")
    file_documents(access=access, document_ids=[stored.document_id], add=[mine, tag])
    file_documents(access=access, document_ids=[stored.document_id], remove=[tag])
    analyze(stored)
    assert stands(access, stored.document_id) == {"X": ("filed", "person"), "a": ("removed", "person")}
    assert [outcome for _, outcome in outcomes(access, stored.document_id)] == ["left", "left"]
    assert theirs != mine


def test_a_workflow_runs_once_and_later_only_when_asked_for(
    access: Access, store: Store, analyze: Analyze
) -> None:
    workflow(access, [{"do": "add_note", "text": "one"}], name="one")
    stored = store(b"Strom")
    analyze(stored)
    workflow(access, [{"do": "add_note", "text": "two"}], name="two")

    def notes() -> list[str]:
        with tenant_scope(access.tenant_id):
            return list(
                Note.objects.filter(tenant_id=access.tenant_id).order_by("id").values_list("text", flat=True)
            )

    reanalyze_documents(tenant_id=access.tenant_id, document_ids=[stored.document_id])
    analyze(stored)
    assert notes() == ["one"]
    for _ in range(2):
        reanalyze_documents(tenant_id=access.tenant_id, document_ids=[stored.document_id], only=["workflows"])
        analyze(stored)
        assert notes() == ["one", "two"]


def test_a_workflow_waits_until_the_file_can_be_read(
    access: Access, store: Store, analyze: Analyze, monkeypatch: pytest.MonkeyPatch
) -> None:
    workflow(access, [{"do": "add_note", "text": "gelesen"}])
    stored = store(b"%PDF-1.4 broken", filename="a.pdf")
    assert analyze(stored).status == "failed"
    assert outcomes(access, stored.document_id) == []
    with tenant_scope(access.tenant_id):
        Document.objects.filter(pk=stored.document_id).update(analyzed_by=1)
    monkeypatch.setattr("documents.handlers._read", read_as(b"Strom"))
    reanalyze_documents(tenant_id=access.tenant_id, document_ids=[stored.document_id])
    analyze(stored)
    assert outcomes(access, stored.document_id) == [("add_note", "done")]


def read_as(text: bytes) -> Callable[..., Any]:
    page = Page(1, text.decode(), "layer")
    return lambda context, loaded, box: (Reading(pages=(page,), page_count=1, media_type="text/plain"), None)


def test_workflows_are_checked_changed_switched_and_deleted(
    access: Access, store: Store, analyze: Analyze
) -> None:
    made = workflow(access, [{"do": "add_note", "text": "one"}])
    with pytest.raises(BadWorkflowDefinition, match=r"actions\[1\]\.tags: there is no tag 'nix'"):
        workflow(access, [{"do": "add_tags", "tags": ["nix"]}], name="x")
    with pytest.raises(BadWorkflowDefinition, match=r"no retention class 'nix'\. There are: books"):
        workflow(access, [{"do": "set_retention_class", "name": "nix"}], name="x")
    with pytest.raises(BadWorkflowDefinition, match="already"):
        workflow(access, [{"do": "add_note", "text": "one"}], name="W")
    change_workflow(
        access=access,
        workflow_id=made.pk,
        name="v",
        conditions={},
        actions=[{"do": "add_note", "text": "two"}],
    )
    switch_workflow(access=access, workflow_id=made.pk, enabled=False)
    first = store(b"one")
    analyze(first)
    assert outcomes(access, first.document_id) == []
    switch_workflow(access=access, workflow_id=made.pk, enabled=True)
    second = store(b"two")
    analyze(second)
    assert outcomes(access, second.document_id) == [("add_note", "done")]
    delete_workflow(access=access, workflow_id=made.pk)
    with pytest.raises(WorkflowNotFound):
        delete_workflow(access=access, workflow_id=made.pk)
    with pytest.raises(WorkflowNotFound):
        switch_workflow(access=operator_access(TenantFactory.create().id), workflow_id=made.pk, enabled=True)


def test_a_workflow_whose_label_is_gone_is_passed_by(access: Access, store: Store, analyze: Analyze) -> None:
    gone = label(access, "a")
    workflow(access, [{"do": "add_tags", "tags": ["a"]}], name="broken")
    workflow(access, [{"do": "add_note", "text": "whole"}], name="whole")
    delete_label(access=access, kind=TAG, label_id=gone)
    stored = store(b"Strom")
    assert analyze(stored).status == "succeeded"
    assert outcomes(access, stored.document_id) == [("add_note", "done")]
    previews = preview_workflows(access=access, document_id=stored.document_id)
    assert {each.name: each.unmet for each in previews} == {
        "broken": "a label or class of it is gone",
        "whole": "",
    }


def test_a_dry_run_says_what_would_happen_and_changes_nothing(access: Access) -> None:
    with tenant_scope(access.tenant_id):
        version = DocumentVersionFactory.create(tenant_id=access.tenant_id)
        PageTextFactory.create(tenant_id=access.tenant_id, version=version, text="Strom")
    label(access, "a")
    workflow(access, [{"do": "add_tags", "tags": ["a"]}], {"text": {"pattern": "strom"}}, "power")
    workflow(access, [{"do": "add_note", "text": "x"}], {"source": "mail"}, "mail")
    mail, power = preview_workflows(access=access, document_id=version.document_id)
    assert (mail.unmet, power.unmet) == ("source", "")
    assert [(each.do, each.what, each.changed) for each in power.actions] == [("add_tags", "a", True)]
    assert stands(access, version.document_id) == {}


class Hook(http.server.BaseHTTPRequestHandler):
    """Answers with what was laid ready, and remembers what came."""

    seen: ClassVar[list[tuple[dict[str, str], bytes]]] = []
    answers: ClassVar[list[int]] = []

    def do_POST(self) -> None:
        self.seen.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(self.answers.pop(0) if self.answers else 200)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def hook(settings: Any) -> Iterator[str]:
    settings.ARCHIV_WEBHOOK_NETWORKS = [ipaddress.ip_network("127.0.0.0/8")]
    Hook.seen.clear()
    Hook.answers.clear()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook"
    server.shutdown()
    server.server_close()
    thread.join()


def deliver(reader_requests: Any) -> Job:
    with operator_scope():
        job = Job.objects.get(type="deliver-webhook", status="queued")
    attempt = claim(job)
    end(attempt, run_attempt(attempt, reader_requests))
    with operator_scope():
        job.refresh_from_db()
    return job


def test_a_webhook_is_a_job_of_its_own_that_is_signed_and_tried_again(
    access: Access, store: Store, analyze: Analyze, hook: str, reader_requests: Any
) -> None:
    label(access, "a")
    made = workflow(
        access, [{"do": "add_tags", "tags": ["a"]}, {"do": "call_webhook", "url": hook}], name="Meldung"
    )
    stored = store(b"Strom", filename="strom.txt")
    analyze(stored)
    assert Hook.seen == [], "no call is made while the analysis writes"
    assert outcomes(access, stored.document_id)[1] == ("call_webhook", "queued")
    Hook.answers[:] = [503, 200]
    job = deliver(reader_requests)
    assert (job.status, "503" in job.error_message) == ("queued", True)
    with operator_scope():
        Job.objects.filter(pk=job.pk).update(lane=job.home_lane)
    assert deliver(reader_requests).status == "succeeded"
    assert outcomes(access, stored.document_id)[1] == ("call_webhook", "delivered")
    (_, first), (headers, body) = Hook.seen
    assert first == body
    told = json.loads(body)
    assert told["document"]["tags"] == ["a"]
    assert (told["document"]["id"], told["document"]["filename"]) == (str(stored.document_id), "strom.txt")
    assert (told["workflow"]["name"], told["delivery"]) == ("Meldung", headers["X-Archiv-Delivery"])
    at = int(headers["X-Archiv-Signature"].partition(",")[0].removeprefix("t="))
    key = workflow_key(access.tenant_id, made.pk)
    assert headers["X-Archiv-Signature"] == sign(key, body=body, at=at)


def test_a_webhook_that_is_not_wanted_fails_at_once_and_its_run_says_why(
    access: Access, store: Store, analyze: Analyze, hook: str, reader_requests: Any, settings: Any
) -> None:
    workflow(access, [{"do": "call_webhook", "url": hook}])
    stored = store(b"Strom")
    analyze(stored)
    settings.ARCHIV_WEBHOOK_NETWORKS = []
    job = deliver(reader_requests)
    assert (job.status, job.failure_kind) == ("failed", "gave_up")
    assert "no public address" in job.error_message
    assert outcomes(access, stored.document_id) == [("call_webhook", "failed")]
    assert Hook.seen == []


def test_a_webhook_that_never_answers_fails_with_its_last_try_and_its_run_says_so(
    access: Access, store: Store, analyze: Analyze, hook: str, reader_requests: Any
) -> None:
    workflow(access, [{"do": "call_webhook", "url": hook}])
    stored = store(b"Strom")
    analyze(stored)
    with operator_scope():
        calls = Job.objects.filter(type="deliver-webhook")
        calls.update(retry_count=F("max_retries") - 1)
    Hook.answers[:] = [503, 503]
    assert deliver(reader_requests).status == "queued"
    assert outcomes(access, stored.document_id) == [("call_webhook", "queued")]
    with operator_scope():
        calls.update(lane=F("home_lane"))
    job = deliver(reader_requests)
    assert (job.status, job.retry_count) == ("failed", job.max_retries)
    assert "503" in job.error_message
    assert outcomes(access, stored.document_id) == [("call_webhook", "failed")]


def paper(access: Access, text: str) -> uuid.UUID:
    with tenant_scope(access.tenant_id):
        version = DocumentVersionFactory.create(tenant_id=access.tenant_id)
        PageTextFactory.create(tenant_id=access.tenant_id, version=version, text=text)
        return uuid.UUID(str(version.document_id))


def test_rules_are_applied_to_what_is_there_after_a_preview(access: Access, capsys: Any) -> None:
    papers = [paper(access, text) for text in ("Strom", "Strom und Gas", "Wasser")]
    power, gas = label(access, "Strom"), label(access, "Gas")
    for each, word in ((power, "strom"), (gas, "gas")):
        add_rule(access=access, kind=TAG, label_id=each, rule_kind=RuleKind.ANY, pattern=word)
    file_documents(access=access, document_ids=papers[:1], add=[power])
    file_documents(access=access, document_ids=papers[:1], remove=[power])
    seen: list[tuple[int, int]] = []
    preview = preview_rules(access=access, progress=lambda done, of: seen.append((done, of)))
    assert (preview.documents, preview.changed, seen) == (3, 1, [(3, 3)])
    assert [(each.name, each.filed, each.examples) for each in preview.labels] == [
        ("Gas", 1, (papers[1],)),
        ("Strom", 1, (papers[1],)),
    ]
    assert stands(access, papers[1]) == {}
    call_command("apply_rules", str(access.tenant_id), "--dry-run")
    assert "3 documents looked at, 1 would be changed." in capsys.readouterr().out
    call_command("apply_rules", str(access.tenant_id), "--json")
    assert json.loads(capsys.readouterr().out)["changed"] == 1
    assert stands(access, papers[1]) == {"Strom": ("filed", "rule"), "Gas": ("filed", "rule")}
    assert stands(access, papers[0]) == {"Strom": ("removed", "person")}
    assert apply_rules(access=access).changed == 0


def test_what_rules_would_not_file_any_more_is_taken_back_only_when_asked_for(access: Access) -> None:
    document, tag = paper(access, "Strom"), label(access, "a")
    rule = add_rule(access=access, kind=TAG, label_id=tag, rule_kind=RuleKind.ANY, pattern="strom")
    apply_rules(access=access)
    remove_rule(access=access, kind=TAG, rule_id=rule.pk)
    apply_rules(access=access)
    assert stands(access, document) == {"a": ("filed", "rule")}
    assert apply_rules(access=access, take_back=True).changed == 1
    assert stands(access, document) == {}


def test_a_rule_that_takes_too_long_on_old_documents_is_named_and_rests(access: Access, capsys: Any) -> None:
    paper(access, "x" * 3000)
    rule = add_rule(
        access=access, kind=TAG, label_id=label(access, "a"), rule_kind=RuleKind.REGEX, pattern="(x+x+)+y"
    )
    call_command("apply_rules", str(access.tenant_id))
    assert f"The rule {rule.pk} ((x+x+)+y) was stopped" in capsys.readouterr().out
    with tenant_scope(access.tenant_id):
        rule.refresh_from_db()
    assert rule.stopped_at is not None
