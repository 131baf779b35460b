"""A job whose payload names what belongs to another tenant reads, changes and tells nothing of it."""

import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from documents.services.bulk_operations import write_change
from documents.services.bulk_preview import BulkChange, BulkVerb
from jobs.engine.database import open_connection
from jobs.engine.messages import Outcome
from jobs.engine.store import ends
from jobs.models import Job, JobAttempt, JobStatus, Lane, Operation
from jobs.operations import open_operation
from jobs.registry import job_types
from jobs.services import enqueue_analysis, requeue_jobs
from tenants.models import Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.archiv.two_tenants import Filled, Known, empty_vault, fill
from tests.documents.conftest import claim, end, run_attempt
from tests.factories import JobFactory
from tests.tenants.wiping import signed

pytestmark = pytest.mark.django_db(transaction=True)


def ordered_by_nobody() -> Operation:
    """Return an operation that trashes documents, as jobs of any tenant may name it."""
    with operator_scope():
        operation, _ = open_operation(
            id=uuid.uuid4(),
            verb=Operation.Verb.CHANGE,
            wanted=write_change(BulkChange(BulkVerb.TRASH)),
            as_of=timezone.now(),
            total=1,
        )
    return operation


Payload = Callable[[Known, Tenant], dict[str, Any]]

#: What a forged job of each type says: another tenant's things, or, to compare with, things that nobody has.
FORGED: dict[str, Payload] = {
    "analyze-document": lambda known, tenant: {
        "document_id": known.document,
        "document_version_id": known.version,
        "force": True,
    },
    # An operation is nobody's: its documents are, and those named here are another's.
    "change-documents": lambda known, tenant: {
        "operation_id": str(ordered_by_nobody().pk),
        "document_ids": [known.document],
    },
    "make-searchable-pdf": lambda known, tenant: {
        "document_id": known.document,
        "document_version_id": known.version,
    },
    "index-document": lambda known, tenant: {"document_ids": [known.document], "tenant_id": str(tenant.id)},
    "purge-document": lambda known, tenant: {"document_id": known.trashed},
    "deliver-webhook": lambda known, tenant: {"run_id": 1, "action": 0, "tenant_id": str(tenant.id)},
    "verify-archive": lambda known, tenant: {"share": 0, "shares": 1, "tenant_id": str(tenant.id)},
    "provision-tenant": lambda known, tenant: {"members": [known.document], "tenant_id": str(tenant.id)},
    # A genuine order, but for the other tenant.
    "delete-tenant": lambda known, tenant: signed(tenant),
}


@pytest.fixture
def two() -> tuple[Filled, Filled]:
    empty_vault()
    return fill("quarz"), fill("zimt")


@pytest.fixture
def nobody() -> Iterator[socket.socket]:
    """Where a reader would be asked for: whoever does is told at once that there is none."""
    ours, theirs = socket.socketpair()
    theirs.close()
    with ours:
        yield ours


def forge(ours: Filled, kind: str, payload: dict[str, Any], document_id: str) -> Job:
    """Queue a job of ours that points at something of another tenant, as no service would."""
    with tenant_scope(ours.tenant.id):
        wanted = "deleting" if kind == "delete-tenant" else "active"
        Tenant.objects.filter(id=ours.tenant.id).update(status=wanted)
        job: Job = JobFactory.create(
            tenant_id=ours.tenant.id,
            type=kind,
            payload=payload,
            document_id=uuid.UUID(document_id),
            lane=Lane.URGENT if kind == "delete-tenant" else Lane.NORMAL,
            max_retries=0,
        )
    return job


def said_by(job: Job) -> str:
    """Return how a job ended and all the words that are kept of it."""
    with operator_scope():
        job.refresh_from_db()
        attempts = JobAttempt.objects.filter(job_id=job.id).values_list("outcome", "error")
        return f"{job.status} {job.failure_kind} {job.error_message} {list(attempts)}"


def test_every_type_of_job_is_forged() -> None:
    assert set(FORGED) == {name for name in job_types() if not name.startswith("probe")}


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_payload_neither_opens_nor_betrays_another_tenant(
    kind: str, two: tuple[Filled, Filled], nobody: socket.socket
) -> None:
    ours, theirs = two
    before, marks, answers = theirs.state(), theirs.marks(beside=ours), []
    stranger = Tenant(id=uuid.uuid4(), name="Kanzlei einhorn")
    for known, tenant in ((theirs.known, theirs.tenant), (Known.invented(), stranger)):
        payload = FORGED[kind](known, tenant)
        job = forge(ours, kind, payload, known.document)
        attempt = claim(job)
        report = run_attempt(attempt, nobody)
        assert report.outcome is not Outcome.LOST
        end(attempt, report)
        text = known.cut_from(said_by(job)).replace(str(tenant.id), "tenant").replace(tenant.name, "name")
        assert not [mark for mark in marks if mark in text]
        answers.append(text)
        assert theirs.state() == before
        with tenant_scope(ours.tenant.id):  # the next one must not meet this one as its twin
            Job.objects.filter(id=job.id).update(document_id=None)
    assert answers[0] == answers[1], "what is there is told from what is not"


def test_no_job_is_the_twin_of_another_tenants(two: tuple[Filled, Filled]) -> None:
    ours, theirs = two
    before = theirs.state()
    with operator_scope():
        assert Job.objects.filter(document_id=theirs.known.document, status="queued").count() == 1
    payload = FORGED["analyze-document"](theirs.known, theirs.tenant)
    job = forge(ours, "analyze-document", payload, theirs.known.document)
    attempt = claim(job)
    connection = open_connection("test")  # of the dispatcher, who sees the jobs of all tenants
    try:
        ends.fail_batch(
            connection, [ends.Failure(attempt.id, attempt.lease, "error", "x", ends.Again.ALWAYS)]
        )
    finally:
        connection.close()
    assert said_by(job).startswith("queued")
    with operator_scope():
        Job.objects.filter(id=job.id).update(status="failed", failure_kind="error")
        assert requeue_jobs(job_ids=[job.id]).requeued == 1
    with tenant_scope(ours.tenant.id):
        joined = enqueue_analysis(
            tenant_id=ours.tenant.id,
            document_id=uuid.UUID(theirs.known.document),
            document_version_id=uuid.UUID(theirs.known.version),
        )
    assert joined == job.id
    assert theirs.state() == before


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_real_worker_does_nothing_to_another_tenant_for_forged_jobs(
    two: tuple[Filled, Filled], process_environment: dict[str, str]
) -> None:
    ours, theirs = two
    with operator_scope():  # what the other tenant has waiting itself is none of our jobs
        Job.objects.filter(tenant_id=theirs.tenant.id, status=JobStatus.QUEUED).update(status="succeeded")
    before = theirs.state()
    jobs = [
        forge(ours, kind, payload(theirs.known, theirs.tenant), str(uuid.uuid4()))
        for kind, payload in FORGED.items()
        if kind != "delete-tenant"
    ]
    ended = subprocess.run(
        [sys.executable, "manage.py", "runworker", "--drain", "--slots", "1"],
        cwd=Path(settings.BASE_DIR),
        env=process_environment,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert ended.returncode == 0, ended.stderr
    with operator_scope():
        left = Job.objects.filter(status__in=("queued", "processing")).count()
    assert left == 0
    assert all(said_by(job).startswith(("succeeded", "failed")) for job in jobs)
    assert theirs.state() == before
