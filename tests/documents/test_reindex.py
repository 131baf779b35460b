"""The search of a tenant moves to Quickwit and back while it answers."""

from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command

from documents.errors import SearchUnreachable
from documents.models import IndexedCopy, IndexState, SearchEntry, TenantIndex
from documents.search.engine import find_state
from documents.search.results import search_documents
from documents.services.reindex import Engine, move_search
from documents.services.trash import trash_documents
from jobs.engine.messages import Outcome
from tenants.access import operator_access
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.engines import EngineUnderTest
from tests.documents.quickwit_stub import QuickwitStub
from tests.factories import TenantFactory

pytestmark = pytest.mark.django_db


def found(tenant: Tenant, text: str) -> list[str]:
    return [hit.document.title for hit in search_documents(tenant_id=tenant.id, text=text).hits]


@pytest.mark.django_db(transaction=True)
def test_the_search_of_a_closed_tenant_does_not_move(stub: QuickwitStub) -> None:
    closed = TenantFactory.create(status="suspended")
    with pytest.raises(CommandError, match="suspended"):
        call_command("reindex", str(closed.id))
    assert stub.indexes == {}


def test_nothing_moves_without_an_engine_to_move_to(tenant: Tenant) -> None:
    with pytest.raises(CommandError, match="set ARCHIV_SEARCH_URL"):
        call_command("reindex", str(tenant.id))


@pytest.mark.django_db(transaction=True)
def test_a_search_moves_there_and_back_without_a_gap(stub: QuickwitStub) -> None:
    engine, tenant = EngineUnderTest(), TenantFactory.create()
    for number in range(3):
        engine.index(tenant, f"papier {number}", title=f"Papier {number}")
    states = []

    def look(done: int, of: int | None) -> None:
        with tenant_scope(tenant.id):
            states.append(find_state(tenant.id))
        assert len(found(tenant, "papier")) == 3

    assert move_search(tenant_id=tenant.id, to=Engine.QUICKWIT, tell=look) == 3
    assert set(states) == {IndexState.FILLING}
    with tenant_scope(tenant.id):
        assert not SearchEntry.objects.exists()
    assert len(found(tenant, "papier")) == 3
    assert move_search(tenant_id=tenant.id, to=Engine.QUICKWIT, tell=look) == 0, "there already"
    assert move_search(tenant_id=tenant.id, to=Engine.POSTGRESQL, tell=look) == 3
    assert stub.indexes == {}
    assert len(found(tenant, "papier")) == 3
    with tenant_scope(tenant.id):
        assert not IndexedCopy.objects.exists()
        assert find_state(tenant.id) is None


@pytest.mark.django_db(transaction=True)
def test_a_move_that_broke_off_goes_on_and_misses_no_change(
    stub: QuickwitStub, work_off: Callable[[], list[Outcome]]
) -> None:
    engine, tenant = EngineUnderTest(), TenantFactory.create()
    first, second = (engine.index(tenant, text, title=text) for text in ("eins", "zwei"))
    stub.is_down = True
    with tenant_scope(tenant.id):
        TenantIndex.objects.create(tenant_id=tenant.id, state=IndexState.FILLING)
    with pytest.raises(SearchUnreachable):
        call_search(tenant)
    assert found(tenant, "eins") == ["eins"], "the old one answers"
    third = engine.index(tenant, "drei", title="drei")
    trash_documents(access=operator_access(tenant.id), document_ids=[second])
    stub.is_down = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("documents.services.reindex._BATCH", 1)
        assert call_search(tenant) == 2
    with tenant_scope(tenant.id):
        assert set(IndexedCopy.objects.values_list("document_id", flat=True)) == {first, third}
    work_off()
    assert sorted(found(tenant, "eins OR zwei OR drei")) == ["drei", "eins"]


def call_search(tenant: Tenant) -> int:
    return move_search(tenant_id=tenant.id, to=Engine.QUICKWIT, tell=lambda done, of: None)
