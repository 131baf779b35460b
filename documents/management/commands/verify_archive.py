"""`manage.py verify_archive [TENANT…]`"""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from documents.services.vault_checks import check_tenant, enqueue_check
from documents.services.verify import MOST_SHARES, Share, Verified, find_homeless_files
from jobs.acting import acting_as, command_actor
from jobs.management.progress import progress_bar
from tenants.access import operator_access
from tenants.errors import TenantsError
from tenants.models import Tenant, TenantStatus
from tenants.scope import operator_scope
from tenants.selectors import get_tenant_by_name


class Command(BaseCommand):
    """Hashes the files of the vault."""

    help = (
        "Look at every file in the vault, of all tenants or those named: is it there, whole, the one that was"
        " stored, with the permissions it was given, and does it belong there? What was found is kept, and"
        " shown in the admin. The exit code is 1 if anything is wrong. With --enqueue nothing is looked at"
        " now: a worker does it, behind all other work, for each active tenant; with --shares N only the next"
        " of N shares, so that run each night everything is seen every N nights."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument("tenants", nargs="*", metavar="tenant", help="name or id of a tenant; none: all")
        parser.add_argument(
            "--shares", type=int, default=1, metavar="N", help=f"look at a share only, 1 to {MOST_SHARES}"
        )
        parser.add_argument(
            "--share", type=int, metavar="K", help="which share, from 0, where it is looked at now"
        )
        parser.add_argument("--enqueue", action="store_true", help="have a worker do it")
        parser.add_argument("--json", action="store_true", help="answer in JSON, one object a line")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, or have somebody look, and say what is wrong."""
        try:
            share = Share(options["share"] or 0, options["shares"])
        except ValueError as error:
            raise CommandError(str(error)) from error
        try:
            named = [get_tenant_by_name(name) for name in options["tenants"]]
        except TenantsError as error:
            raise CommandError(str(error)) from error
        tenants = named or list(_all_tenants())
        with acting_as(command_actor()):
            if options["enqueue"]:
                self._enqueue(tenants, share.of, as_json=options["json"])
                return
            problems = sum(self._check(tenant, share, as_json=options["json"]) for tenant in tenants)
        if not named and share.number == 0:
            problems += self._look_for_homeless(as_json=options["json"])
        if problems:
            raise CommandError(f"{problems} files of the vault are not as they should be.")

    def _enqueue(self, tenants: list[Tenant], shares: int, *, as_json: bool) -> None:
        for tenant in tenants:
            if tenant.status != TenantStatus.ACTIVE:
                self._say(f"{tenant.name}: left alone, it is {tenant.status}.", {}, as_json=False)
                continue
            job_id = enqueue_check(access=operator_access(tenant.pk), shares=shares)
            data = {"tenant": tenant.name, "job_id": job_id}
            self._say(f"{tenant.name}: queued job {job_id}.", data, as_json=as_json)

    def _check(self, tenant: Tenant, share: Share, *, as_json: bool) -> int:
        with progress_bar(self.stdout, tenant.name, shown=not as_json) as tell:
            verified = check_tenant(access=operator_access(tenant.pk), share=share, progress=tell)
        if verified is None:
            return 0
        problems = len(verified.problems) + verified.more
        text = f"{tenant.name}: {verified.files} files, {verified.size} bytes"
        lines = [f"{text}, all well." if not problems else f"{text}, {problems} NOT AS THEY SHOULD BE:"]
        lines += [f"  {problem.value}: {path}" for path, problem in verified.problems.items()]
        self._say("\n".join(lines), _data(tenant, verified), as_json=as_json)
        return problems

    def _look_for_homeless(self, *, as_json: bool) -> int:
        count = 0
        for file in find_homeless_files():
            count += 1
            data = {"tenant": None, "problems": {file.path: "stray"}}
            self._say(f"no tenant: stray: {file.path}", data, as_json=as_json)
        return count

    def _say(self, text: str, data: Mapping[str, object], *, as_json: bool) -> None:
        self.stdout.write(json.dumps(data, ensure_ascii=False) if as_json else text)


def _all_tenants() -> Iterator[Tenant]:
    with operator_scope():
        yield from list(Tenant.objects.exclude(status=TenantStatus.DELETING).order_by("name"))


def _data(tenant: Tenant, verified: Verified) -> dict[str, object]:
    return {
        "tenant": tenant.name,
        "share": verified.share.number,
        "shares": verified.share.of,
        "files": verified.files,
        "bytes": verified.size,
        "problems": {path: problem.value for path, problem in verified.problems.items()},
        "unnamed_problems": verified.more,
    }
