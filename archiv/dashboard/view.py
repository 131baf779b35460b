"""The first page of the admin, for whoever may see the queue."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from archiv.dashboard import figures
from archiv.dashboard.alerts import SHOWN, State, find_alerts
from archiv.dashboard.kinds import read_kinds
from archiv.dashboard.plots import LinePlot, Point, Series, line_plot
from jobs.kinds import read_groups
from jobs.models import JobStatus

#: Kinds of errors that the first page names, and that it looks at.
GROUPS_SHOWN, _GROUPS_READ = 5, 30


def dashboard_context() -> dict[str, Any]:
    """Return what the template of the first page shows. Needs an operator's scope."""
    sample = figures.read_sample()
    workers = figures.read_workers()
    groups = read_groups(_GROUPS_READ)
    machine = figures.read_machine()
    now = timezone.now()
    state = State(
        sample=sample,
        workers=workers,
        groups=groups,
        machine=machine,
        wipes=figures.read_standing_wipes(),
        paused=figures.read_paused(),
        longest=figures.name_longest(sample),
        now=now,
    )
    alerts = find_alerts(state)
    hour = figures.read_ended(span=timedelta(minutes=59), bin=timedelta(minutes=1))
    day = figures.read_ended(span=timedelta(hours=24) - timedelta(minutes=10), bin=timedelta(minutes=10))
    done = sum(point.value for point in hour[0])
    queued = sample.total(JobStatus.QUEUED) if sample else 0
    slots = sum(worker.slots for worker in workers if not worker.is_late)
    return {
        "now": now,
        "alerts": alerts[:SHOWN],
        "more_alerts": len(alerts) - SHOWN,
        "sample": sample,
        "queued": queued,
        "running": sum(len(worker.running) for worker in workers),
        "slots": slots,
        "failed": sample.total(JobStatus.FAILED) if sample else 0,
        "done": done,
        "empty_in": seconds_until_empty(queued, hour[0]),
        "plots": [
            _plot(_("Last hour, by minute"), hour, every=10, row=5),
            _plot(_("Last day, by ten minutes"), day, every=24, row=6),
        ],
        "groups": read_kinds(groups[:GROUPS_SHOWN]),
        "more_groups": len(groups) - GROUPS_SHOWN,
        "waiting": figures.read_waiting(sample),
        "workers": workers,
        "types": figures.read_types(sample),
        "machine": machine,
        "operations": figures.read_operations(),
    }


def seconds_until_empty(queued: int, minutes: Sequence[Point]) -> float | None:
    """Return how long what waits will last, by what was done lately, or None if that says nothing.

    By the last five whole minutes: work that began a quarter of an hour ago is not spread over the hour.
    Where nothing was done in these, by the hour.
    """
    lately = minutes[-6:-1]
    if not (done := sum(point.value for point in lately)):
        lately, done = minutes, sum(point.value for point in minutes)
    return queued / done * 60 * len(lately) if done and queued else None


def _plot(title: str, ended: tuple[list[Point], list[Point]], *, every: int, row: int) -> LinePlot:
    done, failed = ended
    ticks = [
        (number, _clock(point.at)) for number, point in enumerate(done) if number % every == 0 and number
    ]
    series = [Series(_("done"), "done", done), Series(_("failed for good"), "failed", failed)]
    return line_plot(title, series, ticks=ticks, row=row)


def _clock(moment: datetime) -> str:
    return date_format(timezone.localtime(moment), "H:i")
