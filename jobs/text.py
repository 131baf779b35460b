"""Text about failures, in a form that the database always takes. Pure."""

import hashlib
import re
import traceback
from pathlib import Path
from types import TracebackType

MESSAGE_CHARACTERS = 4_000
TRACEBACK_CHARACTERS = 20_000
_LINE_CHARACTERS = 2_000
_FRAMES = 40
#: What is stored when the database took none of the failure's own words.
FIXED_MESSAGE = "The job failed, and the text of its error could not be stored."
UNREADABLE = "(the text of this error cannot be read)"
#: A hash or id, with what is joined to it as in a path; a number, its thousands apart or not.
_NUMBERS = re.compile(r"[0-9a-f]{8,}(?:[-/][0-9a-f]*)*|\d+(?:[ \u00a0\u202f]\d{3}(?!\d))*")


def clean_text(text: str, limit: int = MESSAGE_CHARACTERS) -> str:
    """Return at most `limit` characters that PostgreSQL can store: no NUL, no lone surrogates.

    Says at the end how much was cut.
    """
    tail = ""
    if len(text) > limit:
        tail = f"… ({len(text)} characters in all)"
        text = text[: max(0, limit - len(tail))]
    # Surrogates become "?", which is what they are to a reader.
    text = text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")
    return text + tail


def describe_error(error: BaseException) -> str:
    """Return class and words of an error, cleaned and bounded, even if it refuses to be printed."""
    try:
        words = str(error)
    except Exception:  # noqa: BLE001  an error in the words of an error is no reason to lose the failure
        words = UNREADABLE
    name = type(error).__name__
    return clean_text(f"{name}: {words[: MESSAGE_CHARACTERS * 2]}" if words else name)


def describe_traceback(error: BaseException) -> str:
    """Return where the error came from, with its causes; cleaned, and bounded in each line and in all."""
    try:
        lines = list(
            traceback.TracebackException.from_exception(error, limit=-_FRAMES, compact=True).format()
        )
    except Exception:  # noqa: BLE001  as above
        return UNREADABLE
    cut = "".join(
        line if len(line) <= _LINE_CHARACTERS else line[:_LINE_CHARACTERS] + "…\n" for line in lines
    )
    if len(cut) > TRACEBACK_CHARACTERS:
        half = TRACEBACK_CHARACTERS // 2
        cut = f"{cut[:half]}\n…\n{cut[-half + 10 :]}"
    return clean_text(cut, TRACEBACK_CHARACTERS)


def blank_numbers(text: str) -> str:
    """Return a message with its numbers, ids and hashes blanked, those joined to a path too: what failures of
    one cause have in common.
    """
    return _NUMBERS.sub("#", text)


def fingerprint(job_type: str, *, kind: str, place: str = "", message: str = "") -> str:
    """Return 64 hex digits that are equal for failures of one cause: numbers and quoted words do not
    count.
    """
    blanked = re.sub(r"(['\"]).*?\1", "*", message[:500])
    blanked = blank_numbers(blanked)[:200]
    return hashlib.sha256(f"{job_type}|{kind}|{place}|{blanked}".encode("utf-8", "replace")).hexdigest()


def error_fingerprint(job_type: str, error: BaseException) -> str:
    """Return the fingerprint of an exception: its class, where it was raised, and its words without
    numbers.
    """
    return fingerprint(
        job_type,
        kind=f"{type(error).__module__}.{type(error).__qualname__}",
        place=_place(error.__traceback__),
        message=describe_error(error),
    )


def _place(trace: TracebackType | None) -> str:
    """Return file and function of the innermost frame: not the line, which changes with every release."""
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return f"{Path(code.co_filename).name}:{code.co_qualname}"
