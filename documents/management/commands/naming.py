"""`manage.py naming TENANT`"""

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from documents.dates import ORDERS
from documents.management.base import DocumentsCommand
from documents.services.naming import get_naming, preview_titles, set_naming
from documents.title_templates import FIELDS
from tenants.access import operator_access
from tenants.management.base import Answer
from tenants.scope import tenant_scope
from tenants.selectors import get_tenant_by_name


class Command(DocumentsCommand):
    """Shows and sets how a tenant wants its papers dated, named and made searchable."""

    help = (
        "Show how a tenant wants its papers dated, named and made searchable; with options, change it. What"
        " is there already follows with `reanalyze TENANT --only titles` or `--only dates`. Fields of a"
        " template: "
        + ", ".join(f"{{{name}}}" for name in FIELDS)
        + ". What a document does not have leaves no gap, and a title set by a person stays."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument(
            "--title-template",
            metavar="TEXT",
            help='such as "{issued_date} {correspondent} {type} {number}"; empty: titles as they are found',
        )
        parser.add_argument(
            "--date-order", choices=ORDERS, help="how 03/04/2024 is read where a document does not show it"
        )
        parser.add_argument(
            "--filename-order",
            choices=(*ORDERS, "none"),
            help="let dates in file names win over the text, read so; none: only where the text has no date",
        )
        parser.add_argument(
            "--searchable-pdfs",
            choices=("yes", "no"),
            help="make a searchable PDF of each scan once it has been read, behind all other work",
        )
        parser.add_argument(
            "--preview",
            action="store_true",
            help="change nothing, and show what the template makes of the newest documents",
        )
        super().add_arguments(parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Do what is asked for, then show the settings."""
        access = operator_access(get_tenant_by_name(options["tenant"]).id)
        template, order, in_names, searchable = (
            options["title_template"],
            options["date_order"],
            options["filename_order"],
            options["searchable_pdfs"],
        )
        with tenant_scope(access.tenant_id):
            naming = get_naming(access.tenant_id)
        if options["preview"]:
            wanted = naming.title_template if template is None else template
            found = preview_titles(access=access, template=wanted)
            data = [{"id": str(row.document_id), "title": row.title, "becomes": row.becomes} for row in found]
            return Answer({"preview": data}, [f"{row.title} → {row.becomes}" for row in found])
        if template is not None or order or in_names or searchable:
            naming = set_naming(
                access=access,
                title_template=template,
                date_order=order,
                filename_order="" if in_names == "none" else in_names,
                searchable_pdfs=searchable == "yes" if searchable else None,
            )
        lines = [
            f"Template for titles: {naming.title_template or 'none, titles as they are found'}",
            f"Order of dates: {naming.date_order}",
            f"Dates in file names: {naming.filename_order or 'only where the text has none'}",
            f"Searchable PDFs: {'of all scans' if naming.searchable_pdfs else 'on request'}",
        ]
        return Answer(asdict(naming), lines)
