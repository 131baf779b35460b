"""Editing: what a person sets stays, is found at once, and is on record."""

import json
import threading
import uuid
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connections
from django.db.models.functions import Now
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents.errors import (
    BadIssuedDate,
    BadTitle,
    DocumentChanged,
    DocumentInTrash,
    DocumentNotFound,
    UnknownRetentionClass,
)
from documents.models import Document
from documents.search.results import search_documents
from documents.services import StoredDocument, analysis
from documents.services.edit import edit_document
from documents.services.trash import trash_documents
from jobs.models import Job
from tenants.access import Access, operator_access
from tenants.errors import CapabilityDenied, TenantNotActive
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store, claim, run_attempt
from tests.factories import TenantFactory

Analyze = Callable[[StoredDocument], Job]
LETTER = b"Rechnung Nr. 4711\n\nBerlin, den 12. Mai 2024\n\nWir berechnen Ihnen zwei Dachrinnen.\n"


def edit(tenant: Tenant, stored: StoredDocument, **changes: Any) -> Document:
    return edit_document(access=operator_access(tenant.id), document_id=stored.document_id, **changes)


def row(tenant: Tenant, stored: StoredDocument) -> Document:
    with tenant_scope(tenant.id):
        return Document.objects.get(pk=stored.document_id)


def found(tenant: Tenant, text: str) -> int:
    return len(search_documents(tenant_id=tenant.id, text=text).hits)


def last_event(tenant: Tenant) -> tuple[str, dict[str, Any]]:
    with tenant_scope(tenant.id):
        event = AuditEvent.objects.filter(tenant_id=tenant.id).latest("sequence")
    return event.action, json.loads(event.details)


def test_a_title_and_a_date_set_by_a_person_are_found_at_once_with_the_text_beside_them(
    store: Store, tenant: Tenant, analyze: Analyze
) -> None:
    stored = store(LETTER, "brief.txt")
    analyze(stored)
    edit(tenant, stored, title="Dachdecker Klempnerarbeiten", issued_at=date(2023, 2, 1))
    assert found(tenant, "klempnerarbeiten") == found(tenant, "dachrinnen") == 1
    assert found(tenant, "klempnerarbeiten date:2023-02") == 1
    assert found(tenant, "klempnerarbeiten date:2024-05") == 0
    assert analyze(stored).status == "succeeded"
    assert found(tenant, "klempnerarbeiten") == found(tenant, "dachrinnen") == 1


def test_what_a_person_has_set_is_never_touched_by_an_analysis_again(
    store: Store, tenant: Tenant, analyze: Analyze
) -> None:
    stored = store(LETTER, "brief.txt")
    edit(tenant, stored, title="Von Hand", issued_at=None)
    analyze(stored)
    document = row(tenant, stored)
    assert (document.title, document.issued_at, document.issued_source) == ("Von Hand", None, "manual")
    assert document.issued_candidates, "what the analysis found is offered all the same"


def test_what_is_not_given_stays_to_the_analysis(store: Store, tenant: Tenant, analyze: Analyze) -> None:
    stored = store(LETTER, "brief.txt")
    edit(tenant, stored, title="Von Hand")
    analyze(stored)
    assert row(tenant, stored).issued_at == date(2024, 5, 12)


def test_the_trail_says_what_changed_and_repeats_no_title(store: Store, tenant: Tenant) -> None:
    stored = store(LETTER, "brief.txt")
    edit(tenant, stored, title="Geheimer Titel", issued_at=date(2020, 1, 2))
    action, details = last_event(tenant)
    assert action == "document.edited"
    assert (details["issued_at_before"], details["issued_at_after"]) == (None, "2020-01-02")
    assert len(details["title_before"]) == len(details["title_after"]) == 64
    assert "Geheimer" not in json.dumps(details)


def test_an_edit_that_changes_nothing_leaves_no_event_and_no_job(
    store: Store, tenant: Tenant, analyze: Analyze
) -> None:
    stored = store(LETTER, "brief.txt")
    analyze(stored)
    edit(tenant, stored, title="Eins")
    analyze(stored)
    before = row(tenant, stored).updated_at
    assert edit(tenant, stored, title=" Eins ").updated_at == before
    with tenant_scope(tenant.id):
        assert AuditEvent.objects.filter(action="document.edited").count() == 1
        assert not Job.objects.filter(status="queued").exists()


def test_a_later_date_lengthens_retention_and_an_earlier_one_does_not_shorten_it(
    store: Store, tenant: Tenant
) -> None:
    stored = store(LETTER, "brief.txt")
    first = edit(tenant, stored, retention_class="vouchers").retain_until
    ahead = row(tenant, stored).created_at.date() + timedelta(days=366)
    later = edit(tenant, stored, issued_at=ahead).retain_until
    assert first is not None
    assert later is not None
    assert later > first
    assert edit(tenant, stored, issued_at=date(2001, 1, 1)).retain_until == later
    assert edit(tenant, stored, retention_class="letters").retain_until == later


@pytest.mark.parametrize("title", ["", " \n\t ", "\0", "\u200f", "x" * 256])
def test_a_title_that_cannot_be_is_refused_with_words(store: Store, tenant: Tenant, title: str) -> None:
    with pytest.raises(BadTitle, match="title has"):
        edit(tenant, store(), title=title)


def test_text_that_no_database_takes_is_cleaned(store: Store, tenant: Tenant) -> None:
    assert edit(tenant, store(), title="Ein\0 \ud800 Ti\r\ntel").title == "Ein \ufffd Ti tel"


def test_a_date_far_ahead_is_refused_since_it_would_bind_the_paper_for_good(
    store: Store, tenant: Tenant
) -> None:
    stored = store()
    with pytest.raises(BadIssuedDate, match="3024-05-12"):
        edit(tenant, stored, issued_at=date(3024, 5, 12))
    assert edit(tenant, stored, issued_at=date(1650, 1, 1)).issued_at == date(1650, 1, 1)


def test_a_document_in_the_trash_or_on_its_way_out_is_not_edited(store: Store, tenant: Tenant) -> None:
    stored = store()
    trash_documents(access=operator_access(tenant.id), document_ids=[stored.document_id])
    with pytest.raises(DocumentInTrash, match="restore it"):
        edit(tenant, stored, title="Neu")
    with tenant_scope(tenant.id):
        Document.objects.update(purging_at=Now())
    with pytest.raises(DocumentInTrash, match="being purged"):
        edit(tenant, stored, title="Neu")


def test_a_tenant_that_is_not_active_is_not_edited(store: Store, tenant: Tenant) -> None:
    stored = store()
    with tenant_scope(tenant.id):
        Tenant.objects.filter(pk=tenant.pk).update(status="suspended")
    with pytest.raises(TenantNotActive, match="suspended"):
        edit(tenant, stored, title="Neu")


def test_whoever_looked_at_an_older_state_is_told_so(store: Store, tenant: Tenant) -> None:
    stored = store()
    seen = row(tenant, stored).updated_at
    edited = edit(tenant, stored, title="Eins", expected=seen)
    with pytest.raises(DocumentChanged):
        edit(tenant, stored, title="Zwei", expected=seen)
    assert edit(tenant, stored, title="Zwei", expected=edited.updated_at).title == "Zwei"


def test_nobody_edits_a_document_of_another_tenant(store: Store, tenant: Tenant) -> None:
    stored, other = store(), TenantFactory.create()
    for document_id in (stored.document_id, uuid.uuid4()):
        with pytest.raises(DocumentNotFound) as refused:
            edit_document(access=operator_access(other.id), document_id=document_id, title="Meins")
        assert str(refused.value) == "The tenant has no such document."
    assert row(tenant, stored).title != "Meins"
    with tenant_scope(other.id):
        assert not Job.objects.exists()


def test_editing_needs_its_capability_and_the_class_one_more(store: Store, tenant: Tenant) -> None:
    stored = store()

    def attempt(*held: str, **changes: Any) -> Document:
        access = Access(tenant.id, frozenset(held))
        return edit_document(access=access, document_id=stored.document_id, **changes)

    with pytest.raises(CapabilityDenied, match="documents:edit"):
        attempt("documents:read", "documents:write", title="Neu")
    with pytest.raises(CapabilityDenied, match="documents:write"):
        attempt("documents:edit", retention_class="books")
    with pytest.raises(UnknownRetentionClass, match="vouchers"):
        attempt("documents:edit", "documents:write", retention_class="Akten")
    assert attempt("documents:edit", title="Neu").title == "Neu"


@given(
    titles=st.lists(st.sampled_from(["Eins", "Zwei", "Drei"]), min_size=1, max_size=4),
    dates=st.lists(st.none() | st.dates(date(1900, 1, 1), date(2024, 12, 31)), min_size=1, max_size=4),
)
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_change_is_on_record_and_the_records_lead_to_what_is_there(
    store: Store, tenant: Tenant, titles: list[str], dates: list[date | None]
) -> None:
    stored = store(uuid.uuid4().bytes)
    for title, issued in zip(titles, dates, strict=False):
        edit(tenant, stored, title=title, issued_at=issued)
    with tenant_scope(tenant.id):
        events = AuditEvent.objects.filter(action="document.edited", object_id=str(stored.document_id))
        details = [json.loads(event.details) for event in events.order_by("sequence")]
    seen: dict[str, Any] = {}
    for one in details:
        assert one
        for name in (key.removesuffix("_after") for key in one if key.endswith("_after")):
            assert seen.get(name, one[f"{name}_before"]) == one[f"{name}_before"]
            seen[name] = one[f"{name}_after"]
    document = row(tenant, stored)
    assert seen.get("issued_at") == (document.issued_at.isoformat() if document.issued_at else None)
    assert seen["title_manually_set"] is True


@pytest.mark.django_db(transaction=True)
def test_a_person_who_edits_while_the_analysis_runs_wins(
    store: Store, tenant: Tenant, reader_requests: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The edit comes after the pages were read, and before their effects are written."""
    stored = store(LETTER, "brief.txt")
    with tenant_scope(tenant.id):
        attempt = claim(Job.objects.get(document_id=stored.document_id))
    written = analysis.write_analysis

    def write(**arguments: Any) -> bool:
        # Within finishing(): the edit of another connection comes in between, as its lock allows.
        def elsewhere() -> None:
            edit(tenant, stored, title="Von Hand", issued_at=date(2019, 9, 9))
            connections.close_all()

        person = threading.Thread(target=elsewhere)
        person.start()
        person.join(20)
        assert not person.is_alive()
        return written(**arguments)

    monkeypatch.setattr("documents.handlers.write_analysis", write)
    run_attempt(attempt, reader_requests)
    document = row(tenant, stored)
    assert (document.title, document.issued_at) == ("Von Hand", date(2019, 9, 9))
    assert document.analyzed_by == attempt.id
    with tenant_scope(tenant.id):
        assert Job.objects.filter(status="queued", type="analyze-document").count() == 1
    assert found(tenant, '"von hand"') == found(tenant, "dachrinnen") == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_who_looked_at_the_same_state_one_is_refused(store: Store, tenant: Tenant) -> None:
    stored = store()
    seen = row(tenant, stored).updated_at
    outcomes: list[str] = []
    barrier = threading.Barrier(2)

    def person(title: str) -> None:
        barrier.wait(10)
        try:
            edit(tenant, stored, title=title, expected=seen)
            outcomes.append("saved")
        except DocumentChanged:
            outcomes.append("refused")
        finally:
            connections.close_all()

    people = [threading.Thread(target=person, args=(title,)) for title in ("Eins", "Zwei")]
    for one in people:
        one.start()
    for one in people:
        one.join(20)
    assert sorted(outcomes) == ["refused", "saved"]
