"""Retention classes: three come with every tenant, others are its own, and none shortens anything."""

from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
from django.db import IntegrityError

from documents.errors import BadRetentionClass, UnknownRetentionClass
from documents.models import Document, RetentionClass
from documents.services import StoredDocument
from documents.services.changes import ChangeReport
from documents.services.retention import (
    choose_default_class,
    classify_documents,
    create_retention_class,
    list_retention_classes,
)
from jobs.models import Job
from tenants.access import Access, operator_access
from tenants.errors import CapabilityDenied
from tenants.models import AuditEvent, Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store
from tests.documents.test_commands import run, run_failing


@pytest.fixture
def access(tenant: Tenant) -> Access:
    return operator_access(tenant.id)


def document_of(tenant: Tenant) -> Document:
    with tenant_scope(tenant.id):
        return Document.objects.select_related("retention_class").get()


def year_of_now() -> int:
    return datetime.now(UTC).year


def kept_years(tenant: Tenant) -> int:
    """Years from this one to the last in which the only document is kept."""
    until = document_of(tenant).retain_until
    assert until is not None
    return until.year - year_of_now()


def test_every_tenant_has_the_classes_of_the_law_and_its_own(access: Access) -> None:
    create_retention_class(access=access, name=" deeds  of land ", years=30)
    assert [(row.name, row.years) for row in list_retention_classes(access=access)] == [
        ("books", 10),
        ("letters", 6),
        ("vouchers", 8),
        ("deeds of land", 30),
    ]


def test_making_the_same_class_again_is_harmless_with_other_years_it_is_refused(access: Access) -> None:
    first = create_retention_class(access=access, name="deeds", years=30)
    assert create_retention_class(access=access, name="deeds", years=30) == first
    with pytest.raises(BadRetentionClass, match="a class 'deeds' of 30 years already"):
        create_retention_class(access=access, name="deeds", years=2)


@pytest.mark.parametrize(
    ("name", "years"), [("", 3), ("x" * 101, 3), ("a\0b", 3), ("deeds", 0), ("deeds", 101)]
)
def test_a_class_that_cannot_be_is_refused(access: Access, name: str, years: int) -> None:
    with pytest.raises(BadRetentionClass):
        create_retention_class(access=access, name=name, years=years)


def test_a_document_is_kept_as_its_class_says_and_a_shorter_one_takes_nothing_back(
    store: Store, tenant: Tenant, access: Access
) -> None:
    ids = [store(b"paper").document_id]
    assert document_of(tenant).retain_until is None
    assert classify_documents(access=access, document_ids=ids, name="vouchers") == ChangeReport(1)
    assert kept_years(tenant) == 8
    classify_documents(access=access, document_ids=ids, name="letters")
    assert kept_years(tenant) == 8
    classify_documents(access=access, document_ids=ids, name="books")
    assert kept_years(tenant) == 10
    assert classify_documents(access=access, document_ids=ids, name="books").changed == 0
    with tenant_scope(tenant.id):
        actions = AuditEvent.objects.filter(tenant_id=tenant.id).order_by("sequence")
        assert list(actions.values_list("action", flat=True))[1:] == ["document.classified"] * 3


def test_what_is_stored_begins_in_the_class_for_new_documents(
    store: Store, tenant: Tenant, access: Access
) -> None:
    choose_default_class(access=access, name="vouchers")
    choose_default_class(access=access, name="books")
    store(b"paper")
    found = document_of(tenant)
    assert found.retention_class is not None
    assert (found.retention_class.name, kept_years(tenant)) == ("books", 10)
    choose_default_class(access=access, name=None)
    with tenant_scope(tenant.id):
        assert not RetentionClass.objects.filter(is_default=True).exists()


def test_a_later_issued_date_that_an_analysis_finds_lengthens_and_an_earlier_one_does_not_shorten(
    store: Store, tenant: Tenant, access: Access, analyze: Callable[[StoredDocument], Job]
) -> None:
    choose_default_class(access=access, name="letters")
    stored = store(f"Rechnung vom 12.05.{year_of_now() - 3}".encode())
    assert kept_years(tenant) == 6
    assert analyze(stored).status == "succeeded"
    assert document_of(tenant).issued_at == date(year_of_now() - 3, 5, 12)
    assert kept_years(tenant) == 6


def test_a_class_of_another_name_is_refused_with_those_there_are(access: Access) -> None:
    with pytest.raises(UnknownRetentionClass, match="There are: books, letters, vouchers"):
        classify_documents(access=access, document_ids=[access.tenant_id], name="receipts")


def test_a_class_in_use_cannot_be_deleted(store: Store, tenant: Tenant, access: Access) -> None:
    classify_documents(access=access, document_ids=[store(b"paper").document_id], name="books")
    with tenant_scope(tenant.id), pytest.raises(IntegrityError):
        RetentionClass.objects.filter(name="books").delete()


def test_classes_ask_for_their_capabilities(tenant: Tenant) -> None:
    reader = Access(tenant_id=tenant.id, capabilities=frozenset({"documents:read"}))
    assert len(list_retention_classes(access=reader)) == 3
    with pytest.raises(CapabilityDenied):
        create_retention_class(access=reader, name="deeds", years=30)
    with pytest.raises(CapabilityDenied):
        choose_default_class(access=reader, name="books")
    with pytest.raises(CapabilityDenied):
        classify_documents(access=reader, document_ids=[], name="books")


def test_the_command_makes_classes_and_puts_documents_into_them(store: Store, tenant: Tenant) -> None:
    stored = store(b"paper")
    assert run("retention", tenant.name).splitlines()[0] == "books: 10 years"
    out = run("retention", tenant.name, "--class", "deeds", "--years", 30, "--default")
    assert "deeds: 30 years, for new documents" in out
    out = run("retention", tenant.name, "--class", "deeds", "--document", stored.document_id)
    assert out == "Classified 1 document.\n"
    assert kept_years(tenant) == 30
    assert "new documents" not in run("retention", tenant.name, "--no-default")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--years", "3"], "Say which class"),
        (["--class", "deeds"], "Say what to do"),
        (["--class", "receipts", "--default"], "There is no retention class 'receipts'"),
    ],
)
def test_the_command_says_what_is_missing(tenant: Tenant, arguments: list[str], message: str) -> None:
    _, error = run_failing("retention", tenant.name, *arguments)
    assert message in error


def test_commands_trash_restore_hold_and_purge(store: Store, tenant: Tenant) -> None:
    stored = store(b"paper")
    assert run("trash", tenant.name, stored.document_id) == "Trashed 1 document.\n"
    out, error = run_failing("trash", tenant.name, stored.document_id)
    assert out.splitlines() == ["Trashed 0 documents.", "Left alone 1: in the trash already."]
    assert error == "1 left alone."
    assert run("hold", tenant.name, stored.document_id) == "Held 1 document.\n"
    out, _ = run_failing("purge", tenant.name, stored.document_id)
    assert "Left alone 1: under legal hold." in out
    assert run("purge", tenant.name, "--all") == "Queued the purge of 0 documents.\n"
    assert run("hold", tenant.name, stored.document_id, "--release") == "Released 1 document.\n"
    assert run("restore", tenant.name, stored.document_id) == "Restored 1 document.\n"
    _, error = run_failing("purge", tenant.name)
    assert error == "Name documents, or say --all."
