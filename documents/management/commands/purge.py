"""`manage.py purge TENANT DOCUMENT…`"""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError

from documents.management.base import ChangingCommand
from documents.services.purge import find_purgeable, purge_documents
from tenants.access import operator_access
from tenants.management.base import Answer
from tenants.scope import tenant_scope
from tenants.selectors import get_tenant_by_name


class Command(ChangingCommand):
    """Queues the purge of documents in the trash."""

    help = (
        "Have documents in a tenant's trash removed for good by a worker: file, text, search entry and rows."
        " What must be kept, by a legal hold or until a later date, is left alone, and each such refusal is"
        " recorded in the audit trail. The exit code is 1 if any was left alone."
    )

    documents_wanted = "*"

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        super().add_arguments(parser)
        parser.add_argument(
            "--all", action="store_true", help="everything in the trash that need not be kept any more"
        )

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Queue the purges."""
        tenant, ids = get_tenant_by_name(options["tenant"]), options["documents"]
        if options["all"] == bool(ids):
            raise CommandError("Name documents, or say --all.")
        if options["all"]:
            with tenant_scope(tenant.id):
                ids = list(find_purgeable(tenant.id).values_list("pk", flat=True))
        report = purge_documents(access=operator_access(tenant.id), document_ids=ids)
        return self.tell("Queued the purge of", report)
