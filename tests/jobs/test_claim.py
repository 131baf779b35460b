"""Claim: who gets which job, and under what lease."""

import threading
import uuid

from jobs.engine.store import claims, ends, upkeep
from jobs.engine.store.claims import Wanted
from jobs.models import Job, JobStatus, Lane
from jobs.scope import all_rows, tenant_rows
from jobs.services import enqueue_many, set_queue
from tests.jobs.bench import Bench, SimulatedWorker, held


def set_rules(tenant_id: uuid.UUID, **rules: object) -> None:
    with tenant_rows(tenant_id):
        set_queue(tenant_id=tenant_id, **rules)  # type: ignore[arg-type]


def test_a_claimed_job_runs_under_a_new_lease_of_its_worker(bench: Bench) -> None:
    tenant = bench.tenant()
    (job_id,) = bench.enqueue(tenant, payload={"sleep": 1})
    claimed = bench.worker("worker-a", lease=30).claim_one(tenant)
    job = bench.job(job_id)
    assert (claimed.id, claimed.tenant_id, claimed.type) == (job_id, str(tenant), "probe")
    assert (job.status, job.lease, job.worker) == (JobStatus.PROCESSING, 1, "worker-a")
    assert job.started_at
    assert job.lease_expires_at
    assert (job.lease_expires_at - job.started_at).total_seconds() == 30


def test_the_oldest_come_first_and_no_more_than_wanted(bench: Bench) -> None:
    tenant = bench.tenant()
    ids = bench.enqueue(tenant, 5)
    bench.change(ids[3], next_attempt_at="statement_timestamp() - interval '1 hour'")
    assert [job.id for job in bench.worker().claim(tenant, 3)] == [ids[3], ids[0], ids[1]]


def test_a_job_is_claimed_once(bench: Bench) -> None:
    tenant = bench.tenant()
    ids = bench.enqueue(tenant, 3)
    first, second = bench.worker("a").claim(tenant, 2), bench.worker("b").claim(tenant, 5)
    assert [job.id for job in first + second] == ids


def test_rows_that_another_worker_is_claiming_are_skipped_not_waited_for(bench: Bench) -> None:
    tenant = bench.tenant()
    ids = bench.enqueue(tenant, 2)
    first, second = bench.worker("a"), bench.worker("b")
    with first.connection.transaction():
        assert [job.id for job in first.claim(tenant, 1)] == ids[:1]
        assert [job.id for job in second.claim(tenant, 5)] == ids[1:]


def test_what_is_not_due_yet_stays(bench: Bench) -> None:
    tenant = bench.tenant()
    bench.enqueue(tenant, delay_seconds=1.5)
    assert bench.worker().claim(tenant) == []


def test_what_has_ended_is_finished_in_the_transaction_of_the_next_claim(bench: Bench) -> None:
    tenant, worker, other = bench.tenant(), bench.worker("a"), bench.worker("b")
    ids = bench.enqueue(tenant, 6)
    done, kept, lost = worker.claim(tenant, 3)
    bench.end_lease(lost.id)
    expired = ends.find_expired(other.connection, after=None, limit=10)
    assert len(ends.reap(other.connection, expired, backoff_base=60)) == 1
    with other.connection.transaction(force_rollback=True):
        assert ends.finish(other.connection, held(kept)[0])
        claimed, written = claims.claim_and_finish(
            worker.connection, [Wanted(str(tenant), 1, 2)], worker.terms, held(done, kept, lost)
        )
    assert [job.id for job in claimed] == ids[3:5]
    assert written == {done.id}
    states = ["succeeded", "processing", "queued", "processing", "processing", "queued"]
    assert [job.status for job in bench.jobs(tenant_id=tenant)] == states
    assert [one.outcome for one in bench.attempts(done.id)] == ["succeeded"]


def test_what_has_ended_is_finished_though_nothing_is_due(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    bench.enqueue(tenant, 2)
    running = worker.claim(tenant, 2)
    claimed, written = claims.claim_and_finish(
        worker.connection, [Wanted(str(tenant), 1, 2)], worker.terms, held(*running)
    )
    assert (claimed, written) == ([], {job.id for job in running})


def test_a_lease_grows_with_every_claim_and_is_never_reset(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    bench.enqueue(tenant)
    leases = []
    for _ in range(3):
        job = worker.claim_one(tenant)
        leases.append(job.lease)
        ends.release(worker.connection, held(job))
    assert leases == [1, 2, 3]


def test_a_claim_begins_behind_a_row_and_not_behind_its_moment(bench: Bench) -> None:
    """Many jobs that are enqueued in one statement are due at one moment."""
    tenant, worker = bench.tenant(), bench.worker()
    with tenant_rows(tenant):
        first, second, third = enqueue_many(tenant_id=tenant, type="probe", payloads=[{}] * 3)
    moment = "SELECT DISTINCT (extract(epoch FROM next_attempt_at) * 1000000)::bigint FROM jobs_job"
    ((due,),) = bench.run_sql(moment)
    wanted = Wanted(str(tenant), int(Lane.NORMAL), 10, behind=(due, first))
    claimed = claims.claim(worker.connection, [wanted], worker.terms)
    assert {job.id for job in claimed} == {second, third}


def test_a_paused_or_closed_tenant_is_left_alone_and_then_served(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    bench.enqueue(tenant)
    for rule in ("paused", "closed"):
        set_rules(tenant, **{rule: True})
        assert worker.claim(tenant) == []
        set_rules(tenant, **{rule: False})
    assert len(worker.claim(tenant)) == 1


def test_a_tenant_with_a_cap_is_never_claimed_without_counting(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    bench.enqueue(tenant, 3)
    set_rules(tenant, max_running=2)
    assert worker.claim(tenant) == []
    assert len(claim_capped(worker, tenant)) == 2
    assert claim_capped(worker, tenant) == []


def claim_capped(worker: SimulatedWorker, tenant: uuid.UUID, jobs: int = 5) -> list[claims.Claimed]:
    wanted = [Wanted(str(tenant), int(Lane.NORMAL), jobs)]
    return claims.claim_capped(worker.connection, str(tenant), wanted, worker.terms)


def test_four_workers_never_run_more_than_the_cap(bench: Bench) -> None:
    tenant = bench.tenant()
    bench.enqueue(tenant, 60)
    set_rules(tenant, max_running=2)
    workers = [bench.worker(f"worker-{n}") for n in range(4)]
    most: list[int] = []

    def work(worker: SimulatedWorker) -> None:
        for _ in range(40):
            claimed = claim_capped(worker, tenant, 1)
            running = worker.connection.execute(
                "SELECT count(*) FROM jobs_job WHERE status = 'processing'"
            ).fetchone()
            assert running is not None
            most.append(running[0])
            ends.finish_batch(worker.connection, held(*claimed))

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 160
    assert 1 <= max(most) <= 2


def test_the_cap_of_a_paused_tenant_gives_nothing(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    bench.enqueue(tenant)
    set_rules(tenant, max_running=2, paused=True)
    assert claim_capped(worker, tenant) == []


def test_urgent_jobs_are_claimed_whatever_the_tenants_queue_says(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    (urgent,) = bench.enqueue(tenant, lane=Lane.URGENT)
    bench.enqueue(tenant)
    set_rules(tenant, closed=True, paused=True, max_running=1)
    claimed = claims.claim_urgent(worker.connection, 5, worker.terms)
    assert [job.id for job in claimed] == [urgent]
    assert worker.claim(tenant) == []


def test_a_worker_for_some_types_leaves_the_others(bench: Bench) -> None:
    tenant = bench.tenant()
    (mine,) = bench.enqueue(tenant)
    bench.enqueue(tenant)
    bench.change(bench.jobs()[1].id, type="'other'")
    assert [job.id for job in bench.worker(types=("probe",)).claim(tenant)] == [mine]


def test_bulk_waits_in_a_lane_of_its_own(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    (bulk,) = bench.enqueue(tenant, lane=Lane.BULK)
    assert worker.claim(tenant, lane=Lane.NORMAL) == []
    assert [job.id for job in worker.claim(tenant, lane=Lane.BULK)] == [bulk]


def test_one_claim_serves_many_tenants_each_as_far_as_wanted(bench: Bench) -> None:
    tenants, worker = [bench.tenant() for _ in range(5)], bench.worker()
    for tenant in tenants:
        bench.enqueue(tenant, 4)
    wanted = [Wanted(str(tenant), 1, n) for n, tenant in enumerate(tenants)]
    claimed = claims.claim(worker.connection, wanted, worker.terms)
    assert [sum(job.tenant_id == str(tenant) for job in claimed) for tenant in tenants] == [0, 1, 2, 3, 4]


def test_the_claim_takes_what_a_plain_query_would(bench: Bench) -> None:
    tenants = [bench.tenant() for _ in range(4)]
    bench.run_sql(
        """
        INSERT INTO jobs_job (tenant_id, type, payload, lane, home_lane, status, next_attempt_at)
        SELECT (%s::uuid[])[1 + (n * 7) %% 4], 'probe', '{}', 1 + n %% 3, 1,
               (ARRAY['queued', 'queued', 'succeeded', 'failed', 'processing'])[1 + n %% 5],
               statement_timestamp() + ((n * 37) %% 61 - 40) * interval '1 second'
        FROM generate_series(1, 300) AS n
        """,
        [[str(tenant) for tenant in tenants]],
    )
    worker = bench.worker()
    for tenant in tenants:
        with all_rows():
            plain = list(
                Job.objects.filter(
                    tenant_id=tenant, lane=Lane.NORMAL, status="queued", next_attempt_at__lte=_now(bench)
                )
                .order_by("next_attempt_at", "id")
                .values_list("id", flat=True)[:7]
            )
        assert sorted(job.id for job in worker.claim(tenant, 7)) == sorted(plain)


def _now(bench: Bench) -> object:
    return bench.run_sql("SELECT statement_timestamp()")[0][0]


def test_a_claim_is_on_disk_before_it_counts(bench: Bench) -> None:
    setting = bench.worker().connection.execute("SHOW synchronous_commit").fetchone()
    assert setting == ("on",)


def test_what_waits_until_later_is_staged_when_it_comes_due(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    (job_id,) = bench.enqueue(tenant, delay_seconds=3600)
    assert bench.job(job_id).lane == Lane.LATER
    assert upkeep.stage(worker.connection, limit=10) == []
    bench.change(job_id, next_attempt_at="statement_timestamp()")
    assert worker.claim(tenant) == []
    assert upkeep.stage(worker.connection, limit=10) == [str(tenant)]
    assert worker.claim_one(tenant).id == job_id
