"""Quickwit before a stub of it: how changes get there, what a stale or absent engine does, and the move."""

import socket
from collections.abc import Callable

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from archiv.api.errors import classify
from documents.errors import SearchUnreachable
from documents.models import IndexedCopy, IndexState, SearchEntry, TenantIndex
from documents.search.quickwit.backend import INDEX_DOCUMENT, index_of
from documents.search.quickwit.client import Quickwit
from documents.search.results import search_documents
from documents.services.trash import restore_documents, trash_documents
from jobs.engine.messages import Outcome
from jobs.models import Job
from tenants.access import operator_access
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store
from tests.documents.engines import EngineUnderTest
from tests.documents.quickwit_stub import QuickwitStub

pytestmark = pytest.mark.django_db


@pytest.fixture
def moved(stub: QuickwitStub, tenant: Tenant) -> Tenant:
    """The tenant of the other fixtures, whose search lies in Quickwit."""
    with tenant_scope(tenant.id):
        TenantIndex.objects.create(tenant_id=tenant.id, state=IndexState.SERVING)
    Quickwit(stub.url).create(index_of(tenant.id))
    return tenant


def found(tenant: Tenant, text: str) -> list[str]:
    return [hit.document.title for hit in search_documents(tenant_id=tenant.id, text=text).hits]


def test_what_is_stored_is_found_once_its_job_has_run_and_twice_does_no_harm(
    moved: Tenant, store: Store, stub: QuickwitStub, work_off: Callable[[], list[Outcome]]
) -> None:
    stored = store(filename="Heizung.txt")
    assert found(moved, "heizung") == []
    assert work_off() == [Outcome.FINISHED]
    assert found(moved, "heizung") == ["Heizung"]
    with tenant_scope(moved.id):
        IndexedCopy.objects.filter(document_id=stored.document_id).update(found=None)
        Job.objects.filter(type=INDEX_DOCUMENT).update(status="queued")
    assert work_off() == [Outcome.FINISHED]
    assert len(stub.indexes[index_of(moved.id)].documents) == 2, "sent again, as after a crash"
    assert found(moved, "heizung") == ["Heizung"]
    with tenant_scope(moved.id):
        assert not SearchEntry.objects.exists()


def test_one_job_takes_along_what_waits_for_the_others(
    moved: Tenant, store: Store, stub: QuickwitStub, work_off: Callable[[], list[Outcome]]
) -> None:
    for number in range(3):
        store(b"%d" % number, filename=f"Heizung {number}.txt")
    assert work_off() == [Outcome.FINISHED] * 3
    assert len([call for call in stub.calls if call.endswith("/ingest")]) == 1
    assert len(found(moved, "heizung")) == 3


def test_the_trash_hides_at_once_and_the_engine_forgets_when_its_janitor_comes(
    moved: Tenant, store: Store, stub: QuickwitStub, work_off: Callable[[], list[Outcome]]
) -> None:
    stored = store(filename="Heizung.txt")
    work_off()
    access = operator_access(moved.id)
    trash_documents(access=access, document_ids=[stored.document_id])
    index = stub.indexes[index_of(moved.id)]
    assert found(moved, "heizung") == []
    assert work_off() == [Outcome.FINISHED]
    restore_documents(access=access, document_ids=[stored.document_id])
    assert work_off() == [Outcome.FINISHED]
    assert len(index.documents) == 2
    assert found(moved, "heizung") == ["Heizung"]
    index.clean()
    assert index.index.searcher().num_docs == 1, "the copy from before the trash is gone, the newer is not"
    assert found(moved, "heizung") == ["Heizung"]


def test_a_document_that_went_while_its_copy_was_sent_is_forgotten(
    moved: Tenant,
    store: Store,
    stub: QuickwitStub,
    work_off: Callable[[], list[Outcome]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stored = store(filename="Heizung.txt")
    ingest = Quickwit.ingest

    def trash_meanwhile(self: Quickwit, *args: object) -> None:
        ingest(self, *args)  # type: ignore[arg-type]
        trash_documents(access=operator_access(moved.id), document_ids=[stored.document_id])
        monkeypatch.undo()

    monkeypatch.setattr(Quickwit, "ingest", trash_meanwhile)
    work_off()
    assert found(moved, "heizung") == []
    work_off()
    stub.indexes[index_of(moved.id)].clean()
    assert stub.indexes[index_of(moved.id)].index.searcher().num_docs == 0


def test_an_index_is_of_one_tenant_and_a_wipe_drops_it(moved: Tenant, stub: QuickwitStub) -> None:
    engine = EngineUnderTest(stub)
    other = engine.tenant()
    for tenant in (moved, other):
        engine.index(tenant, "papier")
    assert set(stub.indexes) == {index_of(moved.id), index_of(other.id)}
    with tenant_scope(moved.id):
        while engine.search_engine.wipe(tenant_id=moved.id, limit=500):
            pass
    assert set(stub.indexes) == {index_of(other.id)}


@pytest.mark.parametrize("how", ["overloaded", "nobody there"])
def test_an_engine_that_does_not_answer_is_said_and_the_job_is_tried_again(
    moved: Tenant,
    store: Store,
    stub: QuickwitStub,
    work_off: Callable[[], list[Outcome]],
    settings: Settings,
    how: str,
) -> None:
    store(filename="Heizung.txt")
    stub.is_down = True
    if how == "nobody there":
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            settings.ARCHIV_SEARCH_URL = f"http://127.0.0.1:{free.getsockname()[1]}"
    assert work_off() == [Outcome.FAILED]
    with tenant_scope(moved.id):
        (job,) = Job.objects.filter(type=INDEX_DOCUMENT)
    assert job.status == "queued"
    assert "The search is not reachable" in job.error_message
    with pytest.raises(CommandError, match="The search is not reachable"):
        call_command("search", str(moved.id), "heizung")
    with pytest.raises(SearchUnreachable) as caught:
        search_documents(tenant_id=moved.id, text="heizung")
    assert classify(caught.value) == (503, "search_unavailable")


def test_the_pages_of_the_admin_say_that_the_search_is_not_reachable(
    moved: Tenant, stub: QuickwitStub, admin_client: Client
) -> None:
    document = EngineUnderTest(stub).index(moved, "heizung")
    stub.is_down = True
    path = "/admin/documents/document/"
    listed = admin_client.get(path, {"q": "heizung", "tenant": str(moved.id)})
    shown = admin_client.get(f"{path}{document}/change/", {"similar": "1"})
    for page in (listed, shown):
        assert page.status_code == 200
        assert "The search is not reachable" in page.content.decode()


def test_a_query_that_the_engine_refuses_is_no_traceback(moved: Tenant, stub: QuickwitStub) -> None:
    EngineUnderTest(stub).index(moved, "papier")
    with pytest.raises(CommandError, match="The engine of the search answered 400"):
        stub.indexes[index_of(moved.id)].fields.clear()
        call_command("search", str(moved.id), '"zwei worte"')


def test_an_index_that_is_lost_is_said_and_not_made_anew_by_a_late_job(
    moved: Tenant, store: Store, stub: QuickwitStub, work_off: Callable[[], list[Outcome]]
) -> None:
    stub.indexes.clear()
    store(filename="Heizung.txt")
    assert work_off() == [Outcome.FAILED]
    assert stub.indexes == {}
    with pytest.raises(CommandError, match="has no index of this tenant"):
        call_command("search", str(moved.id), "heizung")
