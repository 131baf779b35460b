"""The list of documents narrowed down by state, label and day, with and without a search; and as a grid."""

from datetime import date
from typing import Any

import pytest
from django.test import Client

from documents.models import Document
from tenants.models import Tenant
from tenants.scope import operator_scope
from tests.documents.test_admin import LIST, give_job, make_document, make_findable, titles
from tests.factories import TenantFactory
from tests.filing_factories import FilingFactory, LabelFactory
from tests.operators import explain, recorded, sign_in

VIEW = "documents.view_document"


@pytest.fixture
def tenant(db: None) -> Tenant:
    made: Tenant = TenantFactory.create(name="Kanzlei Weiß")
    return made


@pytest.fixture
def client(tenant: Tenant) -> Client:
    return sign_in(VIEW)


def file(document: Document, kind: str, name: str) -> str:
    """File a document under a new label and return the label's id."""
    with operator_scope():
        label = LabelFactory.create(tenant_id=document.tenant_id, kind=kind, name=name)
        FilingFactory.create(tenant_id=document.tenant_id, document=document, label=label)
    return str(label.pk)


def date_it(document: Document, issued: date) -> None:
    with operator_scope():
        Document.objects.filter(pk=document.pk).update(issued_at=issued)


@pytest.mark.parametrize("kind", ["tag", "correspondent", "type"])
def test_documents_are_found_by_what_they_are_filed_under(tenant: Tenant, client: Client, kind: str) -> None:
    document = make_document(tenant, "filed")
    make_document(tenant, "not filed")
    label = file(document, "document_type" if kind == "type" else kind, "Umsatzsteuer")
    assert titles(client, tenant=tenant.name, **{kind: label}) == ["filed"]
    page = client.get(LIST, {"tenant": tenant.name, kind: label}).content.decode()
    assert "Umsatzsteuer" in page


def test_labels_are_offered_once_a_tenant_is_chosen(tenant: Tenant, client: Client) -> None:
    file(make_document(tenant), "tag", "Umsatzsteuer")
    file(make_document(TenantFactory.create()), "tag", "of another")
    assert "Umsatzsteuer" not in client.get(LIST).content.decode()
    page = client.get(LIST, {"tenant": tenant.name}).content.decode()
    assert "Umsatzsteuer" in page
    assert "of another" not in page


@pytest.mark.parametrize("status", ["queued", "processing", "failed", "done"])
def test_documents_are_found_by_how_far_their_newest_analysis_is(
    tenant: Tenant, client: Client, status: str
) -> None:
    for each in ("queued", "processing", "failed", "done"):
        document = make_document(tenant, each)
        if each != "done":
            give_job(document, each)
    mended = make_document(tenant, "mended")
    give_job(mended, "failed")
    give_job(mended, "succeeded")
    found = titles(client, status=status)
    assert found == (["mended", "done"] if status == "done" else [status])
    assert titles(client, status=status, tenant=tenant.name) == found


def test_both_ends_of_a_range_of_days_are_included(tenant: Tenant, client: Client) -> None:
    for day in (1, 2, 3, 4):
        date_it(make_document(tenant, f"day {day}"), date(2026, 3, day))
    assert titles(client, issued_from="2026-03-02", issued_to="2026-03-03") == ["day 3", "day 2"]
    assert titles(client, added_to="2020-01-01") == []
    assert len(titles(client, added_from="2020-01-01")) == 4


@pytest.mark.parametrize(
    "query", ["issued_from=yesterday", "status=lost", "added_to=9999-12-31", "issued_to=2026-02-30"]
)
def test_nonsense_leads_back_to_the_list(client: Client, query: str) -> None:
    assert client.get(f"{LIST}?{query}").status_code == 302


def test_what_is_active_stands_above_the_list_and_can_be_taken_away(tenant: Tenant, client: Client) -> None:
    make_document(tenant)
    shown = client.get(LIST, {"tenant": tenant.name, "trash": "no", "issued_to": "", "look": "grid"})
    chips = shown.context["cl"].chips
    assert [(chip.title, chip.value) for chip in chips] == [
        ("tenant", "Kanzlei Weiß"),
        ("trash", "Not in the trash"),
    ]
    assert chips[0].without in ("?trash=no&look=grid", "?look=grid&trash=no")


def test_a_search_and_filters_hold_together(tenant: Tenant, client: Client) -> None:
    for name in ("both", "word only"):
        make_findable(make_document(tenant, name), "Fahrtkosten")
    with operator_scope():
        both = Document.objects.get(title="both")
    label = file(both, "tag", "Reise")
    file_only = make_document(tenant, "label only")
    with operator_scope():
        FilingFactory.create(tenant_id=tenant.pk, document=file_only, label_id=label, kind="tag")
    assert titles(client, tenant=tenant.name, tag=label, q="fahrtkosten") == ["both"]
    page = client.get(LIST, {"tenant": tenant.name, "tag": label, "q": "fahrtkosten"}).content.decode()
    assert "<mark>Fahrtkosten</mark>" in page


def test_the_grid_shows_the_same_and_keeps_its_look_on_the_next_page(
    tenant: Tenant, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("documents.admin.DocumentAdmin.list_per_page", 2)
    for number in range(3):
        make_document(tenant, f"paper <{number}>")
    shown = client.get(LIST, {"look": "grid"})
    page = shown.content.decode()
    assert 'class="grid"' in page
    assert "paper &lt;2&gt;" in page
    assert "look=grid" in shown.context["cl"].next_page
    assert 'class="grid"' not in client.get(LIST).content.decode()


def test_rare_labels_are_found_however_far_back(
    tenant: Tenant, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("documents.admin.DocumentAdmin.look_back", 2)
    label = file(make_document(tenant, "old"), "tag", "rare")
    for _ in range(4):
        make_document(tenant)
    assert titles(client, tenant=tenant.name, tag=label) == ["old"]


def test_what_no_index_finds_is_looked_for_a_stretch_at_a_time_within_the_tenant(
    tenant: Tenant, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("documents.admin.DocumentAdmin.look_back", 2)
    date_it(make_document(tenant, "old"), date(2020, 1, 1))
    make_document(tenant)
    for _ in range(4):
        make_document(TenantFactory.create())
    query: dict[str, Any] = {"tenant": tenant.name, "issued_to": "2021-01-01"}
    shown = client.get(LIST, query).context["cl"]
    assert [row.title for row in shown.result_list] == ["old"]


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("tenant=Kanzlei+Weiß&issued_to=2026-01-01", "documents_document_newest"),
        ("tenant=Kanzlei+Weiß&status=failed", "documents_document"),
        ("added_to=2026-01-01", "documents_document_added"),
    ],
)
def test_filtered_lists_are_read_in_the_order_of_an_index(tenant: Tenant, query: str, index: str) -> None:
    give_job(make_document(tenant), "failed")
    with recorded() as statements:
        sign_in(VIEW).get(f"{LIST}?{query}")
    (statement,) = [sql for sql in statements if "newest_analysis" in sql and "LIMIT 51" in sql]
    assert index in explain(statement)
