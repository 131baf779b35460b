"""`manage.py restore TENANT DOCUMENT…`"""

from collections.abc import Mapping
from typing import Any

from documents.management.base import ChangingCommand
from documents.services.trash import restore_documents
from tenants.access import operator_access
from tenants.management.base import Answer
from tenants.selectors import get_tenant_by_name


class Command(ChangingCommand):
    """Takes documents out of the trash."""

    help = (
        "Take documents of a tenant out of the trash. Once the purge of one has begun it cannot come back."
        " The exit code is 1 if any was left alone."
    )

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Restore them."""
        access = operator_access(get_tenant_by_name(options["tenant"]).id)
        return self.tell("Restored", restore_documents(access=access, document_ids=options["documents"]))
