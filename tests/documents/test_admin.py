"""The pages of documents, as operators meet them."""

import hashlib
import uuid
from typing import Any, BinaryIO, ClassVar

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from psycopg.pq import TransactionStatus
from pytest_django import Settings

from documents.models import Asset, Document, DocumentVersion
from documents.search.base import Entry
from documents.search.engine import get_search
from documents.search.words import fold
from documents.vault import LocalVault, get_vault
from tenants.models import AuditEvent, Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.factories import (
    AssetFactory,
    DocumentVersionFactory,
    JobFactory,
    PageTextFactory,
    StepResultFactory,
    TenantFactory,
)
from tests.operators import counting, explain, recorded, sign_in

LIST = "/admin/documents/document/"
PICTURE = b"RIFF....WEBP"


@pytest.fixture
def tenant(db: None) -> Tenant:
    made: Tenant = TenantFactory.create(name="Kanzlei Weiß")
    return made


def make_document(tenant: Tenant, title: str = "Rechnung", **version: Any) -> Document:
    with operator_scope():
        made: DocumentVersion = DocumentVersionFactory.create(
            tenant_id=tenant.pk, document__title=title, pages=3, **version
        )
        return Document.objects.select_related("tenant").get(pk=made.document_id)


def newest_version(document: Document) -> DocumentVersion:
    with operator_scope():
        return DocumentVersion.objects.get(document_id=document.pk)


def put(path: str, data: bytes) -> None:
    with get_vault().stage() as staged:
        staged.write(data)
        staged.seal()
        get_vault().place(staged, path)


def give_thumbnail(document: Document) -> Asset:
    version = newest_version(document)
    with operator_scope():
        asset: Asset = AssetFactory.create(tenant_id=document.tenant_id, version=version, job_id=7)
    put(asset.vault_path, PICTURE)
    return asset


def give_job(document: Document, status: str) -> None:
    with operator_scope():
        JobFactory.create(
            tenant_id=document.tenant_id,
            document_id=document.pk,
            type="analyze-document",
            status=status,
        )


def make_findable(document: Document, text: str) -> None:
    with tenant_scope(document.tenant_id):
        PageTextFactory.create(
            tenant_id=document.tenant_id, version=newest_version(document), page=1, text=text
        )
        entry = Entry(
            tenant_id=document.tenant_id,
            document_id=document.pk,
            title=document.title,
            filename="paper.pdf",
            words=fold(text),
            issued_at=None,
        )
        get_search().upsert(entry)


def titles(client: Client, **parameters: str) -> list[str]:
    response = client.get(LIST, parameters)
    assert response.status_code == 200
    return [document.title for document in response.context["cl"].result_list]


def test_documents_of_all_tenants_are_listed_newest_first(tenant: Tenant) -> None:
    make_document(tenant, "first")
    make_document(TenantFactory.create(), "second")
    client = sign_in("documents.view_document")
    assert titles(client) == ["second", "first"]
    assert titles(client, tenant="Kanzlei Weiß") == ["first"]


@pytest.mark.parametrize(
    ("statuses", "shown"),
    [
        ([], "done"),
        (["queued"], "queued"),
        (["succeeded", "processing"], "processing"),
        (["succeeded", "failed"], "failed"),
        (["failed", "succeeded"], "done"),
    ],
)
def test_the_status_of_a_document_is_that_of_its_newest_analysis(
    tenant: Tenant, statuses: list[str], shown: str
) -> None:
    document = make_document(tenant)
    for status in statuses:
        give_job(document, status)
    page = sign_in("documents.view_document").get(LIST).content.decode()
    assert f'<span class="state state-{shown}">' in page


def test_a_document_shows_its_picture_its_text_by_page_and_its_steps(tenant: Tenant) -> None:
    document = make_document(tenant, "Mietvertrag")
    asset = give_thumbnail(document)
    version = newest_version(document)
    with operator_scope():
        for number in range(1, 13):
            PageTextFactory.create(
                tenant_id=tenant.pk, version=version, page=number, text=f"<Seite {number}>", source="ocr"
            )
        StepResultFactory.create(tenant_id=tenant.pk, version=version, message="all by OCR", seconds=1.25)
    client = sign_in("documents.view_document")
    page = client.get(f"{LIST}{document.pk}/change/").content.decode()
    assert f"{document.pk}/thumbnail/{asset.job_id}/" in page
    assert "&lt;Seite 1&gt;" in page
    assert "&lt;Seite 10&gt;" in page
    assert "&lt;Seite 11&gt;" not in page
    assert "all by OCR" in page
    assert version.content_hash in page
    later = client.get(f"{LIST}{document.pk}/change/", {"page": "11"}).content.decode()
    assert "&lt;Seite 12&gt;" in later
    assert "&lt;Seite 10&gt;" not in later


def test_a_document_without_a_file_read_yet_can_be_looked_at(tenant: Tenant) -> None:
    document = make_document(tenant)
    page = sign_in("documents.view_document").get(f"{LIST}{document.pk}/change/?page=x").content.decode()
    assert "No text has been read." in page
    assert "No picture" in page


def test_a_thumbnail_is_sent_as_a_file_that_runs_nothing(tenant: Tenant) -> None:
    document = make_document(tenant)
    give_thumbnail(document)
    response = sign_in("documents.view_document").get(f"{LIST}{document.pk}/thumbnail/7/")
    assert response.getvalue() == PICTURE
    assert response.headers["Content-Type"] == "image/webp"
    assert response.headers["Content-Disposition"].startswith("attachment")
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert "private" in response.headers["Cache-Control"]


def test_an_original_is_sent_under_its_name_after_its_hash_was_compared(tenant: Tenant) -> None:
    digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"  # of b"test"
    document = make_document(tenant, content_hash=digest, filename="Rechnung März.pdf")
    put(newest_version(document).vault_path, b"test")
    response = sign_in("documents.view_document").get(f"{LIST}{document.pk}/original/")
    assert response.getvalue() == b"test"
    assert "Rechnung%20M%C3%A4rz.pdf" in response.headers["Content-Disposition"]
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


@pytest.mark.parametrize("address", ["thumbnail/7/", "thumbnail/8/", "original/"])
def test_files_that_are_not_there_are_not_found(tenant: Tenant, address: str) -> None:
    document = make_document(tenant)
    client = sign_in("documents.view_document")
    if address != "original/":  # a document whose file is not there is damaged, see below
        assert client.get(f"{LIST}{document.pk}/{address}").status_code == 404
    assert client.get(f"{LIST}{uuid.uuid4()}/{address}").status_code == 404


@pytest.mark.parametrize("address", ["", "change/", "thumbnail/7/", "original/"])
def test_who_may_not_see_documents_gets_neither_pages_nor_files(tenant: Tenant, address: str) -> None:
    document = make_document(tenant)
    give_thumbnail(document)
    target = f"{LIST}{document.pk}/{address}" if address else LIST
    assert sign_in("jobs.view_job").get(target).status_code == 403


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("data", "words"), [(None, "not in the vault"), (b"other", "are not those")])
def test_a_damaged_file_is_not_handed_out_and_a_page_says_so(data: bytes | None, words: str) -> None:
    document = make_document(TenantFactory.create(), content_hash=hashlib.sha256(PICTURE).hexdigest())
    path = newest_version(document).vault_path
    if data is not None:
        put(path, data)
    client = sign_in("documents.view_document", "documents.view_vaultfinding")
    for times in (1, 2):
        response = client.get(f"{LIST}{document.pk}/original/")
        assert response.status_code == 409
        page = response.content.decode()
        assert words in page
        assert f"{LIST}{document.pk}/change/" in page
        with tenant_scope(document.tenant_id):
            events = AuditEvent.objects.filter(tenant_id=document.tenant_id).order_by("sequence")
            actions = [event.action for event in events]
        assert actions == ["vault.damage_found", *["document.download_refused"] * times]
    assert path in client.get("/admin/documents/vaultfinding/").content.decode()


def test_a_changed_thumbnail_is_not_shown(tenant: Tenant) -> None:
    document = make_document(tenant)
    asset = give_thumbnail(document)
    with operator_scope():
        Asset.objects.filter(pk=asset.pk).update(content_hash="0" * 64)
    response = sign_in("documents.view_document").get(f"{LIST}{document.pk}/thumbnail/{asset.job_id}/")
    assert response.status_code == 404


def test_the_trash_is_a_filter_of_the_list_and_marked_in_it(tenant: Tenant) -> None:
    make_document(tenant, "kept")
    trashed = make_document(tenant, "thrown away")
    with operator_scope():
        Document.objects.filter(pk=trashed.pk).update(trashed_at=Now())
    client = sign_in("documents.view_document")
    assert titles(client) == ["thrown away", "kept"]
    assert titles(client, trash="yes") == ["thrown away"]
    assert titles(client, trash="no", tenant=str(tenant.pk)) == ["kept"]
    assert "in the trash" in client.get(LIST).content.decode()
    assert client.get(LIST, {"trash": "x"}).status_code == 302


class WatchedVault(LocalVault):
    """A vault that notes whether a transaction was open when a file was."""

    in_transaction: ClassVar[list[bool]] = []

    def open(self, path: str) -> BinaryIO:
        self.in_transaction.append(connection.in_atomic_block)
        return super().open(path)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("address", ["thumbnail/7/", "original/"])
def test_no_transaction_is_open_while_a_file_is_read_and_sent(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, address: str
) -> None:
    document = make_document(TenantFactory.create(), content_hash=hashlib.sha256(PICTURE).hexdigest())
    give_thumbnail(document)
    put(newest_version(document).vault_path, PICTURE)
    for module in ("documents.admin_files", "documents.services.download"):
        monkeypatch.setattr(
            f"{module}.get_vault", lambda: WatchedVault(settings.STORAGES["vault"]["OPTIONS"]["location"])
        )
    WatchedVault.in_transaction.clear()
    response = sign_in("documents.view_document").get(f"{LIST}{document.pk}/{address}")
    assert WatchedVault.in_transaction == [False]
    connection.ensure_connection()
    assert connection.connection.info.transaction_status == TransactionStatus.IDLE
    assert response.getvalue() == PICTURE


def test_a_search_asks_for_a_tenant_first(tenant: Tenant) -> None:
    make_findable(make_document(tenant), "Fahrtkosten")
    client = sign_in("documents.view_document")
    response = client.get(LIST, {"q": "fahrtkosten"})
    assert list(response.context["cl"].result_list) == []
    assert "Texts are searched in one tenant at a time" in response.content.decode()


def test_a_search_goes_through_the_texts_of_one_tenant_and_marks_what_it_found(tenant: Tenant) -> None:
    make_findable(make_document(tenant, "ours"), "Beratung und Fahrtkosten <netto>")
    make_findable(make_document(TenantFactory.create(), "theirs"), "Fahrtkosten")
    client = sign_in("documents.view_document")
    assert titles(client, q="fahrtkosten", tenant="Kanzlei Weiß") == ["ours"]
    page = client.get(LIST, {"q": "fahrtkosten", "tenant": "Kanzlei Weiß"}).content.decode()
    assert "<mark>Fahrtkosten</mark> &lt;netto&gt;" in page


def test_a_search_pages_through_its_hits(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("documents.admin.DocumentAdmin.list_per_page", 2)
    for number in range(5):
        make_findable(make_document(tenant, f"paper {number}"), "Fahrtkosten")
    client = sign_in("documents.view_document")
    seen, query = [], f"?q=fahrtkosten&tenant={tenant.pk}"
    while query:
        page = client.get(LIST + query).context["cl"]
        seen += [document.title for document in page.result_list]
        query = page.next_page
    assert sorted(seen) == [f"paper {number}" for number in range(5)]


@pytest.mark.parametrize("text", ["'", '"', "((", "a:*b | & !", "\\", "date:x", "%", "-"])
def test_no_search_is_an_error(tenant: Tenant, text: str) -> None:
    client = sign_in("documents.view_document")
    assert client.get(LIST, {"q": text, "tenant": str(tenant.pk)}).status_code == 200


@pytest.mark.parametrize("after", ["[-1]", "[1001]", "[1,2]", "x", '["a"]'])
def test_nonsense_about_the_place_in_a_search_leads_back_to_the_list(tenant: Tenant, after: str) -> None:
    client = sign_in("documents.view_document")
    response = client.get(LIST, {"q": "a", "tenant": str(tenant.pk), "after": after})
    assert response.status_code == 302


def test_documents_are_neither_added_changed_nor_deleted_by_hand(tenant: Tenant) -> None:
    document = make_document(tenant)
    client = sign_in(superuser=True)
    assert client.get(f"{LIST}add/").status_code == 403
    assert client.post(f"{LIST}{document.pk}/change/", {"title": "x"}).status_code == 403
    assert client.post(f"{LIST}{document.pk}/delete/", {"post": "yes"}).status_code == 403


def test_no_page_of_documents_counts_rows_and_more_rows_cost_no_more_statements(tenant: Tenant) -> None:
    def fill(number: int, tenant: Tenant) -> None:
        for _ in range(number):
            document = make_document(tenant)
            give_job(document, "succeeded")
            give_thumbnail(document)
            make_findable(document, "Fahrtkosten")

    fill(2, tenant)
    page = _page_of_some_document(tenant)
    addresses = [LIST, f"{LIST}?tenant={tenant.pk}", f"{LIST}?tenant={tenant.pk}&q=fahrtkosten", page]
    before = [_measure(address) for address in addresses]
    fill(10, tenant)
    fill(3, TenantFactory.create())
    assert [_measure(address) for address in addresses] == before


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("", "documents_document_added"),
        ('after=["2026-01-01T00:00:00Z","00000000-0000-0000-0000-000000000001"]', "documents_document_added"),
        ("tenant=Kanzlei+Weiß", "documents_document_newest"),
        ("trash=yes", "documents_document_trashed"),
        ("trash=yes&tenant=Kanzlei+Weiß", "documents_document_trash"),
    ],
)
def test_the_list_of_documents_is_read_in_the_order_of_an_index(
    tenant: Tenant, query: str, index: str
) -> None:
    with recorded() as statements:
        sign_in("documents.view_document").get(f"{LIST}?{query}")
    (statement,) = [sql for sql in statements if "newest_analysis" in sql and "LIMIT 51" in sql]
    plan = explain(statement)
    assert index in plan
    assert "jobs_job_document" in plan


def _page_of_some_document(tenant: Tenant) -> str:
    with operator_scope():
        document = Document.objects.filter(tenant_id=tenant.pk).earliest("created_at")
    return f"{LIST}{document.pk}/change/"


def _measure(address: str) -> int:
    client = sign_in("documents.view_document")
    with recorded() as statements:
        assert client.get(address).status_code == 200
    assert counting(statements) == []
    return len(statements)
