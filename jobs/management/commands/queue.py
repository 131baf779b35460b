"""`manage.py queue`: what waits, what runs where, who works, and what failed last."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from textwrap import shorten
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from rich.console import Console
from rich.live import Live
from rich.text import Text

from jobs.display import show_oldest
from jobs.management.tables import show_table
from jobs.models import JobStatus
from jobs.scope import all_rows
from jobs.selectors import QueueOverview, look_at_queue

_PAUSE_SECONDS = 2.0
_STALE_SECONDS = 60.0
_ERROR_CHARACTERS = 100


class Command(BaseCommand):
    """Shows the newest sample of the queue, the workers, and running and failed jobs of all tenants."""

    help = (
        "Show jobs by type and status and how long the oldest due one has waited (from the sample that a "
        "worker takes every 15 seconds), the workers, "
        "what runs where since when, with the seconds left of each lease, and which failed last, and why."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        parser.add_argument("--watch", action="store_true", help="show it anew every 2 seconds, until Ctrl-C")

    def handle(self, *args: Any, **options: Any) -> None:
        """Show it once, or until interrupted."""
        try:
            if options["watch"] and not options["json"] and self.stdout.isatty():
                self._watch_screen()
            while True:
                overview = _look()
                if options["json"]:
                    self.stdout.write(json.dumps(asdict(overview), default=str))
                else:
                    self.stdout.write("\n".join(show_overview(overview)))
                self.stdout.flush()
                if not options["watch"]:
                    return
                time.sleep(_PAUSE_SECONDS)
        except KeyboardInterrupt:
            return

    def _watch_screen(self) -> None:
        """Show it on a screen of its own, which is gone when the terminal is given back."""
        with Live(console=Console(), screen=True, auto_refresh=False) as live:
            while True:
                lines = show_overview(_look())
                live.update(Text("\n".join(lines), no_wrap=True, overflow="ellipsis"), refresh=True)
                time.sleep(_PAUSE_SECONDS)


def _look() -> QueueOverview:
    with all_rows():
        return look_at_queue()


def show_overview(overview: QueueOverview) -> list[str]:
    """Return the overview as lines of text."""
    lines = _show_counts(overview)
    lines += ["", f"Workers: {len(overview.workers)}"]
    lines += show_table(
        ("worker", "state", "slots", "running", "version", "last heartbeat"),
        [
            (one.name, one.state, one.slots, one.running, one.version, f"{one.silent_for:.0f} s ago")
            for one in overview.workers
        ],
    )
    lines += ["", f"Running: {len(overview.running)}"]
    lines += show_table(
        ("job", "tenant", "type", "attempt", "since", "progress", "lease left", "worker"),
        [
            (
                one.id,
                one.tenant,
                one.type,
                one.attempt,
                f"{one.seconds:.0f} s",
                f"{one.done} of {one.of}" if one.of else "",
                f"{one.lease_left:.0f} s" + ("" if one.is_renewed else " !"),
                one.worker,
            )
            for one in overview.running
        ],
    )
    if not all(one.is_renewed for one in overview.running):
        lines += ["! The lease was not renewed when it should have been: if it ends, the job runs again."]
    if overview.failed:
        lines += ["", "Failed last (`manage.py requeue JOB` lets one run again):"]
    lines += show_table(
        ("job", "tenant", "type", "failed at", "attempts", "error"),
        [
            (
                one.id,
                one.tenant,
                one.type,
                f"{one.finished_at:%Y-%m-%d %H:%M:%S}" if one.finished_at else "",
                one.attempts,
                shorten(one.error, _ERROR_CHARACTERS, placeholder=" …") or one.kind,
            )
            for one in overview.failed
        ],
    )
    return lines


def _show_counts(overview: QueueOverview) -> list[str]:
    if overview.sampled_at is None:
        return ["No worker has looked at the queue yet: start one with `manage.py runworker`."]
    about = "about " if overview.approximate else ""
    statuses = list(JobStatus.values)
    rows: list[Sequence[object]] = [
        (
            name,
            *(f"{about if count else ''}{count}" for count in (by_status.get(s, 0) for s in statuses)),
            show_oldest(overview.oldest_by_type, name, is_waiting=bool(by_status.get(JobStatus.QUEUED))),
        )
        for name, by_status in sorted(overview.counts.items())
    ]
    oldest = overview.oldest_due_seconds
    waiting = f"The oldest due job has waited {oldest:.0f} s." if oldest else "Nothing is due."
    stale = overview.sample_age > _STALE_SECONDS
    return [
        *(["No worker has counted since; `manage.py runworker` starts one."] if stale else []),
        f"Jobs as of {overview.sampled_at:%Y-%m-%d %H:%M:%S %Z}. {waiting}",
        *show_table(("type", *statuses, "oldest due"), rows),
    ]
