"""Figures for pages: added up over workers, rolled up, and counted by the sampler, never by who fails."""

import uuid
from typing import Any

import pytest

from jobs.engine.figures import Figures, FigureWriter
from jobs.engine.store import ends, figures, samples
from jobs.engine.store.oldest import BOUNDS, OLDEST_SQL
from jobs.engine.tally import Tally
from jobs.models import ErrorGroup, JobMinute, Lane, QueueSample, TenantHour
from jobs.scope import all_rows
from tests.jobs.bench import Bench, SimulatedWorker

A, B = uuid.UUID(int=0xA), uuid.UUID(int=0xB)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no figure out because this machine is busy."""
    monkeypatch.setattr(figures, "_STATEMENT_MILLISECONDS", 20_000)


def tally(*counts: tuple[uuid.UUID, str, str, float]) -> Tally:
    made = Tally()
    for tenant, type_name, outcome, seconds in counts:
        made.count(str(tenant), type_name, outcome, seconds)
    return made


def write(worker: SimulatedWorker, counts: Tally) -> None:
    figures.add_counts(
        worker.connection, worker=worker.name, types=counts.by_type(), tenants=counts.by_tenant()
    )


def minutes() -> dict[tuple[str, str], tuple[int, float]]:
    rows: dict[tuple[str, str], tuple[int, float]] = {}
    for row in JobMinute.objects.all():
        attempts, seconds = rows.get((row.type, row.outcome), (0, 0.0))
        rows[row.type, row.outcome] = (attempts + row.attempts, seconds + row.seconds)
    return rows


def test_what_ended_adds_up_over_workers_and_over_time(bench: Bench) -> None:
    first, second = bench.worker("first"), bench.worker("second")
    write(
        first,
        tally((A, "probe", "succeeded", 1.5), (A, "probe", "succeeded", 0.5), (B, "probe", "failed", 2)),
    )
    write(first, tally((A, "probe", "succeeded", 1)))
    write(second, tally((B, "probe", "succeeded", 4), (B, "probe", "retried", 8)))
    assert minutes() == {
        ("probe", "succeeded"): (4, 7.0),
        ("probe", "failed"): (1, 2.0),
        ("probe", "retried"): (1, 8.0),
    }
    with all_rows():
        hours = {row.tenant_id: (row.attempts, row.failed, row.seconds) for row in TenantHour.objects.all()}
    assert hours == {A: (3, 0, 3.0), B: (3, 1, 14.0)}


def test_old_minutes_become_tens_and_the_sums_stay(bench: Bench) -> None:
    worker = bench.worker()
    for number in range(25):
        write(worker, tally((A, "probe", "succeeded", 1)))
        bench.run_sql(
            """UPDATE jobs_jobminute SET minute = date_trunc('hour', minute) - interval '5 hours'
                   + make_interval(mins => %s)
               WHERE minute > statement_timestamp() - interval '2 hours'""",
            [number],
        )
    figures.roll_up(worker.connection)
    figures.roll_up(worker.connection)
    rows = JobMinute.objects.order_by("minute")
    assert [(row.span, row.attempts, row.worker) for row in rows] == [(10, 10, ""), (10, 10, ""), (10, 5, "")]


def test_what_is_older_than_a_week_is_forgotten(bench: Bench) -> None:
    worker = bench.worker()
    write(worker, tally((A, "probe", "succeeded", 1)))
    bench.run_sql("UPDATE jobs_jobminute SET minute = minute - interval '9 days'")
    figures.roll_up(worker.connection)
    assert not JobMinute.objects.exists()


@pytest.fixture
def groups(bench: Bench) -> SimulatedWorker:
    """Five failures of one cause in two tenants, one of another, and one without a fingerprint."""
    worker = bench.worker()
    for tenant, mark, number in ((A, "a" * 64, 3), (B, "a" * 64, 2), (B, "b" * 64, 1), (B, "", 1)):
        bench.enqueue(tenant, number)
        for job in worker.claim(tenant):
            worker.fail(job, again=ends.Again.NEVER, kind="limit", fingerprint=mark)
    return worker


def test_failures_are_grouped_by_cause_with_their_tenants(bench: Bench, groups: SimulatedWorker) -> None:
    figures.group_errors(groups.connection)
    found = {group.fingerprint[0]: group for group in ErrorGroup.objects.all()}
    assert {mark: (group.jobs, group.tenants) for mark, group in found.items()} == {"a": (5, 2), "b": (1, 1)}
    assert (found["a"].type, found["a"].kind, found["a"].is_more) == ("probe", "limit", False)
    newest = bench.job(found["a"].newest_job)
    assert newest.finished_at == found["a"].last_at > found["a"].first_at


def test_a_group_that_was_requeued_is_empty_and_remembers_when_it_began(
    bench: Bench, groups: SimulatedWorker
) -> None:
    figures.group_errors(groups.connection)
    first = ErrorGroup.objects.get(fingerprint="b" * 64).first_at
    bench.run_sql("UPDATE jobs_job SET status = 'queued' WHERE fingerprint = %s", ["b" * 64])
    figures.group_errors(groups.connection)
    emptied = ErrorGroup.objects.get(fingerprint="b" * 64)
    assert (emptied.jobs, emptied.first_at) == (0, first)
    assert ErrorGroup.objects.get(fingerprint="a" * 64).jobs == 5


def test_more_than_can_be_counted_is_said_to_be_more(
    bench: Bench, groups: SimulatedWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "_COUNTED", 4)
    figures.group_errors(groups.connection)
    group = ErrorGroup.objects.get(fingerprint="a" * 64)
    assert (group.jobs, group.is_more) == (3, True)


def complete(worker: SimulatedWorker, **options: Any) -> QueueSample:
    taken = samples.sample(worker.connection, worker="w", every=0.0)
    assert taken is not None
    figures.complete_sample(
        worker.connection, sample=taken.id, **({"start": str(uuid.UUID(int=0))} | options)
    )
    return QueueSample.objects.latest("id")


def test_a_sample_says_who_waits_most_and_in_which_lane(bench: Bench) -> None:
    worker = bench.worker()
    bench.enqueue(A, 2)
    bench.enqueue(B, 5, lane=Lane.BULK)
    bench.enqueue(B, 1, delay_seconds=60)
    bench.run_sql(
        "UPDATE jobs_job SET next_attempt_at = next_attempt_at - interval '90 s' WHERE tenant_id = %s", [A]
    )
    sample = complete(worker)
    assert [(entry["tenant"], entry["waiting"]) for entry in sample.waiting] == [(str(B), 5), (str(A), 2)]
    assert 90 <= sample.waiting[1]["oldest"] < 120
    assert sample.lanes == {"1": 2, "2": 5, "3": 1}
    assert sample.database_bytes > 1_000_000
    assert sample.horizon_seconds >= 0


def oldest(worker: SimulatedWorker, **options: Any) -> dict[str, Any]:
    known = complete(worker, **options).oldest_by_type
    assert known is not None
    found: dict[str, Any] = known
    return found


def wait(bench: Bench, tenant: uuid.UUID, type_name: str, *seconds: float, lane: Lane = Lane.NORMAL) -> None:
    for waited in seconds:
        (job,) = bench.enqueue(tenant)
        due = f"statement_timestamp() - interval '{waited} s'"
        bench.change(job, type=f"'{type_name}'", lane=int(lane), next_attempt_at=due)


def test_a_sample_says_of_each_type_how_long_its_oldest_due_job_has_waited(bench: Bench) -> None:
    worker = bench.worker()
    wait(bench, A, "probe", 300, 100)
    wait(bench, A, "probe-hasty", 50)
    wait(bench, B, "probe-hasty", 70, lane=Lane.BULK)
    wait(bench, B, "urgent", 20, lane=Lane.URGENT)
    wait(bench, B, "later", 400, lane=Lane.LATER)
    wait(bench, B, "not-due", -60)
    found = oldest(worker)
    waited = {name: entry["seconds"] for name, entry in found["types"].items()}
    for name, seconds in {"probe": 300, "probe-hasty": 70, "urgent": 20, "later": 400}.items():
        assert seconds <= waited.pop(name) < seconds + 60
    assert waited == {}
    assert not any(entry["is_least"] for entry in found["types"].values())
    assert found["within"] is None


def test_what_stands_behind_what_is_read_has_waited_no_longer_than_what_is_read(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BOUNDS, "rows", 4)
    worker = bench.worker()
    wait(bench, A, "probe", 300, 200, 100)
    wait(bench, A, "hidden", 90)
    wait(bench, B, "probe-hasty", 50)
    found = oldest(worker)
    # Two of each tenant are read: what of A comes behind is younger than 200 s, and could be of any type.
    assert set(found["types"]) == {"probe", "probe-hasty"}
    assert found["types"]["probe"]["is_least"] is False
    assert found["types"]["probe-hasty"]["is_least"] is True
    assert 200 <= found["within"] < 260


def test_with_more_tenants_than_are_looked_at_nothing_is_said_to_be_exact(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BOUNDS, "heads", 1)
    worker = bench.worker()
    wait(bench, A, "probe", 100)
    wait(bench, B, "hidden", 200)
    found = oldest(worker)
    assert {name: entry["is_least"] for name, entry in found["types"].items()} == {"probe": True}
    assert found["within"] is None


def test_a_sample_of_the_oldest_reads_indexes_and_sorts_nothing(bench: Bench) -> None:
    connection = bench.worker().connection
    with connection.transaction():
        connection.execute("SET LOCAL enable_seqscan = off")
        rows = connection.execute(f"EXPLAIN {OLDEST_SQL}", BOUNDS).fetchall()
    plan = "\n".join(row[0] for row in rows)
    assert "Seq Scan" not in plan
    assert "Sort" not in plan.replace("Sort Key: heads", "")
    for index in ("jobs_job_ready", "jobs_job_urgent", "jobs_job_later"):
        assert f"using {index}" in plan


def test_where_nothing_is_due_no_type_has_an_oldest_job(bench: Bench) -> None:
    assert oldest(bench.worker()) == {"types": {}, "within": None}


def test_what_is_used_on_the_disk_of_the_vault_is_in_a_sample(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = bench.worker()
    assert complete(worker).vault_used_bytes is None
    assert complete(worker, vault_used=5_000_000_000_000).vault_used_bytes == 5_000_000_000_000
    QueueSample.objects.all().delete()
    monkeypatch.setattr("jobs.engine.figures.measure_disk", lambda: 17)
    Figures("w", tally()).run(worker.connection)
    assert QueueSample.objects.get().vault_used_bytes == 17


def test_tenants_beyond_the_walk_have_their_turn_and_the_greatest_are_always_counted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "_WALKED_TENANTS", 1)
    worker = bench.worker()
    bench.enqueue(A, 2)
    bench.enqueue(B, 3)
    assert [entry["tenant"] for entry in complete(worker).waiting] == [str(A)]
    later = complete(worker, start=str(B))
    assert [entry["tenant"] for entry in later.waiting] == [str(B), str(A)]


@pytest.mark.parametrize("start", [uuid.UUID(int=0), A, B, uuid.UUID(int=2**128 - 1)])
def test_who_waits_is_found_wherever_the_walk_over_tenants_begins(bench: Bench, start: uuid.UUID) -> None:
    bench.enqueue(A, 2)
    bench.enqueue(B, 3)
    sample = complete(bench.worker(), start=str(start))
    assert [(entry["tenant"], entry["waiting"]) for entry in sample.waiting] == [(str(B), 3), (str(A), 2)]


def test_a_worker_writes_what_it_counted_and_begins_anew(bench: Bench) -> None:
    counts = tally((A, "probe", "succeeded", 1))
    made = Figures("w", counts)
    worker = bench.worker()
    made.run(worker.connection)
    assert not counts
    made.write_last(worker.connection)
    assert minutes() == {("probe", "succeeded"): (1, 1.0)}
    assert QueueSample.objects.count() == 2


def test_what_could_not_be_written_is_counted_again_beside_what_ended_meanwhile() -> None:
    counts = tally((A, "probe", "succeeded", 1))
    with pytest.raises(ZeroDivisionError), counts.taken() as taken:
        assert bool(taken)
        assert not counts
        counts.count(str(A), "probe", "succeeded", 2.0)
        raise ZeroDivisionError
    (one,) = counts.by_type()
    assert (one.attempts, one.seconds) == (2, 3.0)


def test_figures_are_written_beside_the_work_of_a_worker(bench: Bench) -> None:
    counts = tally((A, "probe", "succeeded", 1))
    writer = FigureWriter("w", counts)
    writer.start()
    try:
        for _ in range(1200):
            if QueueSample.objects.count() and not counts:
                break
            bench.run_sql("SELECT pg_sleep(0.05)")
    finally:
        rest = writer.stop()
    assert rest is not None
    assert QueueSample.objects.count() == 1
    assert minutes() == {("probe", "succeeded"): (1, 1.0)}
