"""Tenants with something of everything, and wipes worked off as a worker would."""

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import connections
from django.db.models import F
from django.db.models.functions import Now

from documents.vault import get_vault
from jobs.context import JobContext, RunningJob
from jobs.engine.child import report_error
from jobs.engine.messages import Outcome
from jobs.engine.store import ends
from jobs.engine.store.base import app_connection
from jobs.models import Job
from jobs.registry import get_job_type
from jobs.services import enqueue_job
from tenants.access import Access, operator_access
from tenants.audit import record
from tenants.models import Tenant, User, WipeOrder
from tenants.proof import derive_key, format_issued_at, sign
from tenants.scope import operator_scope, tenant_scope
from tenants.services import PlacedOrder, submit_order
from tests import factories, filing_factories

#: What section "Signed wipes" lets survive a delete.
SURVIVORS = {"tenants_auditevent", "tenants_audithead", "tenants_wipeorder", "jobs_tenanthour"}

Rows = dict[str, list[str]]


@dataclass(frozen=True)
class State:
    """Everything that belongs to one tenant: rows of every table found in the catalogue, files, sessions."""

    rows: Rows
    files: dict[str, bytes]
    sessions: int

    def left(self) -> dict[str, int]:
        """What is there, but what a wipe leaves on purpose."""
        return {table: len(rows) for table, rows in self.rows.items() if rows and table not in SURVIVORS}


def run_sql(sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
    with operator_scope(), connections["default"].cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall()) if cursor.description else []


def tenant_tables() -> dict[str, str]:
    """Every table with tenant data, and the column that says whose."""
    found = run_sql(
        """SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
           WHERE c.relkind IN ('r', 'p', 'm') AND c.relnamespace = 'public'::regnamespace
             AND a.attname = 'tenant_id' AND NOT a.attisdropped ORDER BY 1"""
    )
    return {"tenants_tenant": "id"} | {str(name): "tenant_id" for (name,) in found}


def state_of(tenant_id: uuid.UUID) -> State:
    rows = {
        table: sorted(
            row[0]
            for row in run_sql(f"SELECT row_to_json(t)::text FROM {table} t WHERE {column} = %s", [tenant_id])
        )
        for table, column in tenant_tables().items()
    }
    vault = get_vault()
    files = {}
    for file in vault.list(f"{tenant_id}/"):
        with vault.open(file.path) as opened:
            files[file.path] = opened.read()
    members = {str(json.loads(row)["user_id"]) for row in rows["tenants_membership"]}
    sessions = sum(
        SessionStore(key).load().get(SESSION_KEY) in members
        for (key,) in run_sql("SELECT session_key FROM django_session")
    )
    return State(rows, files, sessions)


def make_tenant(name: str = "", documents: int = 3) -> Tenant:
    """A tenant with a row in every table, files in the vault, and a member who is signed in."""
    options = {"name": name} if name else {}
    tenant: Tenant = factories.TenantFactory.create(**options)
    member: User = factories.UserFactory.create()
    with tenant_scope(tenant.id):
        factories.MembershipFactory.create(tenant_id=tenant.id, user=member)
        factories.ApiTokenFactory.create(tenant_id=tenant.id, created_by=member)
        factories.KeptAnswerFactory.create(tenant_id=tenant.id)
        factories.RateBucketFactory.create(tenant_id=tenant.id)
        factories.TenantQueueFactory.create(tenant_id=tenant.id, weight=2.0)
        factories.WipeOrderFactory.create(tenant_id=tenant.id)
        factories.PageCheckpointFactory.create(tenant_id=tenant.id)
        factories.RetentionClassFactory.create(tenant_id=tenant.id)
        factories.NamingSettingsFactory.create(tenant_id=tenant.id)
        factories.VaultCheckFactory.create(tenant_id=tenant.id)
        factories.TenantIndexFactory.create(tenant_id=tenant.id)
        factories.VaultFindingFactory.create(tenant_id=tenant.id)
        filing_factories.MatchingRuleFactory.create(tenant_id=tenant.id)
        filing_factories.FilingSettingsFactory.create(tenant_id=tenant.id)
        filing_factories.WordCountFactory.create(tenant_id=tenant.id)
        for number in range(documents):
            version = factories.DocumentVersionFactory.create(tenant_id=tenant.id)
            asset = factories.AssetFactory.create(tenant_id=tenant.id, version=version)
            factories.PageTextFactory.create(tenant_id=tenant.id, version=version)
            factories.StepResultFactory.create(tenant_id=tenant.id, version=version)
            factories.FileFactsFactory.create(tenant_id=tenant.id, version=version)
            filing_factories.FilingFactory.create(tenant_id=tenant.id, document=version.document)
            filing_factories.NoteFactory.create(tenant_id=tenant.id, document=version.document)
            filing_factories.WorkflowRunFactory.create(tenant_id=tenant.id, document=version.document)
            filing_factories.LearnedDocumentFactory.create(tenant_id=tenant.id, document=version.document)
            factories.MailAttachmentFactory.create(
                tenant_id=tenant.id, mail=version.document, document=version.document
            )
            factories.SearchEntryFactory.create(tenant_id=tenant.id, document=version.document)
            factories.IndexedCopyFactory.create(tenant_id=tenant.id, document=version.document)
            job = factories.JobFactory.create(
                tenant_id=tenant.id, status="succeeded", document_id=version.document_id
            )
            factories.JobAttemptFactory.create(tenant_id=tenant.id, job=job)
            factories.ProbeEffectFactory.create(tenant_id=tenant.id, job_id=job.id)
            put_file(version.vault_path, b"original %d" % number)
            put_file(asset.vault_path, b"picture")
        factories.JobFactory.create(tenant_id=tenant.id)
        factories.JobFactory.create(tenant_id=tenant.id, status="failed", failure_kind="error")
        record("test.made", tenant_id=tenant.id)
    put_file(f"{tenant.id}/00/{'0' * 64}-{uuid.uuid4()}", b"no row knows it")
    session = SessionStore()
    session[SESSION_KEY] = str(member.id)
    session.save()
    return tenant


def put_file(path: str, content: bytes) -> None:
    vault = get_vault()
    with vault.stage() as staged:
        staged.write(content)
        staged.seal()
        vault.place(staged, path)


def refresh(tenant: Tenant) -> Tenant | None:
    with tenant_scope(tenant.id):
        return Tenant.objects.filter(id=tenant.id).first()


def newest_order(tenant: Tenant) -> WipeOrder:
    with tenant_scope(tenant.id):
        return WipeOrder.objects.filter(tenant_id=tenant.id).latest("ordered_at")


def job_of(job_id: int) -> Job:
    with operator_scope():
        return Job.objects.get(id=job_id)


def now() -> Any:
    ((moment,),) = run_sql("SELECT statement_timestamp()")
    return moment


def signed(tenant: Tenant, **changes: Any) -> dict[str, Any]:
    """An order for the tenant, signed elsewhere; what is changed is signed too, but `signature`."""
    fields: dict[str, Any] = {
        "tenant_id": tenant.id,
        "tenant_name": tenant.name,
        "action": "delete",
        "nonce": uuid.uuid4().hex,
        "issued_at": format_issued_at(now()),
        "final_status": "none",
    }
    fields |= {name: value for name, value in changes.items() if name in fields}
    signature = changes.get("signature") or sign(derive_key("test-secret-key-0123456789"), **fields)
    del fields["tenant_id"]
    return fields | {"remove_tenant": fields["action"] == "delete", "signature": signature}


def claim_wipe() -> RunningJob:
    """Claim the wipe that waits, as the dispatcher does."""
    with operator_scope():
        job = Job.objects.filter(status="queued", lane=0).order_by("id").first()
        assert job is not None, "no wipe waits"
    return claim(job)


def claim(job: Job) -> RunningJob:
    assert job.tenant_id is not None
    with operator_scope():
        Job.objects.filter(id=job.id).update(
            status="processing",
            lease=F("lease") + 1,
            started_at=Now(),
            lease_expires_at=Now() + timedelta(hours=1),
        )
        job.refresh_from_db()
    return RunningJob(job.id, job.tenant_id, None, job.type, job.payload, job.lease, job.retry_count)


def run_wipe(attempt: RunningJob, before: Callable[[], object] = lambda: None) -> str:
    """Run the handler as a child does, and return what its attempt ended with: nothing, or the error."""
    job_type = get_job_type(attempt.type)
    context = JobContext(attempt, scope=job_type.scope, templates={})
    before()
    try:
        job_type.run(context)
    except Exception as error:  # noqa: BLE001  a handler may raise anything
        report = report_error(attempt, error, context)
        if report.outcome is Outcome.FAILED:
            failure = ends.Failure(attempt.id, attempt.lease, report.kind, report.error, report.again)
            with tenant_scope(attempt.tenant_id):
                ends.fail_batch(app_connection(), [failure])
        return report.error or str(report.outcome)
    assert context.finished, "a wipe ends its job itself"
    return job_of(attempt.id).error_message


def work_off() -> str:
    """Claim the wipe that waits, run it, and return the error it ended with, or nothing."""
    return run_wipe(claim_wipe())


def access(tenant: Tenant) -> Access:
    return operator_access(tenant.id)


def submit(tenant: Tenant, order: dict[str, Any]) -> PlacedOrder:
    return submit_order(access=access(tenant), text=json.dumps(order))


def enqueue(tenant: Tenant, order: dict[str, Any]) -> int:
    """Put an order into the queue past its acceptance, for a tenant that is closed already."""
    with tenant_scope(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(status="deleting")
        return enqueue_job(tenant_id=tenant.id, type="delete-tenant", payload=order)


def jobs_of(tenant: Tenant, **filters: Any) -> list[Job]:
    with operator_scope():
        return list(Job.objects.filter(tenant_id=tenant.id, **filters).order_by("id"))


def status_of(tenant: Tenant) -> str:
    found = refresh(tenant)
    assert found is not None
    return found.status
