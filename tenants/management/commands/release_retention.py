"""`manage.py release_retention TENANT --reason TEXT`"""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from tenants.access import operator_access
from tenants.management.base import Answer, ServiceCommand
from tenants.selectors import get_tenant_by_name
from tenants.services import release_retention


class Command(ServiceCommand):
    """Says that the papers of a tenant were handed over."""

    help = (
        "Let the papers that a tenant has today go with a wipe although their retention has not ended,"
        " because they were handed over. Papers stored later are kept, a legal hold stays, and nothing but a"
        " wipe is allowed by it. Who released it, and why, is kept in the report of the wipe."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument("--reason", required=True, help="to whom the papers were handed over, and when")
        super().add_arguments(parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Release the retention."""
        tenant = get_tenant_by_name(options["tenant"])
        released = release_retention(access=operator_access(tenant.id), reason=options["reason"])
        assert released.retention_released_at is not None, "it was set a moment ago"
        return Answer(
            {"tenant": tenant.name, "released_at": released.retention_released_at.isoformat()},
            [f"Released the retention of what {tenant.name} has today: a wipe may take it."],
        )
