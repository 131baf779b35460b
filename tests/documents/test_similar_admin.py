"""Similar documents on the page of a document: on request, with titles, of the same tenant."""

import uuid

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from documents.models import Document
from documents.search.base import Entry
from documents.search.engine import get_search
from documents.search.joined import fold_for_index
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.factories import DocumentFactory, DocumentVersionFactory, PageTextFactory, TenantFactory
from tests.operators import make_operator

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = "Versicherung Hausrat Police Beitrag"


def paper(tenant: Tenant, title: str) -> uuid.UUID:
    with tenant_scope(tenant.id):
        document = DocumentFactory.create(tenant=tenant, title=title)
        version = DocumentVersionFactory.create(tenant_id=tenant.id, document=document)
        PageTextFactory.create(tenant_id=tenant.id, version=version, text=TEXT)
        get_search().upsert(
            Entry(tenant.id, document.pk, title, version.filename, fold_for_index(TEXT), None)
        )
        return uuid.UUID(str(document.pk))


def test_similar_documents_are_looked_for_on_request_and_in_the_same_tenant(tenant: Tenant) -> None:
    other = TenantFactory.create()
    first, second = paper(tenant, "Erster Brief"), paper(tenant, "<Zweiter> Brief")
    for name in ("Fremder Brief", "Fremder Nachtrag"):
        paper(other, name)
    client = Client()
    client.force_login(make_operator(superuser=True))
    address = reverse("admin:documents_document_change", args=[first])
    before = client.get(address).content.decode()
    assert "?similar=1#similar-heading" in before
    assert "Zweiter" not in before
    after = client.get(f"{address}?similar=1").content.decode()
    assert reverse("admin:documents_document_change", args=[second]) in after
    assert "&lt;Zweiter&gt; Brief" in after
    assert "Fremder" not in after
    with tenant_scope(tenant.id):
        Document.objects.filter(pk=second).update(trashed_at=timezone.now())
    assert "telling words" in client.get(f"{address}?similar=1").content.decode()
    trashed = client.get(reverse("admin:documents_document_change", args=[second])).content.decode()
    assert "similar-heading" not in trashed
