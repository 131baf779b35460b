"""`manage.py cancel`: end queued and running jobs."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from jobs.acting import acting_as, command_actor
from jobs.management.answers import show_changes
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
        actor = command_actor()
        with acting_as(actor), all_rows():
            report = cancel_jobs(job_ids=options["job"], by=actor.name)
        for line in show_changes("cancelled", report.cancelled, report.skipped, as_json=options["json"]):
            self.stdout.write(line)
