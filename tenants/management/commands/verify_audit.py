"""`manage.py verify_audit`"""

import json
import time
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from tenants.audit_chain import UntrustedHeads
from tenants.audit_store import verify_chains, write_heads


class Command(BaseCommand):
    """Checks every audit trail, and signs its end."""

    help = (
        "Check every audit trail: each event is hashed anew, and the ends signed earlier must still be there."
        " Names the first bad event of each tenant and exits with 1. With --sign the ends are signed and"
        " written to a file of the day, if all is well: run it daily and keep the folder on another machine."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--heads",
            type=Path,
            default=Path(settings.ARCHIV_AUDIT_HEADS),
            metavar="FOLDER",
            help="where signed heads lie (default: %(default)s)",
        )
        parser.add_argument("--sign", action="store_true", help="sign the ends when all is well")
        parser.add_argument("--json", action="store_true", help="answer with one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify, then sign if asked to."""
        started = time.monotonic()
        try:
            findings = list(verify_chains(options["heads"]))
        except UntrustedHeads as error:
            raise CommandError(f"{error} Look at the newest file in {options['heads']}.") from error
        seconds = time.monotonic() - started
        signed = None
        if options["sign"] and not findings:
            signed = write_heads(options["heads"], datetime.now(UTC).date())
        if options["json"]:
            answer = {
                "ok": not findings,
                "seconds": round(seconds, 3),
                "findings": [vars(finding) for finding in findings],
                "signed": str(signed) if signed else None,
            }
            self.stdout.write(json.dumps(answer))
        else:
            for finding in findings:
                self.stdout.write(f"tenant {finding.tenant_id}, event {finding.sequence}: {finding.problem}")
            self.stdout.write(
                f"{len(findings)} audit trails damaged." if findings else "All audit trails are whole."
            )
            if signed:
                self.stdout.write(f"Signed: {signed}")
        if findings:
            raise SystemExit(1)
