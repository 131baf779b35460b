"""Documents through a real worker that is killed on the way: everything is written once, and wholly."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings

from documents.models import Asset, Document, DocumentVersion, PageCheckpoint, PageText, StepResult
from documents.pipeline import STEPS
from documents.search.results import search_documents
from documents.services.sweep import sweep_vault
from documents.vault import STAGING, LocalVault
from jobs.models import FailureKind, Job, JobAttempt, JobStatus
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tests.documents import papers
from tests.documents.conftest import Store
from tests.documents.reading.mutations import mutations
from tests.emptying import remove_all_rows
from tests.factories import TenantFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True), pytest.mark.timeout(240)]

Drain = Callable[..., None]


@pytest.fixture(autouse=True)
def nothing_there(transactional_db: None) -> None:
    """The sweep looks at all there is: begin without what a test before may have left."""
    remove_all_rows()


@pytest.fixture
def drain(process_environment: dict[str, str]) -> Drain:
    """Run a worker until nothing is due."""

    def run(**environment: str) -> None:
        ended = subprocess.run(
            [sys.executable, "manage.py", "runworker", "--drain", "--slots", "2"],
            cwd=Path(settings.BASE_DIR),
            env=process_environment | environment,
            capture_output=True,
            text=True,
            timeout=200,
        )
        assert ended.returncode == 0, ended.stderr

    return run


def assert_whole(tenant: Tenant, vault: LocalVault) -> None:
    """Check that two scans are there, each once and with everything that belongs to it, and nothing else."""
    with tenant_scope(tenant.id):
        assert [job.status for job in Job.objects.all()] == [JobStatus.SUCCEEDED] * 2
        assert Document.objects.exclude(analyzed_by=None).count() == 2
        assert PageText.objects.count() == 4
        assert StepResult.objects.count() == 2 * len(STEPS)
        assert Asset.objects.count() == 2
        assert PageCheckpoint.objects.count() == 0
    assert sweep_vault().is_whole
    assert len(list(vault.list(""))) == 4
    assert len(search_documents(tenant_id=tenant.id, text="archivprobe").hits) == 2


@pytest.mark.parametrize("point", ["started", "body", "effects", "finished"])
def test_a_child_killed_at_any_point_leaves_a_document_that_is_whole_after_the_next_attempt(
    tenant: Tenant, store: Store, vault: LocalVault, drain: Drain, point: str
) -> None:
    for number in (1, 2):
        store(papers.mixed_pdf(number), f"scan {number}.pdf")
    drain(ARCHIV_FAILPOINT=f"job.{point}:kill:1")
    assert_whole(tenant, vault)
    assert list(vault.list(f"{STAGING}/")) == [] or point in ("body", "effects")
    with tenant_scope(tenant.id):
        outcomes = sorted(JobAttempt.objects.values_list("outcome", flat=True))
    if point == "finished":  # it had succeeded by then, although nobody had been told
        assert outcomes == ["succeeded"] * 2
    else:
        assert outcomes == ["crash", "succeeded", "succeeded"]


def test_two_workers_at_once_analyze_each_document_once(
    tenant: Tenant, store: Store, vault: LocalVault, process_environment: dict[str, str]
) -> None:
    for number in (1, 2):
        store(papers.mixed_pdf(number), f"scan {number}.pdf")
    command = [sys.executable, "manage.py", "runworker", "--drain", "--slots", "1"]
    workers = [
        subprocess.Popen(
            command, cwd=Path(settings.BASE_DIR), env=process_environment, stdout=subprocess.DEVNULL
        )
        for _ in range(2)
    ]
    assert [worker.wait(200) for worker in workers] == [0, 0]
    assert_whole(tenant, vault)


def test_broken_files_all_end_and_the_documents_of_another_tenant_are_read_between_them(
    tenant: Tenant, store: Store, vault: LocalVault, drain: Drain
) -> None:
    """A part of the thousand of `benchmarks/mutations.py`, which measures how long others wait as well."""
    broken = [store(data, name) for name, data in mutations(40)]
    other: Tenant = TenantFactory.create()
    for number in range(3):
        store(f"paper {number}".encode(), "paper.txt", other.id)
    drain(ARCHIV_LOG_LEVEL="WARNING")
    with tenant_scope(tenant.id):
        ends = Job.objects.values_list("status", "failure_kind", "document_id")
        assert {status for status, *_ in ends} <= {JobStatus.SUCCEEDED, JobStatus.FAILED}
        assert {kind for _, kind, _ in ends} <= {
            "",
            FailureKind.GAVE_UP,
            FailureKind.LIMIT,
            FailureKind.CRASH,
        }
        assert {one.document_id for one in broken} <= {document for *_, document in ends}
        last = JobAttempt.objects.latest("ended_at").ended_at
        versions = list(DocumentVersion.objects.filter(pk__in=[one.version_id for one in broken]))
    for version in versions:
        vault.open_verified(version.vault_path, content_hash=version.content_hash).close()
    assert len(versions) == len(broken)
    with tenant_scope(other.id):
        assert [job.status for job in Job.objects.all()] == [JobStatus.SUCCEEDED] * 3
        assert JobAttempt.objects.latest("ended_at").ended_at < last, "they did not wait for all of them"
