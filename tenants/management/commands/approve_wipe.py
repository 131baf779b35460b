"""`manage.py approve_wipe TENANT`"""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from tenants.access import operator_access
from tenants.management.base import Answer, ServiceCommand
from tenants.management.wipes import describe_placed
from tenants.selectors import get_tenant_by_name
from tenants.services import approve_wipe


class Command(ServiceCommand):
    """The second pair of eyes on the wipe of a tenant."""

    help = (
        "Approve the wipe of a tenant that another operator has requested within the last hour: the order is"
        " signed and enqueued. Look at `delete_tenant TENANT` first. Needed where ARCHIV_WIPE_APPROVAL is on."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        super().add_arguments(parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Approve the request."""
        tenant = get_tenant_by_name(options["tenant"])
        return describe_placed(tenant, approve_wipe(access=operator_access(tenant.id)))
