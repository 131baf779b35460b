"""What the installation does once a day by itself. Apps say so in their module `chores`.

One row a chore, claimed in one statement by the database's clock: however many workers there are, it runs
once a day, and a day on which none ran is made up for as soon as one does.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import cache

import structlog
from django.conf import settings
from django.db import connection
from django.utils.module_loading import autodiscover_modules

from jobs.acting import Actor, acting_as
from jobs.models import DailyChore
from jobs.text import clean_text, describe_error

log = structlog.get_logger("archiv.chores")

#: How long a chore is held by the process that runs it (seconds); one that is stopped gives it back.
HELD_SECONDS = 6 * 3600
#: After so long (seconds) one that failed is tried again the same day.
AGAIN_SECONDS = 3600
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True)
class ChoreReport:
    """What a chore did, in words for operators; not `ok` if it found something that they must look at."""

    message: str
    ok: bool = True


#: Gets the day that it runs for. Done twice for one day, the second time must do no harm.
Chore = Callable[[date], ChoreReport]

_CHORES: dict[str, Chore] = {}


def daily_chore(name: str) -> Callable[[Chore], Chore]:
    """Have the decorated function run once a day. Raises ValueError for a name that is taken or cannot be."""
    if not _NAME.fullmatch(name) or len(name) > 64:
        raise ValueError(f"{name!r} is no name for a chore: write it like sign-audit-heads.")

    def register(run: Chore) -> Chore:
        if _CHORES.get(name, run) is not run:
            raise ValueError(f"There is a chore {name!r} already.")
        _CHORES[name] = run
        return run

    return register


@cache
def _discover() -> None:
    autodiscover_modules("chores")


def daily_chores() -> list[str]:
    """Return the names of all chores, in the order in which they run."""
    _discover()
    return sorted(_CHORES)


# The day begins at ARCHIV_CHORES_HOUR, UTC.
_TODAY = "((statement_timestamp() AT TIME ZONE 'UTC') - make_interval(hours => %(hour)s))::date"
_DUE = f"""
    chore.lease_expires_at <= statement_timestamp() AND (
        chore.day < {_TODAY} OR chore.outcome = 'running'
        OR (chore.outcome = 'failed'
            AND chore.ended_at < statement_timestamp() - make_interval(secs => %(again)s))
    )
"""
_IS_ANY_DUE_SQL = f"""
    SELECT EXISTS (
        SELECT FROM unnest(%(names)s::text[]) AS given(name)
        LEFT JOIN jobs_dailychore AS chore USING (name)
        WHERE chore.name IS NULL OR ({_DUE})
    )
"""
_BEGIN_SQL = f"""
    INSERT INTO jobs_dailychore AS chore (name, day, started_at, lease_expires_at, outcome, message)
    VALUES (%(name)s, {_TODAY}, statement_timestamp(),
            statement_timestamp() + make_interval(secs => %(held)s), 'running', '')
    ON CONFLICT (name) DO UPDATE
    SET day = excluded.day, started_at = excluded.started_at, lease_expires_at = excluded.lease_expires_at,
        outcome = 'running', message = '', ended_at = NULL
    WHERE {_DUE}
    RETURNING day
"""
_END_SQL = """
    UPDATE jobs_dailychore
    SET ended_at = statement_timestamp(), lease_expires_at = statement_timestamp(), outcome = %(outcome)s,
        message = %(message)s
    WHERE name = %(name)s AND day = %(day)s AND outcome = 'running'
"""
#: For a process that is stopped: whoever comes next begins anew.
_GIVE_BACK_SQL = """
    UPDATE jobs_dailychore SET lease_expires_at = statement_timestamp()
    WHERE name = %(name)s AND day = %(day)s AND outcome = 'running'
"""


def due_query() -> tuple[str, dict[str, object]]:
    """Return the statement that tells whether any chore is due, for whoever asks by themselves."""
    return _IS_ANY_DUE_SQL, {"names": daily_chores(), **_times()}


def run_due_chores() -> dict[str, ChoreReport]:
    """Run each chore that is due, one after another, and return what became of each that ran here.

    One that fails is reported as not ok and does not stop the rest.
    """
    done: dict[str, ChoreReport] = {}
    for name in daily_chores():
        day = _begin(name)
        if day is not None:
            done[name] = _run(name, day)
    return done


def _begin(name: str) -> date | None:
    """Take the chore if it is due and nobody else has it; returns its day."""
    with connection.cursor() as cursor:
        cursor.execute(_BEGIN_SQL, {"name": name, "held": HELD_SECONDS, **_times()})
        row = cursor.fetchone()
    return row[0] if row else None


def _run(name: str, day: date) -> ChoreReport:
    outcome = DailyChore.Outcome.DONE
    try:
        with acting_as(Actor("worker")):
            report = _CHORES[name](day)
        if not report.ok:
            outcome = DailyChore.Outcome.ALARM
    except Exception as error:
        outcome = DailyChore.Outcome.FAILED
        report = ChoreReport(describe_error(error), ok=False)
        log.exception("chore.failed", chore=name)
    except BaseException:  # stopped
        _write(_GIVE_BACK_SQL, name, day)
        raise
    _write(_END_SQL, name, day, outcome=outcome, message=clean_text(report.message, 1000))
    tell = log.info if report.ok else log.error
    tell("chore.ended", chore=name, day=day.isoformat(), outcome=str(outcome), message=report.message)
    return report


def _write(statement: str, name: str, day: date, **values: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"name": name, "day": day, **values})


def _times() -> dict[str, int]:
    return {"hour": settings.ARCHIV_CHORES_HOUR, "again": AGAIN_SECONDS}
