"""Kinds of errors on the first page: beside each, how its failures lie over the last 24 hours."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

from archiv.dashboard.plots import Point, Sparkline, sparkline
from jobs.kinds import Group
from jobs.models import ErrorGroup

#: Failures of one kind within one hour are counted so far; one more says that there are more. Entries of an
#: index are read, at most 6,024 of each kind.
COUNTED = 250
_HOUR = timedelta(hours=1)

# Rows are compared as the index of failures by kind orders them: no other index can answer that, whatever the
# planner takes the tables for, and of this one so many entries are read and no more.
HOURS_SQL = """
    SELECT shown.fingerprint, hours.at, part.jobs
    FROM unnest(%(shown)s::text[]) AS shown (fingerprint)
    CROSS JOIN generate_series(
        date_bin('1 hour', statement_timestamp(), 'epoch') - interval '23 hours',
        statement_timestamp(), interval '1 hour'
    ) AS hours (at)
    CROSS JOIN LATERAL (
        SELECT count(*)::integer AS jobs FROM (
            SELECT FROM jobs_job
            WHERE status = 'failed'
              AND (fingerprint, finished_at) >= (shown.fingerprint, hours.at)
              AND (fingerprint, finished_at) < (shown.fingerprint, hours.at + interval '1 hour')
            ORDER BY fingerprint, finished_at LIMIT %(counted)s
        ) AS counted
    ) AS part
    ORDER BY hours.at
"""


@dataclass(frozen=True)
class Kind:
    """Failed jobs of one cause with the words of the newest, and when in the last day they failed."""

    group: ErrorGroup
    words: str
    day: Sparkline


def read_kinds(groups: Sequence[Group]) -> list[Kind]:
    """Return the kinds with their last 24 hours. Needs a scope that sees the jobs of all tenants."""
    hours: defaultdict[str, list[Point]] = defaultdict(list)
    if groups:
        shown = [one.group.fingerprint for one in groups]
        with connection.cursor() as cursor:
            cursor.execute(HOURS_SQL, {"shown": shown, "counted": COUNTED + 1})
            for fingerprint, at, jobs in cursor.fetchall():
                hours[fingerprint].append(Point(at, jobs))
    return [Kind(one.group, one.words, draw_day(hours[one.group.fingerprint])) for one in groups]


def draw_day(hours: Sequence[Point]) -> Sparkline:
    """Return the plot of failures by hour, oldest first, and what there is to see in it."""
    shown = [Point(hour.at, min(hour.value, COUNTED)) for hour in hours]
    total = sum(hour.value for hour in shown)
    is_more = any(hour.value > COUNTED for hour in hours)
    title = _("Failed by hour, in the last 24 hours")
    if not total:
        none = _("none in the last 24 hours")
        return sparkline(title, shown, label=none, finding=_("None has failed then."))
    words = {"number": _number(total, is_more=is_more)}
    worst = max(hours, key=lambda hour: hour.value)
    words["most"] = _number(min(worst.value, COUNTED), is_more=worst.value > COUNTED)
    words["worst"] = _span(worst.at)
    words["last"] = _span(next(hour.at for hour in reversed(hours) if hour.value))
    return sparkline(
        title,
        shown,
        label=_("%(number)s in the last 24 hours") % words,
        finding=_("%(number)s failed; most, %(most)s, at %(worst)s, the last at %(last)s.") % words,
    )


def _number(value: float, *, is_more: bool) -> str:
    text = number_format(int(value), force_grouping=True)
    return _("more than %(number)s") % {"number": text} if is_more else text


def _span(start: datetime) -> str:
    first, end = (date_format(timezone.localtime(moment), "H:i") for moment in (start, start + _HOUR))
    return f"{first}–{end}"
