"""System checks of the queue."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from jobs.failpoints import FailpointMisnamed, allowed, parse_failpoint


@register
def failpoint_is_for_tests(**kwargs: Any) -> list[CheckMessage]:
    """jobs.E001: nobody breaks a production system on purpose. jobs.E002: a failpoint that does not exist."""
    if not settings.ARCHIV_FAILPOINT:
        return []
    if not allowed():
        return [
            Error(
                "ARCHIV_FAILPOINT is set outside of tests: it would break processes on purpose.",
                hint="Unset ARCHIV_FAILPOINT.",
                id="jobs.E001",
            )
        ]
    try:
        parse_failpoint(settings.ARCHIV_FAILPOINT)
    except FailpointMisnamed as error:
        return [Error(str(error), id="jobs.E002")]
    return []


@register
def reaper_is_quick_enough(**kwargs: Any) -> list[CheckMessage]:
    """jobs.W001: what a dead worker held waits for its lease and then for the reaper."""
    if settings.ARCHIV_REAPER_SECONDS <= settings.ARCHIV_LEASE_SECONDS:
        return []
    return [
        Warning(
            f"ARCHIV_REAPER_SECONDS ({settings.ARCHIV_REAPER_SECONDS:g}) is longer than a lease "
            f"({settings.ARCHIV_LEASE_SECONDS:g}): jobs of a dead worker wait needlessly.",
            hint="Set ARCHIV_REAPER_SECONDS to 5 or less.",
            id="jobs.W001",
        )
    ]
