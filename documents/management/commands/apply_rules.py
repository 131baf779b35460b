"""`manage.py apply_rules TENANT`"""

import uuid
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from documents.management.base import DocumentsCommand
from documents.services.apply_rules import ApplyReport, LabelReport, apply_rules, preview_rules
from jobs.management.progress import progress_bar
from tenants.access import operator_access
from tenants.management.base import Answer
from tenants.selectors import get_tenant_by_name


class Command(DocumentsCommand):
    """Files what is there by the rules as they are now."""

    help = (
        "Ask the rules of a tenant, and what people have filed so far, about all its documents or those"
        " named: tags, correspondents and document types are filed and suggested as on upload. What people"
        " have set, taken away or refused stays. --dry-run says what would be done, and changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument(
            "--document",
            dest="documents",
            action="append",
            type=uuid.UUID,
            metavar="ID",
            help="only this document; may be repeated",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would be done, and change nothing"
        )
        parser.add_argument(
            "--take-back",
            action="store_true",
            help="also take away what rules and suggestions have filed and would not file any more",
        )
        super().add_arguments(parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Apply the rules, or say what they would do."""
        tenant = get_tenant_by_name(options["tenant"])
        service = preview_rules if options["dry_run"] else apply_rules
        with progress_bar(self.stdout, tenant.name, shown=not options["json"]) as tell:
            report = service(
                access=operator_access(tenant.pk),
                document_ids=options["documents"],
                take_back=options["take_back"],
                progress=tell,
            )
        return Answer(_data(report), list(_lines(report, dry_run=options["dry_run"])))


def _data(report: ApplyReport) -> dict[str, object]:
    return {
        "documents": report.documents,
        "changed": report.changed,
        "labels": [
            {
                "kind": label.kind,
                "name": label.name,
                "filed": label.filed,
                "suggested": label.suggested,
                "dropped": label.dropped,
                "examples": [str(document_id) for document_id in label.examples],
            }
            for label in report.labels
        ],
        "stopped": [str(stopped.rule.id) for stopped in report.stopped],
    }


def _lines(report: ApplyReport, *, dry_run: bool) -> list[str]:
    would = "would be " if dry_run else ""
    lines = [f"{report.documents} documents looked at, {report.changed} {would}changed."]
    lines += [_line(label) for label in report.labels]
    lines += [
        f"The rule {stopped.rule.id} ({stopped.rule.pattern}) was stopped: it took more than"
        f" {stopped.seconds:.2f} s of processor time on one document. It rests until it is changed."
        for stopped in report.stopped
    ]
    return lines


def _line(label: LabelReport) -> str:
    counts = {"filed": label.filed, "suggested": label.suggested, "dropped": label.dropped}
    said = ", ".join(f"{number} {verb}" for verb, number in counts.items() if number)
    return f"  {label.kind.replace('_', ' ')} {label.name}: {said}, such as {label.examples[0]}"
