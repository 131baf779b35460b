"""What commands about documents have in common: how errors and changes are told."""

import uuid
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from documents.errors import DocumentsError
from documents.services.changes import ChangeReport
from tenants.management.base import Answer, ServiceCommand


class DocumentsCommand(ServiceCommand):
    """A command that calls a service of documents; its errors become the command's message."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer, in the form that was asked for."""
        try:
            super().handle(*args, **options)
        except DocumentsError as error:
            raise CommandError(str(error)) from error


class ChangingCommand(DocumentsCommand):
    """A command that changes the documents it is given, and fails if any of them was left alone."""

    #: How many documents must be named, as argparse says it.
    documents_wanted = "+"
    _skipped = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument(
            "documents",
            nargs=self.documents_wanted,
            type=uuid.UUID,
            metavar="document",
            help="id of a document",
        )
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer, then fail if documents were left alone."""
        super().handle(*args, **options)
        if self._skipped:
            raise CommandError(f"{self._skipped} left alone.")

    def tell(self, verb: str, report: ChangeReport) -> Answer:
        """Return what was done, and what was left alone and why."""
        self._skipped = sum(report.skipped.values())
        lines = [f"{verb} {report.changed} {'document' if report.changed == 1 else 'documents'}."]
        lines += [f"Left alone {count}: {reason}." for reason, count in sorted(report.skipped.items())]
        return Answer({"changed": report.changed, "skipped": dict(report.skipped)}, lines)
