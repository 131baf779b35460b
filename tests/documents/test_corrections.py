"""A correction is one change, compared with what was looked at, whichever part of it there is."""

from datetime import timedelta
from typing import Any

import pytest

from documents.errors import DocumentChanged, UnknownLabel
from documents.filing import LabelKind
from documents.models import Document, Filing
from documents.services.corrections import correct_document
from documents.services.given_labels import GivenLabels
from documents.services.labels import create_label
from tenants.access import operator_access
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.factories import DocumentVersionFactory

pytestmark = pytest.mark.django_db(transaction=True)
TAGS = (LabelKind.TAG,)


def state(tenant: Tenant) -> tuple[str, list[str]]:
    with tenant_scope(tenant.id):
        filed = Filing.objects.filter(state="filed").order_by("label__name")
        return Document.objects.get().title, list(filed.values_list("label__name", flat=True))


def test_labels_are_set_only_where_the_document_is_as_it_was_looked_at(tenant: Tenant) -> None:
    access = operator_access(tenant.id)
    create_label(access=access, kind=LabelKind.TAG, name="Dach")
    with tenant_scope(tenant.id):
        made = DocumentVersionFactory.create(tenant_id=tenant.id).document
        Document.objects.update(title="Brief", title_manually_set=True)
        seen = Document.objects.get().updated_at
    stale = seen - timedelta(seconds=1)

    def correct(**changes: Any) -> None:
        correct_document(access=access, document_id=made.pk, replace=TAGS, **changes)

    for changes in ({}, {"title": "Brief"}, {"title": "Anders"}):
        with pytest.raises(DocumentChanged):
            correct(labels=GivenLabels(("Dach",)), expected=stale, **changes)
    with pytest.raises(UnknownLabel):
        correct(labels=GivenLabels(("Dach", "Keins")), expected=seen, title="Anders")
    assert state(tenant) == ("Brief", [])
    correct(labels=GivenLabels(("Dach",)), expected=seen, title="Brief")
    assert state(tenant) == ("Brief", ["Dach"])
    correct(labels=GivenLabels(), title="Anders")
    assert state(tenant) == ("Anders", [])
