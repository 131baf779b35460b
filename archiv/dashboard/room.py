"""How long the disk of the vault has room, as far as the last days tell."""

from dataclasses import dataclass

from django.db import connection
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from documents.gauges import Disk

_DAY = 86_400.0
#: Less history than this says nothing (seconds): a day has hours in which nobody works.
_LEAST_HISTORY = 0.95 * _DAY
#: Beyond so many days nobody can know; less than so many hours are said in hours.
_LONG, _MANY_HOURS = 3_650, 48


@dataclass(frozen=True)
class Filling:
    """In how many days the disk is full at the rate of the last ones; `days` None: it does not fill."""

    days: float | None
    last_days: int

    @property
    def text(self) -> str:
        """In how long it is full, in words."""
        if self.days is None:
            return _("not filling")
        if self.days > _LONG:
            return _("more than 10 years")
        if self.days >= _MANY_HOURS / 24:
            return _("about %(count)d days") % {"count": int(self.days)}
        hours = max(1, int(self.days * 24))
        return ngettext("about %(count)d hour", "about %(count)d hours", hours) % {"count": hours}

    @property
    def basis(self) -> str:
        """What that goes by, in words."""
        if self.last_days == 1:
            return _("in the last 24 hours") if self.days is None else _("at the rate of the last 24 hours")
        if self.days is None:
            text = _("in the last %(count)d days")
        else:
            text = _("at the rate of the last %(count)d days")
        return text % {"count": self.last_days}


def estimate_filling(disk: Disk, *, used_before: int, seconds: float) -> Filling | None:
    """Return when the disk is full if it goes on filling as it did in `seconds`; None after less than a day.

    By what is used, not by what is free: a disk that was made larger has not been emptied.
    """
    if seconds < _LEAST_HISTORY:
        return None
    last_days = max(1, round(seconds / _DAY))
    grown = disk.used - used_before
    return Filling(disk.free / (grown / seconds) / _DAY if grown > 0 else None, last_days)


# One entry of the index for each day. Samples of workers of an older version say nothing.
_BEFORE_SQL = """
    SELECT past.vault_used_bytes,
           extract(epoch FROM statement_timestamp() - past.sampled_at)::double precision
    FROM generate_series(1, 7) AS days (ago) CROSS JOIN LATERAL (
        SELECT sampled_at, vault_used_bytes FROM jobs_queuesample
        WHERE sampled_at >= statement_timestamp() - make_interval(days => days.ago)
        ORDER BY sampled_at LIMIT 1
    ) AS past
    WHERE past.vault_used_bytes IS NOT NULL ORDER BY past.sampled_at LIMIT 1
"""


def read_filling(disk: Disk) -> Filling | None:
    """Return when the disk of the vault is full, by the samples of at most the last seven days."""
    with connection.cursor() as cursor:
        cursor.execute(_BEFORE_SQL)
        row = cursor.fetchone()
    return estimate_filling(disk, used_before=row[0], seconds=row[1]) if row else None
