"""What a search finds by where documents are filed, what they have, and when they were issued and stored."""

import uuid
from datetime import UTC, date, datetime

import pytest

from documents.models import Document
from documents.search.base import Entry
from documents.search.engine import get_search
from documents.search.joined import fold_for_index
from documents.search.results import search_documents
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.engines import EngineUnderTest, work_off
from tests.factories import (
    DocumentFactory,
    DocumentVersionFactory,
    MailAttachmentFactory,
    PageTextFactory,
    TenantFactory,
)
from tests.filing_factories import FilingFactory, LabelFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant(engine: EngineUnderTest) -> Tenant:
    return engine.tenant(timezone="Europe/Berlin")


def store(tenant: Tenant, title: str, text: str = "papier", *, issued_at: date | None = None) -> uuid.UUID:
    with tenant_scope(tenant.id):
        document = DocumentFactory.create(tenant=tenant, title=title, issued_at=issued_at)
        version = DocumentVersionFactory.create(document=document, tenant_id=tenant.id, filename="")
        PageTextFactory.create(tenant_id=tenant.id, version=version, page=1, text=text)
        entry = Entry(tenant.id, document.pk, title, "", fold_for_index(text), issued_at)
        get_search().upsert(entry)
    work_off(tenant)
    found: uuid.UUID = document.pk
    return found


def file(tenant: Tenant, document: uuid.UUID, kind: str, name: str, state: str = "filed") -> None:
    with tenant_scope(tenant.id):
        known = LabelFactory._meta.model.objects.filter(tenant_id=tenant.id, kind=kind, name=name).first()
        label = known or LabelFactory.create(tenant_id=tenant.id, kind=kind, name=name)
        FilingFactory.create(
            tenant_id=tenant.id, document_id=document, document=None, label=label, state=state
        )


def titles(tenant: Tenant, text: str) -> set[str]:
    return {hit.document.title for hit in search_documents(tenant_id=tenant.id, text=text, limit=50).hits}


@pytest.fixture
def filed(tenant: Tenant) -> Tenant:
    """Four documents: a with everything, b with another tag, c with a tag that is only suggested, d bare."""
    a, b, c, _ = (store(tenant, name) for name in "abcd")
    file(tenant, a, "tag", "Steuer")
    file(tenant, a, "correspondent", "Stadtwerke Müllheim")
    file(tenant, a, "document_type", "Rechnung")
    file(tenant, b, "tag", "Steuerberater")
    file(tenant, c, "tag", "Steuer", state="suggested")
    return tenant


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tag:steuer", "a"),
        ("tag:STEUER papier", "a"),
        ("tag:steu", "ab"),
        ("-tag:steuer", "bcd"),
        ("tag:steuer OR tag:steuerberater", "ab"),
        ("tag:steuer tag:steuerberater", ""),
        ("from:müllheim", "a"),
        ("von:stadtwerke", "a"),
        ('from:"Stadtwerke Mullheim"', "a"),
        ("type:rechnung", "a"),
        ("type:rechnung -tag:steuer", ""),
        ("has:tag", "ab"),
        ("-has:tag papier", "cd"),
        ("has:from has:type", "a"),
        ("title:b OR tag:steuer", "ab"),
        ("mahnung OR tag:steuer", "a"),
        ("tag:unknown", ""),
        ("-tag:unknown", "abcd"),
        ("has:date", ""),
        ("-has:date", "abcd"),
        ("has:hold", ""),
    ],
)
def test_a_document_is_found_by_where_it_is_filed(filed: Tenant, text: str, found: str) -> None:
    assert titles(filed, text) == set(found)


def test_a_name_that_nobody_has_is_said(filed: Tenant) -> None:
    (note,) = search_documents(tenant_id=filed.id, text="tag:unknown").notes
    assert "There is no tag whose name begins with" in note


def test_labels_of_another_tenant_are_no_labels(filed: Tenant) -> None:
    other = TenantFactory.create()
    store(other, "theirs")
    assert titles(other, "tag:steuer") == set()
    assert search_documents(tenant_id=other.id, text="tag:steuer").notes


def test_a_document_is_found_by_a_hold_and_by_its_attachments(tenant: Tenant) -> None:
    held, mail, attachment = store(tenant, "held"), store(tenant, "mail"), store(tenant, "attachment")
    with tenant_scope(tenant.id):
        Document.objects.filter(pk=held).update(legal_hold=True)
        MailAttachmentFactory.create(
            tenant_id=tenant.id, mail_id=mail, mail=None, document_id=attachment, document=None
        )
    assert titles(tenant, "has:hold") == {"held"}
    assert titles(tenant, "hat:anhang") == {"mail"}


EDGES = [
    date(2023, 12, 31), date(2024, 1, 1), date(2024, 2, 29), date(2024, 3, 31), date(2024, 4, 1),
    date.min, date.max,
]  # fmt: skip


@pytest.mark.parametrize(
    ("span", "first", "last"),
    [
        ("2024", date(2024, 1, 1), date(2024, 12, 31)),
        ("2024-01..2024-03", date(2024, 1, 1), date(2024, 3, 31)),
        ("2024-Q1", date(2024, 1, 1), date(2024, 3, 31)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("2024-02-29", date(2024, 2, 29), date(2024, 2, 29)),
        ("29.2.2024", date(2024, 2, 29), date(2024, 2, 29)),
        (">2024-02", date(2024, 3, 1), date.max),
        (">=2024-02-29", date(2024, 2, 29), date.max),
        ("<2024", date.min, date(2023, 12, 31)),
        ("<=2024-01-01", date.min, date(2024, 1, 1)),
        ("0001..9999", date.min, date.max),
    ],
)
def test_a_range_is_right_at_every_edge(tenant: Tenant, span: str, first: date, last: date) -> None:
    for day in EDGES:
        store(tenant, day.isoformat(), issued_at=day)
    store(tenant, "without")
    inside = {day.isoformat() for day in EDGES if first <= day <= last}
    assert titles(tenant, f"date:{span}") == inside
    assert titles(tenant, f"-date:{span}") == {day.isoformat() for day in EDGES} - inside | {"without"}


def test_days_of_storing_begin_and_end_in_the_zone_of_the_tenant(tenant: Tenant) -> None:
    moments = {
        "before": datetime(2024, 3, 30, 22, 59, 59, tzinfo=UTC),  # 23:59:59 in Berlin
        "first": datetime(2024, 3, 30, 23, 0, tzinfo=UTC),
        "last": datetime(2024, 3, 31, 21, 59, 59, tzinfo=UTC),  # summer time has begun that day
        "after": datetime(2024, 3, 31, 22, 0, tzinfo=UTC),
    }
    for title, moment in moments.items():
        document = store(tenant, title)
        with tenant_scope(tenant.id):
            Document.objects.filter(pk=document).update(created_at=moment)
            get_search().upsert(Entry(tenant.id, document, title, "", "", None))
        work_off(tenant)
    assert titles(tenant, "added:2024-03-31") == {"first", "last"}
    assert titles(tenant, "added:<2024-03-31") == {"before"}
    assert titles(tenant, "added:>2024-03-31") == {"after"}
    assert titles(tenant, "added:..2024-03-31") == {"before", "first", "last"}


def test_what_was_stored_today_was_stored_today(tenant: Tenant) -> None:
    store(tenant, "new")
    assert titles(tenant, "added:today") == {"new"}
    assert titles(tenant, "added:>today") == set()
