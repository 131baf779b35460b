"""Both engines of search behind one door, for the suite that every engine must pass."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.conf import settings
from django.db.models import F

from documents.models import IndexedCopy, IndexState, TenantIndex
from documents.search.base import Entry, Found, SearchBackend
from documents.search.engine import find_state, get_quickwit, get_search
from documents.search.joined import fold_for_index
from documents.search.parsing import parse_query
from documents.search.quickwit.backend import index_of
from documents.services.indexing import load_waiting, note_sent, send_waiting
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.quickwit_stub import QuickwitStub
from tests.factories import DocumentFactory, DocumentVersionFactory, PageTextFactory, TenantFactory


@dataclass
class EngineUnderTest:
    """An engine as the rest of archiv meets it. `stub` is None for PostgreSQL."""

    stub: QuickwitStub | None = None

    @property
    def search_engine(self) -> SearchBackend:
        return get_search()

    def tenant(self, **options: Any) -> Tenant:
        """Make a tenant whose search lies in this engine."""
        made: Tenant = TenantFactory.create(**options)
        if self.stub is not None:
            with tenant_scope(made.id):
                TenantIndex.objects.create(tenant_id=made.id, state=IndexState.SERVING)
            get_quickwit(self.stub.url).client.create(index_of(made.id))
        return made

    def index(
        self, tenant: Tenant, text: str, *, title: str = "", issued_at: date | None = None
    ) -> uuid.UUID:
        """Store and index a document."""
        with tenant_scope(tenant.id):
            document = DocumentFactory.create(tenant=tenant, title=title, issued_at=issued_at)
            version = DocumentVersionFactory.create(tenant_id=tenant.id, document=document, filename="")
            page = PageTextFactory.create(tenant_id=tenant.id, version=version, page=1, text=text)
            words = fold_for_index(page.text)
            self.search_engine.upsert(Entry(tenant.id, document.pk, title, "", words, issued_at))
        self.settle(tenant)
        found: uuid.UUID = document.pk
        return found

    def settle(self, tenant: Tenant, forget: Sequence[uuid.UUID] = ()) -> None:
        """Do what the queued jobs would."""
        if self.stub is not None:
            work_off(tenant, forget)

    def search(self, tenant: Tenant, text: str, **options: Any) -> Found:
        with tenant_scope(tenant.id):
            return self.search_engine.search(
                tenant_id=tenant.id, query=parse_query(text), **{"limit": 20, **options}
            )

    def ids(self, tenant: Tenant, text: str, **options: Any) -> list[uuid.UUID]:
        return [hit.document_id for hit in self.search(tenant, text, **options).hits]


def work_off(tenant: Tenant, changed: Sequence[uuid.UUID] = ()) -> None:
    """Do what the queued jobs `index-document` would, if the tenant's search lies in Quickwit."""
    with tenant_scope(tenant.id):
        if find_state(tenant.id) is None:
            return
        waiting = load_waiting(
            tenant_id=tenant.id,
            document_ids=[
                *IndexedCopy.objects.exclude(found=F("wanted")).values_list("document_id", flat=True),
                *changed,
            ],
        )
    engine = get_quickwit(settings.ARCHIV_SEARCH_URL)
    send_waiting(tenant_id=tenant.id, engine=engine, waiting=waiting)
    with tenant_scope(tenant.id):
        note_sent(tenant_id=tenant.id, waiting=waiting)
