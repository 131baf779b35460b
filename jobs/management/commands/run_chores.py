"""`manage.py run_chores`: what the installation does once a day."""

import json
import os
import signal
import sys
import threading
import time
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandParser

from jobs.chores import daily_chores, run_due_chores

_GOODBYE_SECONDS = 0.8


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
        parser.add_argument(
            "--until-input-ends", action="store_true", help="stop when standard input ends: for workers"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run them and say what became of each."""
        signal.signal(signal.SIGTERM, _stop)
        if options["until_input_ends"]:
            threading.Thread(target=_stop_at_end_of_input, daemon=True).start()
        done = run_due_chores()
        if options["json"]:
            self.stdout.write(json.dumps({name: vars(report) for name, report in done.items()}))
        elif not options["until_input_ends"]:
            for name in daily_chores():
                self.stdout.write(f"{name}: {done[name].message if name in done else 'not due'}")
        if not all(report.ok for report in done.values()):
            raise SystemExit(1)


def _stop(number: int, _frame: object) -> NoReturn:
    """Leave whatever is being done; the chore is given back on the way."""
    raise SystemExit(128 + number)


def _stop_at_end_of_input() -> None:
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GOODBYE_SECONDS)  # within a statement nothing is heard of a signal
    os._exit(1)
