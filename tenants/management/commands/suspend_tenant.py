"""`manage.py suspend_tenant TENANT`"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tenants.access import operator_access
from tenants.audit import acting_as
from tenants.errors import TenantsError
from tenants.management.actor import command_actor
from tenants.selectors import get_tenant_by_name
from tenants.services import suspend_tenant


class Command(BaseCommand):
    """Closes a tenant for the time being."""

    help = (
        "Suspend a tenant: no uploads, no jobs, no tokens. What waits in its queue is set aside and comes back"
        " with `resume_tenant`; nothing is lost. Jobs that run at this moment end as they would have."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Suspend the tenant."""
        try:
            tenant = get_tenant_by_name(options["tenant"])
            with acting_as(command_actor()):
                waiting = suspend_tenant(access=operator_access(tenant.id))
        except TenantsError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(
                json.dumps({"tenant": tenant.name, "status": "suspended", "set_aside": waiting})
            )
        else:
            self.stdout.write(f"Suspended {tenant.name}: {waiting} jobs set aside until it is resumed.")
