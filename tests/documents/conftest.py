"""Tenants and files for tests of documents."""

import io
import socket
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models import F
from django.db.models.functions import Now
from pytest_django import Settings

from documents.models.document import DocumentSource
from documents.reading.client import start_reader_template
from documents.search.quickwit.backend import INDEX_DOCUMENT
from documents.services import StoredDocument, store_document
from documents.vault import STAGING, LocalVault, get_vault
from jobs.context import JobContext, RunningJob
from jobs.engine.child import report_end, report_error
from jobs.engine.messages import Outcome, Report
from jobs.engine.store import ends
from jobs.engine.store.base import app_connection
from jobs.models import Job, JobStatus
from jobs.registry import get_job_type
from tenants.models import Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.documents.engines import EngineUnderTest
from tests.documents.quickwit_stub import QuickwitStub, quickwit_stub
from tests.factories import TenantFactory

Store = Callable[..., StoredDocument]

SEALED = "tests.documents.reading.sealed_template"
"""Readers as where their user cannot read the project: nothing can be imported once they are warm."""


@pytest.fixture
def tenant(db: None) -> Tenant:
    """An active tenant."""
    made: Tenant = TenantFactory.create()
    return made


@pytest.fixture
def vault(db: None) -> LocalVault:
    """The vault of this run, emptied."""
    vault = get_vault()
    assert isinstance(vault, LocalVault)
    for file in [*vault.list(""), *vault.list(f"{STAGING}/")]:
        vault.remove(file.path)
    return vault


@pytest.fixture
def store(tenant: Tenant, vault: LocalVault) -> Store:
    """Store bytes, or a file, for the tenant."""

    def call(
        content: bytes | Path = b"paper", filename: str = "", tenant_id: uuid.UUID | None = None
    ) -> StoredDocument:
        data = content.read_bytes() if isinstance(content, Path) else content
        name = filename or (content.name if isinstance(content, Path) else "paper.txt")
        return store_document(
            tenant_id=tenant_id or tenant.id,
            stream=io.BytesIO(data),
            filename=name,
            source=DocumentSource.IMPORT,
        )

    return call


@pytest.fixture(scope="session")
def reader_requests() -> Iterator[socket.socket]:
    """Where readers are asked for, of a template that lives as long as the run."""
    with start_reader_template(module=SEALED) as template:
        yield template.requests


@pytest.fixture
def analyze(reader_requests: socket.socket) -> Callable[[StoredDocument], Job]:
    """Work off the queued analysis of a stored document as a child would, and return its job as it ended."""

    def run(stored: StoredDocument) -> Job:
        with operator_scope():
            job = Job.objects.get(document_id=stored.document_id, status=JobStatus.QUEUED)
        attempt = claim(job)
        end(attempt, run_attempt(attempt, reader_requests))
        with operator_scope():
            job.refresh_from_db()
        return job

    return run


def claim(job: Job) -> RunningJob:
    """Claim one job, as the dispatcher does."""
    assert job.tenant_id is not None
    with tenant_scope(job.tenant_id):
        Job.objects.filter(pk=job.pk).update(
            status=JobStatus.PROCESSING,
            lease=F("lease") + 1,
            started_at=Now(),
            lease_expires_at=Now() + timedelta(hours=1),
        )
        job.refresh_from_db()
    return RunningJob(
        job.pk, job.tenant_id, job.document_id, job.type, job.payload, job.lease, job.retry_count
    )


def run_attempt(attempt: RunningJob, reader_requests: socket.socket) -> Report:
    """Run the handler as a child does, but in the connection of the test, which a child would close."""
    job_type = get_job_type(attempt.type)
    context = JobContext(attempt, scope=job_type.scope, templates={"reader": reader_requests})
    try:
        job_type.run(context)
    except Exception as error:  # noqa: BLE001  a handler may raise anything
        return report_error(attempt, error, context)
    return report_end(context)


def end(attempt: RunningJob, report: Report) -> None:
    """Write how an attempt ended where its child left that to the dispatcher."""
    with tenant_scope(attempt.tenant_id):
        if report.outcome is Outcome.DONE:
            assert ends.finish(app_connection(), attempt.held)
        elif report.outcome is Outcome.FAILED:
            failure = ends.Failure(attempt.id, attempt.lease, report.kind, report.error, report.again)
            assert ends.fail_batch(app_connection(), [failure])


@pytest.fixture(scope="session")
def shared_stub() -> Iterator[QuickwitStub]:
    """A Quickwit of the whole run: each tenant has an index of its own."""
    with quickwit_stub() as running:
        yield running


@pytest.fixture(params=["postgresql", "quickwit"])
def engine(request: pytest.FixtureRequest, settings: Settings) -> EngineUnderTest:
    """Each engine of search in turn."""
    if request.param == "postgresql":
        return EngineUnderTest()
    stub: QuickwitStub = request.getfixturevalue("shared_stub")
    settings.ARCHIV_SEARCH_URL = stub.url
    return EngineUnderTest(stub)


@pytest.fixture
def stub(settings: Settings) -> Iterator[QuickwitStub]:
    """A Quickwit of one test, named by the setting."""
    with quickwit_stub() as running:
        settings.ARCHIV_SEARCH_URL = running.url
        yield running


@pytest.fixture
def work_off() -> Iterator[Callable[[], list[Outcome]]]:
    """Run the jobs `index-document` that are queued, and return how they ended."""
    ours, theirs = socket.socketpair()

    def run() -> list[Outcome]:
        with operator_scope():
            jobs = list(Job.objects.filter(type=INDEX_DOCUMENT, status="queued").order_by("id"))
        outcomes = []
        for job in jobs:
            attempt = claim(job)
            report = run_attempt(attempt, ours)
            end(attempt, report)
            outcomes.append(report.outcome)
        return outcomes

    with ours, theirs:
        yield run
