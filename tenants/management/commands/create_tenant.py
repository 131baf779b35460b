"""`manage.py create_tenant NAME`"""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from tenants.management.base import Answer, ServiceCommand
from tenants.selectors import get_user
from tenants.services import create_tenant


class Command(ServiceCommand):
    """Creates a tenant and the job that makes it ready."""

    help = (
        "Create a tenant. A worker makes it ready: capability sets, the members given here as owners, and"
        " from then on it is active and documents can be stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("name", help="name of the tenant, 1 to 255 characters, without '|'")
        parser.add_argument(
            "--owner",
            action="append",
            default=[],
            metavar="USER",
            help="user name of an owner; may be repeated",
        )
        parser.add_argument("--timezone", default="Europe/Berlin", help="time zone (default: %(default)s)")
        parser.add_argument(
            "--languages",
            default="deu,eng",
            help="languages of its papers for text recognition, separated by commas (default: %(default)s)",
        )
        super().add_arguments(parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Create the tenant."""
        tenant = create_tenant(
            name=options["name"],
            members=[get_user(name).id for name in options["owner"]],
            timezone=options["timezone"],
            languages=[part.strip() for part in options["languages"].split(",") if part.strip()],
        )
        return Answer(
            {"id": str(tenant.id), "name": tenant.name, "status": tenant.status},
            [f"Created tenant {tenant.name} ({tenant.id}). A worker makes it ready."],
        )
