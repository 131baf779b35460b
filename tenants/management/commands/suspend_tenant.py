"""`manage.py suspend_tenant TENANT`"""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from tenants.access import operator_access
from tenants.management.base import Answer, ServiceCommand
from tenants.selectors import get_tenant_by_name
from tenants.services import suspend_tenant


class Command(ServiceCommand):
    """Closes a tenant for the time being."""

    help = (
        "Suspend a tenant: no uploads, no jobs, no tokens. What waits in its queue is set aside and comes"
        " back with `resume_tenant`; nothing is lost. Jobs that run at this moment end as they would have."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        super().add_arguments(parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Suspend the tenant."""
        tenant = get_tenant_by_name(options["tenant"])
        waiting = suspend_tenant(access=operator_access(tenant.id))
        return Answer(
            {"tenant": tenant.name, "status": "suspended", "set_aside": waiting},
            [f"Suspended {tenant.name}: {waiting} jobs set aside until it is resumed."],
        )
