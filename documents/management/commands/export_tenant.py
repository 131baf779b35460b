"""`manage.py export_tenant TENANT PLACE`"""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from documents.export.targets import BytesDiffer
from documents.export.verify import NoExport, verify_export
from documents.management.base import DocumentsCommand
from documents.services.export import export_tenant
from jobs.management.progress import progress_bar
from tenants.access import operator_access
from tenants.management.base import Answer
from tenants.selectors import get_tenant_by_name


class Command(DocumentsCommand):
    """Exports all originals of a tenant."""

    help = (
        "Export all originals of a tenant, those in the trash too, to a folder, or to a ZIP file if the place"
        " ends in .zip: with an index.html to read, what is known of each document in documents.jsonl, and"
        " the hash of every file in SHA256SUMS. An export that was stopped goes on when the command is given"
        " again. Originals that are missing or damaged are named and left out; then the exit code is 1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument("place", type=Path, help="a folder that is empty or not there, or a file.zip")
        parser.add_argument(
            "--verify", action="store_true", help="export nothing, but compare an export with its hashes"
        )
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Export or verify, and fail if something is not whole."""
        self._wrong = 0
        try:
            super().handle(*args, **options)
        except (OSError, NoExport, BytesDiffer) as error:
            raise CommandError(str(error)) from error
        if self._wrong:
            raise CommandError(f"{self._wrong} files are missing or damaged.")

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Export or verify."""
        tenant, place = get_tenant_by_name(options["tenant"]), options["place"].absolute()
        with progress_bar(self.stdout, tenant.name, shown=not options["json"]) as tell:
            if options["verify"]:
                wrong = list(verify_export(place, progress=lambda done: tell(done, None)))
                self._wrong = len(wrong)
                return Answer(
                    {"place": str(place), "wrong": wrong}, wrong or ["Every file is as it was exported."]
                )
            exported = export_tenant(access=operator_access(tenant.pk), place=place, progress=tell)
        totals = exported.totals
        self._wrong = totals.problems
        data = {
            "tenant": tenant.name,
            "place": str(place),
            "documents": totals.documents,
            "files": totals.files,
            "bytes": totals.size,
            "problems": totals.problems,
            "sha256_of_sums": exported.sums_hash,
        }
        lines = [
            f"Exported {totals.documents} documents, {totals.files} originals, {totals.size} bytes: {place}",
            f"SHA-256 of SHA256SUMS, as in the audit trail: {exported.sums_hash}",
        ]
        return Answer(data, lines)
