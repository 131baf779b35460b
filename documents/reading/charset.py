"""Decode text whose encoding nobody stated."""

from __future__ import annotations

import codecs

from charset_normalizer import from_bytes

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 1 << 15
_WESTERN = frozenset("äöüÄÖÜßéèêëàâáçñôóòîïíùûúåøæÅØÆÉÈÀÇÑ€§°²³µ–—„“”‚‘’»«…·•©®™½¼×±´ \u00a0¿¡")


def decode(data: bytes, stated: str = "") -> str:
    """The text in these bytes: by their mark, as UTF-8, as UTF-16 without a mark, as stated, as guessed."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    if wide := _unmarked_utf16(data):
        return data.decode(wide, "replace")
    for encoding in ("utf-8", stated):
        text = _strictly(data, encoding)
        if text is not None:
            return text
    return data.decode(_guess(data), "replace")


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        if not encoding or not codecs.lookup(encoding)._is_text_encoding:  # noqa: SLF001  the only way to ask
            return None
        return data.decode(encoding)
    except (LookupError, ValueError):
        return None


def _unmarked_utf16(data: bytes) -> str | None:
    """UTF-16 shows by every second byte of Latin text being NUL."""
    head = data[:4096]
    pairs = len(head) // 2
    if pairs < 4:
        return None
    if head[1::2].count(0) > 0.8 * pairs:
        return "utf-16-le"
    return "utf-16-be" if head[0::2].count(0) > 0.8 * pairs else None


def _guess(data: bytes) -> str:
    """Western European where the strange letters are its own, else whatever fits the sample best."""
    sample = data[:_SAMPLE]
    western = sample.decode("cp1252", "replace")
    strange = [character for character in western if character > "\x7f"]
    if all(character in _WESTERN for character in strange) and len(strange) < 0.3 * len(western):
        return "cp1252"
    best = from_bytes(sample).best()
    return best.encoding if best is not None else "cp1252"
