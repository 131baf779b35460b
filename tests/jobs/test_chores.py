"""Daily chores: once a day by the database's clock, whoever runs them."""

import threading
from collections.abc import Callable
from datetime import date

import pytest
from django.db import connection, connections
from pytest_django import Settings

from jobs import chores
from jobs.chores import ChoreReport, daily_chore, due_query, run_due_chores
from jobs.engine.database import open_connection
from jobs.models import DailyChore

pytestmark = pytest.mark.django_db(transaction=True)
Add = Callable[[str, chores.Chore], None]


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> Add:
    """Register chores for this test, and no others."""
    monkeypatch.setattr(chores, "_CHORES", {})
    monkeypatch.setattr(chores, "_discover", lambda: None)

    def register(name: str, run: chores.Chore) -> None:
        daily_chore(name)(run)

    return register


def move_clock(name: str, interval: str) -> None:
    """Let the last run of the chore lie further back: as if so much time had passed."""
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE jobs_dailychore SET day = (day - %(by)s::interval)::date,
                   started_at = started_at - %(by)s::interval, ended_at = ended_at - %(by)s::interval,
                   lease_expires_at = lease_expires_at - %(by)s::interval WHERE name = %(name)s""",
            {"by": interval, "name": name},
        )


def noting(days: list[date]) -> chores.Chore:
    """Return a chore that keeps the days for which it ran."""

    def water(day: date) -> ChoreReport:
        days.append(day)
        return ChoreReport("watered")

    return water


def is_any_due() -> bool:
    statement, values = due_query()
    with open_connection("test") as worker:
        row = worker.execute(statement, values).fetchone()
    assert row is not None
    return bool(row[0])


def test_a_chore_runs_once_a_day(add: Add) -> None:
    days: list[date] = []
    add("water-plants", noting(days))
    assert is_any_due()
    assert run_due_chores() == {"water-plants": ChoreReport("watered")}
    assert not is_any_due()
    assert run_due_chores() == {}
    move_clock("water-plants", "1 day")
    assert is_any_due()
    run_due_chores()
    assert days[0] == days[1]
    row = DailyChore.objects.get()
    assert (row.day, row.outcome, row.message) == (days[0], "done", "watered")


def test_days_on_which_nothing_ran_are_made_up_for_once(add: Add) -> None:
    runs: list[date] = []
    add("water-plants", noting(runs))
    run_due_chores()
    move_clock("water-plants", "9 days")
    run_due_chores()
    run_due_chores()
    assert len(runs) == 2


@pytest.mark.parametrize("hour", [0, 23])
def test_a_day_begins_at_the_hour_that_was_set(add: Add, settings: Settings, hour: int) -> None:
    settings.ARCHIV_CHORES_HOUR = hour
    days: list[date] = []
    add("water-plants", noting(days))
    run_due_chores()
    with connection.cursor() as cursor:
        cursor.execute("SELECT (now() AT TIME ZONE 'UTC' - make_interval(hours => %s))::date", [hour])
        assert [cursor.fetchone()[0]] == days


def test_of_many_who_come_at_once_one_runs_it(add: Add) -> None:
    runs: list[date] = []
    barrier = threading.Barrier(4)
    add("water-plants", noting(runs))

    def worker() -> None:
        barrier.wait(10)
        try:
            run_due_chores()
        finally:
            connections.close_all()

    workers = [threading.Thread(target=worker) for _ in range(4)]
    for one in workers:
        one.start()
    for one in workers:
        one.join(20)
    assert len(runs) == 1


def test_a_chore_that_was_stopped_is_begun_anew_and_one_that_failed_waits(add: Add) -> None:
    trouble: list[BaseException] = [SystemExit(143), RuntimeError("dry"), RuntimeError("dry")]

    def water(day: date) -> ChoreReport:
        if trouble:
            raise trouble.pop(0)
        return ChoreReport("watered")

    add("water-plants", water)
    with pytest.raises(SystemExit):
        run_due_chores()
    assert is_any_due(), "it was given back"
    assert run_due_chores() == {"water-plants": ChoreReport("RuntimeError: dry", ok=False)}
    assert not is_any_due()
    move_clock("water-plants", "59 minutes")
    DailyChore.objects.update(day=date(9999, 1, 1))
    assert not is_any_due()
    move_clock("water-plants", "2 minutes")
    assert not run_due_chores()["water-plants"].ok
    move_clock("water-plants", "61 minutes")
    assert run_due_chores()["water-plants"].ok


def test_a_chore_whose_process_died_is_taken_over_when_its_time_ends(add: Add) -> None:
    add("water-plants", lambda day: ChoreReport("watered"))
    run_due_chores()
    DailyChore.objects.update(outcome="running", ended_at=None)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE jobs_dailychore SET lease_expires_at = now() + interval '1 hour'")
    assert not is_any_due()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE jobs_dailychore SET lease_expires_at = now() - interval '1 second'")
    assert is_any_due()
    assert run_due_chores() == {"water-plants": ChoreReport("watered")}


def test_one_that_fails_does_not_stop_the_rest_and_its_words_are_kept(add: Add) -> None:
    def fail(day: date) -> ChoreReport:
        raise RuntimeError("no \0 water " + "x" * 5000)

    add("a-fails", fail)
    add("b-alarms", lambda day: ChoreReport("the plants are gone", ok=False))
    add("c-works", lambda day: ChoreReport("fine"))
    assert [report.ok for report in run_due_chores().values()] == [False, False, True]
    rows = {row.name: row for row in DailyChore.objects.all()}
    assert [row.outcome for _, row in sorted(rows.items())] == ["failed", "alarm", "done"]
    assert rows["a-fails"].message.startswith("RuntimeError: no")
    assert len(rows["a-fails"].message) <= 1000


def test_a_name_is_taken_once_and_has_a_form(add: Add) -> None:
    add("water-plants", lambda day: ChoreReport("watered"))
    with pytest.raises(ValueError, match="already"):
        add("water-plants", lambda day: ChoreReport("again"))
    with pytest.raises(ValueError, match="no name"):
        add("Water plants", lambda day: ChoreReport("watered"))
