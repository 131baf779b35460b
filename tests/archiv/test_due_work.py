"""A worker that dies after any commit, or does not hear of it: each type of job ends as if nothing had been.

By due-work-harness: it runs the handler, counts its commits, and runs it again for each of them with a death,
or with a lost reply, right behind. A type without a case here fails.
"""

import io
import socket
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from django.db import OperationalError, connections
from django.db.backends.signals import connection_created
from django.utils import timezone
from due_work_harness import CallableDelivery, HandoffHistory, assert_crash_at_every_commit_converges
from due_work_harness.host import hosted
from due_work_harness.integrations.django import django_host
from due_work_harness.worker_death import LostCommitReplies

from documents.models.document import DocumentSource
from documents.reading.client import start_reader_template
from documents.services import store_document
from documents.services.bulk_operations import order_change
from documents.services.bulk_preview import BulkChange, BulkVerb
from documents.services.purge import purge_documents
from documents.services.trash import trash_documents
from documents.vault import get_vault
from jobs.context import JobContext
from jobs.engine.attempts import from_report
from jobs.engine.child import report_end, report_error
from jobs.engine.messages import Outcome, decode_batch, encode_batch
from jobs.engine.store import claims, ends
from jobs.engine.store.base import Held
from jobs.engine.store.claims import Claimed
from jobs.models import Lane
from jobs.registry import autodiscover, get_job_type, job_types
from jobs.services import enqueue_job
from jobs.testing import drain_jobs
from tenants.access import operator_access
from tenants.models import Tenant
from tenants.scope import operator_scope, tenant_scope
from tenants.services import create_tenant
from tests.archiv.two_tenants import empty_vault
from tests.emptying import remove_all_rows
from tests.factories import DocumentFactory, TenantFactory, UserFactory
from tests.jobs.bench import Bench, open_bench
from tests.tenants.wiping import put_file, signed, tenant_tables

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(900)]


@dataclass
class Case:
    """One claimed job, in a worker that is about to die."""

    bench: Bench
    tenant: uuid.UUID
    job: Claimed


PAPER = b"Rechnungsdatum: 12.05.2024"


def probe(bench: Bench) -> uuid.UUID:
    tenant = bench.tenant()
    bench.enqueue(tenant, payload={"effect": True})
    return tenant


def hasty_probe(bench: Bench) -> uuid.UUID:
    tenant = bench.tenant()
    bench.enqueue(tenant, type="probe-hasty", payload={"effect": True})
    return tenant


def _store() -> tuple[uuid.UUID, uuid.UUID]:
    tenant: Tenant = TenantFactory.create()
    stored = store_document(
        tenant_id=tenant.id, stream=io.BytesIO(PAPER), filename="paper.txt", source=DocumentSource.IMPORT
    )
    return tenant.id, stored.document_id


def analysis(bench: Bench) -> uuid.UUID:
    return _store()[0]


def purge(bench: Bench) -> uuid.UUID:
    tenant, document = _store()
    bench.run_sql("DELETE FROM jobs_job")
    access = operator_access(tenant)
    trash_documents(access=access, document_ids=[document])
    bench.run_sql("DELETE FROM jobs_job")
    purge_documents(access=access, document_ids=[document])
    return tenant


def change(bench: Bench) -> uuid.UUID:
    """Of two documents, by an operation for both."""
    tenant, document = _store()
    bench.run_sql("DELETE FROM jobs_job")
    change = BulkChange(BulkVerb.TRASH)
    documents = {tenant: [document, uuid.uuid4()]}
    with operator_scope():
        order_change(id=uuid.uuid4(), change=change, documents=documents, as_of=timezone.now())
    bench.run_sql(f"UPDATE jobs_job SET lane = {Lane.NORMAL}")
    return tenant


def check(bench: Bench) -> uuid.UUID:
    tenant, _ = _store()
    bench.run_sql("DELETE FROM jobs_job")
    share = {"share": 0, "shares": 1}
    bench.enqueue(tenant, type="verify-archive", payload=share, lane=Lane.NORMAL)
    return tenant


def searchable(bench: Bench) -> uuid.UUID:
    """Of a version that is gone: what a reader makes of a real one is tried in tests/documents."""
    tenant: Tenant = TenantFactory.create()
    gone = {"document_id": str(uuid.uuid4()), "document_version_id": str(uuid.uuid4())}
    bench.enqueue(tenant.id, type="make-searchable-pdf", payload=gone, lane=Lane.NORMAL)
    return tenant.id


def webhook(bench: Bench) -> uuid.UUID:
    """One whose run is gone: what is called twice, and what not, depends on the other end."""
    tenant: Tenant = TenantFactory.create()
    bench.enqueue(tenant.id, type="deliver-webhook", payload={"run_id": 0, "action": 0})
    return tenant.id


def indexing(bench: Bench) -> uuid.UUID:
    """Without an engine: what one has after a second try is looked at in tests/documents."""
    tenant: Tenant = TenantFactory.create()
    bench.enqueue(tenant.id, type="index-document", payload={"document_ids": [str(uuid.uuid4())]})
    return tenant.id


def provision(bench: Bench) -> uuid.UUID:
    return create_tenant(name=f"Kanzlei {uuid.uuid4().hex}", members=[UserFactory.create().id]).id


def wipe(bench: Bench) -> uuid.UUID:
    """Of a small tenant: its handler commits some sixty times all the same."""
    tenant: Tenant = TenantFactory.create(status="deleting")
    put_file(f"{tenant.id}/00/{'0' * 64}-{uuid.uuid4()}", b"paper")
    with tenant_scope(tenant.id):
        DocumentFactory.create(tenant_id=tenant.id)
        enqueue_job(tenant_id=tenant.id, type="delete-tenant", payload=signed(tenant), lane=Lane.URGENT)
    return tenant.id


CASES: dict[str, Callable[[Bench], uuid.UUID]] = {
    "analyze-document": analysis,
    "change-documents": change,
    "delete-tenant": wipe,
    "deliver-webhook": webhook,
    "index-document": indexing,
    "make-searchable-pdf": searchable,
    "probe": probe,
    "probe-hasty": hasty_probe,
    "provision-tenant": provision,
    "purge-document": purge,
    "verify-archive": check,
}
SLOW = {"analyze-document", "delete-tenant", "purge-document", "verify-archive"}


@contextmanager
def losing_replies(lose_at: int | None) -> Iterator[LostCommitReplies]:
    """Count commits of this thread; behind the chosen one the connection breaks before its reply."""
    target = connections["default"]
    replies = LostCommitReplies(lose_at, lambda number: OperationalError(f"the reply to {number} was lost"))
    original = type(target).commit

    def commit(connection: Any) -> None:
        original(connection)
        if connection is target:
            try:
                replies.committed()
            except OperationalError:
                connection.connection.close()
                raise

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(target), "commit", commit)
        yield replies


def run_as_a_child_does(case: Case, templates: dict[str, socket.socket]) -> None:
    """Run the handler; the dispatcher writes the end if the handler did not."""
    job, worker = case.job, case.bench.workers[0]
    (running,) = decode_batch(encode_batch([job]))
    job_type = get_job_type(job.type)
    context = JobContext(running, scope=job_type.scope, templates=templates)
    try:
        context.publish_progress(0, 1)  # so that a handler of one transaction dies before it, too
        job_type.run(context)
    except Exception as error:  # noqa: BLE001  a handler may raise anything
        report = report_error(running, error, context)
    else:
        report = report_end(context)
    if report.outcome is Outcome.FAILED:
        ends.fail_batch(worker.connection, [from_report(job, report, base=0.01)])
    elif report.outcome is Outcome.DONE:
        ends.finish_batch(worker.connection, [Held(job.id, job.lease)])


@cache
def counting() -> str:
    """One statement for all tables of tenants: a wipe is looked at some four hundred times."""
    counts = (
        f"SELECT '{table}', count(*) FROM {table} WHERE {column} = %(tenant)s"
        for table, column in tenant_tables().items()
        if table != "jobs_jobattempt"
    )
    return " UNION ALL ".join(counts)


def look(case: Case) -> dict[str, Any]:
    """What there is of the tenant, without what differs between two runs."""
    (job,) = case.bench.jobs(id=case.job.id)
    titles = "SELECT title, issued_at FROM documents_document WHERE tenant_id = %s"
    outcomes = [one.outcome for one in case.bench.attempts(case.job.id)]
    return {
        "status": job.status,
        "rows": dict(case.bench.run_sql(counting(), {"tenant": case.tenant})),
        "files": sum(1 for _ in get_vault().list(f"{case.tenant}/")),
        "titles": case.bench.run_sql(titles, [case.tenant]),
        "succeeded": outcomes.count("succeeded"),
    }


@pytest.fixture(scope="module")
def templates() -> Iterator[dict[str, socket.socket]]:
    with start_reader_template(module="tests.documents.reading.sealed_template") as template:
        yield {"reader": template.requests}


@pytest.fixture
def impatient() -> Iterator[None]:
    """Let no session wait for the disk: what is on trial is what commits, not whether it is there to stay."""

    def hurry(connection: Any, **_: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET synchronous_commit = off")

    connection_created.connect(hurry)
    for connection in connections.all(initialized_only=True):
        connection.close()
    yield
    connection_created.disconnect(hurry)
    for connection in connections.all(initialized_only=True):
        connection.close()


@pytest.fixture
def emptied(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Leave no row: documents of these tests would be missing their files in the tests behind."""
    yield
    with django_db_blocker.unblock():
        remove_all_rows()


def test_every_type_of_job_has_a_case() -> None:
    assert set(CASES) == set(job_types())


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in CASES],
)
@pytest.mark.usefixtures("emptied", "impatient")
def test_a_death_or_a_lost_reply_after_any_commit_changes_nothing_in_the_end(
    name: str, templates: dict[str, socket.socket], django_db_blocker: Any
) -> None:
    autodiscover()
    with open_bench(django_db_blocker) as bench:
        worker = bench.worker("dying")

        def arrange() -> Case:
            bench.clear()
            empty_vault()
            tenant = CASES[name](bench)
            taken = claims.claim_urgent(worker.connection, 1, worker.terms) or worker.claim(tenant)
            (job,) = taken
            return Case(bench, tenant, job)

        def recover() -> None:
            """Another worker takes away what the dead one held, and works it off."""
            bench.run_sql(
                """UPDATE jobs_job SET lease_expires_at = lease_expires_at - interval '1 day',
                                       next_attempt_at = next_attempt_at - interval '1 day'"""
            )
            expired = ends.find_expired(worker.connection, after=None, limit=10)
            ends.reap(worker.connection, expired, backoff_base=0.0)
            drain_jobs(templates=templates)

        history = HandoffHistory(
            name=name,
            arrange=arrange,
            transition=lambda case: run_as_a_child_does(case, templates),
            observe=look,
        )
        host = django_host(production_packages={"jobs", "tenants", "documents"})
        with hosted(host.model_copy(update={"reply_breaker": losing_replies})):
            assert_crash_at_every_commit_converges(CallableDelivery(name="worker", recover=recover), history)
