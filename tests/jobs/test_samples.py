"""Samples: the figures of the queue, written by one worker now and then."""

import pytest

from jobs.engine.store import ends, samples
from jobs.models import Lane, QueueSample
from tests.jobs.bench import Bench, held


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the table count as small, whatever dead rows other tests have left in it."""
    monkeypatch.setattr(samples, "_EXACT_PAGES", 10**9)


def test_a_sample_counts_jobs_by_type_and_status(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    bench.enqueue(tenant, 6)
    done, failed, _running = worker.claim(tenant, 3)
    ends.finish_batch(worker.connection, held(done))
    worker.fail(failed, again=ends.Again.NEVER)
    bench.enqueue(tenant, delay_seconds=60)
    taken = samples.sample(worker.connection, worker="w")
    assert taken is not None
    assert taken.counts == {"probe": {"queued": 4, "processing": 1, "succeeded": 1, "failed": 1}}
    assert (taken.running, taken.approximate) == (1, False)
    row = QueueSample.objects.get()
    assert (row.counts, row.running, row.worker) == (taken.counts, 1, "w")


def test_the_oldest_due_job_of_all_tenants_is_found(bench: Bench) -> None:
    ids = [bench.enqueue(bench.tenant())[0] for _ in range(4)]
    bench.enqueue(bench.tenant(), lane=Lane.BULK, delay_seconds=1.5)
    bench.change(ids[2], next_attempt_at="statement_timestamp() - interval '100 s'")
    taken = samples.sample(bench.worker().connection, worker="w")
    assert taken is not None
    assert 100 <= taken.oldest_due_seconds < 130


def test_an_empty_queue_has_nothing_due(bench: Bench) -> None:
    taken = samples.sample(bench.worker().connection, worker="w")
    assert taken == samples.Sample(
        {}, approximate=False, running=0, oldest_due_seconds=0.0, id=taken.id if taken else 0
    )


def test_one_sample_is_taken_in_its_time_whoever_asks(bench: Bench) -> None:
    first, second = bench.worker("a").connection, bench.worker("b").connection
    with first.transaction():
        assert samples.sample(first, worker="a") is not None
        assert samples.sample(second, worker="b", every=0.0) is None
    assert samples.sample(second, worker="b") is None
    assert samples.sample(second, worker="b", every=0.0) is not None


def test_old_samples_go(bench: Bench) -> None:
    connection = bench.worker().connection
    samples.sample(connection, worker="w")
    bench.run_sql("UPDATE jobs_queuesample SET sampled_at = now() - interval '8 days'")
    samples.sample(connection, worker="w")
    assert QueueSample.objects.count() == 1


def test_a_large_table_is_estimated_and_live_jobs_are_counted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "_EXACT_PAGES", 0)
    tenant, worker = bench.tenant(), bench.worker()
    bench.enqueue(tenant, 5)
    worker.claim(tenant, 2)
    bench.run_sql(
        """
        INSERT INTO jobs_job (tenant_id, type, payload, status)
        SELECT gen_random_uuid(), 'probe', '{}', 'succeeded' FROM generate_series(1, 3000)
        """
    )
    taken = samples.sample(worker.connection, worker="w")
    assert taken is not None
    assert taken.approximate
    assert (taken.counts["probe"]["queued"], taken.counts["probe"]["processing"]) == (3, 2)
    assert 2000 < taken.counts["probe"]["succeeded"] < 4000


def test_a_sample_that_takes_too_long_is_left_out(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "_EXACT_SQL", "SELECT pg_sleep(5)::text, '', 1")
    connection = bench.worker().connection
    assert samples.sample(connection, worker="w") is None
    assert QueueSample.objects.count() == 0
    assert connection.execute("SHOW statement_timeout").fetchone() != ("250ms",)
