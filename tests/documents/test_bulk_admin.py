"""Many documents changed at once: what would happen is said first, and exactly that is done."""

import uuid
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from documents.models import Document, Filing
from documents.services.bulk_preview import BulkChange, BulkVerb, preview_change
from jobs.models import Job
from tenants.access import operator_access
from tenants.models import Tenant
from tenants.scope import operator_scope
from tests.documents.test_admin import LIST, make_document
from tests.factories import TenantFactory
from tests.filing_factories import FilingFactory, LabelFactory
from tests.operators import sign_in

BULK = f"{LIST}bulk/"
VIEW, TRASH, CHANGE = (f"documents.{verb}_document" for verb in ("view", "trash", "change"))

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def tenant() -> Tenant:
    made: Tenant = TenantFactory.create(name="Kanzlei Weiß")
    return made


@pytest.fixture
def client() -> Client:
    return sign_in(VIEW, TRASH, CHANGE)


def make_label(tenant: Tenant, name: str = "Steuer") -> uuid.UUID:
    with operator_scope():
        key: uuid.UUID = LabelFactory.create(tenant_id=tenant.pk, name=name).pk
    return key


def preview(client: Client, **query: str) -> dict[str, Any]:
    response = client.get(BULK, query)
    assert response.status_code == 200
    found: dict[str, Any] = {name: response.context[name] for name in ("preview", "chosen", "ids", "change")}
    return found


def order(client: Client, **data: str) -> str:
    response = client.post(BULK, data, follow=True)
    return " ".join(str(message) for message in response.context["messages"])


def joined(*documents: Document) -> str:
    return ",".join(str(document.pk) for document in documents)


def test_what_is_ticked_is_previewed_and_done(tenant: Tenant, client: Client) -> None:
    free, held, trashed = (make_document(tenant) for _ in range(3))
    with operator_scope():
        Document.objects.filter(pk=held.pk).update(legal_hold=True)
        Document.objects.filter(pk=trashed.pk).update(trashed_at=Now())
    ticked = [str(one.pk) for one in (free, held, trashed)]
    there = client.post(f"{LIST}?look=grid", {"action": "change_many", "_selected_action": ticked})
    assert there.headers["Location"].startswith(BULK)
    page = client.get(there.headers["Location"]).content.decode()
    assert "3 documents are meant." in page
    shown = preview(client, ids=",".join(ticked), verb="trash")
    assert (shown["preview"].changed, dict(shown["preview"].skipped)) == (
        1,
        {"under legal hold": 1, "in the trash already": 1},
    )
    with operator_scope():
        assert Document.objects.get(pk=free.pk).trashed_at is None
    said = order(client, ids=shown["ids"], verb="trash")
    assert said.startswith("1 document changed, 2 skipped")
    with operator_scope():
        assert Document.objects.get(pk=free.pk).trashed_at is not None


def test_all_that_match_are_filed_and_those_filed_before_are_told_apart(
    tenant: Tenant, client: Client
) -> None:
    label = make_label(tenant)
    documents = [make_document(tenant) for _ in range(3)]
    make_document(TenantFactory.create())
    with operator_scope():
        FilingFactory.create(tenant_id=tenant.pk, document=documents[0], label_id=label, kind="tag")
    shown = preview(client, filter=f"?tenant={tenant.pk}", verb="file", label=str(label))
    assert shown["preview"].changed == 2
    assert dict(shown["preview"].skipped) == {"filed like this already": 1}
    said = order(client, ids=shown["ids"], verb="file", label=str(label), filter=f"?tenant={tenant.pk}")
    assert said == "2 documents changed, 1 skipped (1 filed like this already)."
    with operator_scope():
        assert Filing.objects.filter(label_id=label, state="filed").count() == 3
    shown = preview(client, filter=f"?tenant={tenant.pk}", verb="take-away", label=str(label))
    assert shown["preview"].changed == 3


def test_documents_of_two_tenants_are_analyzed_again(tenant: Tenant, client: Client) -> None:
    documents = [make_document(tenant), make_document(TenantFactory.create())]
    assert order(client, ids=joined(*documents), verb="reanalyze") == "2 documents changed."
    with operator_scope():
        assert Job.objects.filter(type="analyze-document", status="queued").count() == 2


def test_what_came_meanwhile_is_not_swept_along(tenant: Tenant, client: Client) -> None:
    make_document(tenant)
    shown = preview(client, filter=f"?tenant={tenant.pk}", verb="trash")
    later = make_document(tenant)
    assert order(client, ids=shown["ids"], verb="trash") == "1 document changed."
    with operator_scope():
        assert Document.objects.get(pk=later.pk).trashed_at is None


def test_nothing_is_ever_done_to_all_documents_there_are(tenant: Tenant, client: Client) -> None:
    make_document(tenant)
    page = client.get(BULK, {"filter": "", "verb": "trash"}).content.decode()
    assert "Nothing is ever done to all of them." in page
    page = client.get(BULK, {"filter": "?look=grid", "verb": "trash"}).content.decode()
    assert "Nothing is ever done to all of them." in page


def test_more_than_can_be_looked_at_are_refused(
    tenant: Tenant, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("documents.bulk_admin.MOST_ORDERED", 2)
    for _ in range(3):
        make_document(tenant)
    page = client.get(BULK, {"filter": f"?tenant={tenant.pk}", "verb": "trash"}).content.decode()
    assert "More than 2 documents match." in page


@pytest.mark.parametrize(
    "query",
    [
        {"ids": "x", "verb": "trash"},
        {"ids": "", "verb": "burn"},
        {"ids": "00000000-0000-0000-0000-000000000001", "verb": "file", "label": "x"},
        {"filter": "?status=lost"},
        {"filter": "?q=word", "verb": "trash"},
    ],
)
def test_nonsense_changes_nothing(tenant: Tenant, client: Client, query: dict[str, str]) -> None:
    assert client.get(BULK, query).status_code in {200, 302}
    assert client.post(BULK, query).status_code in {200, 302}


def test_nobody_does_what_they_may_not(tenant: Tenant) -> None:
    document = make_document(tenant)
    assert sign_in(VIEW).get(BULK).status_code == 403
    filing = sign_in(VIEW, CHANGE)
    assert "trash" not in dict(filing.get(BULK).context["verbs"])
    filing.post(BULK, {"ids": joined(document), "verb": "trash"})
    with operator_scope():
        assert Document.objects.get(pk=document.pk).trashed_at is None
    page = sign_in(VIEW).get(LIST, {"tenant": tenant.name}).content.decode()
    assert reverse("admin:documents_document_bulk") not in page


def test_a_tenant_that_is_not_active_is_left_alone(tenant: Tenant) -> None:
    document = make_document(tenant)
    with operator_scope():
        Tenant.objects.filter(pk=tenant.pk).update(status="suspended")
    report = preview_change(
        access=operator_access(tenant.pk), change=BulkChange(BulkVerb.TRASH), document_ids=[document.pk]
    )
    assert dict(report.skipped) == {"the tenant is not active": 1}
