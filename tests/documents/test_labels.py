"""Tags, correspondents and document types, and what hangs on them."""

import uuid

import pytest
from django.db import connections

from documents.errors import BadFiling, BadLabelName, BadRule, LabelNameTaken, LabelNotFound, RuleNotFound
from documents.filing import LabelKind, RuleKind
from documents.models import (
    Correspondent,
    Document,
    DocumentType,
    Filing,
    Label,
    MatchingRule,
    Tag,
    WordCount,
)
from documents.services.filing import choose_confidence, file_documents
from documents.services.label_merging import merge_labels, preview_merge
from documents.services.labels import create_label, delete_label, rename_label
from documents.services.rules import add_rule, change_rule, remove_rule
from documents.services.workflows import create_workflow
from tenants.access import Access, operator_access
from tenants.errors import CapabilityDenied, TenantNotActive
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests.factories import DocumentFactory, DocumentVersionFactory, PageTextFactory, TenantFactory

pytestmark = pytest.mark.django_db(transaction=True)
TAG, SENDER, TYPE = LabelKind.TAG, LabelKind.CORRESPONDENT, LabelKind.DOCUMENT_TYPE


@pytest.fixture
def access(tenant: Tenant) -> Access:
    return operator_access(tenant.id)


def label(access: Access, name: str, kind: LabelKind = TAG) -> uuid.UUID:
    return create_label(access=access, kind=kind, name=name).pk


def document(access: Access, text: str = "Rechnung") -> uuid.UUID:
    with tenant_scope(access.tenant_id):
        version = DocumentVersionFactory.create(tenant_id=access.tenant_id)
        PageTextFactory.create(tenant_id=access.tenant_id, version=version, text=text)
        return uuid.UUID(str(version.document_id))


def stands(access: Access, document_id: uuid.UUID) -> dict[str, tuple[str, str]]:
    with tenant_scope(access.tenant_id):
        rows = Filing.objects.filter(tenant_id=access.tenant_id, document_id=document_id)
        return {row.label.name: (row.state, row.set_by) for row in rows.select_related("label")}


def actions(access: Access) -> list[str]:
    with tenant_scope(access.tenant_id):
        rows = AuditEvent.objects.filter(tenant_id=access.tenant_id).order_by("sequence")
        return list(rows.values_list("action", flat=True))


def test_a_name_is_kept_composed_and_is_unique_in_its_kind_whatever_its_case(access: Access) -> None:
    made = create_label(access=access, kind=TAG, name="  Mu\u0308ller   Straße ")
    assert made.name == "Müller Straße"
    for twin in ("MÜLLER STRASSE", "mu\u0308ller strasse", "Müller Straße"):
        with pytest.raises(LabelNameTaken, match="already"):
            create_label(access=access, kind=TAG, name=twin)
    create_label(access=access, kind=SENDER, name="Müller Straße")
    other = operator_access(TenantFactory.create().id)
    create_label(access=other, kind=TAG, name="Müller Straße")
    with tenant_scope(access.tenant_id):
        counted = [model.objects.filter(tenant_id=access.tenant_id).count() for model in (Tag, Correspondent)]
        assert (counted, DocumentType.objects.filter(tenant_id=access.tenant_id).count()) == ([1, 1], 0)


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\u200bb", "a\x07b", "\ud800"])
def test_a_name_that_cannot_be_read_is_refused(access: Access, name: str) -> None:
    with pytest.raises(BadLabelName, match="name"):
        create_label(access=access, kind=TAG, name=name)


def test_labels_are_renamed_and_what_is_not_there_is_named(access: Access) -> None:
    first, _ = label(access, "Steuer"), label(access, "Bank")
    assert rename_label(access=access, kind=TAG, label_id=first, name="steuer").name == "steuer"
    with pytest.raises(LabelNameTaken):
        rename_label(access=access, kind=TAG, label_id=first, name="BANK")
    with pytest.raises(LabelNotFound, match="correspondent"):
        rename_label(access=access, kind=SENDER, label_id=first, name="x")
    assert actions(access) == ["label.created", "label.created", "label.renamed"]


def test_each_kind_asks_for_its_own_capability(access: Access) -> None:
    little = Access(access.tenant_id, frozenset({"tags:edit"}))
    made = create_label(access=little, kind=TAG, name="a")
    for call in (
        lambda: create_label(access=little, kind=SENDER, name="a"),
        lambda: delete_label(access=little, kind=TAG, label_id=made.pk),
        lambda: file_documents(access=little, document_ids=[], add=[made.pk]),
    ):
        with pytest.raises(CapabilityDenied):
            call()


def test_a_person_files_and_takes_away_and_a_single_label_is_replaced(access: Access) -> None:
    paper = document(access)
    tags, old, new = (
        [label(access, "a"), label(access, "b")],
        label(access, "X", SENDER),
        label(access, "Y", SENDER),
    )
    assert file_documents(access=access, document_ids=[paper], add=[*tags, old]).changed == 1
    report = file_documents(access=access, document_ids=[paper, uuid.uuid4()], add=[new], remove=tags[:1])
    assert (report.changed, dict(report.skipped)) == (1, {"not there": 1})
    person = "person"
    assert stands(access, paper) == {
        "a": ("removed", person),
        "b": ("filed", person),
        "X": ("removed", person),
        "Y": ("filed", person),
    }
    again = file_documents(access=access, document_ids=[paper], add=[new], remove=tags[:1])
    assert (again.changed, sum(again.skipped.values())) == (0, 1)
    assert file_documents(access=access, document_ids=[paper], clear=[SENDER]).changed == 1
    assert stands(access, paper)["Y"] == ("removed", person)
    assert actions(access).count("document.filed") == 3


def test_suggestions_are_taken_and_refused(access: Access) -> None:
    paper, taken, refused = document(access), label(access, "a"), label(access, "b")
    with tenant_scope(access.tenant_id):
        for each in (taken, refused):
            Filing.objects.create(
                tenant_id=access.tenant_id, document_id=paper, label_id=each, kind=TAG,
                state="suggested", set_by="suggestion", confidence=0.7,
            )  # fmt: skip
    file_documents(access=access, document_ids=[paper], add=[taken], remove=[refused])
    assert stands(access, paper) == {"a": ("filed", "person"), "b": ("refused", "person")}


def test_nonsense_is_refused_before_anything_is_changed(access: Access) -> None:
    paper, mine = document(access), label(access, "a")
    stranger = label(operator_access(TenantFactory.create().id), "b")
    for unknown in (stranger, uuid.uuid4()):
        with pytest.raises(LabelNotFound, match="no label"):
            file_documents(access=access, document_ids=[paper], add=[mine, unknown])
    with pytest.raises(BadFiling, match="at most one correspondent"):
        file_documents(
            access=access, document_ids=[paper], add=[label(access, "X", SENDER), label(access, "Y", SENDER)]
        )
    with pytest.raises(BadFiling, match="between"):
        choose_confidence(access=access, apply_above=0.2)
    assert stands(access, paper) == {}


def test_deleting_a_label_leaves_its_documents_and_nothing_of_itself(access: Access) -> None:
    papers = [document(access) for _ in range(3)]
    gone, kept = label(access, "a"), label(access, "b")
    add_rule(access=access, kind=TAG, label_id=gone, rule_kind=RuleKind.ANY, pattern="rechnung")
    file_documents(access=access, document_ids=papers, add=[gone, kept])
    assert delete_label(access=access, kind=TAG, label_id=gone) == 3
    with pytest.raises(LabelNotFound):
        delete_label(access=access, kind=TAG, label_id=gone)
    with tenant_scope(access.tenant_id):
        assert [row.pk for row in Label.objects.filter(tenant_id=access.tenant_id)] == [kept]
        assert not MatchingRule.objects.filter(tenant_id=access.tenant_id).exists()
        assert not WordCount.objects.filter(tenant_id=access.tenant_id, label_id=gone).exists()
        assert Document.objects.filter(tenant_id=access.tenant_id).count() == 3
    assert set(stands(access, papers[0])) == {"b"}


def test_merging_moves_documents_rules_and_counts(access: Access) -> None:
    only_old, both, refused = (document(access) for _ in range(3))
    old, new = label(access, "Rechng."), label(access, "Rechnung")
    rule = add_rule(access=access, kind=TAG, label_id=old, rule_kind=RuleKind.ANY, pattern="rechnung")
    file_documents(access=access, document_ids=[only_old, both], add=[old])
    file_documents(access=access, document_ids=[both], add=[new])
    with tenant_scope(access.tenant_id):
        Filing.objects.create(
            tenant_id=access.tenant_id, document_id=refused, label_id=old, kind=TAG,
            state="refused", set_by="person",
        )  # fmt: skip
    flow = create_workflow(
        access=access,
        name="w",
        conditions={"tags": {"any": ["Rechng."]}},
        actions=[{"do": "add_tags", "tags": ["Rechng."]}],
    )
    uses = preview_merge(access=access, kind=TAG, label_ids=[new, old])
    assert [(use.name, use.documents, use.rules, use.workflows) for use in uses] == [
        ("Rechng.", 2, 1, 1),
        ("Rechnung", 1, 0, 0),
    ]
    assert merge_labels(access=access, kind=TAG, label_id=old, into_id=new) == 2
    for paper, state in ((only_old, "filed"), (both, "filed"), (refused, "refused")):
        assert stands(access, paper) == {"Rechnung": (state, "person")}
    with tenant_scope(access.tenant_id):
        rule.refresh_from_db()
        assert rule.label_id == new
        count = WordCount.objects.get(tenant_id=access.tenant_id, label_id=new, word="rechnung")
        assert count.documents == 2
        flow.refresh_from_db()
    assert (flow.conditions, flow.actions) == (
        {"tags": {"any": [str(new)]}},
        [{"do": "add_tags", "tags": [str(new)]}],
    )
    with pytest.raises(LabelNotFound, match="itself"):
        merge_labels(access=access, kind=TAG, label_id=new, into_id=new)


def test_rules_are_made_changed_and_removed_and_nonsense_is_refused(access: Access) -> None:
    tag = label(access, "a")
    rule = add_rule(access=access, kind=TAG, label_id=tag, rule_kind=RuleKind.ANY, pattern=" rech\0nung ")
    assert rule.pattern == "rech\ufffdnung"
    with pytest.raises(BadRule, match="no regular expression"):
        change_rule(access=access, kind=TAG, rule_id=rule.pk, rule_kind=RuleKind.REGEX, pattern="(")
    with pytest.raises(RuleNotFound):
        remove_rule(access=access, kind=SENDER, rule_id=rule.pk)
    with pytest.raises(LabelNotFound):
        add_rule(access=access, kind=SENDER, label_id=tag, rule_kind=RuleKind.ANY, pattern="x")
    change_rule(access=access, kind=TAG, rule_id=rule.pk, rule_kind=RuleKind.FUZZY, pattern="Rechnung")
    remove_rule(access=access, kind=TAG, rule_id=rule.pk)
    assert actions(access)[1:] == ["rule.added", "rule.changed", "rule.removed"]


def test_nothing_is_filed_in_a_tenant_that_is_not_active(access: Access) -> None:
    tag, paper = label(access, "a"), document(access)
    with tenant_scope(access.tenant_id):
        Tenant.objects.filter(pk=access.tenant_id).update(status="suspended")
    with pytest.raises(TenantNotActive):
        file_documents(access=access, document_ids=[paper], add=[tag])


def test_the_database_keeps_single_labels_single_and_kinds_true(access: Access) -> None:
    with tenant_scope(access.tenant_id):
        paper = DocumentFactory.create(tenant_id=access.tenant_id).pk
    one, two = label(access, "X", SENDER), label(access, "Y", SENDER)
    insert = (
        "INSERT INTO documents_filing (tenant_id, document_id, label_id, kind, state, set_by, because)"
        " VALUES (%s, %s, %s, %s, 'filed', 'rule', '[]')"
    )

    def write(*rows: tuple[uuid.UUID, str]) -> None:
        with tenant_scope(access.tenant_id), connections["default"].cursor() as cursor:
            for label_id, kind in rows:
                cursor.execute(insert, [access.tenant_id, paper, label_id, kind])

    with pytest.raises(Exception, match="documents_filing_single"):
        write((one, "correspondent"), (two, "correspondent"))
    with pytest.raises(Exception, match="documents_filing_label_id_tenant_fk"):
        write((one, "tag"))
