"""Regular expressions that people write (pure): each search has a limit of processor time.

The `regex` package looks at the clock of the process while it searches, so that the limit also holds for an
expression that would try for years; time for which other processes had the processor does not count.
"""

import warnings

import regex

#: Seconds of processor time for one search, and for each million characters more.
SECONDS, SECONDS_PER_MILLION = 0.1, 1.0
#: Characters of a text that are searched.
SEARCHED = 500_000

_FLAGS = regex.IGNORECASE | regex.MULTILINE


class BadRegex(ValueError):
    """The regular expression cannot be used; the message says why."""


class TooSlow(Exception):
    """The search was stopped. `seconds` says after which processor time."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"stopped after {seconds:.2f} s of processor time")
        self.seconds = seconds


def compile_regex(pattern: str) -> "regex.Pattern[str]":
    """Return the compiled expression: case does not count, ^ and $ stand for lines. Raises `BadRegex`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what the syntax may mean one day
            compiled = regex.compile(pattern, _FLAGS)
    except regex.error as error:
        raise BadRegex(f"This is no regular expression: {error}.") from error
    except (ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError) as error:
        # What the compiler raises for expressions beyond its own limits.
        raise BadRegex(f"This regular expression cannot be used: {type(error).__name__}.") from error
    try:
        if compiled.fullmatch("", timeout=SECONDS):
            raise BadRegex("This regular expression is found in any text, because it may be empty.")
    except TimeoutError as error:
        raise BadRegex("This regular expression takes too long even for an empty text.") from error
    return compiled


def search(compiled: "regex.Pattern[str]", text: str) -> str | None:
    """Return what was found first, or None. Raises `TooSlow` when the time for such a text is up."""
    searched = text[:SEARCHED]
    seconds = SECONDS + len(searched) * SECONDS_PER_MILLION / 1_000_000
    try:
        found = compiled.search(searched, timeout=seconds)
    except (TimeoutError, MemoryError) as error:
        raise TooSlow(seconds) from error
    return found.group() if found else None
