"""`manage.py prune_jobs`: forget jobs that ended long ago."""

import json
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from jobs.errors import JobRefused
from jobs.management.progress import progress_bar
from jobs.pruning import KEEP_FAILED, KEEP_SUCCEEDED, prune_jobs


class Command(BaseCommand):
    """Removes finished jobs of all tenants with their attempts."""

    help = (
        "Remove jobs that ended long ago, with their attempts, in short transactions beside running workers. "
        "Kept for good: the jobs of wipes, and a failed analysis while its document has no newer one. "
        "Documents and the audit trail are not touched. Run it once a day."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        for name, kept in (("succeeded", KEEP_SUCCEEDED), ("failed", KEEP_FAILED)):
            parser.add_argument(
                f"--keep-{name}",
                type=float,
                default=kept.days,
                metavar="DAYS",
                help=f"keep {name} jobs for so many days (default: %(default)s)",
            )
        parser.add_argument("--dry-run", action="store_true", help="only say what would go")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prune, and say what went."""
        remove = not options["dry_run"]
        try:
            with progress_bar(self.stdout, "Jobs", shown=not options["json"]) as tell:
                report = prune_jobs(
                    keep_succeeded=timedelta(days=options["keep_succeeded"]),
                    keep_failed=timedelta(days=options["keep_failed"]),
                    remove=remove,
                    tell=tell,
                )
        except (JobRefused, OverflowError, ValueError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(asdict(report) | {"removed": remove}))
            return
        verb = "Removed" if remove else "Would remove"
        self.stdout.write(
            f"{verb} {report.succeeded} succeeded and {report.failed} failed jobs,"
            f" with {report.attempts} attempts."
        )
