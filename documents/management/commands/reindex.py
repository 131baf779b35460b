"""`manage.py reindex TENANT`"""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from documents.management.base import DocumentsCommand
from documents.services.reindex import Engine, move_search
from jobs.management.progress import progress_bar
from tenants.management.base import Answer
from tenants.selectors import get_tenant_by_name


class Command(DocumentsCommand):
    """Moves the search of a tenant to the other engine."""

    help = (
        "Have the search of a tenant answered by another engine: quickwit, at ARCHIV_SEARCH_URL, or"
        " postgresql again. The new index is filled from the texts that are kept while the old one answers;"
        " then they are switched, and the old one is removed. Broken off, it goes on when called again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument(
            "--to",
            choices=[engine.value for engine in Engine],
            default=Engine.QUICKWIT.value,
            help="the engine (default: %(default)s)",
        )
        super().add_arguments(parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Move it."""
        tenant = get_tenant_by_name(options["tenant"])
        to = Engine(options["to"])
        with progress_bar(self.stderr, "Indexing", shown=not options["json"]) as tell:
            written = move_search(tenant_id=tenant.id, to=to, tell=tell)
        count = f"{written} {'document' if written == 1 else 'documents'}"
        lines = [f"The search of {tenant.name} is answered by {to}; written for it now: {count}."]
        return Answer({"engine": to.value, "written": written}, lines)
