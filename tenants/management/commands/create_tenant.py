"""`manage.py create_tenant NAME`"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tenants.audit import acting_as
from tenants.errors import TenantsError
from tenants.management.actor import command_actor
from tenants.names import InvalidTenantName
from tenants.selectors import get_user
from tenants.services import create_tenant


class Command(BaseCommand):
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
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Create the tenant."""
        languages = [part.strip() for part in options["languages"].split(",") if part.strip()]
        try:
            members = [get_user(name).id for name in options["owner"]]
            with acting_as(command_actor()):
                tenant = create_tenant(
                    name=options["name"], members=members, timezone=options["timezone"], languages=languages
                )
        except (TenantsError, InvalidTenantName) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(
                json.dumps({"id": str(tenant.id), "name": tenant.name, "status": tenant.status})
            )
        else:
            self.stdout.write(f"Created tenant {tenant.name} ({tenant.id}). A worker makes it ready.")
