"""`manage.py resume_tenant TENANT`"""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from tenants.access import operator_access
from tenants.management.base import Answer, ServiceCommand
from tenants.selectors import get_tenant_by_name
from tenants.services import resume_tenant


class Command(ServiceCommand):
    """Opens a suspended tenant again."""

    help = "Open a suspended tenant again and requeue, spread over time, just the jobs set aside meanwhile."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        super().add_arguments(parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Resume the tenant."""
        tenant = get_tenant_by_name(options["tenant"])
        report = resume_tenant(access=operator_access(tenant.id))
        return Answer(
            {
                "tenant": tenant.name,
                "status": "active",
                "requeued": report.requeued,
                "skipped": dict(report.skipped),
            },
            [
                f"Resumed {tenant.name}: {report.requeued} jobs requeued.",
                *(f"{count} left alone: {reason}" for reason, count in report.skipped.items()),
            ],
        )
