"""`manage.py reanalyze TENANT`"""

import uuid
from argparse import ArgumentParser
from collections.abc import Mapping
from datetime import date
from typing import Any

from documents.pipeline import PARTS
from documents.services.reanalyze import Chosen, reanalyze_documents
from jobs.management.progress import progress_bar
from tenants.management.base import Answer, ServiceCommand
from tenants.selectors import get_tenant_by_name


class Command(ServiceCommand):
    """Queues the analysis of documents anew."""

    help = (
        "Read documents of a tenant again: all of them, or those named. What people have set (title, issued"
        " date) stays. The jobs wait in the lane 'bulk', behind new uploads."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument(
            "--document",
            action="append",
            type=uuid.UUID,
            metavar="ID",
            help="only this document; may be repeated",
        )
        parser.add_argument(
            "--type", default="", metavar="TYPE", help="only files whose type begins so: image/"
        )
        for name, words in (
            ("--stored-since", "on this day (UTC) or later"),
            ("--stored-before", "before it"),
        ):
            parser.add_argument(
                name, type=date.fromisoformat, metavar="YYYY-MM-DD", help=f"only documents stored {words}"
            )
        how = parser.add_mutually_exclusive_group()
        how.add_argument(
            "--only",
            action="append",
            choices=PARTS,
            metavar="PART",
            default=[],
            help="only this part of the analysis, on the text that was read before: no file is read, nothing"
            f" costs OCR; may be repeated: {', '.join(PARTS)}",
        )
        how.add_argument(
            "--index-only",
            action="store_true",
            help="keep the text that was read before, and only index it anew; files never read are read",
        )
        super().add_arguments(parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Enqueue the analyses."""
        tenant = get_tenant_by_name(options["tenant"])
        chosen = Chosen(options["type"], options["stored_since"], options["stored_before"])
        with progress_bar(self.stderr, "Queueing", shown=not options["json"]) as tell:
            report = reanalyze_documents(
                tenant_id=tenant.id,
                document_ids=options["document"],
                force=not options["index_only"],
                only=options["only"],
                chosen=chosen,
                tell=tell,
            )
        lines = [f"Queued {report.enqueued} analyses of {tenant.name}."]
        lines += [f"Skipped {count}: {reason}." for reason, count in report.skipped.items()]
        return Answer({"enqueued": report.enqueued, "skipped": dict(report.skipped)}, lines)
