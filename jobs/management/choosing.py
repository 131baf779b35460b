"""How commands name jobs: by id, or by what they have in common."""

import uuid
from argparse import ArgumentTypeError
from typing import Any

from django.core.management.base import CommandError, CommandParser

from jobs.models import FailureKind


def parse_tenant_id(text: str) -> uuid.UUID:
    """Return the id; other commands name tenants, but the queue knows ids only."""
    try:
        return uuid.UUID(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no id of a tenant (a UUID)") from None


def add_choices(parser: CommandParser) -> None:
    """Declare ids and filters for failed jobs."""
    parser.add_argument("job", nargs="*", type=int, help="ids of jobs")
    parser.add_argument("--all", action="store_true", help="all failed jobs that the filters leave")
    parser.add_argument("--tenant", type=parse_tenant_id, metavar="ID", help="with --all: of this tenant")
    parser.add_argument("--type", help="with --all: of this type")
    parser.add_argument("--kind", choices=FailureKind.values, help="with --all: that failed this way")
    parser.add_argument("--fingerprint", help="with --all: with this fingerprint")


def check_choices(options: dict[str, Any]) -> None:
    """Refuse what is neither ids nor --all, or both."""
    filters = [name for name in ("tenant", "type", "kind", "fingerprint") if options[name] is not None]
    if options["job"] and (options["all"] or filters):
        raise CommandError("Give either ids of jobs, or --all with filters.")
    if not options["job"] and not options["all"]:
        raise CommandError("Which jobs? Give ids, or --all with filters such as --type or --kind.")
