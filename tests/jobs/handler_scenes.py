"""Scenes in which real handlers meet a worker: the purge of a document, the wipe of a tenant."""

from documents.models import Document
from documents.vault import get_vault
from jobs.context import JobContext
from jobs.engine.messages import decode_batch, encode_batch
from jobs.engine.store import claims, ends
from jobs.engine.store.claims import Claimed
from jobs.errors import LeaseLost
from jobs.models import Lane
from jobs.registry import get_job_type
from jobs.services import enqueue_job
from tenants.models import AuditEvent, Tenant
from tenants.scope import operator_scope, tenant_scope
from tests.factories import DocumentFactory, DocumentVersionFactory, TenantFactory
from tests.jobs.bench import held
from tests.jobs.scenes import Act, Scene, Verb, reap
from tests.jobs.stepping import Side
from tests.tenants.wiping import put_file, signed


def work_off(scene: Scene, side: Side, job: Claimed) -> None:
    """Run the handler of a claimed job, and end the job as the dispatcher does where the handler did not."""
    job_type = get_job_type(job.type)
    (running,) = decode_batch(encode_batch([job]))
    context = JobContext(running, scope=job_type.scope, templates={})
    try:
        job_type.run(context)
    except LeaseLost as error:
        scene.refused.append(error)
    else:
        if not context.finished:
            ends.finish_batch(side.worker.connection, held(job))


def run_mine(scene: Scene, side: Side) -> None:
    """Whoever was taken for dead works on."""
    work_off(scene, side, scene.mine[0])


def claim(scene: Scene, side: Side) -> list[Claimed]:
    """Claim what is due in any lane."""
    worker = side.worker
    claimed = claims.claim_urgent(worker.connection, 10, worker.terms) + worker.claim(scene.tenant)
    scene.claimed += held(*claimed)
    return claimed


def claim_only(scene: Scene, side: Side) -> None:
    """Claim what is due."""
    claim(scene, side)


def claim_and_work_off(scene: Scene, side: Side) -> None:
    """Claim what is due, and run it."""
    for job in claim(scene, side):
        work_off(scene, side, job)


def reap_claim_and_work_off(scene: Scene, side: Side) -> None:
    """Take away what nobody renews, claim what is due, and run it."""
    reap(scene, side)
    claim_and_work_off(scene, side)


def _hold_all(scene: Scene) -> None:
    """Claim everything for the worker that is taken for dead, whose leases have ended."""
    worker = scene.bench.workers[0]
    scene.mine = claims.claim_urgent(worker.connection, 10, worker.terms) + worker.claim(scene.tenant)
    scene.claimed += held(*scene.mine)
    scene.bench.run_sql("UPDATE jobs_job SET lease_expires_at = statement_timestamp() - interval '1 second'")


def running_purge(scene: Scene) -> None:
    """The purge of a document in the trash runs under a lease that has ended."""
    scene.tenant = TenantFactory.create().id
    with tenant_scope(scene.tenant):
        version = DocumentVersionFactory.create(
            tenant_id=scene.tenant,
            document=DocumentFactory.create(tenant_id=scene.tenant, trashed_at="2026-01-01T00:00Z"),
        )
        enqueue_job(
            tenant_id=scene.tenant,
            type="purge-document",
            payload={"document_id": str(version.document_id)},
            document_id=version.document_id,
        )
    put_file(version.vault_path, b"paper")
    _hold_all(scene)


def check_purge(scene: Scene) -> None:
    """The document is there, or its job has succeeded and it is gone with its file, told once."""
    with operator_scope():
        there = Document.objects.filter(tenant_id=scene.tenant).count()
        events = AuditEvent.objects.filter(tenant_id=scene.tenant, action="document.purged").count()
    (job,) = scene.bench.jobs(tenant_id=scene.tenant)
    assert (there, events) == ((0, 1) if job.status == "succeeded" else (1, 0))
    if not there:
        assert list(get_vault().list(f"{scene.tenant}/")) == []


def _signed_wipe(scene: Scene) -> None:
    tenant = TenantFactory.create(status="deleting")
    scene.tenant = tenant.id
    with tenant_scope(scene.tenant):
        enqueue_job(tenant_id=scene.tenant, type="delete-tenant", payload=signed(tenant), lane=Lane.URGENT)


def running_wipe(scene: Scene) -> None:
    """The wipe of a tenant runs under a lease that has ended."""
    _signed_wipe(scene)
    _hold_all(scene)


def wipe_and_running(scene: Scene) -> None:
    """The wipe of a tenant runs; another job of it runs under a lease that has ended, and a third waits."""
    _signed_wipe(scene)
    scene.enqueue()
    _hold_all(scene)
    scene.bench.run_sql(
        "UPDATE jobs_job SET lease_expires_at = statement_timestamp() + interval '1 hour' WHERE lane = 0"
    )
    scene.enqueue()


def check_wipe(scene: Scene) -> None:
    """The wipe is done once and nothing is left, or its job is still on its way."""
    with operator_scope():
        there = Tenant.objects.filter(id=scene.tenant).count()
        events = AuditEvent.objects.filter(tenant_id=scene.tenant, action="wipe.finished").count()
    (job,) = scene.bench.jobs(tenant_id=scene.tenant, type="delete-tenant")
    assert (there, events) == ((0, 1) if job.status == "succeeded" else (1, 0)), job.error_message
    if not there:
        left = scene.bench.jobs(tenant_id=scene.tenant)
        assert [one.id for one in left] == [job.id]
        assert scene.bench.run_sql("SELECT count(*) FROM jobs_probeeffect") == [(0,)]


VERBS = {
    "purge": Verb(run_mine, running_purge, check_purge),
    "wipe": Verb(run_mine, running_wipe, check_wipe),
    "wipe beside jobs": Verb(run_mine, wipe_and_running, check_wipe),
}
MEANWHILE: dict[str, Act] = {
    "reap": reap,
    "claim": claim_only,
    "claim and finish": claim_and_work_off,
    "reap, claim and finish": reap_claim_and_work_off,
}
