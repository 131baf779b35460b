"""Pruning takes away what ended long ago, and nothing that still says something."""

import json
import uuid
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from jobs import pruning
from jobs.engine.store import ends
from jobs.pruning import PruneReport, prune_jobs
from jobs.scope import tenant_rows
from jobs.services import enqueue_analysis
from tests.jobs.bench import Bench, SimulatedWorker, held


def age(bench: Bench, days: float, *job_ids: int) -> None:
    for job_id in job_ids:
        for column in ("created_at", "finished_at"):
            bench.run_sql(
                f"UPDATE jobs_job SET {column} = {column} - make_interval(days => %s) WHERE id = %s",
                [days, job_id],
            )


def analysis(bench: Bench, tenant: uuid.UUID, document: uuid.UUID) -> int:
    with tenant_rows(tenant):
        return enqueue_analysis(tenant_id=tenant, document_id=document, document_version_id=uuid.uuid4())


def finish(worker: SimulatedWorker, tenant: uuid.UUID) -> None:
    ends.finish_batch(worker.connection, held(*worker.claim(tenant)))


def left(bench: Bench) -> list[int]:
    return [job.id for job in bench.jobs()]


def test_only_what_ended_longer_ago_goes_with_its_attempts(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    old, young, failed = bench.enqueue(tenant, 3)
    for job in worker.claim(tenant):
        if job.id == failed:
            worker.fail(job, again=ends.Again.NEVER)
        else:
            ends.finish_batch(worker.connection, held(job))
    (waiting,) = bench.enqueue(tenant, 1)
    age(bench, 31, old, failed, waiting)
    age(bench, 29, young)
    assert prune_jobs() == PruneReport(succeeded=1, failed=0, attempts=1)
    assert left(bench) == [young, failed, waiting]
    assert bench.attempts(old) == []
    assert len(bench.attempts(failed)) == 1
    assert prune_jobs(keep_failed=timedelta(days=30)) == PruneReport(failed=1, attempts=1)
    assert left(bench) == [young, waiting]


def test_a_dry_run_counts_the_same_and_removes_nothing(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    ids = bench.enqueue(tenant, 3)
    finish(worker, tenant)
    age(bench, 31, *ids)
    counted = prune_jobs(remove=False)
    assert left(bench) == ids
    assert prune_jobs() == counted == PruneReport(succeeded=3, attempts=3)


def test_a_failed_analysis_goes_only_when_a_newer_one_speaks_for_its_document(bench: Bench) -> None:
    tenant, worker, document = bench.tenant(), bench.worker(), uuid.uuid4()
    first = analysis(bench, tenant, document)
    worker.fail(worker.claim_one(tenant), again=ends.Again.NEVER)
    age(bench, 500, first)
    assert prune_jobs() == PruneReport()
    second = analysis(bench, tenant, document)
    finish(worker, tenant)
    age(bench, 100, second)
    # The newer one stays as long as the failed one: else the document would say that it failed.
    assert prune_jobs(keep_failed=timedelta(days=1000)) == PruneReport()
    assert prune_jobs() == PruneReport(failed=1, attempts=1)
    assert prune_jobs() == PruneReport(succeeded=1, attempts=1)


def test_the_jobs_of_wipes_are_kept(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    (job,) = bench.enqueue(tenant, 1)
    finish(worker, tenant)
    bench.change(job, type="'delete-tenant'")
    age(bench, 5000, job)
    assert prune_jobs() == PruneReport()
    assert left(bench) == [job]


def test_it_walks_over_all_windows_and_stops_where_all_is_young(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pruning, "_WINDOW", 3)
    tenant, worker = bench.tenant(), bench.worker()
    ids = bench.enqueue(tenant, 10)
    finish(worker, tenant)
    age(bench, 31, *ids[:8])
    told: list[tuple[int, int]] = []
    assert prune_jobs(tell=lambda done, of: told.append((done, of))).succeeded == 8
    assert left(bench) == ids[8:]
    assert told[-1][0] == told[-1][1] >= ids[-1]


def test_what_somebody_has_locked_is_left_for_the_next_time(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    ids = bench.enqueue(tenant, 2)
    finish(worker, tenant)
    age(bench, 31, *ids)
    with worker.connection.transaction():
        worker.connection.execute("SELECT FROM jobs_job WHERE id = %s FOR UPDATE", [ids[0]])
        assert prune_jobs().succeeded == 1
    assert left(bench) == [ids[0]]


def test_the_command_says_what_went_and_refuses_nonsense(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker()
    ids = bench.enqueue(tenant, 2)
    finish(worker, tenant)
    age(bench, 8, *ids)
    out = StringIO()
    call_command("prune_jobs", "--keep-succeeded", "7", "--dry-run", stdout=out)
    assert "Would remove 2 succeeded" in out.getvalue()
    out = StringIO()
    call_command("prune_jobs", "--keep-succeeded", "7", "--json", stdout=out)
    assert json.loads(out.getvalue()) == {"succeeded": 2, "failed": 0, "attempts": 2, "removed": True}
    for nonsense in ("-1", "1e9", "nan"):
        with pytest.raises(CommandError):
            call_command("prune_jobs", "--keep-failed", nonsense, stdout=StringIO())
