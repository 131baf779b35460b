"""Bringing files in by the admin: all of a form or one by one, each with an answer of its own."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from documents.models import Document
from documents.vault import LocalVault
from tenants.models import Tenant
from tenants.scope import operator_scope
from tests.documents.test_admin import LIST
from tests.factories import TenantFactory
from tests.operators import sign_in

UPLOAD = f"{LIST}upload/"
MAY = ("documents.view_document", "documents.add_document")

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tenant(vault: LocalVault) -> Tenant:
    made: Tenant = TenantFactory.create(name="Kanzlei Weiß")
    return made


def paper(name: str, data: bytes = b"Sehr geehrte Damen und Herren") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def bring_in(client: Client, tenant: str, *files: SimpleUploadedFile) -> str:
    return client.post(UPLOAD, {"tenant": tenant, "files": list(files)}).content.decode()


def test_each_file_of_a_form_is_stored_or_named_as_a_duplicate_or_refused(tenant: Tenant) -> None:
    client = sign_in(*MAY)
    page = bring_in(
        client,
        tenant.name,
        paper("brief.txt"),
        paper("kopie.txt"),
        paper("leer.txt", b""),
        paper("<b>.txt", b"x"),
    )
    with operator_scope():
        documents = {document.title: document for document in Document.objects.all()}
        brief = next(one for one in documents.values() if one.source == "admin" and "brief" in one.title)
    assert len(documents) == 2
    assert page.count("Stored; it is read now.") == 2
    assert page.count("These bytes are in the archive already.") == 1
    assert page.count(str(brief.pk)) == 3  # stored, duplicate, brought in lately
    assert "The file is empty" in page
    assert "&lt;b&gt;.txt" in page


def test_a_script_sends_one_file_and_gets_its_line(tenant: Tenant) -> None:
    client = sign_in(*MAY)
    headers = {"accept": "application/json"}
    data = {"tenant": str(tenant.pk), "files": [paper("brief.txt")]}
    answer = json.loads(client.post(UPLOAD, data, headers=headers).content)
    assert "Stored; it is read now." in answer["line"]
    assert answer["error"] == ""
    wrong = client.post(UPLOAD, {"tenant": "nobody", "files": [paper("a.txt")]}, headers=headers)
    assert (wrong.status_code, json.loads(wrong.content)["error"]) == (400, "No tenant has this name.")


def test_a_form_without_files_or_tenant_says_what_is_missing(tenant: Tenant) -> None:
    client = sign_in(*MAY)
    assert "Choose at least one file." in bring_in(client, tenant.name)
    assert "No tenant has this name." in bring_in(client, "nobody\x00", paper("a.txt"))
    with operator_scope():
        assert not Document.objects.exists()


def test_a_tenant_that_is_not_active_takes_nothing_in(tenant: Tenant) -> None:
    with operator_scope():
        Tenant.objects.filter(pk=tenant.pk).update(status="suspended")
    assert "suspended" in bring_in(sign_in(*MAY), tenant.name, paper("a.txt"))


def test_the_page_shows_how_far_the_own_documents_are(tenant: Tenant) -> None:
    client = sign_in(*MAY)
    bring_in(client, tenant.name, paper("brief.txt"))
    bring_in(sign_in(*MAY), tenant.name, paper("fremd.txt", io.BytesIO(b"y").getvalue()))
    own = client.get(UPLOAD).context["brought_in"]
    assert [one.state for one in own] == ["queued"]


def test_who_may_only_see_documents_brings_none_in(tenant: Tenant) -> None:
    client = sign_in("documents.view_document")
    assert client.get(UPLOAD).status_code == 403
    assert client.post(UPLOAD, {"tenant": tenant.name, "files": [paper("a.txt")]}).status_code == 403
    assert UPLOAD not in client.get(LIST).content.decode()
