"""Documents and tenants that change, or go, while a job of theirs is at work in a real worker."""

import io
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connections

from documents.filing import LabelKind, RuleKind
from documents.models import Filing
from documents.models.document import DocumentSource
from documents.search.results import search_documents
from documents.services import StoredDocument, store_document
from documents.services.edit import edit_document
from documents.services.labels import create_label, delete_label
from documents.services.purge import purge_documents
from documents.services.rules import add_rule
from documents.services.trash import trash_documents
from jobs.scope import tenant_rows
from jobs.services import set_queue
from tenants.access import operator_access
from tenants.models import Tenant
from tenants.scope import tenant_scope
from tenants.services import order_wipe
from tests.factories import TenantFactory
from tests.jobs.bench import Bench
from tests.processes.looking import wait_until
from tests.processes.workers import WorkerProcess
from tests.tenants.wiping import state_of

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

#: All apps, and leases that outlast whatever a test does while a child is stopped.
WHOLE = {"DJANGO_SETTINGS_MODULE": "archiv.test_settings", "ARCHIV_LEASE_SECONDS": "120"}

#: For sessions that keep a row locked.
PATIENT = "-c archiv.operator=on -c idle_in_transaction_session_timeout=0"


@pytest.fixture(scope="module")
def stopping(worker_environment: dict[str, str]) -> Iterator[WorkerProcess]:
    """A worker whose children stop in every job, its end written and not committed, its effects to come."""
    worker = WorkerProcess(
        ("--slots", "2"), worker_environment | WHOLE | {"ARCHIV_FAILPOINT": "job.body:stop"}
    )
    worker.wait_ready()
    yield worker
    worker.destroy()


@pytest.fixture
def tenant(bench: Bench) -> Tenant:
    made: Tenant = TenantFactory.create()
    return made


@pytest.fixture(autouse=True)
def none_stays_stopped(bench: Bench, stopping: WorkerProcess) -> Iterator[None]:
    """A test that failed may have left one, with its rows locked."""
    yield
    for pid in stopping.children():
        go_on(pid)


def store(tenant: Tenant, content: bytes = b"paper") -> StoredDocument:
    return store_document(
        tenant_id=tenant.id, stream=io.BytesIO(content), filename="paper.txt", source=DocumentSource.IMPORT
    )


def go_on(pid: int) -> None:
    os.kill(pid, signal.SIGCONT)


def stop_in(worker: WorkerProcess, job: int | None) -> int:
    """Wait until the child that runs this job has stopped, and return its process id."""
    worker.wait_for("job.claimed", job=job)
    return worker.wait_stopped()


@contextmanager
def elsewhere(act: Callable[[], None]) -> Iterator[None]:
    """Do it in a session of its own meanwhile, and wait until it is done."""

    def do() -> None:
        act()
        connections.close_all()

    thread = threading.Thread(target=do)
    thread.start()
    yield
    thread.join(60)
    assert not thread.is_alive()


def test_a_document_that_somebody_keeps_locked_holds_up_its_own_job_and_no_other(
    bench: Bench, stopping: WorkerProcess, tenant: Tenant
) -> None:
    locked = store(tenant)
    child = stop_in(stopping, locked.job_id)
    with psycopg.connect(bench.owner_address(), options=PATIENT) as person:
        statement = "SELECT FROM documents_document WHERE id = %s FOR UPDATE"
        assert person.execute(statement, [locked.document_id]).fetchone() is not None
        go_on(child)
        for number in range(2):
            other = store(TenantFactory.create(), b"other %d" % number)
            stopping.wait_for("job.claimed", job=other.job_id)
            go_on(stopping.wait_stopped())
            stopping.wait_for("job.finished", job=other.job_id)
        assert [job.id for job in bench.jobs(status="processing")] == [locked.job_id]
    stopping.wait_for("job.finished", job=locked.job_id, lease=1)


def test_a_label_that_goes_with_its_rules_while_an_analysis_files_by_them_is_not_given(
    bench: Bench, stopping: WorkerProcess, tenant: Tenant
) -> None:
    access = operator_access(tenant.id)
    kept, gone = (create_label(access=access, kind=LabelKind.TAG, name=name) for name in ("Stays", "Goes"))
    for label in (kept, gone):
        add_rule(
            access=access, kind=LabelKind.TAG, label_id=label.id, rule_kind=RuleKind.ANY, pattern="paper"
        )
    stored = store(tenant)
    child = stop_in(stopping, stored.job_id)
    delete_label(access=access, kind=LabelKind.TAG, label_id=gone.id)
    go_on(child)
    stopping.wait_for("job.finished", job=stored.job_id, lease=1)
    with tenant_scope(tenant.id):
        assert list(Filing.objects.values_list("label_id", flat=True)) == [kept.id]


def test_a_document_that_is_purged_while_its_analysis_runs_leaves_nothing(
    bench: Bench, stopping: WorkerProcess, tenant: Tenant
) -> None:
    stored = store(tenant)
    analyzing = stop_in(stopping, stored.job_id)
    access = operator_access(tenant.id)
    trash_documents(access=access, document_ids=[stored.document_id])
    assert purge_documents(access=access, document_ids=[stored.document_id]).changed == 1
    (purge,) = [job.id for job in bench.jobs(type="purge-document")]
    stopping.wait_for("job.claimed", job=purge)
    while (purging := stopping.wait_stopped()) == analyzing:
        bench.run_sql("SELECT pg_sleep(0.05)")
    go_on(purging)
    stopping.wait_for("job.finished", job=purge, lease=1)
    go_on(analyzing)
    stopping.wait_for("job.finished", job=stored.job_id, lease=1)
    after = state_of(tenant.id)
    assert after.files == {}
    assert {name for name in after.left() if name.startswith("documents_")} == set()


def test_a_tenant_that_is_deleted_while_its_job_runs_takes_the_job_along(
    bench: Bench, stopping: WorkerProcess, tenant: Tenant
) -> None:
    (job_id,) = bench.enqueue(tenant.id, payload={"sleep": 600, "effect": 1})
    stopping.wait_for("job.claimed", job=job_id)
    wipe = order_wipe(access=operator_access(tenant.id), action="delete").job_id
    go_on(stop_in(stopping, wipe))
    stopping.wait_for("job.finished", job=wipe, lease=1)
    stopping.wait_for("job.lease_lost", job=job_id, lease=1)
    assert state_of(tenant.id).left() == {"jobs_job": 1, "jobs_jobattempt": 1}
    (other,) = bench.enqueue(TenantFactory.create().id)
    stopping.wait_for("job.finished", job=other)


def test_an_edit_that_commits_while_workers_want_the_job_it_joined_is_in_the_index(
    bench: Bench, stopping: WorkerProcess, tenant: Tenant
) -> None:
    with tenant_rows(tenant.id):
        set_queue(tenant_id=tenant.id, paused=True)
    stored = store(tenant)

    def edit() -> None:
        access = operator_access(tenant.id)
        edit_document(access=access, document_id=stored.document_id, title="Steuerbescheid")

    with psycopg.connect(bench.owner_address(), options=PATIENT) as person:
        person.execute("SELECT FROM documents_document WHERE id = %s FOR UPDATE", [stored.document_id])
        with elsewhere(edit):
            # It has joined the queued job, and waits for the document.
            waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()"
            wait_until(bench, lambda: bool(bench.run_sql(waiting)))
            with tenant_rows(tenant.id):
                set_queue(tenant_id=tenant.id, paused=False)
            (behind,) = bench.enqueue(tenant.id)
            stopping.wait_for("job.finished", job=behind)
            assert [job.id for job in bench.jobs(status="queued")] == [stored.job_id]
            person.commit()
    go_on(stop_in(stopping, stored.job_id))
    stopping.wait_for("job.finished", job=stored.job_id)
    hits = search_documents(tenant_id=tenant.id, text="steuerbescheid").hits
    assert [hit.document.pk for hit in hits] == [stored.document_id]
    assert [job.id for job in bench.jobs(type="analyze-document")] == [stored.job_id]
