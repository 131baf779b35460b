"""Cleaning the names under which files come in (pure). A name is shown and offered, never used as a path."""

import re
import unicodedata

#: Bytes in UTF-8: what file systems take, so that a download can be saved under its name.
MAX_BYTES = 255

#: The name of a file that came without a usable one.
FALLBACK = "document"

_SEPARATORS = re.compile(r"[/\\]|%2f|%5c", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
# They turn the reading order around, so that "gpj.exe" is shown as "exe.jpg"; and the mark of a byte order.
_MISLEADING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,14}$")


def clean_filename(name: str) -> str:
    """Return `name` as it is stored and shown: the last part of a path, in NFC, one line, at most 255 bytes.

    Control characters and line breaks become blanks, lone surrogates (bytes that were no UTF-8) a replacement
    character. Never empty, never `.` or `..`, and cleaning it again changes nothing.
    """
    name = _printable(unicodedata.normalize("NFC", name))
    parts = [part.strip() for part in _SEPARATORS.split(name)]
    usable = [part for part in parts if part.strip(". ")]
    return _shorten(usable[-1]) if usable else FALLBACK


def title_from_filename(filename: str) -> str:
    """Return the title a document has until a better one is found: the cleaned name without its extension."""
    cleaned = clean_filename(filename)
    stem = _EXTENSION.sub("", cleaned).strip()
    return stem or cleaned


def clean_text(text: str, *, most: int) -> str:
    """Return `text` as one line of at most `most` characters that PostgreSQL takes: no NUL, no surrogates."""
    return _printable(text)[:most].rstrip()


def _printable(text: str) -> str:
    kept = []
    for character in _MISLEADING.sub("", text):
        category = unicodedata.category(character)
        if category in ("Cc", "Zl", "Zp"):
            kept.append(" ")
        elif category == "Cs":
            kept.append("\ufffd")
        else:
            kept.append(character)
    return _BLANKS.sub(" ", "".join(kept)).strip()


def _shorten(name: str) -> str:
    """Cut `name` at MAX_BYTES, keeping its extension, and no letter without its combining marks."""
    if len(name.encode()) <= MAX_BYTES:
        return name
    found = _EXTENSION.search(name)
    extension = found.group() if found else ""
    room = MAX_BYTES - len(extension.encode())
    stem = name[: len(name) - len(extension)].encode()[:room].decode(errors="ignore")
    rest = name[len(stem) :]
    while stem and rest and unicodedata.combining(rest[0]):
        rest = stem[-1] + rest
        stem = stem[:-1]
    return (stem.rstrip(". ") or FALLBACK) + extension
