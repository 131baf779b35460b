"""`manage.py run_operations`: go on with what operators have ordered for many jobs at once."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from jobs.management.errands import add_errand_option, tie_to_worker
from jobs.operations import run_operations


class Command(BaseCommand):
    """Runs the operations that nobody else runs."""

    help = (
        "Go on with operations on many jobs, such as a requeue of all that failed of one cause, batch by "
        "batch. Workers do this by themselves; call it where none runs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the option."""
        add_errand_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run them, and say how many came to their end."""
        tie_to_worker(until_input_ends=options["until_input_ends"])
        ended = run_operations()
        if not options["until_input_ends"]:
            self.stdout.write(f"Operations ended: {ended}")
