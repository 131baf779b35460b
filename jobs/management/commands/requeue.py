"""`manage.py requeue`: let failed jobs run again."""

from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from jobs.acting import acting_as, command_actor
from jobs.management.answers import show_changes
from jobs.management.choosing import add_choices, check_choices
from jobs.scope import all_rows
from jobs.services import RequeueReport, find_failed_jobs, requeue_jobs

_BATCH = 1000


class Command(BaseCommand):
    """Requeues failed jobs; what is not failed is left alone and counted."""

    help = (
        "Let failed jobs run again with all their retries; their attempts stay on record. Many come due "
        "spread over time. Jobs that have not failed are left alone, and the answer says how many and why."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        add_choices(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Requeue in batches, each in a transaction of its own."""
        check_choices(options)
        with acting_as(command_actor()):
            report = _requeue_ids(options["job"]) if options["job"] else _requeue_all(options)
        for line in show_changes("requeued", report.requeued, report.skipped, as_json=options["json"]):
            self.stdout.write(line)


def _requeue_ids(ids: list[int]) -> RequeueReport:
    with all_rows():
        return requeue_jobs(job_ids=ids)


def _requeue_all(options: dict[str, Any]) -> RequeueReport:
    """Requeue everything that failed before this began; what fails again meanwhile is not taken twice."""
    requeued, skipped = 0, Counter[str]()
    seen: set[int] = set()
    while True:
        with all_rows():
            ids = find_failed_jobs(
                tenant_id=options["tenant"],
                type=options["type"],
                kind=options["kind"],
                fingerprint=options["fingerprint"],
                limit=_BATCH + len(seen),
            )
            fresh = [job_id for job_id in ids if job_id not in seen][:_BATCH]
            report = requeue_jobs(job_ids=fresh)
        if not fresh:
            return RequeueReport(requeued, skipped)
        seen.update(fresh)
        requeued += report.requeued
        skipped.update(report.skipped)
