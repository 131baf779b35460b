"""How a tenant wants its papers dated and named: set, tried, and what becomes of documents by it."""

import json
import uuid
from datetime import date
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from documents.errors import BadNamingSettings, BadTitleTemplate
from documents.filing import LabelKind
from documents.models import Document, NamingSettings
from documents.reading.messages import Facts, PageRead
from documents.services import StoredDocument
from documents.services.filing import file_documents
from documents.services.labels import create_label
from documents.services.naming import Naming, get_naming, preview_titles, set_naming
from documents.services.reanalyze import reanalyze_documents
from tenants.access import Access, operator_access
from tenants.errors import CapabilityDenied, TenantNotActive
from tenants.models import AuditEvent, Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.documents.conftest import Store
from tests.documents.e_invoices import EXPECTED
from tests.documents.test_reanalyze_parts import read_as, work_off
from tests.operators import sign_in

TEXT = "Musterhaus GmbH · Weg 3 · 12345 Ort\n\nRechnung Nr. 2024-17\nRechnungsdatum: 12.05.2024\nBetrag 99,00"
TEMPLATE = "{issued_date} {correspondent} {type} {number}"
TITLE = "2024-05-12 Musterhaus GmbH Rechnung 2024-17"
SETTINGS = "/admin/documents/namingsettings/"
EVERYTHING = (
    "documents.view_namingsettings",
    "documents.add_namingsettings",
    "documents.change_namingsettings",
    "documents.view_document",
)


@pytest.fixture
def stored(store: Store, monkeypatch: pytest.MonkeyPatch) -> StoredDocument:
    read_as(monkeypatch, Facts(1, "application/pdf"), PageRead(1, TEXT, "layer"))
    return store(b"%PDF-1.7 paper", "scan.pdf")


def say(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def title_of(tenant: Tenant) -> str:
    with tenant_scope(tenant.id):
        return Document.objects.get().title


def test_titles_follow_the_template_of_their_tenant(tenant: Tenant, stored: StoredDocument) -> None:
    set_naming(access=operator_access(tenant.id), title_template=TEMPLATE)
    work_off(tenant)
    assert title_of(tenant) == TITLE


def test_what_is_there_is_tried_first_and_follows_when_told(tenant: Tenant, stored: StoredDocument) -> None:
    work_off(tenant)
    assert title_of(tenant) == "Rechnung 2024-17"
    access = operator_access(tenant.id)
    (row,) = preview_titles(access=access, template=TEMPLATE)
    assert (row.document_id, row.title, row.becomes) == (stored.document_id, "Rechnung 2024-17", TITLE)
    assert title_of(tenant) == "Rechnung 2024-17"
    set_naming(access=access, title_template=TEMPLATE)
    reanalyze_documents(tenant_id=tenant.id, only=["titles"])
    work_off(tenant)
    assert title_of(tenant) == TITLE


def test_a_title_with_a_date_follows_when_a_person_sets_the_date(
    tenant: Tenant, stored: StoredDocument
) -> None:
    set_naming(access=operator_access(tenant.id), title_template=TEMPLATE)
    work_off(tenant)
    with tenant_scope(tenant.id):
        Document.objects.update(issued_at="2020-01-02", issued_source="manual")
    reanalyze_documents(tenant_id=tenant.id, force=False)
    work_off(tenant)
    assert title_of(tenant).startswith("2020-01-02 Musterhaus")


def test_a_correspondent_and_a_type_that_were_chosen_are_in_the_title(
    tenant: Tenant, stored: StoredDocument
) -> None:
    work_off(tenant)
    access = operator_access(tenant.id)
    set_naming(access=access, title_template="{correspondent}: {type} {number}")
    labels = [
        create_label(access=access, kind=kind, name=name).pk
        for kind, name in ((LabelKind.CORRESPONDENT, "Musterhaus"), (LabelKind.DOCUMENT_TYPE, "Beleg"))
    ]
    file_documents(access=access, document_ids=[stored.document_id], add=labels)
    reanalyze_documents(tenant_id=tenant.id, only=["titles"])
    work_off(tenant)
    assert title_of(tenant) == "Musterhaus: Beleg 2024-17"


def test_a_title_that_a_person_has_set_is_never_touched(tenant: Tenant, stored: StoredDocument) -> None:
    work_off(tenant)
    with tenant_scope(tenant.id):
        Document.objects.update(title="Mein", title_manually_set=True)
    set_naming(access=operator_access(tenant.id), title_template=TEMPLATE)
    (row,) = preview_titles(access=operator_access(tenant.id), template=TEMPLATE)
    assert row.becomes == "Mein"
    reanalyze_documents(tenant_id=tenant.id)
    work_off(tenant)
    assert title_of(tenant) == "Mein"


def test_an_invoice_is_named_by_the_facts_of_its_xml(
    tenant: Tenant, stored: StoredDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_naming(access=operator_access(tenant.id), title_template=TEMPLATE)
    read_as(monkeypatch, Facts(1, "application/xml", invoice=EXPECTED), PageRead(1, "RE-2026/0815", "layer"))
    work_off(tenant)
    assert title_of(tenant) == "2026-03-05 Größe & Söhne GmbH Rechnung RE-2026/0815"


def test_the_order_of_dates_is_the_tenants(
    tenant: Tenant, stored: StoredDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_naming(access=operator_access(tenant.id), date_order="MDY")
    read_as(monkeypatch, Facts(1, "application/pdf"), PageRead(1, "Invoice date 03/04/2024", "layer"))
    work_off(tenant)
    with tenant_scope(tenant.id):
        assert Document.objects.get().issued_at == date(2024, 3, 4)


def test_dates_in_file_names_win_where_the_tenant_says_so(
    tenant: Tenant, store: Store, stored: StoredDocument
) -> None:
    set_naming(access=operator_access(tenant.id), filename_order="YMD")
    store(b"%PDF-1.7 another", "2023-02-01 Brief.pdf")
    work_off(tenant)
    with tenant_scope(tenant.id):
        found = dict(Document.objects.values_list("issued_at", "issued_source"))
    assert found == {date(2024, 5, 12): "text", date(2023, 2, 1): "filename"}


def test_what_is_not_given_stays_and_changes_are_on_record(tenant: Tenant) -> None:
    access = operator_access(tenant.id)
    set_naming(access=access, title_template="{title}", date_order="MDY")
    assert set_naming(access=access, filename_order="YMD") == Naming("{title}", "MDY", "YMD")
    assert set_naming(access=access, searchable_pdfs=True).searchable_pdfs
    assert set_naming(access=access, title_template="", filename_order="") == Naming("", "MDY", "", True)
    set_naming(access=access, date_order="MDY")
    with operator_scope():
        events = AuditEvent.objects.filter(action="naming.changed", tenant_id=tenant.id)
        assert events.count() == 4
        assert "{title}" not in "".join(event.details for event in events)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"title_template": "{nothing}"}, BadTitleTemplate),
        ({"date_order": "DDMM"}, BadNamingSettings),
        ({"filename_order": "x"}, BadNamingSettings),
    ],
)
def test_nonsense_is_refused_and_nothing_is_stored(
    tenant: Tenant, values: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        set_naming(access=operator_access(tenant.id), **values)
    with tenant_scope(tenant.id):
        assert not NamingSettings.objects.exists()


def test_who_may_not_is_refused(tenant: Tenant) -> None:
    reader = Access(tenant.id, frozenset({"documents:read"}))
    with pytest.raises(CapabilityDenied):
        set_naming(access=reader, date_order="MDY")
    assert preview_titles(access=reader, template="{title}") == []
    with pytest.raises(CapabilityDenied):
        preview_titles(access=Access(tenant.id, frozenset()), template="{title}")
    with tenant_scope(tenant.id):
        Tenant.objects.update(status="suspended")
    with pytest.raises(TenantNotActive):
        set_naming(access=operator_access(tenant.id), date_order="MDY")


def test_the_command_shows_sets_and_tries(tenant: Tenant, stored: StoredDocument) -> None:
    work_off(tenant)
    assert "none, titles as they are found" in say("naming", tenant.name)
    tried = say("naming", tenant.name, "--title-template", TEMPLATE, "--preview")
    assert tried == f"Rechnung 2024-17 → {TITLE}\n"
    answer = json.loads(
        say("naming", tenant.name, "--title-template", TEMPLATE, "--filename-order", "YMD", "--json")
    )
    assert answer == {
        "title_template": TEMPLATE,
        "date_order": "DMY",
        "filename_order": "YMD",
        "searchable_pdfs": False,
    }
    assert "Searchable PDFs: of all scans" in say("naming", tenant.name, "--searchable-pdfs", "yes")
    assert "Searchable PDFs: on request" in say("naming", tenant.name, "--searchable-pdfs", "no")
    assert "only where the text has none" in say("naming", tenant.name, "--filename-order", "none")
    with pytest.raises(CommandError, match="There is no field"):
        say("naming", tenant.name, "--title-template", "{x}")
    with tenant_scope(tenant.id):
        assert get_naming(tenant.id).title_template == TEMPLATE


def test_an_operator_sets_a_template_and_sees_what_it_makes(tenant: Tenant, stored: StoredDocument) -> None:
    work_off(tenant)
    client = sign_in(*EVERYTHING)
    given = {"tenant": str(tenant.pk), "title_template": TEMPLATE, "date_order": "DMY", "filename_order": ""}
    assert client.post(f"{SETTINGS}add/", given).status_code == 302
    with operator_scope():
        row = NamingSettings.objects.get(tenant_id=tenant.pk)
    page = client.get(f"{SETTINGS}{row.pk}/change/").content.decode()
    assert TITLE in page
    assert reverse("admin:documents_document_change", args=[stored.document_id]) in page
    wrong = client.post(f"{SETTINGS}{row.pk}/change/", given | {"title_template": "{x}"})
    assert "The fields are: {issued_date}" in wrong.content.decode()
    german = sign_in(*EVERYTHING, language="de").get(f"{SETTINGS}{row.pk}/change/").content.decode()
    assert "Was die Vorlage aus den neuesten Dokumenten macht" in german
    assert client.post(f"{SETTINGS}{row.pk}/change/", given | {"searchable_pdfs": "on"}).status_code == 302
    with tenant_scope(tenant.id):
        assert get_naming(tenant.id).searchable_pdfs


def test_who_may_only_look_at_settings_changes_nothing(tenant: Tenant) -> None:
    set_naming(access=operator_access(tenant.id), date_order="MDY")
    with operator_scope():
        row = NamingSettings.objects.get(tenant_id=tenant.pk)
    client = sign_in("documents.view_namingsettings")
    address = f"{SETTINGS}{row.pk}/change/"
    assert client.get(address).status_code == 200
    assert client.post(address, {"date_order": "DMY"}).status_code == 403
    assert client.get(f"{SETTINGS}add/").status_code == 403
    assert sign_in("documents.view_document").get(SETTINGS).status_code == 403
    with tenant_scope(tenant.id):
        assert get_naming(tenant.id).date_order == "MDY"


def test_ids_in_a_preview_are_of_documents(tenant: Tenant, stored: StoredDocument) -> None:
    work_off(tenant)
    answer = json.loads(say("naming", tenant.name, "--preview", "--json"))
    assert uuid.UUID(answer["preview"][0]["id"]) == stored.document_id
