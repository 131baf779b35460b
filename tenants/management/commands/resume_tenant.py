"""`manage.py resume_tenant TENANT`"""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tenants.access import operator_access
from tenants.audit import acting_as
from tenants.errors import TenantsError
from tenants.management.actor import command_actor
from tenants.selectors import get_tenant_by_name
from tenants.services import resume_tenant


class Command(BaseCommand):
    """Opens a suspended tenant again."""

    help = "Open a suspended tenant again and requeue, spread over time, just the jobs set aside meanwhile."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Resume the tenant."""
        try:
            tenant = get_tenant_by_name(options["tenant"])
            with acting_as(command_actor()):
                report = resume_tenant(access=operator_access(tenant.id))
        except TenantsError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            answer = {
                "tenant": tenant.name,
                "status": "active",
                "requeued": report.requeued,
                "skipped": dict(report.skipped),
            }
            self.stdout.write(json.dumps(answer))
            return
        self.stdout.write(f"Resumed {tenant.name}: {report.requeued} jobs requeued.")
        for reason, count in report.skipped.items():
            self.stdout.write(f"{count} left alone: {reason}")
