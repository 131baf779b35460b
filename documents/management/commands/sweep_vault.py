"""`manage.py sweep_vault`"""

from argparse import ArgumentParser
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError

from documents.services.sweep import Listing, SweepReport, sweep_vault
from tenants.management.base import Answer, ServiceCommand


class Command(ServiceCommand):
    """Removes orphans from the vault and names what is missing."""

    help = (
        "Remove from the vault what killed processes left behind: uploads that never ended, and files that no"
        " committed row knows, both only when they are old enough. Name files that are missing or have"
        " another size than they had; then the exit code is 1. Run it once a day."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--older-than",
            type=float,
            default=24.0,
            metavar="HOURS",
            help="leave younger files alone (default: %(default)s); below 1 only while nothing is stored",
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what would be removed")
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Sweep, report, and fail if something is missing."""
        if options["older_than"] < 0:
            raise CommandError("--older-than must not be negative.")
        self._missing = 0
        super().handle(*args, **options)
        if self._missing:
            raise CommandError(f"{self._missing} files of the vault are missing or damaged.")

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Sweep."""
        remove = not options["dry_run"]
        report = sweep_vault(older_than=timedelta(hours=options["older_than"]), remove=remove)
        self._missing = report.missing.count
        return Answer(_data(report), _lines(report, removed=remove))


def _lines(report: SweepReport, *, removed: bool) -> list[str]:
    verb = "Removed" if removed else "Would remove"
    lines = [
        f"Looked at {report.files} files.",
        f"{verb} {report.orphans.count} without a document ({report.orphans.size} bytes).",
        f"{verb} {report.leftovers.count} uploads that never ended ({report.leftovers.size} bytes).",
    ]
    if report.strangers.count:
        lines.append(f"Left alone {report.strangers.count} that are not the archive's:")
        lines += [f"  {path}" for path in report.strangers.paths]
    if report.missing.count:
        lines.append(f"MISSING OR DAMAGED: {report.missing.count}")
        lines += [f"  {path}" for path in report.missing.paths]
    return lines


def _data(report: SweepReport) -> dict[str, object]:
    def listed(listing: Listing) -> dict[str, object]:
        return {"count": listing.count, "bytes": listing.size, "paths": listing.paths}

    return {
        "files": report.files,
        "orphans": listed(report.orphans),
        "leftovers": listed(report.leftovers),
        "strangers": listed(report.strangers),
        "missing": listed(report.missing),
    }
