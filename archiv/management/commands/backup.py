"""`manage.py backup FOLDER`: save the whole installation while it works."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from archiv.backup.errors import BackupError
from archiv.backup.make import make_backup
from jobs.acting import acting_as, command_actor
from jobs.management.progress import progress_bar


class Command(BaseCommand):
    """Saves database, vault, signed ends of the audit trails, and the key where archiv keeps it."""

    help = (
        "Save the whole installation below FOLDER while it works: the database in one snapshot with a count "
        "and a sum of each table, and the files of the vault with their hashes. Files are copied once and "
        "shared by all backups below FOLDER; what was purged leaves with the last backup that lists it. "
        "Backups hold every tenant's papers: keep the folder on another machine, and encrypted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("folder", type=Path, help="where the backups lie")
        parser.add_argument("--keep", type=int, default=14, help="how many stay (default: %(default)s)")
        parser.add_argument("--verify", action="store_true", help="hash also the copies of earlier backups")
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Save, and say where."""
        if options["keep"] < 1:
            raise CommandError("--keep must be 1 or more.")
        try:
            with acting_as(command_actor()):
                report = make_backup(
                    options["folder"].resolve(),
                    keep=options["keep"],
                    verify=options["verify"],
                    bars=lambda label: progress_bar(self.stdout, label, shown=not options["json"]),
                )
        except BackupError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            answer = vars(report) | {"folder": str(report.folder)}
            self.stdout.write(json.dumps(answer))
            return
        self.stdout.write(
            f"Saved in {report.folder}: {report.rows} rows of {report.tables} tables, "
            f"{report.files} files with {report.bytes} bytes."
        )
        if report.removed:
            self.stdout.write(f"Removed {report.removed} files that no backup lists any more.")
