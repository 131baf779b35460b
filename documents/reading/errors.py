"""What can go wrong when a file is read. All but ReaderUnavailable are permanent: do not try again.

ReadError
├── NeedsPassword
├── Unreadable
├── LimitExceeded
├── ReaderCrashed
└── ReaderUnavailable
"""

from __future__ import annotations

from typing import ClassVar

from jobs.forkserver import Exit


class ReadError(Exception):
    """The file could not be read."""

    permanent: ClassVar[bool] = True


class NeedsPassword(ReadError):
    """The file needs a password."""

    def __init__(self) -> None:
        super().__init__("The file needs a password; store a copy without one to have it read")


class Unreadable(ReadError):
    """The file is broken, or not what it seems."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The file cannot be read: {reason}")
        self.reason = reason


class LimitExceeded(ReadError):
    """Reading needs more than is allowed; `which` is the name of a field of `Limits`."""

    WORDS: ClassVar[dict[str, str]] = {
        "cpu_seconds": "more than {} seconds of processor time for one page",
        "cpu_seconds_total": "more than {} seconds of processor time",
        "wall_seconds": "more than {} seconds for one page",
        "memory_bytes": "more than {} bytes of memory",
        "pages": "more than {} pages",
        "pixels": "a picture of more than {} pixels",
        "unpacked_bytes": "more than {} bytes once it is unpacked",
        "text_chars": "more than {} characters of text",
        "text_chars_total": "more than {} characters of text",
        "file_bytes": "a file of more than {} bytes",
    }

    def __init__(self, which: str, value: float) -> None:
        shown = f"{value:,.0f}".replace(",", " ")
        words = self.WORDS.get(which, f"more of {which} than {{}}").format(shown)
        super().__init__(f"Reading the file would take {words} (limit {which})")
        self.which = which
        self.value = value


class ReaderCrashed(ReadError):
    """The reader died of the file, or answered nonsense; `exit` is None for the latter."""

    def __init__(self, exit_: Exit | None, detail: str = "") -> None:
        how = detail or (f"it ended with {exit_}" if exit_ else "it answered nonsense")
        super().__init__(f"The reader crashed on the file: {how}")
        self.exit = exit_


class ReaderUnavailable(ReadError):
    """There is no reader to be had; try again later."""

    permanent = False
