"""System checks of the archive."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from documents.readers import can_be_confined


@register(Tags.security)
def readers_are_shut_off(**kwargs: Any) -> list[CheckMessage]:
    """documents.E001: strangers' files are read only by readers that are shut off. W001: unless so wished."""
    mode = settings.ARCHIV_SANDBOX
    if can_be_confined(mode):
        return []
    if mode == "open":
        return [
            Warning(
                "Readers of files are limited, but not shut off from the files of this machine.",
                hint="Install bubblewrap, or run a kernel with Landlock; then set ARCHIV_SANDBOX=auto.",
                id="documents.W001",
            )
        ]
    what = "neither bubblewrap nor Landlock works" if mode == "auto" else f"{mode} does not work"
    return [
        Error(
            f"Readers of files cannot be shut off: {what} here.",
            hint="Install bubblewrap (its self-test must pass), or accept the risk with ARCHIV_SANDBOX=open.",
            id="documents.E001",
        )
    ]
