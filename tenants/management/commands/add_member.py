"""`manage.py add_member TENANT USER`"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tenants.access import operator_access
from tenants.audit import acting_as
from tenants.capabilities import OWNER, SYSTEM_SETS
from tenants.errors import TenantsError
from tenants.management.actor import command_actor
from tenants.selectors import get_tenant_by_name, get_user
from tenants.services import add_member


class Command(BaseCommand):
    """Makes a user a member of a tenant."""

    help = "Make a user a member of a tenant, with one of the tenant's capability sets."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument("user", help="user name")
        parser.add_argument(
            "--set",
            default="user",
            dest="capability_set",
            help=f"capability set (default: %(default)s; there are always {', '.join(SYSTEM_SETS)})",
        )
        parser.add_argument("--owner", action="store_const", const=OWNER, dest="capability_set")
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Add the member."""
        try:
            tenant = get_tenant_by_name(options["tenant"])
            user = get_user(options["user"])
            with acting_as(command_actor()):
                add_member(
                    access=operator_access(tenant.id),
                    user_id=user.id,
                    capability_set=options["capability_set"],
                )
        except TenantsError as error:
            raise CommandError(str(error)) from error
        answer = {"tenant": tenant.name, "user": user.username, "capability_set": options["capability_set"]}
        if options["json"]:
            self.stdout.write(json.dumps(answer))
        else:
            self.stdout.write("{user} is now a member of {tenant} ({capability_set}).".format(**answer))
