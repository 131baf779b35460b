"""A word on a page, as OCR found it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """A word, how sure it is (0 to 1), its box in pixels of the straightened page, its line's number."""

    text: str
    confidence: float
    left: int
    top: int
    right: int
    bottom: int
    line: int
