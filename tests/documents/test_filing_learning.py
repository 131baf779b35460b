"""What a tenant's own filing teaches, and how an analysis files."""

import io
import uuid
from collections.abc import Callable

import pytest

from documents.filing import LabelKind, RuleKind
from documents.models import Filing, LearnedDocument, MatchingRule, StepResult, WordCount
from documents.models.document import DocumentSource
from documents.services import StoredDocument, store_document
from documents.services.filing import choose_confidence, file_documents
from documents.services.labels import create_label
from documents.services.purge import finish_purge
from documents.services.rules import add_rule, change_rule
from jobs.models import Job
from tenants.access import Access, operator_access
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store
from tests.factories import DocumentVersionFactory, PageTextFactory, TenantFactory

pytestmark = pytest.mark.django_db(transaction=True)
Analyze = Callable[[StoredDocument], Job]
TAG, SENDER, TYPE = LabelKind.TAG, LabelKind.CORRESPONDENT, LabelKind.DOCUMENT_TYPE

POWER = "Stadtwerke Beispielstadt\ninfo@stadtwerke.example\nAbschlag für Strom und Gas im Monat {}"
PAPER = "Papierwerk Muster GmbH\nwww.papierwerk.example\nLieferung von Toner und Papier, Auftrag {}"


@pytest.fixture
def access(tenant: Tenant) -> Access:
    return operator_access(tenant.id)


def document(access: Access, text: str) -> uuid.UUID:
    with tenant_scope(access.tenant_id):
        version = DocumentVersionFactory.create(tenant_id=access.tenant_id)
        PageTextFactory.create(tenant_id=access.tenant_id, version=version, text=text)
        return uuid.UUID(str(version.document_id))


def label(access: Access, name: str, kind: LabelKind = TAG) -> uuid.UUID:
    return create_label(access=access, kind=kind, name=name).pk


def counts(access: Access) -> dict[tuple[str, str, uuid.UUID | None], int]:
    with tenant_scope(access.tenant_id):
        rows = WordCount.objects.filter(tenant_id=access.tenant_id)
        return {(row.kind, row.word, row.label_id): row.documents for row in rows}


def stands(access: Access, stored: StoredDocument) -> dict[str, tuple[str, str]]:
    with tenant_scope(access.tenant_id):
        rows = Filing.objects.filter(tenant_id=access.tenant_id, document_id=stored.document_id)
        return {row.label.name: (row.state, row.set_by) for row in rows.select_related("label")}


def teach(access: Access) -> tuple[uuid.UUID, uuid.UUID]:
    """File ten papers of two senders by hand."""
    power, paper = label(access, "Stadtwerke", SENDER), label(access, "Papierwerk", SENDER)
    for text, sender in ((POWER, power), (PAPER, paper)):
        ids = [document(access, text.format(number)) for number in range(5)]
        file_documents(access=access, document_ids=ids, add=[sender])
    return power, paper


def test_words_are_counted_when_a_person_files_and_taken_back_when_they_correct_it(access: Access) -> None:
    paper, wrong, right = document(access, "Strom im März"), label(access, "a"), label(access, "b")
    file_documents(access=access, document_ids=[paper], add=[wrong])
    assert counts(access)["tag", "strom", wrong] == counts(access)["tag", "strom", None] == 1
    file_documents(access=access, document_ids=[paper], add=[right], remove=[wrong])
    found = counts(access)
    assert ("tag", "strom", wrong) not in found
    assert found["tag", "strom", right] == found["tag", "", right] == found["tag", "", None] == 1


def test_what_was_counted_goes_with_its_document(access: Access) -> None:
    paper, tag = document(access, "Strom im März"), label(access, "a")
    file_documents(access=access, document_ids=[paper], add=[tag])
    with tenant_scope(access.tenant_id):
        finish_purge(tenant_id=access.tenant_id, document_id=paper)
        assert not LearnedDocument.objects.filter(tenant_id=access.tenant_id).exists()
        assert not Filing.objects.filter(tenant_id=access.tenant_id).exists()
    assert counts(access) == {}


def test_counts_are_what_counting_from_scratch_gives_whatever_was_filed_in_between(access: Access) -> None:
    tags = [label(access, name) for name in "abc"]
    papers = [document(access, text) for text in ("Strom", "Gas Strom", "Wasser")]
    for number in range(12):
        file_documents(
            access=access,
            document_ids=papers[: 1 + number % 3],
            add=[tags[number % 3]],
            remove=[tags[(number + 1) % 3]],
        )
    with tenant_scope(access.tenant_id):
        filed = {
            paper: set(
                Filing.objects.filter(
                    tenant_id=access.tenant_id, document_id=paper, state="filed"
                ).values_list("label_id", flat=True)
            )
            for paper in papers
        }
    texts = dict(zip(papers, ({"strom"}, {"gas", "strom"}, {"wasser"}), strict=True))
    for word in ("strom", "gas", "wasser"):
        for tag in tags:
            expected = sum(word in texts[paper] and tag in filed[paper] for paper in papers)
            assert counts(access).get(("tag", word, tag), 0) == expected, (word, tag)


def test_a_new_paper_is_suggested_its_sender_with_the_words_that_say_so(
    access: Access, store: Store, analyze: Analyze
) -> None:
    power, _ = teach(access)
    stored = store(POWER.format("Dezember 2025").encode())
    assert analyze(stored).status == "succeeded"
    with tenant_scope(access.tenant_id):
        row = Filing.objects.get(tenant_id=access.tenant_id, document_id=stored.document_id)
    assert (row.label_id, row.state, row.set_by) == (power, "suggested", "suggestion")
    assert row.confidence is not None
    assert row.confidence > 0.8
    assert "@stadtwerke.example" in row.because


def test_a_suggestion_is_filed_by_itself_from_the_confidence_the_tenant_sets(
    access: Access, store: Store, analyze: Analyze
) -> None:
    teach(access)
    choose_confidence(access=access, apply_above=0.75)
    stored = store(PAPER.format(99).encode())
    analyze(stored)
    assert stands(access, stored) == {"Papierwerk": ("filed", "suggestion")}
    learned = counts(access)["correspondent", "", None]
    assert learned == 10, "what nobody has looked at teaches nothing"


def test_no_tenant_learns_from_another(access: Access, store: Store, analyze: Analyze) -> None:
    teach(operator_access(TenantFactory.create().id))
    label(access, "Stadtwerke", SENDER)
    stored = store(POWER.format("Dezember 2025").encode())
    analyze(stored)
    assert stands(access, stored) == {}


def test_an_analysis_files_by_rules_and_passes_by_what_people_decided(
    access: Access, store: Store, analyze: Analyze
) -> None:
    power, other, bill = (
        label(access, "Stadtwerke", SENDER),
        label(access, "X", SENDER),
        label(access, "Abschlag"),
    )
    for kind, each, pattern in ((SENDER, power, "Stadtwerke"), (TAG, bill, "abschl*")):
        add_rule(access=access, kind=kind, label_id=each, rule_kind=RuleKind.ANY, pattern=pattern)
    decided, free = store(POWER.format(1).encode()), store(POWER.format(2).encode())
    file_documents(access=access, document_ids=[decided.document_id], add=[other, bill])
    file_documents(access=access, document_ids=[decided.document_id], remove=[bill])
    analyze(free)
    analyze(decided)
    assert stands(access, free) == {"Stadtwerke": ("filed", "rule"), "Abschlag": ("filed", "rule")}
    assert stands(access, decided) == {"X": ("filed", "person"), "Abschlag": ("removed", "person")}
    with tenant_scope(access.tenant_id):
        step = StepResult.objects.get(tenant_id=access.tenant_id, version_id=free.version_id, step="filing")
        row = Filing.objects.get(tenant_id=access.tenant_id, document_id=free.document_id, label_id=bill)
    assert (step.outcome, "'Stadtwerke' by rule" in step.message) == ("done", True)
    assert (row.because, row.rule_id is not None) == (["abschlag"], True)


def test_what_was_filed_before_it_was_read_is_counted_when_it_has_been(
    access: Access, store: Store, analyze: Analyze
) -> None:
    tag, stored = label(access, "a"), store(b"Strom")
    file_documents(access=access, document_ids=[stored.document_id], add=[tag])
    assert ("tag", "strom", tag) not in counts(access)
    analyze(stored)
    found = counts(access)
    assert found["tag", "strom", tag] == found["tag", "", tag] == 1


def test_a_rule_that_takes_too_long_rests_and_says_so_until_a_person_changes_it(
    access: Access, store: Store, analyze: Analyze
) -> None:
    tag = label(access, "a")
    bad = add_rule(access=access, kind=TAG, label_id=tag, rule_kind=RuleKind.REGEX, pattern=r"(x+x+)+y")
    add_rule(access=access, kind=TAG, label_id=label(access, "b"), rule_kind=RuleKind.ANY, pattern="ende")
    first, second = store(b"x" * 3000 + b" ende"), store(b"x" * 3001 + b" ende")
    assert analyze(first).status == "succeeded"
    analyze(second)
    for stored in (first, second):
        assert stands(access, stored) == {"b": ("filed", "rule")}
    with tenant_scope(access.tenant_id):
        bad = MatchingRule.objects.get(pk=bad.pk)
        stopped = AuditEvent.objects.filter(tenant_id=access.tenant_id, action="rule.stopped")
        assert [event.object_id for event in stopped] == [str(bad.pk)]
        steps = StepResult.objects.filter(tenant_id=access.tenant_id, step="filing").order_by("id")
        assert [f"rule {bad.pk} stopped" in step.message for step in steps] == [True, False]
    assert bad.stopped_at is not None
    assert "processor time" in bad.stopped_because
    changed = change_rule(access=access, kind=TAG, rule_id=bad.pk, rule_kind=RuleKind.REGEX, pattern="xyz")
    assert (changed.stopped_at, changed.stopped_because) == (None, "")


def test_two_tenants_file_the_same_bytes_each_by_their_own_rules(
    access: Access, store: Store, analyze: Analyze
) -> None:
    other = operator_access(TenantFactory.create().id)
    add_rule(access=access, kind=TAG, label_id=label(access, "a"), rule_kind=RuleKind.ANY, pattern="strom")
    label(other, "a")
    mine = store(b"Strom")
    theirs = store_document(
        tenant_id=other.tenant_id, stream=io.BytesIO(b"Strom"), filename="a.txt", source=DocumentSource.IMPORT
    )
    analyze(mine)
    analyze(theirs)
    assert (set(stands(access, mine)), set(stands(other, theirs))) == ({"a"}, set())
