"""`manage.py doctor`: is all well, and what to do if it is not."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import IO, Any, cast

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.table import Table

from archiv.doctor.finding import Finding, Verdict
from archiv.doctor.rounds import examine
from jobs.management.progress import progress_bar

_STYLES = {Verdict.WELL: "green", Verdict.WARNING: "yellow", Verdict.ERROR: "bold red"}


class Command(BaseCommand):
    """Looks at everything an operator would look at, and gives advice."""

    help = (
        "Look at database, roles, migrations, vault, settings, workers, queue, files, audit trail and "
        "backup, and say what to do about whatever is not well. Changes nothing. Exits with 1 if there is an "
        "error, and with --strict also if there is a warning."
    )
    requires_system_checks: list[str] = []  # it runs them itself, and tells what they find

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        parser.add_argument("--strict", action="store_true", help="exit with 1 for warnings, too")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, tell, and say by the exit code whether all is well."""
        with progress_bar(self.stdout, "Looking", shown=not options["json"]) as tell:
            findings = examine(tell)
        if options["json"]:
            self.stdout.write(json.dumps({"findings": [asdict(one) for one in findings]}))
        else:
            self._show(findings)
        bad = {Verdict.ERROR, Verdict.WARNING} if options["strict"] else {Verdict.ERROR}
        if any(one.verdict in bad for one in findings):
            raise SystemExit(1)

    def _show(self, findings: list[Finding]) -> None:
        table = Table(box=None, show_header=False, pad_edge=False)
        for _ in range(3):
            table.add_column(overflow="fold")
        for one in findings:
            style = _STYLES[one.verdict]
            table.add_row(one.subject, f"[{style}]{one.verdict}[/]", one.message)
            if one.advice:
                table.add_row("", "", f"→ {one.advice}")
        Console(file=cast("IO[str]", self.stdout), highlight=False).print(table)
        counts = {verdict: sum(one.verdict == verdict for one in findings) for verdict in Verdict}
        if counts[Verdict.ERROR] or counts[Verdict.WARNING]:
            self.stdout.write(f"{counts[Verdict.ERROR]} errors, {counts[Verdict.WARNING]} warnings.")
        else:
            self.stdout.write("All is well.")
