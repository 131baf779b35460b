"""Two who lock the same jobs in another order: one of them begins anew, and both come to their end."""

import threading
import uuid
from collections.abc import Callable

import pytest
from django.db import OperationalError, connection, connections

from jobs.contention import outlive_deadlocks
from jobs.models import Job, JobStatus
from jobs.scope import tenant_rows
from jobs.services import cancel_jobs
from tests.jobs.bench import Bench


def lock(job_id: int) -> None:
    list(Job.objects.select_for_update().filter(pk=job_id))


def in_a_thread(work: Callable[[], object], ended: list[object]) -> threading.Thread:
    def run() -> None:
        try:
            ended.append(work())
        except OperationalError as error:
            ended.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def wait_for_a_waiting_session() -> None:
    """Return as soon as another session waits for a row."""
    with connection.cursor() as cursor:
        while True:
            cursor.execute("SELECT pg_sleep(0.02), count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[1]:
                return


def test_work_that_was_ended_because_two_waited_for_each_other_is_done_again(bench: Bench) -> None:
    tenant = bench.tenant()
    first, second = bench.enqueue(tenant, 2)
    both_hold_one = threading.Barrier(2)
    tries: list[int] = []

    def cross(near: int, far: int) -> int:
        def work() -> int:
            tries.append(near)
            lock(near)
            if tries.count(near) == 1:
                both_hold_one.wait(30)
            lock(far)
            return near

        with tenant_rows(tenant):
            return outlive_deadlocks(work)

    ended: list[object] = []
    threads = [
        in_a_thread(lambda: cross(first, second), ended),
        in_a_thread(lambda: cross(second, first), ended),
    ]
    for thread in threads:
        thread.join(60)
    assert sorted(map(str, ended)) == sorted(map(str, (first, second)))
    assert len(tries) == 3


def test_other_trouble_of_the_database_is_told_at_once(bench: Bench) -> None:
    tries: list[int] = []

    def work() -> None:
        tries.append(1)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 1")
            cursor.execute("SELECT pg_sleep(5)")

    with pytest.raises(OperationalError, match="statement timeout"), tenant_rows(bench.tenant()):
        outlive_deadlocks(work)
    assert tries == [1]


def test_jobs_are_cancelled_although_another_locks_them_in_the_other_order(bench: Bench) -> None:
    tenant = bench.tenant()
    first, second = bench.enqueue(tenant, 2)
    has_second = threading.Event()

    def hold(job_ids: tuple[int, int]) -> uuid.UUID:
        def work() -> None:
            lock(job_ids[0])
            if not has_second.is_set():
                has_second.set()
                wait_for_a_waiting_session()
            lock(job_ids[1])

        with tenant_rows(tenant):
            outlive_deadlocks(work)
        return tenant

    ended: list[object] = []
    thread = in_a_thread(lambda: hold((second, first)), ended)
    assert has_second.wait(30)
    with tenant_rows(tenant):
        assert cancel_jobs(job_ids=[first, second]).cancelled == 2
    thread.join(60)
    assert ended == [tenant]
    assert bench.statuses(first, second) == [JobStatus.FAILED] * 2
