"""Whose word counts at later analyses: a person's, then that of a workflow, then that of rules and texts."""

import uuid
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import pytest

from documents.filing import LabelKind, RuleKind
from documents.models import Document, Filing
from documents.services import StoredDocument
from documents.services.apply_rules import apply_rules
from documents.services.edit import edit_document
from documents.services.filing import file_documents
from documents.services.labels import create_label
from documents.services.naming import preview_titles, set_naming
from documents.services.reanalyze import reanalyze_documents
from documents.services.rules import add_rule
from documents.services.workflows import create_workflow, delete_workflow
from jobs.models import Job
from tenants.access import Access, operator_access
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store

pytestmark = pytest.mark.django_db(transaction=True)
Analyze = Callable[[StoredDocument], Job]
TAG, SENDER, TYPE = LabelKind.TAG, LabelKind.CORRESPONDENT, LabelKind.DOCUMENT_TYPE
TEXT = b"Stadtwerke Beispielstadt\nRechnung Nr. 4711\nRechnungsdatum: 12.05.2024\nStrom"


@pytest.fixture
def access(tenant: Tenant) -> Access:
    return operator_access(tenant.id)


def workflow(access: Access, *actions: dict[str, Any], name: str = "w") -> uuid.UUID:
    return create_workflow(access=access, name=name, conditions={}, actions=list(actions)).pk


def again(access: Access, analyze: Analyze, stored: StoredDocument, only: Sequence[str] = ()) -> Document:
    """Analyse a document once more, wholly or in part, and return it."""
    reanalyze_documents(
        tenant_id=access.tenant_id, document_ids=[stored.document_id], force=not only, only=only
    )
    assert analyze(stored).status == "succeeded"
    return document(access)


def document(access: Access) -> Document:
    with tenant_scope(access.tenant_id):
        return Document.objects.get()


def stands(access: Access) -> dict[str, tuple[str, str]]:
    with tenant_scope(access.tenant_id):
        rows = Filing.objects.filter(tenant_id=access.tenant_id).select_related("label")
        return {row.label.name: (row.state, row.set_by) for row in rows}


def test_a_title_by_a_workflow_outlives_every_analysis_and_the_workflow_itself(
    access: Access, store: Store, analyze: Analyze
) -> None:
    made = workflow(access, {"do": "set_title", "template": "Strom {issued_date}"})
    stored = store(TEXT)
    analyze(stored)
    assert document(access).title == "Strom 2024-05-12"
    set_naming(access=access, title_template="{type} {number}")
    assert [each.becomes for each in preview_titles(access=access, template="{type}")] == ["Strom 2024-05-12"]
    delete_workflow(access=access, workflow_id=made)
    assert again(access, analyze, stored).title == "Strom 2024-05-12"
    assert again(access, analyze, stored, only=["titles"]).title == "Strom 2024-05-12"
    edit_document(access=access, document_id=stored.document_id, issued_at=date(2024, 6, 1))
    analyze(stored)
    assert document(access).title == "Strom 2024-06-01", "the template is filled anew"


def test_a_person_s_title_stands_before_that_of_a_workflow_and_another_workflow_may_replace_it(
    access: Access, store: Store, analyze: Analyze
) -> None:
    workflow(access, {"do": "set_title", "template": "eins {number}"})
    stored = store(TEXT)
    analyze(stored)
    workflow(access, {"do": "set_title", "template": "zwei {number}"}, name="two")
    assert again(access, analyze, stored).title == "eins 4711", "it runs only when asked for"
    assert again(access, analyze, stored, only=["workflows"]).title == "zwei 4711"
    edit_document(access=access, document_id=stored.document_id, title="Meins")
    analyze(stored)
    assert again(access, analyze, stored).title == "Meins"


def test_labels_by_a_workflow_stand_before_rules_that_come_later_and_behind_people(
    access: Access, store: Store, analyze: Analyze
) -> None:
    labels = {
        name: create_label(access=access, kind=kind, name=name).pk
        for name, kind in (("Werke", SENDER), ("Andere", SENDER), ("Bescheid", TYPE), ("weg", TAG))
    }
    workflow(
        access,
        {"do": "set_correspondent", "correspondent": "Werke"},
        {"do": "set_document_type", "document_type": "Bescheid"},
        {"do": "remove_tags", "tags": ["weg"]},
        {"do": "set_title", "template": "{correspondent}"},
    )
    add_rule(access=access, kind=TAG, label_id=labels["weg"], rule_kind=RuleKind.ANY, pattern="strom")
    stored = store(TEXT)
    analyze(stored)
    wanted = {
        "Werke": ("filed", "workflow"),
        "Bescheid": ("filed", "workflow"),
        "weg": ("removed", "workflow"),
    }
    assert stands(access) == wanted
    add_rule(access=access, kind=SENDER, label_id=labels["Andere"], rule_kind=RuleKind.ANY, pattern="strom")
    found = again(access, analyze, stored)
    apply_rules(access=access, take_back=True)
    assert (stands(access), found.title) == (wanted, "Werke")
    workflow(access, {"do": "add_tags", "tags": ["weg"]}, name="two")
    again(access, analyze, stored, only=["workflows"])
    assert stands(access)["weg"] == ("filed", "workflow"), "what one took away, another brings back"
    file_documents(access=access, document_ids=[stored.document_id], add=[labels["Andere"]])
    assert again(access, analyze, stored).title == "Andere"
    assert stands(access)["Andere"] == ("filed", "person")


def test_a_class_by_a_workflow_stays(access: Access, store: Store, analyze: Analyze) -> None:
    workflow(access, {"do": "set_retention_class", "name": "vouchers"})
    stored = store(TEXT)
    analyze(stored)
    before = document(access)
    after = again(access, analyze, stored)
    assert before.retention_class_id is not None
    assert (after.retention_class_id, after.retain_until) == (before.retention_class_id, before.retain_until)
