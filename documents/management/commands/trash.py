"""`manage.py trash TENANT DOCUMENT…`"""

from collections.abc import Mapping
from typing import Any

from documents.management.base import ChangingCommand
from documents.services.trash import trash_documents
from tenants.access import operator_access
from tenants.management.base import Answer
from tenants.selectors import get_tenant_by_name


class Command(ChangingCommand):
    """Puts documents into the trash."""

    help = (
        "Put documents of a tenant into the trash: no search finds them there, their files stay, and"
        " `restore` brings them back. What is under legal hold is left alone. The exit code is 1 if any was"
        " left alone."
    )

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Trash them."""
        access = operator_access(get_tenant_by_name(options["tenant"]).id)
        return self.tell("Trashed", trash_documents(access=access, document_ids=options["documents"]))
