"""`manage.py cancel`: end queued and running jobs."""

import getpass
import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from jobs.scope import all_rows
from jobs.services import cancel_jobs


class Command(BaseCommand):
    """Cancels jobs; what has ended already is left alone and counted."""

    help = (
        "End queued and running jobs as failed, 'cancelled'. A running one is stopped within a heartbeat, "
        "and nothing that it does from now on counts. `requeue` lets it run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("job", nargs="+", type=int, help="ids of jobs")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Cancel them."""
        with all_rows():
            report = cancel_jobs(job_ids=options["job"], by=_account())
        if options["json"]:
            self.stdout.write(json.dumps({"cancelled": report.cancelled, "skipped": dict(report.skipped)}))
            return
        self.stdout.write(f"Cancelled: {report.cancelled}")
        for reason, number in sorted(report.skipped.items()):
            self.stdout.write(f"Left alone, {reason}: {number}")


def _account() -> str:
    """Return who runs the command, as far as the system knows."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "an operator"
