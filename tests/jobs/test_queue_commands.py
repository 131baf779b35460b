"""The commands queue, requeue and cancel."""

import json
import re
import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from jobs.acting import command_actor
from jobs.engine.store import ends, figures, samples, upkeep
from jobs.engine.store.upkeep import Worker
from jobs.models import JobStatus
from jobs.scope import all_rows
from tenants.models import AuditEvent
from tests.jobs.bench import Bench


def run(*arguments: str) -> str:
    output = StringIO()
    call_command(*arguments, stdout=output)
    return output.getvalue()


@pytest.fixture
def failed(bench: Bench) -> list[int]:
    tenant, worker = bench.tenant(), bench.worker()
    ids = bench.enqueue(tenant, 3)
    for job in worker.claim(tenant):
        worker.fail(job, again=ends.Again.NEVER, kind="limit" if job.id == ids[0] else "error")
    return ids


def test_queue_says_what_waits_what_runs_and_who_works(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker("host:1:abc")
    ids = bench.enqueue(tenant, 2)
    job = worker.claim_one(tenant)
    (waiting,) = set(ids) - {job.id}
    bench.change(waiting, next_attempt_at="statement_timestamp() - interval '2 hours'")
    taken = samples.sample(worker.connection, worker="host:1:abc")
    assert taken is not None
    figures.complete_sample(worker.connection, sample=taken.id, start=str(uuid.UUID(int=0)))
    upkeep.show_worker(worker.connection, Worker("host:1:abc", "host", 1, 4, "1.0"), state="running")
    text = run("queue")
    assert f"{job.id}" in text
    assert str(tenant) in text
    assert "host:1:abc" in text
    assert re.search(r"probe .* 2 h 0 min\n", text)
    overview = json.loads(run("queue", "--json"))
    assert overview["counts"] == {"probe": {"queued": 1, "processing": 1}}
    assert [line["id"] for line in overview["running"]] == [job.id]
    assert 20 < overview["running"][0]["lease_left"] <= 30
    assert (overview["workers"][0]["slots"], overview["workers"][0]["running"]) == (4, 1)


def test_queue_marks_leases_that_are_about_to_end(bench: Bench) -> None:
    tenant, worker = bench.tenant(), bench.worker("worker-a")
    bench.enqueue(tenant)
    job = worker.claim_one(tenant)
    assert " s !" not in run("queue")
    bench.change(job.id, lease_expires_at="statement_timestamp() + interval '1 second'")
    assert " s !" in run("queue")
    assert [line["is_renewed"] for line in json.loads(run("queue", "--json"))["running"]] == [False]


def test_queue_without_any_worker_says_how_to_start_one(bench: Bench) -> None:
    assert "runworker" in run("queue")


def test_queue_says_what_failed_and_why(bench: Bench, failed: list[int]) -> None:
    text = run("queue")
    assert "Failed last" in text
    shown = json.loads(run("queue", "--json"))["failed"]
    assert [line["id"] for line in shown] == sorted(failed, reverse=True)
    assert {line["kind"] for line in shown} == {"limit", "error"}
    assert all(line["error"] in text for line in shown)


def test_queue_says_when_nobody_counts_any_more(bench: Bench) -> None:
    samples.sample(bench.worker().connection, worker="w")
    assert "No worker has counted since" not in run("queue")
    bench.run_sql("UPDATE jobs_queuesample SET sampled_at = now() - interval '2 minutes'")
    assert "No worker has counted since" in run("queue")


def test_requeue_by_id_reports_what_it_left_alone(bench: Bench, failed: list[int]) -> None:
    (waiting,) = bench.enqueue(uuid.uuid4())
    answer = json.loads(run("requeue", str(failed[0]), str(waiting), "--json"))
    assert answer == {"requeued": 1, "skipped": {"queued already": 1}}
    assert bench.statuses(*failed[:2]) == [JobStatus.QUEUED, JobStatus.FAILED]


def test_requeue_all_takes_what_the_filters_leave(bench: Bench, failed: list[int]) -> None:
    assert "Requeued: 1" in run("requeue", "--all", "--kind", "limit")
    assert bench.statuses(*failed) == [JobStatus.QUEUED, JobStatus.FAILED, JobStatus.FAILED]
    assert "Requeued: 2" in run("requeue", "--all", "--type", "probe")


def test_what_commands_do_to_jobs_is_recorded_under_the_account_that_ran_them(
    bench: Bench, failed: list[int]
) -> None:
    run("requeue", str(failed[0]))
    run("cancel", str(failed[0]))
    tenant_id = bench.job(failed[0]).tenant_id
    assert tenant_id is not None
    with all_rows():
        trail = AuditEvent.objects.filter(tenant_id=tenant_id).order_by("sequence")
        events = list(trail.values_list("action", "actor"))
    assert events == [("job.requeued", command_actor().name), ("job.cancelled", command_actor().name)]
    assert command_actor().name.startswith("command:")


@pytest.mark.parametrize("arguments", [[], ["--type", "probe"], ["1", "--all"], ["1", "--kind", "limit"]])
def test_requeue_wants_either_ids_or_all(bench: Bench, arguments: list[str]) -> None:
    with pytest.raises(CommandError, match="ids"):
        run("requeue", *arguments)


def test_cancel_ends_jobs_and_names_who_did_it(bench: Bench, failed: list[int]) -> None:
    (waiting,) = bench.enqueue(uuid.uuid4())
    text = run("cancel", str(waiting), str(failed[0]))
    assert "Cancelled: 1" in text
    assert "failed already: 1" in text
    assert bench.job(waiting).error_message.startswith("Cancelled by ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--types", "brew-coffee"], "brew-coffee"),
        (["--types", ","], "nothing"),
        (["--lease", "1"], "at least 2"),
        (["--slots", "0"], "from 1 to 1000"),
        (["--grace", "x"], "seconds"),
        (["--metrics-port", "high"], "PORT"),
    ],
)
def test_runworker_refuses_nonsense(bench: Bench, arguments: list[str], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("runworker", *arguments)
