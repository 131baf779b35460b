"""Read RTF, by striprtf: its text, without pictures, fields and whatever is embedded."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

from striprtf.striprtf import rtf_to_text

from documents.reading.messages import Facts, Part, ReadOptions
from documents.reading.plain import text_page
from documents.reading.sniff import MediaType
from documents.reading.source import Source
from documents.reading.warm import Warm

_SAMPLE = rb"{\rtf1\ansi\ansicpg1252 Gr\'fc\'dfe {\b fett} \u8364?\par}"
_HEX = re.compile(r"[0-9A-Fa-f\s]{2000,}")
_BYTES_A_CHARACTER = 40


def warm_up() -> None:
    """Load the codecs by reading a line."""
    _text(_SAMPLE.decode("latin-1"))


def read(source: Source, media_type: MediaType, options: ReadOptions, warm: Warm) -> Iterator[Part]:  # noqa: ARG001
    """Facts, one page, thumbnail of one RTF file."""
    started = time.process_time()
    written = source.head(_BYTES_A_CHARACTER * options.limits.text_chars).decode("latin-1")
    # Pictures are written as digits; most of a file, and slow to step through one by one.
    text = _text(_HEX.sub("", written))
    yield Facts(1, media_type)
    yield from text_page(text, options, started)


def _text(written: str) -> str:
    return str(rtf_to_text(written, errors="ignore"))  # type: ignore[no-untyped-call]
