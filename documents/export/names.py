"""Names of files in an export (pure): readable, unlike any other, and safe on every file system."""

import re
import unicodedata
import uuid
from datetime import date

#: Bytes of the title in a name; with date, id and extension it stays far below what file systems take.
_TITLE_BYTES = 120

_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')
_BLANKS = re.compile(r"\s+")
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,10}\Z")


def export_path(*, day: date, title: str, filename: str, version_id: uuid.UUID) -> str:
    """Return where an original lies in an export, relative to it.

    By year, then by date and title; the id makes it unlike any other, whatever the title says.
    """
    found = _EXTENSION.search(filename)
    extension = found.group().lower() if found else ""
    name = f"{day.isoformat()} {_clean(title)}".rstrip()
    return f"originals/{day.year:04}/{name} {version_id.hex}{extension}"


def _clean(title: str) -> str:
    """Return the title without anything that a file system, a shell or a list of hashes could trip over."""
    composed = unicodedata.normalize("NFC", title)
    kept = "".join(
        c if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") else " " for c in composed
    )
    cleaned = _BLANKS.sub(" ", _FORBIDDEN.sub(" ", kept)).strip(" .")
    return cleaned.encode()[:_TITLE_BYTES].decode(errors="ignore").strip(" .")
