"""`manage.py add_member TENANT USER`"""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from tenants.access import operator_access
from tenants.capabilities import OWNER, SYSTEM_SETS
from tenants.management.base import Answer, ServiceCommand
from tenants.selectors import get_tenant_by_name, get_user
from tenants.services import add_member


class Command(ServiceCommand):
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
        parser.add_argument(
            "--owner",
            action="store_const",
            const=OWNER,
            dest="capability_set",
            help="the same as --set owner",
        )
        super().add_arguments(parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Add the member."""
        tenant, user = get_tenant_by_name(options["tenant"]), get_user(options["user"])
        held = options["capability_set"]
        add_member(access=operator_access(tenant.id), user_id=user.id, capability_set=held)
        return Answer(
            {"tenant": tenant.name, "user": user.username, "capability_set": held},
            [f"{user.username} is now a member of {tenant.name} ({held})."],
        )
