"""`manage.py delete_tenant NAME`"""

import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from tenants.access import Access, operator_access
from tenants.errors import TenantNotFound
from tenants.management.base import Answer, ServiceCommand
from tenants.management.wipes import describe_inspection, describe_placed, follow_wipe
from tenants.models import Tenant, WipeState
from tenants.proof import DELETE, RESET
from tenants.selectors import get_tenant_by_name
from tenants.services import (
    PlacedOrder,
    cancel_order,
    inspect_wipe,
    order_wipe,
    refuse_used_order,
    submit_order,
)


class Command(ServiceCommand):
    """Shows, orders and takes back the wipe of a tenant."""

    help = (
        "Show what the wipe of a tenant would take away, and what forbids it; changes nothing. With --sign:"
        " close the tenant, sign the order and enqueue it; a worker then removes files, search index, rows,"
        " jobs, and at last the tenant. With --reset the tenant stays, empty, with its members. An order is"
        " good for 300 seconds. Once a worker has begun, nothing takes it back; until then --cancel does."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenant", help="name or id of the tenant")
        verbs = parser.add_mutually_exclusive_group()
        verbs.add_argument("--sign", action="store_true", help="sign the order and enqueue it")
        verbs.add_argument(
            "--submit",
            metavar="FILE",
            help="enqueue an order signed elsewhere (JSON; - for standard input)",
        )
        verbs.add_argument("--cancel", action="store_true", help="take back what no worker has begun")
        parser.add_argument("--reset", action="store_true", help="empty the tenant instead of deleting it")
        parser.add_argument(
            "--final-status",
            choices=["active", "suspended"],
            help="how a reset leaves the tenant (default: suspended)",
        )
        parser.add_argument("--yes", action="store_true", help="do not ask for the name of the tenant again")
        parser.add_argument("--wait", action="store_true", help="show the progress until the wipe has ended")
        super().add_arguments(parser)

    def answer(self, options: Mapping[str, Any]) -> Answer:
        """Do the one thing that was asked for."""
        if options["final_status"] and not options["reset"]:
            raise CommandError("--final-status says how a reset ends: it needs --reset.")
        if options["reset"] and (options["submit"] or options["cancel"]):
            raise CommandError("--reset goes with --sign, or alone: an order says itself what it is.")
        if options["submit"]:
            return self._submit(options)
        tenant = get_tenant_by_name(options["tenant"])
        access = operator_access(tenant.id)
        if options["cancel"]:
            report = cancel_order(access=access)
            return Answer(
                {"tenant": tenant.name, "cancelled": True, "requeued": report.requeued},
                [f"Took back the wipe of {tenant.name}: {report.requeued} jobs run again."],
            )
        action = RESET if options["reset"] else DELETE
        if not options["sign"]:
            if options["wait"]:
                return follow_wipe(tenant, say=self._say(options))
            return describe_inspection(inspect_wipe(access=access, action=action), action=action)
        self._confirm(tenant, action, access, options)
        placed = order_wipe(access=access, action=action, final_status=options["final_status"] or "")
        return self._answer_placed(tenant, placed, options)

    def _submit(self, options: Mapping[str, Any]) -> Answer:
        text = _read(options["submit"])
        try:
            tenant = get_tenant_by_name(options["tenant"])
            placed = submit_order(access=operator_access(tenant.id), text=text)
        except TenantNotFound:
            refuse_used_order(text)
            raise
        return self._answer_placed(tenant, placed, options)

    def _answer_placed(self, tenant: Tenant, placed: PlacedOrder, options: Mapping[str, Any]) -> Answer:
        if not options["wait"] or placed.state != WipeState.ACCEPTED:
            return describe_placed(tenant, placed)
        self._say(options)("\n".join(describe_placed(tenant, placed).lines))
        return follow_wipe(tenant, say=self._say(options))

    def _confirm(self, tenant: Tenant, action: str, access: Access, options: Mapping[str, Any]) -> None:
        """Ask for the tenant's name, after having shown what goes. Raises CommandError if it is not given."""
        if options["yes"]:
            return
        if options["json"] or not sys.stdin.isatty():
            raise CommandError("Nobody can be asked here: say --yes if this is meant.")
        shown = describe_inspection(inspect_wipe(access=access, action=action), action=action)
        self.stdout.write("\n".join(shown.lines))
        if input("Type the name of the tenant to go on: ").strip() != tenant.name:
            raise CommandError("That is not its name: nothing was changed.")

    def _say(self, options: Mapping[str, Any]) -> Any:
        """Return what shows a line of progress: on standard error, if the answer is for a script."""
        return self.stderr.write if options["json"] else self.stdout.write


def _read(path: str) -> str:
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not written in UTF-8.") from error
