"""`manage.py retention TENANT`"""

import uuid
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError

from documents.management.base import ChangingCommand
from documents.services.retention import (
    choose_default_class,
    classify_documents,
    create_retention_class,
    list_retention_classes,
)
from tenants.access import Access, operator_access
from tenants.management.base import Answer, ServiceCommand
from tenants.selectors import get_tenant_by_name


class Command(ChangingCommand):
    """Shows and makes retention classes, and puts documents into them."""

    help = (
        "Show the retention classes of a tenant; with --class and more, make one, have new documents begin"
        " in it, or put documents into it. Years count from the end of the calendar year of the issued date"
        " or of the day of storing, whichever is later. The retention of a document can only grow: neither"
        " another class nor a better date shortens it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument("--class", dest="name", metavar="NAME", help="the class that is meant")
        parser.add_argument("--years", type=int, help="make this class, of so many years")
        parser.add_argument("--default", action="store_true", help="let new documents begin in this class")
        parser.add_argument("--no-default", action="store_true", help="let new documents begin in no class")
        parser.add_argument(
            "--document",
            dest="documents",
            action="append",
            type=uuid.UUID,
            metavar="ID",
            help="put this document into the class; may be repeated",
        )
        ServiceCommand.add_arguments(self, parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Do what is asked for, then show the classes."""
        access, name = operator_access(get_tenant_by_name(options["tenant"]).id), options["name"]
        needs_class = options["years"] is not None or options["default"] or options["documents"]
        if needs_class and not name:
            raise CommandError("Say which class is meant: --class NAME.")
        if name and not needs_class:
            raise CommandError("Say what to do with the class: --years, --default or --document.")
        if options["years"] is not None:
            create_retention_class(access=access, name=name, years=options["years"])
        if options["default"] or options["no_default"]:
            choose_default_class(access=access, name=name if options["default"] else None)
        if options["documents"]:
            report = classify_documents(access=access, document_ids=options["documents"], name=name)
            return self.tell("Classified", report)
        return _show(access)


def _show(access: Access) -> Answer:
    classes = list_retention_classes(access=access)
    data = {row.name: {"years": row.years, "default": row.is_default} for row in classes}
    lines = [
        f"{row.name}: {row.years} years{', for new documents' if row.is_default else ''}" for row in classes
    ]
    return Answer({"classes": data}, lines)
