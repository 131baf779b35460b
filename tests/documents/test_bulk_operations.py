"""Very many documents are changed by an operation: jobs do its parts, it can be stopped, and is done once."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from documents.models import Document, Filing, Label
from documents.services.bulk_operations import LABEL_GONE
from documents.services.changes import Changes
from documents.services.trash import trash_batch
from jobs.errors import GiveUp
from jobs.models import Job, JobStatus, Operation
from jobs.operations import due_query, run_operations
from jobs.services import cancel_jobs, requeue_jobs
from jobs.testing import EndlessJobs, drain_jobs
from tenants.models import AuditEvent, Tenant
from tenants.scope import operator_scope
from tests.documents.test_admin import LIST, make_document
from tests.factories import TenantFactory
from tests.filing_factories import LabelFactory
from tests.operators import sign_in

BULK = f"{LIST}bulk/"
VIEW, TRASH, CHANGE = (f"documents.{verb}_document" for verb in ("view", "trash", "change"))

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have three documents be too many to be changed while somebody waits, and two be a part."""
    monkeypatch.setattr("documents.bulk_admin.MOST", 2)
    monkeypatch.setattr("documents.services.changes._BATCH", 2)


@pytest.fixture
def tenant() -> Tenant:
    made: Tenant = TenantFactory.create(name="Kanzlei Weiß")
    return made


@pytest.fixture
def client() -> Client:
    return sign_in(VIEW, TRASH, CHANGE)


def make_documents(tenant: Tenant, number: int) -> list[Document]:
    return [make_document(tenant) for _ in range(number)]


def form_of(client: Client, tenant: Tenant, **query: str) -> dict[str, str]:
    """Look at the preview of what all documents of a tenant are to undergo; return what its button sends."""
    given = {"filter": f"?tenant={tenant.pk}", **query}
    response = client.get(BULK, given)
    seen = response.context["chosen"]
    assert seen.are_many
    assert 'name="ids"' not in response.content.decode()
    return given | {"token": str(response.context["token"]), "as_of": seen.as_of.isoformat()}


def order(client: Client, form: dict[str, str]) -> Operation:
    response = client.post(BULK, form)
    operation: Operation = Operation.objects.get()
    assert response.headers["Location"] == reverse("admin:documents_document_operation", args=[operation.pk])
    return operation


def trashed(documents: list[Document]) -> int:
    with operator_scope():
        keys = [document.pk for document in documents]
        return Document.objects.filter(pk__in=keys).exclude(trashed_at=None).count()


def jobs_of_operations() -> list[Any]:
    with operator_scope():
        return list(Job.objects.filter(type="change-documents").order_by("id").values("payload", "status"))


def test_jobs_change_all_that_matched_in_the_name_of_who_ordered_it(tenant: Tenant, client: Client) -> None:
    documents = make_documents(tenant, 5)
    others = make_documents(TenantFactory.create(), 1)
    form = form_of(client, tenant, verb="trash")
    late = make_documents(tenant, 1)
    operation = order(client, form)
    assert (operation.total, operation.state, trashed(documents)) == (5, "running", 0)
    assert [len(job["payload"]["document_ids"]) for job in jobs_of_operations()] == [2, 2, 1]
    drain_jobs()
    operation.refresh_from_db()
    assert (operation.state, operation.done, operation.skipped) == ("done", 5, {})
    assert operation.ended_at is not None
    assert (trashed(documents), trashed(late), trashed(others)) == (5, 0, 0)
    with operator_scope():
        events = AuditEvent.objects.filter(action="document.trashed", tenant_id=tenant.pk)
        assert {event.actor for event in events} == {operation.actor}
        assert events.count() == 5
    page = client.get(reverse("admin:documents_document_operation", args=[operation.pk])).content.decode()
    assert "Move to the trash: 5 documents" in page
    assert "5 of 5 changed" in page


def test_the_same_form_twice_is_one_order(tenant: Tenant, client: Client) -> None:
    make_documents(tenant, 3)
    form = form_of(client, tenant, verb="reanalyze")
    assert order(client, form) == order(client, form)
    assert len(jobs_of_operations()) == 2
    drain_jobs(types=["change-documents"])
    assert Operation.objects.get().done == 3


def test_documents_are_filed_and_what_was_filed_before_is_left_alone(tenant: Tenant, client: Client) -> None:
    documents = make_documents(tenant, 5)
    with operator_scope():
        label = LabelFactory.create(tenant_id=tenant.pk, name="Steuer")
    client.post(BULK, {"ids": str(documents[0].pk), "verb": "file", "label": str(label.pk)})
    operation = order(client, form_of(client, tenant, verb="file", label=str(label.pk)))
    drain_jobs()
    operation.refresh_from_db()
    assert (operation.done, operation.skipped) == (4, {"filed like this already": 1})
    with operator_scope():
        assert Filing.objects.filter(label=label, state="filed").count() == 5
    page = client.get(reverse("admin:documents_document_operation", args=[operation.pk])).content.decode()
    assert "File under Steuer: 5 documents" in page
    assert "1 left alone: filed like this already" in page


def test_a_label_that_goes_meanwhile_leaves_the_rest_alone_and_the_operation_ends(
    tenant: Tenant, client: Client
) -> None:
    make_documents(tenant, 3)
    with operator_scope():
        label = LabelFactory.create(tenant_id=tenant.pk)
    operation = order(client, form_of(client, tenant, verb="file", label=str(label.pk)))
    with operator_scope():
        Label.objects.filter(pk=label.pk).delete()
    drain_jobs()
    operation.refresh_from_db()
    assert (operation.state, operation.done, operation.skipped) == ("done", 0, {LABEL_GONE: 3})


def test_one_that_was_stopped_changes_nothing_more(tenant: Tenant, client: Client) -> None:
    documents = make_documents(tenant, 5)
    operation = order(client, form_of(client, tenant, verb="trash"))
    with pytest.raises(EndlessJobs):
        drain_jobs(limit=1)
    page = reverse("admin:documents_document_operation", args=[operation.pk])
    assert "Stop" in client.get(page).content.decode()
    said = client.post(reverse("admin:documents_document_stop", args=[operation.pk]), follow=True)
    assert "Stopped: what is done stays done." in said.content.decode()
    drain_jobs()
    operation.refresh_from_db()
    assert (operation.state, operation.done, trashed(documents)) == ("stopped", 2, 2)
    assert {job["status"] for job in jobs_of_operations()} == {JobStatus.SUCCEEDED}


def test_documents_of_a_tenant_that_is_not_active_are_left_alone(tenant: Tenant, client: Client) -> None:
    documents = make_documents(tenant, 3)
    form = form_of(client, tenant, verb="trash")
    with operator_scope():
        Tenant.objects.filter(pk=tenant.pk).update(status="suspended")
    operation = order(client, form)
    assert (operation.state, jobs_of_operations(), trashed(documents)) == ("done", [], 0)
    assert operation.skipped == {"the tenant is not active": 3}


def page_of(client: Client, operation: Operation) -> str:
    return client.get(reverse("admin:documents_document_operation", args=[operation.pk])).content.decode()


def failed_job(**values: Any) -> Job:
    with operator_scope():
        found: Job = Job.objects.get(type="change-documents", status="failed", **values)
    return found


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> list[Document]:
    """Documents whose part of an operation fails for good, as long as they are in this list."""
    documents: list[Document] = []

    def trash(tenant_id: uuid.UUID, ids: list[uuid.UUID], changes: Changes) -> None:
        if any(document.pk in ids for document in documents):
            raise GiveUp("the disk of 7 pages is odd")
        trash_batch(tenant_id, ids, changes)

    monkeypatch.setattr("documents.services.bulk_operations.trash_batch", trash)
    return documents


def test_one_of_which_a_part_fails_for_good_ends_and_says_what_is_not_done_and_why(
    tenant: Tenant, client: Client, broken: list[Document]
) -> None:
    documents = sorted(make_documents(tenant, 5), key=lambda document: document.pk)
    operation = order(client, form_of(client, tenant, verb="trash"))
    broken.append(documents[0])
    drain_jobs(types=["change-documents"])
    assert run_operations() == 1
    operation.refresh_from_db()
    assert (operation.state, operation.done, operation.not_done) == ("ended", 3, 2)
    assert operation.ended_at is not None
    seen = sign_in(VIEW, TRASH, "jobs.view_job")
    page = page_of(seen, operation)
    assert "ended, 2 not done" in page
    assert "3 of 5 changed" in page
    assert "2 not done: the disk of 7 pages is odd" in page
    assert reverse("admin:jobs_job_change", args=[failed_job().pk]) in page
    assert ">Stop<" not in page
    assert run_operations() == 0


def test_one_runs_as_long_as_a_job_of_it_may_still_do_its_part(
    tenant: Tenant, client: Client, broken: list[Document]
) -> None:
    documents = sorted(make_documents(tenant, 5), key=lambda document: document.pk)
    operation = order(client, form_of(client, tenant, verb="trash"))
    broken.append(documents[0])
    with pytest.raises(EndlessJobs):
        drain_jobs(limit=1)
    assert run_operations() == 0
    operation.refresh_from_db()
    assert operation.state == "running"
    assert "2 not done: the disk" in page_of(client, operation)


def test_what_failed_is_requeued_from_its_page_and_the_figures_follow(
    tenant: Tenant, client: Client, broken: list[Document]
) -> None:
    documents = sorted(make_documents(tenant, 5), key=lambda document: document.pk)
    operation = order(client, form_of(client, tenant, verb="trash"))
    broken += documents
    drain_jobs(types=["change-documents"])
    run_operations()
    go_on = reverse("admin:documents_document_go_on", args=[operation.pk])
    assert go_on not in page_of(client, operation)
    assert client.post(go_on).status_code == 403
    chief = sign_in(VIEW, TRASH, "jobs.requeue_job")
    assert chief.get(go_on).status_code == 405
    assert go_on in page_of(chief, operation)
    del broken[:4]
    assert "3 jobs requeued." in chief.post(go_on, follow=True).content.decode()
    operation.refresh_from_db()
    assert (operation.state, operation.ended_at, run_operations()) == ("running", None, 0)
    drain_jobs(types=["change-documents"])
    run_operations()
    operation.refresh_from_db()
    assert (operation.state, operation.done, operation.not_done) == ("ended", 4, 1)
    broken.clear()
    with operator_scope():
        requeue_jobs(job_ids=[failed_job().pk])
    drain_jobs(types=["change-documents"])
    operation.refresh_from_db()
    assert (operation.state, operation.done, trashed(documents)) == ("done", 5, 5)
    assert "not done" not in page_of(chief, operation)


def test_one_whose_jobs_were_cancelled_ends_and_one_that_was_stopped_is_not_gone_on_with(
    tenant: Tenant, client: Client
) -> None:
    make_documents(tenant, 3)
    operation = order(client, form_of(client, tenant, verb="trash"))
    with operator_scope():
        cancel_jobs(job_ids=Job.objects.filter(type="change-documents").values_list("id", flat=True))
    chief = sign_in(VIEW, TRASH, "jobs.requeue_job")
    assert "3 not done: Cancelled by an operator." in page_of(chief, operation)
    chief.post(reverse("admin:documents_document_stop", args=[operation.pk]))
    go_on = reverse("admin:documents_document_go_on", args=[operation.pk])
    assert (run_operations(), chief.post(go_on).status_code) == (0, 403)
    Operation.objects.update(state="running")
    assert run_operations() == 1
    assert "ended, 3 not done" in page_of(chief, operation)


def test_one_that_ended_in_the_moment_in_which_its_job_was_requeued_is_done_all_the_same(
    tenant: Tenant, client: Client
) -> None:
    documents = make_documents(tenant, 3)
    operation = order(client, form_of(client, tenant, verb="trash"))
    Operation.objects.update(state="ended")
    drain_jobs(types=["change-documents"])
    operation.refresh_from_db()
    assert (operation.state, operation.done, trashed(documents)) == ("done", 3, 3)


def test_one_whose_jobs_are_gone_ends_and_says_so(tenant: Tenant, client: Client) -> None:
    make_documents(tenant, 3)
    operation = order(client, form_of(client, tenant, verb="trash"))
    with operator_scope():
        Job.objects.filter(type="change-documents").delete()
        assert app_says_due()
    assert run_operations() == 1
    assert "3 not done: their jobs are gone" in page_of(client, operation)
    with operator_scope():
        assert not app_says_due()


def app_says_due() -> bool:
    """What workers ask every second."""
    with connection.cursor() as cursor:
        cursor.execute(*due_query())
        return bool(cursor.fetchone()[0])


def test_nobody_sees_or_stops_what_they_may_not(tenant: Tenant, client: Client) -> None:
    make_documents(tenant, 3)
    operation = order(client, form_of(client, tenant, verb="trash"))
    page = reverse("admin:documents_document_operation", args=[operation.pk])
    stop = reverse("admin:documents_document_stop", args=[operation.pk])
    reader = sign_in(VIEW)
    assert stop not in reader.get(page).content.decode()
    assert reader.post(stop).status_code == 403
    assert sign_in("tenants.view_tenant").get(page).status_code == 403
    assert client.get(stop).status_code == 405
    nothing = reverse("admin:documents_document_operation", args=[uuid.uuid4()])
    assert client.get(nothing).status_code == 404
    operation.refresh_from_db()
    assert operation.state == "running"


def test_an_order_without_a_look_at_the_preview_changes_nothing(tenant: Tenant, client: Client) -> None:
    documents = make_documents(tenant, 3)
    said = client.post(BULK, {"filter": f"?tenant={tenant.pk}", "verb": "trash"}, follow=True)
    assert "Look at the preview first" in said.content.decode()
    assert (Operation.objects.count(), trashed(documents)) == (0, 0)
