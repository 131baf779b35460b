"""The child: whatever a handler does, each attempt ends with one report."""

import os
import socket
import uuid
from collections.abc import Callable, MutableMapping
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connections

from jobs import registry
from jobs.context import RunningJob
from jobs.engine.cell import Cell
from jobs.engine.child import run_batch, run_job
from jobs.engine.messages import (
    ChildSetup,
    Outcome,
    Report,
    decode_batch,
    decode_report,
    encode_batch,
    encode_report,
)
from jobs.engine.store.claims import Claimed
from jobs.engine.store.ends import Again
from jobs.errors import GiveUp, LeaseLost, LimitReached, Outage
from jobs.models import Lane
from jobs.registry import JobContext
from jobs.running import name_running_job
from jobs.scope import tenant_rows
from tests.jobs.bench import Bench

Handle = Callable[[JobContext], Any]


@pytest.fixture
def run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Callable[[Handle], Report]:
    """Run a handler as the child would, on a job that was claimed."""
    registry.autodiscover()

    def run_with(handle: Handle) -> Report:
        kind = registry.JobType("probe", handle, 60, Lane.NORMAL, None, tenant_rows)
        monkeypatch.setattr(registry, "_TYPES", registry._TYPES | {"probe": kind})
        tenant = bench.tenant()
        bench.enqueue(tenant)
        job = bench.worker().claim_one(tenant)
        return run_job(
            RunningJob(job.id, tenant, None, "probe", {}, job.lease, job.retry_count), templates={}
        )

    return run_with


def raising(error: BaseException) -> Handle:
    def handle(context: JobContext) -> None:
        raise error

    return handle


def test_a_handler_that_comes_back_leaves_the_finish_to_the_dispatcher(
    run: Callable[[Handle], Report],
) -> None:
    assert run(lambda context: None).outcome is Outcome.DONE


def test_a_handler_that_finished_says_so(run: Callable[[Handle], Report]) -> None:
    def handle(context: JobContext) -> None:
        with context.finishing():
            pass

    assert run(handle).outcome is Outcome.FINISHED


def test_a_handler_that_failed_with_effects_says_so_whatever_it_raises_then(
    run: Callable[[Handle], Report],
) -> None:
    def handle(context: JobContext) -> None:
        reason = LimitReached("too long")
        with context.failing(reason):
            pass
        raise reason

    report = run(handle)
    assert (report.outcome, report.kind, report.error) == (Outcome.GAVE_UP, "limit", "too long")


def test_an_error_after_the_finish_does_not_undo_it(run: Callable[[Handle], Report]) -> None:
    def handle(context: JobContext) -> None:
        with context.finishing():
            pass
        raise RuntimeError

    assert run(handle).outcome is Outcome.FINISHED


@pytest.mark.parametrize(
    ("error", "kind", "again", "words"),
    [
        (ValueError("odd"), "error", Again.WHILE_RETRIES, "ValueError: odd"),
        (GiveUp("no use"), "gave_up", Again.NEVER, "no use"),
        (GiveUp("away", kind="tenant_inactive"), "tenant_inactive", Again.NEVER, "away"),
        (LimitReached("too many pages"), "limit", Again.NEVER, "too many pages"),
        (Outage("no storage"), "error", Again.ALWAYS, "Outage: no storage"),
        (SystemExit(3), "error", Again.WHILE_RETRIES, "SystemExit: 3"),
        (KeyboardInterrupt(), "error", Again.WHILE_RETRIES, "KeyboardInterrupt"),
        (MemoryError(), "error", Again.WHILE_RETRIES, "MemoryError"),
        (DatabaseError("bad"), "error", Again.WHILE_RETRIES, "DatabaseError: bad"),
        (OperationalError("slow"), "error", Again.WHILE_RETRIES, "OperationalError: slow"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_each_way_to_fail_is_told_apart(
    run: Callable[[Handle], Report], error: BaseException, kind: str, again: Again, words: str
) -> None:
    report = run(raising(error))
    assert (report.outcome, report.kind, report.again, report.error) == (Outcome.FAILED, kind, again, words)
    assert len(report.fingerprint) == 64
    assert "in handle" in report.traceback


def test_a_lost_lease_is_no_failure(run: Callable[[Handle], Report]) -> None:
    assert run(raising(LeaseLost())).outcome is Outcome.LOST


def test_a_connection_that_was_cut_is_an_outage_and_the_next_job_gets_a_new_one(
    bench: Bench, run: Callable[[Handle], Report]
) -> None:
    def handle(context: JobContext) -> None:
        with connections["default"].cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (pid,) = cursor.fetchone()
            bench.run_sql("SELECT 1")
            with connections["default"].cursor() as other:
                other.execute("SELECT pg_terminate_backend(%s)", [pid])

    report = run(handle)
    assert (report.outcome, report.again) == (Outcome.FAILED, Again.ALWAYS)
    assert run(lambda context: connections["default"].ensure_connection()).outcome is Outcome.DONE


def test_an_unknown_type_fails_at_once(bench: Bench) -> None:
    job = RunningJob(1, uuid.uuid4(), None, "brew-coffee", {}, 1, 0)
    report = run_job(job, templates={})
    assert (report.kind, report.again) == ("unknown_type", Again.NEVER)
    assert report.error.startswith("No installed app")


def test_messages_arrive_as_they_were_sent() -> None:
    tenant, document = uuid.uuid4(), uuid.uuid4()
    claimed = Claimed(7, str(tenant), "probe", '{"a": "ü\\u2028"}', str(document), 3, 2, 5, 1, 0.1)
    other = claimed._replace(id=8, document_id=None)
    first, second = decode_batch(encode_batch([claimed, other]))
    assert first == RunningJob(7, tenant, document, "probe", {"a": "ü\u2028"}, 3, 2)
    assert (second.id, second.document_id) == (8, None)
    report = Report(7, Outcome.FAILED, "error", "x", Again.NEVER, "f", "t")
    assert decode_report(encode_report(report, idle=True)) == (report, True)
    assert decode_report(encode_report(None, idle=False)) == (None, False)
    assert decode_report(encode_report(None, idle=True)) == (None, True)
    for odd in (b"x", b"!{", b'.{"id": 1}'):
        with pytest.raises((ValueError, TypeError, KeyError)):
            decode_report(odd)
    setup = ChildSetup("w", ("reader",))
    assert ChildSetup.decode(setup.encode()) == setup


def test_whatever_a_handler_logs_names_its_job(run: Callable[[Handle], Report]) -> None:
    told: list[MutableMapping[str, Any]] = []
    running: list[int] = []

    def handle(context: JobContext) -> None:
        running.append(context.job.id)
        told.append(name_running_job(None, "info", {"event": "x", "type": "own"}))

    run(handle)
    assert told[0]["job"] == running[0]
    assert (told[0]["type"], told[0]["lease"]) == ("own", 1)
    assert name_running_job(None, "info", {"event": "x"}) == {"event": "x"}


def test_a_batch_is_run_in_order_and_the_cell_tells_how_it_went(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    cell, descriptor = Cell.create()
    os.close(descriptor)
    told: list[tuple[int, int | None, str]] = []

    def handle(context: JobContext) -> None:
        told.append((context.job.id, cell.current, cell.outcome(0)[0]))
        if context.job.id == 2:
            raise ValueError
        if context.job.id == 3:
            cell.take_back()

    kind = registry.JobType("probe", handle, 60, Lane.NORMAL, None, tenant_rows)
    registry.autodiscover()
    monkeypatch.setattr(registry, "_TYPES", registry._TYPES | {"probe": kind})
    jobs = [Claimed(n, str(uuid.uuid4()), "probe", "{}", None, 1, 0, 5, 1, 0.0) for n in range(1, 5)]
    cell.clear(4)
    run_batch(encode_batch(jobs), theirs, cell, {})
    assert told == [(1, 0, ""), (2, 1, "d"), (3, 2, "d")]
    assert [cell.outcome(index)[0] for index in range(4)] == ["d", "", "d", ""]
    failure, idle = decode_report(ours.recv(65536))
    assert failure is not None
    assert (failure.id, idle) == (2, False)
    assert decode_report(ours.recv(65536)) == (None, True)
    for one in (ours, theirs):
        one.close()
    cell.close()
