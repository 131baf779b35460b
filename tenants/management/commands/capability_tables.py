"""`manage.py capability_tables`"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from tenants.capability_table import services_table, sets_table


def with_tables(page: str) -> str:
    """Return the page of capabilities with its tables made anew."""
    for name, table in (("sets", sets_table()), ("services", services_table())):
        before, _, rest = page.partition(f"<!-- {name} -->\n")
        page = f"{before}<!-- {name} -->\n{table}<!-- /{name} -->" + rest.partition(f"<!-- /{name} -->")[2]
    return page


class Command(BaseCommand):
    """Writes the tables of the page on capabilities."""

    help = "Write the tables of docs/capabilities.md from the code."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("page", type=Path, nargs="?", default=Path("docs/capabilities.md"))

    def handle(self, *args: Any, **options: Any) -> None:
        """Replace what stands between the marks."""
        page: Path = options["page"]
        page.write_text(with_tables(page.read_text()))
