"""`manage.py search TENANT QUERY`"""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from typing import IO, Any, cast

from rich.console import Console
from rich.table import Table
from rich.text import Text

from documents.management.base import DocumentsCommand
from documents.search.excerpts import Part
from documents.search.parsing import QUERY_HELP
from documents.search.results import SearchHit, SearchResults, search_documents
from tenants.management.base import Answer
from tenants.selectors import get_tenant_by_name


class Command(DocumentsCommand):
    """Searches the documents of one tenant."""

    help = (
        "Search the documents of a tenant. A query is read like this:\n\n"
        + QUERY_HELP
        + "\nWrite -- before a query that begins with a minus sign."
    )

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> Any:
        """Keep the lines of the help as they are: it has a list."""
        return super().create_parser(
            prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **options
        )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument("query", nargs="+", help="what to look for; several are joined by blanks")
        parser.add_argument("--limit", type=int, default=20, help="hits to show (default: %(default)s)")
        parser.add_argument("--offset", type=int, default=0, help="hits to skip (default: %(default)s)")
        super().add_arguments(parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Search."""
        tenant = get_tenant_by_name(options["tenant"])
        results = search_documents(
            tenant_id=tenant.id,
            text=" ".join(options["query"]),
            limit=max(1, min(options["limit"], 100)),
            offset=max(0, options["offset"]),
        )
        return Answer(_data(results), self._lines(results))

    def _lines(self, results: SearchResults) -> list[str]:
        lines = list(results.notes)
        if not results.hits:
            return [*lines, "Nothing found."]
        console = Console(
            file=cast("IO[str]", self.stdout), no_color=self.style.SUCCESS("") == "", highlight=False
        )
        table = Table(show_edge=False, pad_edge=False, expand=False)
        table.add_column("issued", no_wrap=True)
        table.add_column("title")
        table.add_column("text")
        table.add_column("page", justify="right")
        for hit in results.hits:
            table.add_row(*_row(hit))
        with console.capture() as captured:
            console.print(table)
        more = ["… and more: ask more precisely, or use --offset."] if results.more else []
        return [*lines, captured.get().strip("\n"), *more]


def _row(hit: SearchHit) -> Sequence[str | Text]:
    issued = hit.document.issued_at.isoformat() if hit.document.issued_at else ""
    excerpt = hit.excerpt
    return (
        issued,
        _marked(hit.title),
        _marked(excerpt.parts) if excerpt else "",
        str(excerpt.page) if excerpt else "",
    )


def _marked(parts: Sequence[Part]) -> Text:
    """Return the parts with marks that can be seen with colours and without."""
    text = Text()
    for part in parts:
        text.append(
            f"»{part.text}«" if part.marked else part.text, style="bold yellow" if part.marked else ""
        )
    return text


def _data(results: SearchResults) -> dict[str, object]:
    return {
        "hits": [
            {
                "document_id": str(hit.document.id),
                "title": hit.document.title,
                "filename": hit.version.filename,
                "issued": hit.document.issued_at.isoformat() if hit.document.issued_at else None,
                "status": hit.status,
                "rank": round(hit.rank, 6),
                "page": hit.excerpt.page if hit.excerpt else None,
                "excerpt": [[part.text, part.marked] for part in hit.excerpt.parts] if hit.excerpt else [],
            }
            for hit in results.hits
        ],
        "more": results.more,
        "notes": list(results.notes),
    }
