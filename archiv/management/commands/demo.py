"""`manage.py demo`: watch archiv work on sample documents."""

import json
import os
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from rich.console import Console

from archiv.demo.account import PASSWORD_FILE
from archiv.demo.display import WIDTH_OF_FILES, Display
from archiv.demo.run import DemoFailed, Report, Row, run_demo
from archiv.demo.worker import WorkerFailed
from documents.errors import DocumentsError
from jobs.acting import acting_as, command_actor
from tenants.errors import TenantsError

ADDRESS = "http://127.0.0.1:8000"
"""Where bin/serve listens unless it is told otherwise."""


class Command(BaseCommand):
    """Runs the demo and says yes or no by its exit code."""

    help = (
        "Make two tenants and some thirty sample files, import them, run the worker until nothing is due, "
        "and show what became of each, with two searches. Exit code 0 only if every sample is as it should "
        "be. A second run is quick and changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "--json", action="store_true", help="answer with one JSON object; progress to stderr"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run the demo and show its report."""
        console = Console(stderr=options["json"])
        if not console.is_terminal and "COLUMNS" not in os.environ:
            console = Console(stderr=options["json"], width=WIDTH_OF_FILES)
        display = Display(console)
        folder = Path(settings.ARCHIV_VAR_ROOT)
        try:
            with acting_as(command_actor()):
                report = run_demo(display, folder)
        except (DemoFailed, WorkerFailed, DocumentsError, TenantsError) as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. Call it again to go on from here.", returncode=130) from None
        if options["json"]:
            self.stdout.write(json.dumps(_as_data(report, folder), ensure_ascii=False, indent=1))
        else:
            _show(display, report, folder)
        if report.problems:
            raise SystemExit(1)


def _show(display: Display, report: Report, folder: Path) -> None:
    display.table([(row.sample, row.outcome) for row in report.rows])
    for asked, hits in report.searches:
        display.heading(f"{asked.tenant}, search for {asked.query} ({asked.shows})")
        for hit in hits:
            display.hit(hit)
    display.heading(f"{len(report.rows)} samples in {report.seconds:.0f} seconds")
    if report.problems:
        for problem in report.problems:
            display.problem(f"  {problem}")
    else:
        display.say("Every sample is as it should be.")
    display.heading("How to go on")
    display.say("  bin/serve                      runs the site and a worker")
    display.say(f"  {ADDRESS}{reverse('admin:index')}   {_sign_in(report, folder)}")
    display.say("  .venv/bin/python manage.py search 'Kanzlei Muster' Toner")


def _sign_in(report: Report, folder: Path) -> str:
    user = f"user {report.account.user.username}"
    if report.account.password is None:
        return f"{user} with the password that was set for it"
    return f"{user}, password {report.account.password} (kept in {folder / PASSWORD_FILE})"


def _as_data(report: Report, folder: Path) -> Mapping[str, object]:
    searches = [
        {
            "tenant": asked.tenant,
            "query": asked.query,
            "hits": [
                {
                    "file": hit.version.filename,
                    "title": hit.document.title,
                    "page": hit.excerpt.page if hit.excerpt else None,
                    "excerpt": [[part.text, part.marked] for part in hit.excerpt.parts]
                    if hit.excerpt
                    else [],
                }
                for hit in hits
            ],
        }
        for asked, hits in report.searches
    ]
    return {
        "ok": not report.problems,
        "seconds": round(report.seconds, 1),
        "samples": [_row_data(row) for row in report.rows],
        "searches": searches,
        "problems": report.problems,
        "sign_in": {
            "address": ADDRESS + reverse("admin:index"),
            "user": report.account.user.username,
            "password_file": str(folder / PASSWORD_FILE),
        },
    }


def _row_data(row: Row) -> Mapping[str, object]:
    outcome = row.outcome
    return {
        "tenant": row.sample.tenant,
        "file": row.sample.filename,
        "kind": row.sample.kind,
        "status": outcome.status,
        "already_there": row.already_there,
        "pages": outcome.pages,
        "text": outcome.text_source,
        "issued": outcome.issued.isoformat() if outcome.issued else None,
        "title": outcome.title,
        "reason": outcome.reason,
        "seconds": None if outcome.seconds is None else round(outcome.seconds, 2),
        "problems": row.problems,
    }
