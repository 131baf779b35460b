"""What the settings say about readers, for all who start their templates: worker, commands, checks."""

from django.conf import settings

from documents.reading import bubblewrap, landlock, seccomp
from documents.reading.client import TEMPLATE


def reader_environment() -> dict[str, str]:
    """Return the environment of a template of readers: how it is confined, and where its languages lie."""
    environment = {
        "ARCHIV_SANDBOX": settings.ARCHIV_SANDBOX,
        "ARCHIV_OCR_LANGUAGES": settings.ARCHIV_OCR_LANGUAGES,
        "ARCHIV_TESSDATA": settings.ARCHIV_TESSDATA,
    }
    return {name: value for name, value in environment.items() if value}


def can_be_confined(mode: str) -> bool:
    """Say whether readers can be shut off on this machine as `mode` (a value of ARCHIV_SANDBOX) wants it."""
    by_landlock = bool(landlock.version()) and seccomp.is_supported()
    if mode == "landlock":
        return by_landlock
    return (mode != "bubblewrap" and by_landlock) or bubblewrap.find_command(TEMPLATE) is not None
