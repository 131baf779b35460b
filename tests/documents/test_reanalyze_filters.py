"""Documents to be read again are chosen by type and by the day they were stored, and the way is shown."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, timedelta

import pytest

from documents.services.reanalyze import Chosen, reanalyze_documents
from jobs.models import Job, JobStatus
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store

pytestmark = pytest.mark.django_db(transaction=True)
LONG_AGO = date(2000, 1, 1)


def queued(tenant: Tenant) -> set[uuid.UUID | None]:
    with tenant_scope(tenant.id):
        jobs = Job.objects.filter(tenant_id=tenant.id, status=JobStatus.QUEUED)
        found = set(jobs.filter(payload__force=True).values_list("document_id", flat=True))
        jobs.filter(payload__force=True).update(status=JobStatus.FAILED)
    return found


def test_only_documents_of_a_type_are_read_again(tenant: Tenant, store: Store) -> None:
    text, page = store(b"words", "a.txt"), store(b"<html><body>words</body></html>", "a.html")
    told: list[tuple[int, int | None]] = []
    report = reanalyze_documents(
        tenant_id=tenant.id, chosen=Chosen("text/html"), tell=lambda done, of: told.append((done, of))
    )
    assert report.enqueued == 1
    assert told == [(0, 1), (1, 1)]
    assert queued(tenant) == {page.document_id}
    reanalyze_documents(tenant_id=tenant.id, chosen=Chosen("text/"))
    assert text.document_id in queued(tenant)


def test_only_documents_stored_in_a_span_of_days_are_read_again(tenant: Tenant, store: Store) -> None:
    store(b"words", "a.txt")
    tomorrow = datetime.now(UTC).date() + timedelta(days=2)
    for chosen, expected in (
        (Chosen(stored_since=LONG_AGO), 1),
        (Chosen(stored_before=LONG_AGO), 0),
        (Chosen(stored_since=tomorrow), 0),
        (Chosen(stored_since=LONG_AGO, stored_before=tomorrow), 1),
    ):
        assert reanalyze_documents(tenant_id=tenant.id, chosen=chosen).enqueued == expected
