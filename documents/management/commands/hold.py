"""`manage.py hold TENANT DOCUMENT…`"""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from documents.management.base import ChangingCommand
from documents.services.holds import hold_documents, release_documents
from tenants.access import operator_access
from tenants.management.base import Answer
from tenants.selectors import get_tenant_by_name


class Command(ChangingCommand):
    """Sets and lifts legal holds."""

    help = (
        "Put documents of a tenant under legal hold: until it is lifted with --release nobody can trash,"
        " purge or wipe them. The exit code is 1 if any was left alone."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        super().add_arguments(parser)
        parser.add_argument("--release", action="store_true", help="lift the hold; the retention stays")

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Hold or release them."""
        access, ids = operator_access(get_tenant_by_name(options["tenant"]).id), options["documents"]
        if options["release"]:
            return self.tell("Released", release_documents(access=access, document_ids=ids))
        return self.tell("Held", hold_documents(access=access, document_ids=ids))
