"""What a look finds."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How bad it is: a warning can wait until the morning, an error cannot."""

    WELL = "well"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: what there is to say of it, and what to do if it is not well."""

    subject: str
    verdict: Verdict
    message: str
    advice: str = ""


#: A look gives its findings; what it raises of the database or the file system becomes an error.
Look = Callable[[], Iterable[Finding]]


def well(subject: str, message: str) -> Finding:
    """Nothing to do."""
    return Finding(subject, Verdict.WELL, message)


def warning(subject: str, message: str, advice: str) -> Finding:
    """Something to look after soon."""
    return Finding(subject, Verdict.WARNING, message, advice)


def error(subject: str, message: str, advice: str) -> Finding:
    """Something to put right now."""
    return Finding(subject, Verdict.ERROR, message, advice)
