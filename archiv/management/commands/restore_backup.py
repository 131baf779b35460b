"""`manage.py restore_backup FOLDER`: bring a backup back into an empty installation."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from archiv.backup.errors import BackupError
from archiv.backup.restore import restore_backup
from jobs.acting import acting_as, command_actor
from jobs.management.progress import progress_bar


class Command(BaseCommand):
    """Restores a backup and compares every table and every file with what was saved."""

    help = (
        "Restore the backup in FOLDER into an empty database and an empty vault, and compare: each table's "
        "rows and sum, each file's hash. Nothing is overwritten. Then `manage.py migrate`, and start the "
        "workers: what ran when the backup was made runs again once its lease has ended."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("folder", type=Path, help="one backup, such as backups/20260131T020000Z")
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore, and say what is there now."""
        try:
            with acting_as(command_actor()):
                manifest = restore_backup(
                    options["folder"].resolve(),
                    bars=lambda label: progress_bar(self.stdout, label, shown=not options["json"]),
                )
        except BackupError as error:
            raise CommandError(str(error)) from error
        rows = sum(state.rows for state in manifest.tables.values())
        if options["json"]:
            answer = {
                "made_at": manifest.made_at,
                "rows": rows,
                "files": manifest.files,
                "bytes": manifest.bytes,
            }
            self.stdout.write(json.dumps(answer))
            return
        self.stdout.write(
            f"Restored the backup of {manifest.made_at}: {rows} rows of {len(manifest.tables)} tables and "
            f"{manifest.files} files, all as they were saved. Run `manage.py migrate` before the workers."
        )
