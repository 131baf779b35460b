"""`manage.py run_chores`: what the installation does once a day."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from jobs.chores import daily_chores, run_due_chores
from jobs.management.errands import add_errand_option, tie_to_worker


class Command(BaseCommand):
    """Runs the daily chores that are due."""

    help = (
        "Run the daily chores that are due and that nobody else runs: sign the ends of the audit trails, "
        "queue the checks of the vault. Workers do this by themselves; call it where none runs all day. "
        "The exit code is 1 if a chore found something wrong, or failed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        add_errand_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run them and say what became of each."""
        tie_to_worker(until_input_ends=options["until_input_ends"])
        done = run_due_chores()
        if options["json"]:
            self.stdout.write(json.dumps({name: vars(report) for name, report in done.items()}))
        elif not options["until_input_ends"]:
            for name in daily_chores():
                self.stdout.write(f"{name}: {done[name].message if name in done else 'not due'}")
        if not all(report.ok for report in done.values()):
            raise SystemExit(1)
