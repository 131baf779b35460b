"""What came with a mail becomes documents of its own: once, linked, and bounded."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from django.urls import reverse

from documents.models import Document, DocumentVersion, MailAttachment, StepResult
from documents.services import StoredDocument
from documents.services import attachments as attachments_service
from documents.services.mails import list_mail_links
from documents.services.reanalyze import reanalyze_documents
from jobs.models import Job, JobStatus
from tenants.access import operator_access
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents.conftest import Store
from tests.operators import sign_in

Analyze = Callable[[StoredDocument], Job]
pytestmark = pytest.mark.django_db(transaction=True)


def mail(subject: str, *files: tuple[str, bytes], forwarded: EmailMessage | None = None) -> EmailMessage:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@example.org", "b@example.org", subject
    message.set_content(f"Anbei: {subject}")
    for name, content in files:
        message.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    if forwarded is not None:
        message.add_attachment(forwarded)
    return message


def links(tenant: Tenant) -> list[tuple[str, str | None]]:
    with tenant_scope(tenant.id):
        rows = MailAttachment.objects.filter(tenant_id=tenant.id).order_by("mail__created_at", "number")
        return [(link.filename, link.document.title if link.document else None) for link in rows]


def message_of(tenant: Tenant, stored: StoredDocument) -> str:
    with tenant_scope(tenant.id):
        return StepResult.objects.get(tenant_id=tenant.id, version_id=stored.version_id, step="read").message


def queued(tenant: Tenant) -> list[StoredDocument]:
    """The documents whose analysis waits."""
    with tenant_scope(tenant.id):
        jobs = Job.objects.filter(tenant_id=tenant.id, status=JobStatus.QUEUED).order_by("id")
        return [
            StoredDocument(version.document_id, version.id, job.id)
            for job in jobs
            for version in DocumentVersion.objects.filter(
                tenant_id=tenant.id, document_id=job.document_id or uuid.UUID(int=0)
            )
        ]


def test_attachments_are_documents_of_their_own_with_a_job_each(
    tenant: Tenant, store: Store, analyze: Analyze
) -> None:
    stored = store(
        mail("Unterlagen", ("eins.txt", b"Text eins"), ("zwei.txt", b"Text zwei")).as_bytes(), "a.eml"
    )
    assert analyze(stored).status == JobStatus.SUCCEEDED
    assert links(tenant) == [("eins.txt", "eins"), ("zwei.txt", "zwei")]
    assert "eins.txt is a document of its own" in message_of(tenant, stored)
    waiting = queued(tenant)
    assert len(waiting) == 2
    assert all(analyze(one).status == JobStatus.SUCCEEDED for one in waiting)
    with tenant_scope(tenant.id):
        found = Document.objects.get(tenant_id=tenant.id, pk=waiting[0].document_id)
    assert (found.source, found.source_ref) == ("mail", str(stored.document_id))


def test_the_pages_of_a_mail_and_of_what_came_with_it_lead_to_each_other(
    tenant: Tenant, store: Store, analyze: Analyze
) -> None:
    stored = store(mail("Unterlagen", ("eins.txt", b"eins"), ("zwei.txt", b"zwei")).as_bytes(), "a.eml")
    analyze(stored)
    first, second = (one.document_id for one in queued(tenant))
    with tenant_scope(tenant.id):
        MailAttachment.objects.filter(tenant_id=tenant.id, document_id=second).update(document=None)
    access = operator_access(tenant.id)
    found = list_mail_links(access=access, document_id=stored.document_id)
    assert [one.document_id for one in found.attachments] == [first, None]
    assert [one.pk for one in list_mail_links(access=access, document_id=first).mails] == [stored.document_id]
    client = sign_in("documents.view_document")
    pages = {
        one: client.get(reverse("admin:documents_document_change", args=[one])).content.decode()
        for one in (stored.document_id, first)
    }
    assert reverse("admin:documents_document_change", args=[first]) in pages[stored.document_id]
    assert "zwei.txt" in pages[stored.document_id]
    assert reverse("admin:documents_document_change", args=[stored.document_id]) in pages[first]


def test_reading_a_mail_again_takes_nothing_out_twice(tenant: Tenant, store: Store, analyze: Analyze) -> None:
    stored = store(mail("Unterlagen", ("eins.txt", b"Text eins")).as_bytes(), "a.eml")
    analyze(stored)
    before = links(tenant)
    with tenant_scope(tenant.id):
        MailAttachment.objects.filter(tenant_id=tenant.id).update(document=None)  # as after its purge
        documents = Document.objects.filter(tenant_id=tenant.id).count()
    reanalyze_documents(tenant_id=tenant.id, document_ids=[stored.document_id])
    again = next(one for one in queued(tenant) if one.document_id == stored.document_id)
    assert analyze(again).status == JobStatus.SUCCEEDED
    assert links(tenant) == [(name, None) for name, _ in before]
    with tenant_scope(tenant.id):
        assert Document.objects.filter(tenant_id=tenant.id).count() == documents
    assert "1 as before" in message_of(tenant, stored)


def test_an_attachment_that_is_here_already_is_linked_and_named(
    tenant: Tenant, store: Store, analyze: Analyze
) -> None:
    store(b"Text eins", "Vertrag.txt")
    stored = store(mail("Unterlagen", ("eins.txt", b"Text eins")).as_bytes(), "a.eml")
    analyze(stored)
    assert links(tenant) == [("eins.txt", "Vertrag")]
    assert "eins.txt was here already, as 'Vertrag'" in message_of(tenant, stored)


def test_mails_within_mails_are_taken_out_one_by_one_and_not_without_end(
    tenant: Tenant, store: Store, analyze: Analyze, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attachments_service, "MOST_DEEP", 2)
    deepest = mail("ganz innen", ("kern.txt", b"Kern"))
    stored = store(mail("aussen", forwarded=mail("innen", forwarded=deepest)).as_bytes(), "a.eml")
    analyze(stored)
    (inner,) = queued(tenant)
    analyze(inner)
    (deep,) = queued(tenant)
    analyze(deep)
    assert queued(tenant) == []
    assert [name for name, _ in links(tenant)] == ["innen.eml", "ganz innen.eml"]
    assert "not taken out: this mail lies 2 mails deep" in message_of(tenant, deep)


def test_what_does_not_get_finished_leaves_no_file_behind(
    tenant: Tenant, store: Store, analyze: Analyze, monkeypatch: pytest.MonkeyPatch
) -> None:
    from documents.vault import STAGING, get_vault

    stored = store(mail("Unterlagen", ("eins.txt", b"eins"), ("zwei.txt", b"zwei")).as_bytes(), "a.eml")

    def refuse(**_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(MailAttachment.objects, "create", refuse)
    assert analyze(stored).status == JobStatus.QUEUED
    files = [file.path for file in get_vault().list("")]
    assert all(str(stored.version_id) in path for path in files)
    assert list(get_vault().list(f"{STAGING}/")) == []
    assert links(tenant) == []


def test_pictures_of_the_text_stay_in_the_mail_and_too_many_files_are_bounded(
    tenant: Tenant, store: Store, analyze: Analyze
) -> None:
    message = mail("viele", *((f"{number}.txt", b"%d" % number) for number in range(120)))
    message.add_attachment(
        b"logo", maintype="image", subtype="png", filename="logo.png", cid="<l@x>", disposition="inline"
    )
    stored = store(message.as_bytes(), "a.eml")
    assert analyze(stored).status == JobStatus.SUCCEEDED
    assert len(links(tenant)) == 100
    assert "Only the first 100 of 120" in message_of(tenant, stored)
