"""Two people at once, or one just before the other: nothing is lost, doubled or left half open."""

import threading
import uuid
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import pytest
from django.db import IntegrityError, connections, transaction
from django.db.models import QuerySet

from documents.services.changes import lock_active_tenant
from jobs import registry
from jobs.context import JobContext, RunningJob
from jobs.models import Job, TenantQueue
from jobs.registry import get_job_type
from jobs.services import enqueue_job
from tenants import audit, scope
from tenants.access import Access, member_access, operator_access
from tenants.errors import AlreadyMember, CapabilitySetInUse, InvalidToken, TenantNameTaken
from tenants.models import CapabilitySet, Membership, Tenant
from tenants.scope import operator_scope, tenant_handler, tenant_scope
from tenants.services import (
    add_member,
    authenticate_token,
    create_set,
    create_tenant,
    delete_set,
    lifecycle,
    mint_token,
    provision_tenant,
    resume_tenant,
    suspend_tenant,
)
from tests.documents.conftest import claim
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)

Join = Callable[[str], Access]
Call = Callable[[], object]


def in_thread(pool: ThreadPoolExecutor, call: Call, gate: threading.Barrier | None = None) -> Future[Any]:
    """Call in a thread with connections of its own, and hand out what it returned or raised."""

    def run() -> object:
        if gate is not None:
            gate.wait()
        try:
            return call()
        except Exception as error:  # noqa: BLE001  the caller looks at it
            return error
        finally:
            connections.close_all()

    return pool.submit(run)


def at_once(*calls: Call) -> list[Any]:
    """Start all calls together and return what each returned or raised."""
    gate = threading.Barrier(len(calls))
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [in_thread(pool, call, gate) for call in calls]]


def waits_for_a_lock(future: Future[Any]) -> bool:
    """Whether the call comes to wait for a lock that is held here, before it ends."""
    while not wait([future], timeout=0.02).done:
        with connections["owner"].cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0"
            )
            if cursor.fetchone()[0]:
                return True
    return False


def then(monkeypatch: pytest.MonkeyPatch, action: str, call: Call) -> None:
    """Call just after the transaction of lifecycle that records this action, once."""
    waiting = [call]

    def recording(name: str, **fields: Any) -> int:
        if name == action and waiting:
            transaction.on_commit(waiting.pop())
        return real(name, **fields)

    real = audit.record
    monkeypatch.setattr(lifecycle, "record", recording)


def state(tenant: Tenant) -> tuple[str, bool, tuple[str, ...]]:
    """Return the tenant's status, whether its queue is closed, and the states of its jobs."""
    with tenant_scope(tenant.id):
        queue = TenantQueue.objects.get(tenant_id=tenant.id)
        states = Job.objects.filter(tenant_id=tenant.id).values_list("status", flat=True)
        return Tenant.objects.get(id=tenant.id).status, queue.closed, tuple(sorted(set(states)))


@pytest.fixture
def busy(tenant: Tenant) -> Tenant:
    """A tenant with jobs that wait."""
    with tenant_scope(tenant.id):
        for _ in range(3):
            enqueue_job(tenant_id=tenant.id, type="probe", payload={})
    return tenant


def test_of_two_tenants_of_one_name_at_once_one_is_made() -> None:
    outcomes = at_once(*[lambda: create_tenant(name="Acme")] * 2)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["Tenant", TenantNameTaken.__name__]
    with operator_scope():
        assert Tenant.objects.filter(name="Acme").count() == Job.objects.count() == 1


def test_a_user_added_twice_at_once_is_a_member_once(tenant: Tenant) -> None:
    user, access = UserFactory.create(), operator_access(tenant.id)
    outcomes = at_once(*[lambda: add_member(access=access, user_id=user.id)] * 2)
    assert sorted(type(outcome).__name__ for outcome in outcomes) == [AlreadyMember.__name__, "Membership"]
    with tenant_scope(tenant.id):
        assert Membership.objects.filter(tenant_id=tenant.id).count() == 1


def test_provisioning_twice_at_once_is_provisioning_once() -> None:
    tenant, owner = create_tenant(name="Acme"), UserFactory.create()

    def provision() -> int:
        with tenant_scope(tenant.id):
            return provision_tenant(tenant_id=tenant.id, members=[owner.id]).members_added

    assert sorted(at_once(provision, provision)) == [0, 1]
    with tenant_scope(tenant.id):
        assert CapabilitySet.objects.filter(tenant_id=tenant.id).count() == 4
        assert Tenant.objects.get(id=tenant.id).status == "active"


def test_what_is_being_stored_while_a_tenant_is_suspended_is_set_aside_too(busy: Tenant) -> None:
    with ThreadPoolExecutor(1) as pool:
        with tenant_scope(busy.id):
            lock_active_tenant(busy.id)
            suspending = in_thread(pool, lambda: suspend_tenant(access=operator_access(busy.id)))
            assert waits_for_a_lock(suspending)
            enqueue_job(tenant_id=busy.id, type="probe", payload={})
        assert suspending.result() == 4
    assert state(busy) == ("suspended", True, ("failed",))


def test_jobs_of_a_tenant_resumed_while_it_is_being_suspended_are_not_set_aside(
    busy: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = operator_access(busy.id)
    then(monkeypatch, "tenant.suspended", lambda: resume_tenant(access=access))
    assert suspend_tenant(access=access) == 0
    assert state(busy) == ("active", False, ("queued",))


def test_jobs_of_a_tenant_suspended_while_it_is_being_resumed_stay_set_aside(
    busy: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = operator_access(busy.id)
    suspend_tenant(access=access)
    then(monkeypatch, "tenant.resumed", lambda: suspend_tenant(access=access))
    assert resume_tenant(access=access).requeued == 0
    assert state(busy) == ("suspended", True, ("failed",))


@pytest.mark.slow
def test_suspending_and_resuming_at_once_ends_as_one_of_them_says(busy: Tenant) -> None:
    access = operator_access(busy.id)
    for _ in range(40):
        outcomes = at_once(lambda: suspend_tenant(access=access), lambda: resume_tenant(access=access))
        assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
        assert state(busy) in {("active", False, ("queued",)), ("suspended", True, ("failed",))}


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have jobs of type `probe` run a guarded handler; the ids of those that ran are listed here."""
    ran: list[int] = []
    get_job_type("probe")
    monkeypatch.setattr(registry, "_TYPES", dict(registry._TYPES))
    del registry._TYPES["probe"]
    tenant_handler("probe", timeout=9)(lambda context: ran.append(context.job.id))
    return ran


def run_claimed(job: RunningJob) -> JobContext:
    kind = get_job_type(job.type)
    context = JobContext(job, scope=kind.scope, templates={})
    kind.run(context)
    return context


def claim_one(tenant: Tenant) -> RunningJob:
    with tenant_scope(tenant.id):
        job = Job.objects.filter(tenant_id=tenant.id).order_by("id")[0]
    return claim(job)


def test_a_job_set_aside_by_the_guard_is_on_record_before_the_tenant_can_be_resumed(
    busy: Tenant, guarded: list[int]
) -> None:
    job, access = claim_one(busy), operator_access(busy.id)
    assert suspend_tenant(access=access) == 2
    assert run_claimed(job).finished
    assert guarded == []
    assert resume_tenant(access=access).requeued == 3
    assert state(busy) == ("active", False, ("queued",))


def test_a_job_whose_tenant_was_resumed_behind_the_back_of_the_guard_runs(
    busy: Tenant, guarded: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    job, access, real = claim_one(busy), operator_access(busy.id), scope._read_status
    suspend_tenant(access=access)

    def read_then_resume(*arguments: Any) -> str | None:
        status = real(*arguments)
        monkeypatch.setattr(scope, "_read_status", real)
        transaction.on_commit(lambda: resume_tenant(access=access))
        return status

    monkeypatch.setattr(scope, "_read_status", read_then_resume)
    run_claimed(job)
    assert guarded == [job.id]


def test_members_and_tokens_of_a_suspended_tenant_hold_nothing_until_it_is_resumed(
    tenant: Tenant, join: Join
) -> None:
    owner, operator = join("owner"), operator_access(tenant.id)
    assert owner.user_id is not None
    secret = mint_token(access=owner, name="scanner", capability_set="owner").secret

    def held(user_id: uuid.UUID) -> int:
        with tenant_scope(tenant.id):
            return len(member_access(tenant.id, user_id).capabilities)

    before = held(owner.user_id)
    suspend_tenant(access=operator)
    assert held(owner.user_id) == 0
    with pytest.raises(InvalidToken):
        authenticate_token(secret)
    resume_tenant(access=operator)
    assert held(owner.user_id) == before > 0
    assert authenticate_token(secret).capabilities


def test_a_set_is_not_deleted_while_it_is_being_granted(tenant: Tenant, join: Join) -> None:
    owner, user = join("owner"), UserFactory.create()
    scanners = create_set(access=owner, name="scanners", capabilities=[])
    with ThreadPoolExecutor(1) as pool:
        with tenant_scope(tenant.id):
            add_member(access=owner, user_id=user.id, capability_set="scanners")
            deleting = in_thread(pool, lambda: delete_set(access=owner, set_id=scanners.id))
            assert waits_for_a_lock(deleting)
        assert isinstance(deleting.result(), CapabilitySetInUse)


@pytest.mark.parametrize(
    "change",
    [
        lambda sets: sets.update(capabilities=["tenants:delete"]),
        lambda sets: sets.update(is_system=False),
        lambda sets: sets.update(name="mine"),
        lambda sets: sets.delete(),
        lambda sets: type(sets.get()).objects.filter(name="mine").update(is_system=True),
    ],
    ids=["capabilities", "flag", "name", "delete", "promote"],
)
def test_a_set_that_came_with_the_tenant_is_fixed_for_the_orm_too(
    tenant: Tenant, change: Callable[[QuerySet[CapabilitySet]], object]
) -> None:
    create_set(access=operator_access(tenant.id), name="mine", capabilities=[])
    with pytest.raises(IntegrityError, match="stays as it is"), tenant_scope(tenant.id):
        change(CapabilitySet.objects.filter(tenant_id=tenant.id, name="readonly"))


def test_a_migration_may_add_to_the_sets_of_existing_tenants(tenant: Tenant) -> None:
    with operator_scope(using="owner"):
        sets = CapabilitySet.objects.using("owner").filter(tenant_id=tenant.id, name="webdav")
        assert sets.update(capabilities=["webdav:read", "profile:read"]) == 1


def test_the_sets_of_a_tenant_go_with_it(tenant: Tenant) -> None:
    with tenant_scope(tenant.id):
        Tenant.objects.filter(id=tenant.id).update(status="deleting")
        CapabilitySet.objects.filter(tenant_id=tenant.id).delete()
        assert not CapabilitySet.objects.exists()
