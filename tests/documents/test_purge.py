"""Purge: a document goes wholly, once, only when nothing keeps it, and takes nothing else with it."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import ForeignKey
from django.db.models.functions import Now

from documents import handlers
from documents.models import (
    Asset,
    Document,
    DocumentVersion,
    FileFacts,
    Filing,
    IndexedCopy,
    LearnedDocument,
    MailAttachment,
    Note,
    PageCheckpoint,
    PageText,
    SearchEntry,
    StepResult,
    WorkflowRun,
)
from documents.search.results import search_documents
from documents.services import StoredDocument
from documents.services.changes import ChangeReport
from documents.services.purge import purge_documents
from documents.services.trash import restore_documents, trash_documents
from documents.vault import LocalVault
from jobs.engine.messages import Report
from jobs.models import Job
from tenants.access import operator_access
from tenants.models import AuditEvent, Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.documents.conftest import Store, claim, end, run_attempt
from tests.documents.test_sweep import put
from tests.factories import (
    AssetFactory,
    FileFactsFactory,
    PageCheckpointFactory,
    PageTextFactory,
    StepResultFactory,
)


@pytest.fixture
def paper(store: Store, tenant: Tenant, vault: LocalVault) -> StoredDocument:
    """A trashed document with something in every table, and two thumbnails."""
    stored = store(b"paper", "Rechnung.txt")
    with tenant_scope(tenant.id):
        version = DocumentVersion.objects.get(pk=stored.version_id)
        asset = AssetFactory.create(tenant_id=tenant.id, version=version, job_id=5)
        PageTextFactory.create(tenant_id=tenant.id, version=version)
        StepResultFactory.create(tenant_id=tenant.id, version=version)
        FileFactsFactory.create(tenant_id=tenant.id, version=version)
        PageCheckpointFactory.create(tenant_id=tenant.id, job_id=stored.job_id)
    put(vault, asset.vault_path)
    put(vault, f"{tenant.id}/assets/{version.id}/thumbnail-4")
    trash_documents(access=operator_access(tenant.id), document_ids=[stored.document_id])
    return stored


def purge(tenant: Tenant, *ids: uuid.UUID) -> ChangeReport:
    return purge_documents(access=operator_access(tenant.id), document_ids=ids)


def purge_job(tenant: Tenant) -> Job:
    with tenant_scope(tenant.id):
        return Job.objects.filter(type="purge-document").latest("id")


def work_off(job: Job) -> Report:
    attempt = claim(job)
    report = run_attempt(attempt, None)  # type: ignore[arg-type]
    end(attempt, report)
    with operator_scope():
        job.refresh_from_db()
    return report


def change(document: StoredDocument, **values: Any) -> None:
    with operator_scope():
        Document.objects.filter(pk=document.document_id).update(**values)


def trail(tenant: Tenant) -> list[tuple[str, str]]:
    with tenant_scope(tenant.id):
        events = AuditEvent.objects.filter(tenant_id=tenant.id).order_by("sequence")
        return list(events.values_list("action", "details"))


def snapshot(vault: LocalVault, but: uuid.UUID) -> dict[str, Any]:
    """Everything of all tenants but one document: rows by table, and files."""
    with operator_scope():
        versions = list(DocumentVersion.objects.filter(document_id=but).values_list("pk", flat=True))
        rows: dict[str, Any] = {
            model.__name__: sorted(map(str, model.objects.exclude(**{key: but}).values_list()))
            for model, key in (
                (Document, "pk"),
                (DocumentVersion, "document_id"),
                (SearchEntry, "document_id"),
            )
        }
        for model in (Asset, FileFacts, PageText, StepResult):
            rows[model.__name__] = sorted(
                map(str, model.objects.exclude(version_id__in=versions).values_list())
            )
    rows["files"] = sorted(
        file.path for file in vault.list("") if not any(str(version) in file.path for version in versions)
    )
    return rows


def test_a_purge_takes_every_row_and_file_of_one_document_and_nothing_else(
    store: Store, tenant: Tenant, vault: LocalVault, paper: StoredDocument
) -> None:
    other = store(b"another paper", "Rechnung 2.txt")
    with tenant_scope(tenant.id):
        version = DocumentVersion.objects.get(pk=other.version_id)
        asset = AssetFactory.create(tenant_id=tenant.id, version=version)
        PageTextFactory.create(tenant_id=tenant.id, version=version)
        StepResultFactory.create(tenant_id=tenant.id, version=version)
        FileFactsFactory.create(tenant_id=tenant.id, version=version)
    put(vault, asset.vault_path)
    before = snapshot(vault, paper.document_id)
    assert purge(tenant, paper.document_id) == ChangeReport(1)
    work_off(purge_job(tenant))
    assert purge_job(tenant).status == "succeeded"
    with operator_scope():
        for model in (Document, DocumentVersion, SearchEntry, Asset, FileFacts, PageText, StepResult):
            assert model.objects.count() == 1, f"{model.__name__}: the other's only"
        assert not PageCheckpoint.objects.exists()
    assert snapshot(vault, paper.document_id) == before
    assert {file.path for file in vault.list("")} == {version.vault_path, asset.vault_path}
    assert trail(tenant)[-2][0] == "document.purge_ordered"
    action, details = trail(tenant)[-1]
    assert (action, '"versions":1' in details) == ("document.purged", True)


def test_every_table_that_points_at_a_document_is_known_to_the_purge() -> None:
    pointing = {
        relation.related_model
        for model in (Document, DocumentVersion)
        for relation in model._meta.related_objects
        if isinstance(relation.field, ForeignKey)
    }
    every = {
        model
        for model in Document._meta.apps.get_models()
        for field in model._meta.fields
        if isinstance(field, ForeignKey) and field.related_model in (Document, DocumentVersion)
    }
    assert pointing | every == {
        DocumentVersion,
        SearchEntry,
        IndexedCopy,
        Asset,
        FileFacts,
        PageText,
        StepResult,
        Filing,
        LearnedDocument,
        MailAttachment,
        Note,
        WorkflowRun,
    }


def test_the_same_bytes_can_be_stored_again_after_a_purge(
    store: Store, tenant: Tenant, paper: StoredDocument, vault: LocalVault
) -> None:
    assert store(b"paper").trashed
    purge(tenant, paper.document_id)
    work_off(purge_job(tenant))
    again = store(b"paper")
    assert not again.duplicate
    assert len(list(vault.list(""))) == 1


def test_a_purge_that_wakes_up_late_does_not_meet_the_new_file(
    store: Store, tenant: Tenant, vault: LocalVault, paper: StoredDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has listed the names, and is about to remove them, when another worker ends the purge."""
    purge(tenant, paper.document_id)
    late = claim(purge_job(tenant))
    again: list[StoredDocument] = []

    def elsewhere(name: str) -> None:
        if name == "purge.listed" and not again:
            monkeypatch.setattr("documents.services.purge.failpoint", lambda name: None)
            with operator_scope():
                Job.objects.filter(pk=late.id).update(status="queued")
            work_off(purge_job(tenant))
            again.append(store(b"paper"))

    monkeypatch.setattr("documents.services.purge.failpoint", elsewhere)
    report = run_attempt(late, None)  # type: ignore[arg-type]
    assert str(report.outcome) == "lost"
    with tenant_scope(tenant.id):
        version = DocumentVersion.objects.get()
    assert version.pk == again[0].version_id
    with vault.open_verified(version.vault_path, content_hash=version.content_hash) as file:
        assert file.read() == b"paper"


@pytest.mark.parametrize("place", ["purge.begun", "purge.listed", "purge.files", "finish"])
def test_a_purge_that_stops_anywhere_is_ended_by_the_next_attempt(
    tenant: Tenant, vault: LocalVault, paper: StoredDocument, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    purge(tenant, paper.document_id)
    job = purge_job(tenant)

    def stop(*arguments: str, **named: object) -> None:
        if place in (*arguments, "finish" if named else ""):
            raise ConnectionError

    with monkeypatch.context() as patch:
        if place == "finish":
            patch.setattr(handlers, "finish_purge", stop)
        patch.setattr(handlers, "failpoint", stop)
        patch.setattr("documents.services.purge.failpoint", stop)
        run_attempt(claim(job), None)  # type: ignore[arg-type]
    with operator_scope():
        assert Document.objects.get().purging_at is not None
        Job.objects.filter(pk=job.pk).update(status="queued")
    access = operator_access(tenant.id)
    assert restore_documents(access=access, document_ids=[paper.document_id]).changed == 0
    work_off(job)
    with operator_scope():
        assert not Document.objects.exists()
    assert not list(vault.list(""))
    assert [action for action, _ in trail(tenant)].count("document.purged") == 1


def test_a_purge_of_what_is_gone_succeeds(tenant: Tenant, paper: StoredDocument) -> None:
    purge(tenant, paper.document_id)
    job = purge_job(tenant)
    work_off(job)
    with operator_scope():
        Job.objects.filter(pk=job.pk).update(status="queued")
    work_off(job)
    assert job.status == "succeeded"


def test_only_one_purge_of_a_document_is_under_way(tenant: Tenant, paper: StoredDocument) -> None:
    assert purge(tenant, paper.document_id) == ChangeReport(1)
    assert purge(tenant, paper.document_id) == ChangeReport(0, {"being purged already": 1})


@pytest.mark.parametrize(
    ("values", "reason", "words"),
    [
        ({"legal_hold": True}, "legal_hold", "under legal hold"),
        ({"retain_until": Now() + timedelta(seconds=1)}, "retention", "to be kept until a later date"),
        ({"trashed_at": None}, "not_in_trash", "not in the trash"),
    ],
)
def test_what_must_be_kept_is_not_purged_and_the_refusal_is_in_the_trail(
    tenant: Tenant, vault: LocalVault, paper: StoredDocument, values: Any, reason: str, words: str
) -> None:
    change(paper, **values)
    assert purge(tenant, paper.document_id) == ChangeReport(0, {words: 1})
    assert trail(tenant)[-1] == ("document.purge_refused", f'{{"reason":"{reason}"}}')
    assert len(list(vault.list(""))) == 3


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"legal_hold": True}, "under legal hold"),
        ({"retain_until": Now() + timedelta(minutes=1)}, "must be kept until"),
        ({"trashed_at": None}, "not in the trash any more"),
    ],
)
def test_a_purge_that_was_queued_looks_again_and_gives_up(
    tenant: Tenant, vault: LocalVault, paper: StoredDocument, values: Any, reason: str
) -> None:
    purge(tenant, paper.document_id)
    change(paper, **values)
    job = purge_job(tenant)
    work_off(job)
    assert job.status == "failed"
    assert reason in job.error_message
    assert trail(tenant)[-1][0] == "document.purge_refused"
    with operator_scope():
        assert Document.objects.get().purging_at is None
    assert len(list(vault.list(""))) == 3


def test_a_document_past_its_date_is_purged(tenant: Tenant, paper: StoredDocument) -> None:
    change(paper, retain_until=Now() - timedelta(seconds=1))
    assert purge(tenant, paper.document_id) == ChangeReport(1)
    work_off(purge_job(tenant))
    with operator_scope():
        assert not Document.objects.exists()


def test_what_is_being_purged_is_found_by_nobody_from_the_first_moment(
    tenant: Tenant, paper: StoredDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    with operator_scope():  # as if an engine had kept it
        SearchEntry.objects.create(
            tenant_id=tenant.id, document_id=paper.document_id, content="rechnung", vector="'rechnung':1"
        )
    purge(tenant, paper.document_id)
    seen: list[tuple[int, bool]] = []

    def look(name: str) -> None:
        with operator_scope():
            entries = SearchEntry.objects.exists()
        seen.append((len(search_documents(tenant_id=tenant.id, text="rechnung").hits), entries))

    monkeypatch.setattr(handlers, "failpoint", look)
    work_off(purge_job(tenant))
    assert seen == [(0, False), (0, False)]
