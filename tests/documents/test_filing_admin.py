"""The pages of filing: labels, rules that are tried, suggestions taken, workflows."""

import uuid

import pytest
from django.test import Client
from django.urls import reverse

from documents.filing import LabelKind, RuleKind
from documents.models import Filing, MatchingRule, Tag, Workflow
from documents.services.filing import file_documents
from documents.services.labels import create_label
from documents.services.rules import add_rule
from documents.services.workflows import create_workflow
from tenants.access import Access, operator_access
from tenants.models import Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.factories import DocumentVersionFactory, PageTextFactory
from tests.operators import make_operator

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def access(tenant: Tenant) -> Access:
    return operator_access(tenant.id)


@pytest.fixture
def chief() -> Client:
    client = Client()
    client.force_login(make_operator(superuser=True))
    return client


def document(access: Access, text: str) -> uuid.UUID:
    with tenant_scope(access.tenant_id):
        version = DocumentVersionFactory.create(tenant_id=access.tenant_id)
        PageTextFactory.create(tenant_id=access.tenant_id, version=version, text=text)
        return uuid.UUID(str(version.document_id))


def test_a_tag_is_made_renamed_and_deleted_and_a_twin_is_refused_in_words(
    access: Access, chief: Client
) -> None:
    add = reverse("admin:documents_tag_add")
    assert chief.post(add, {"tenant": str(access.tenant_id), "name": "Steuer"}).status_code == 302
    again = chief.post(add, {"tenant": str(access.tenant_id), "name": "STEUER"})
    assert "There is a tag" in again.content.decode()
    with operator_scope():
        tag = Tag.objects.get(tenant_id=access.tenant_id)
    page = reverse("admin:documents_tag_change", args=[tag.pk])
    assert chief.post(page, {"name": "Steuern"}).status_code == 302
    listed = reverse("admin:documents_tag_changelist")
    assert "Steuern" in chief.get(listed).content.decode()
    chief.post(listed, {"action": "remove", "_selected_action": [str(tag.pk)]})
    with operator_scope():
        assert not Tag.objects.filter(tenant_id=access.tenant_id).exists()


def test_labels_are_merged_after_a_page_that_says_what_that_would_do(access: Access, chief: Client) -> None:
    papers = [document(access, "Strom"), document(access, "Gas")]
    kept, twin, third = (
        create_label(access=access, kind=LabelKind.TAG, name=name).pk for name in ("Strom", "Srom", "Stron")
    )
    file_documents(access=access, document_ids=papers, add=[kept])
    file_documents(access=access, document_ids=papers[:1], add=[twin])
    listed = reverse("admin:documents_tag_changelist")
    ticked = {"action": "merge", "_selected_action": [str(kept), str(twin), str(third)]}
    page = chief.post(listed, ticked, follow=True)
    assert "Nothing is changed yet" in page.content.decode()
    assert [(use.name, use.documents) for use in page.context["uses"]] == [
        ("Strom", 2),
        ("Srom", 1),
        ("Stron", 0),
    ]
    asked = {"tenant": str(access.tenant_id), "id": [str(kept), str(twin), str(third)]}
    address = reverse("admin:documents_tag_merge")
    done = chief.post(address, asked | {"into": str(kept)}, follow=True)
    assert "1 document was moved" in done.content.decode()
    with operator_scope():
        assert [tag.name for tag in Tag.objects.filter(tenant_id=access.tenant_id)] == ["Strom"]
    gone = chief.post(address, asked | {"into": str(twin)}, follow=True)
    assert "has no tag" in gone.content.decode()
    alone = chief.post(listed, ticked | {"_selected_action": [str(kept)]}, follow=True)
    assert "Tick 2 to 50 rows" in alone.content.decode()
    assert chief.get(address, {"tenant": "x"}).status_code == 404
    looker = Client()
    looker.force_login(make_operator("documents.view_tag", "documents.change_tag"))
    assert looker.get(address, asked).status_code == 403


def test_a_rule_is_made_from_its_label_and_tried_before_it_is_changed(access: Access, chief: Client) -> None:
    paper = document(access, "Abschlag für Strom")
    tag = create_label(access=access, kind=LabelKind.TAG, name="Strom")
    add = reverse("admin:documents_matchingrule_add")
    assert str(tag.pk) in chief.get(add, {"label": str(tag.pk)}).content.decode()
    wrong = {"label": str(tag.pk), "kind": "regex", "pattern": "(", "likeness": "90"}
    assert "no regular expression" in chief.post(add, wrong).content.decode()
    assert chief.post(add, wrong | {"kind": "any", "pattern": "gas"}).status_code == 302
    with operator_scope():
        rule = MatchingRule.objects.get(tenant_id=access.tenant_id)
    page = reverse("admin:documents_matchingrule_change", args=[rule.pk])
    assert "Found in 0 of the newest 1 documents" in chief.get(page).content.decode()
    tried = chief.get(page, {"kind": "any", "pattern": "abschl*", "likeness": "90"}).content.decode()
    assert "Found in 1 of the newest 1 documents" in tried
    assert str(paper) in tried
    with operator_scope():
        rule.refresh_from_db()
    assert rule.pattern == "gas", "trying changes nothing"
    assert chief.post(page, {"kind": "any", "pattern": "strom", "likeness": "90"}).status_code == 302
    with operator_scope():
        rule.refresh_from_db()
    assert rule.pattern == "strom"


def test_a_suggestion_is_taken_or_refused_by_one_click(access: Access, chief: Client) -> None:
    paper = document(access, "Strom")
    labels = [create_label(access=access, kind=LabelKind.TAG, name=name).pk for name in "ab"]
    with tenant_scope(access.tenant_id):
        for each in labels:
            Filing.objects.create(
                tenant_id=access.tenant_id, document_id=paper, label_id=each, kind="tag", state="suggested",
                set_by="suggestion", confidence=0.7, because=["strom", "@stadtwerke.example"],
            )  # fmt: skip
    shown = chief.get(reverse("admin:documents_document_change", args=[paper])).content.decode()
    assert "strom, @stadtwerke.example" in shown
    assert "confidence 0.70" in shown
    address = reverse("admin:documents_document_file", args=[paper])
    assert chief.get(address).status_code == 405
    chief.post(address, {"add": str(labels[0])})
    chief.post(address, {"remove": str(labels[1])})
    with tenant_scope(access.tenant_id):
        rows = Filing.objects.filter(tenant_id=access.tenant_id).order_by("label__key")
        assert list(rows.values_list("state", "set_by")) == [("filed", "person"), ("refused", "person")]


def test_who_may_only_look_files_nothing(access: Access) -> None:
    paper, looker = document(access, "Strom"), Client()
    looker.force_login(make_operator("documents.view_document"))
    page = looker.get(reverse("admin:documents_document_change", args=[paper])).content.decode()
    assert "add-label" not in page
    assert looker.post(reverse("admin:documents_document_file", args=[paper]), {}).status_code == 403
    assert looker.get(reverse("admin:documents_tag_changelist")).status_code == 403


def test_a_workflow_is_written_with_names_checked_and_tried_on_a_document(
    access: Access, chief: Client
) -> None:
    paper = document(access, "Abschlag für Strom")
    create_label(access=access, kind=LabelKind.TAG, name="Strom")
    add = reverse("admin:documents_workflow_add")
    data = {
        "tenant": str(access.tenant_id),
        "name": "Strom",
        "position": "1",
        "enabled": "on",
        "conditions": '{"text": {"pattern": "abschlag"}}',
        "actions": '[{"do": "add_tags", "tags": ["Gas"]}]',
    }
    assert "there is no tag" in chief.post(add, data).content.decode()
    data["actions"] = (
        '[{"do": "add_tags", "tags": ["strom"]}, {"do": "call_webhook", "url": "https://a.example/"}]'
    )
    assert chief.post(add, data).status_code == 302
    with operator_scope():
        made = Workflow.objects.get(tenant_id=access.tenant_id)
    page = chief.get(reverse("admin:documents_workflow_change", args=[made.pk])).content.decode()
    assert "[&quot;Strom&quot;]" in page.replace("\n", "").replace(" ", "")
    assert "HMAC-SHA256" in page
    tried = chief.get(reverse("admin:documents_document_change", args=[paper]), {"workflows": "try"})
    assert "add tags “Strom”" in tried.content.decode()
    with tenant_scope(access.tenant_id):
        assert not Filing.objects.filter(tenant_id=access.tenant_id).exists()


def test_a_rule_that_was_stopped_says_so(access: Access, chief: Client) -> None:
    tag = create_label(access=access, kind=LabelKind.TAG, name="a")
    rule = add_rule(
        access=access, kind=LabelKind.TAG, label_id=tag.pk, rule_kind=RuleKind.REGEX, pattern="(x+x+)+y"
    )
    with tenant_scope(access.tenant_id):
        MatchingRule.objects.filter(pk=rule.pk).update(stopped_at="2026-01-01T00:00Z")
    create_workflow(access=access, name="w", conditions={}, actions=[{"do": "add_note", "text": "x"}])
    for name in (
        "matchingrule",
        "workflow",
        "workflowrun",
        "filingsettings",
        "correspondent",
        "documenttype",
    ):
        assert chief.get(reverse(f"admin:documents_{name}_changelist")).status_code == 200
    listed = chief.get(reverse("admin:documents_matchingrule_changelist")).content.decode()
    assert "rests until it is changed" in listed
