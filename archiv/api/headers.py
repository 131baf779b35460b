"""Headers that requests may have, as the schema names them. HTTP lets ETags and ranges be any text."""

from collections.abc import Mapping
from typing import Any

Header = Mapping[str, Any]


def _header(name: str, words: str, *, pattern: str = "", required: bool = False) -> Header:
    return {
        "in": "header",
        "name": name,
        "required": required,
        "description": words,
        "schema": {"type": "string", **({"pattern": pattern} if pattern else {})},
    }


IDEMPOTENCY_KEY = _header(
    "Idempotency-Key",
    "The same request sent again with the same key is done once, and answered alike for a day.",
    pattern=r"^[!-~]{1,255}$",
)
_STATE = "The ETag of what you have looked at, or * for any state"
IF_MATCH_NEEDED = _header("If-Match", f"{_STATE}. 428 without it, 412 if it was changed.", required=True)
IF_MATCH_TAKEN = _header("If-Match", f"{_STATE}. 412 if it was changed.")
#: Of whatever sends a file.
OF_FILES = (
    _header("Range", "One range of bytes, such as bytes=0-99 or bytes=-100: 206, or 416."),
    _header("If-Range", "The range only if the file still has this ETag, else all of it."),
    _header("If-None-Match", "304 if the file still has this ETag."),
)
