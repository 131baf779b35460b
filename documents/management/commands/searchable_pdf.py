"""`manage.py searchable_pdf TENANT DOCUMENT…`"""

from collections.abc import Mapping
from typing import Any

from documents.management.base import ChangingCommand
from documents.services.searchable import request_searchable_pdfs
from tenants.access import operator_access
from tenants.management.base import Answer
from tenants.selectors import get_tenant_by_name


class Command(ChangingCommand):
    """Queues the making of searchable PDFs."""

    help = (
        "Have searchable PDFs made of scanned documents: the original's pages with the words that OCR found"
        " unseen over them, as PDF/A-2b where the file allows it. A worker makes them behind all other work;"
        " they are downloaded from the document's page, and the original stays what it is."
    )

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Queue the jobs."""
        tenant = get_tenant_by_name(options["tenant"])
        report = request_searchable_pdfs(access=operator_access(tenant.id), document_ids=options["documents"])
        return self.tell("Queued searchable PDFs of", report)
