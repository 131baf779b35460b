"""A word on a page, as OCR found it, and the sheet its box refers to."""

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


@dataclass(frozen=True)
class Sheet:
    """A page image before it was straightened (page_width, page_height) and after it, in pixels.

    `angle` is how far it was turned counterclockwise in between, in degrees, about its middle.
    """

    page_width: int
    page_height: int
    width: int
    height: int
    angle: float


@dataclass(frozen=True)
class Boxes:
    """The words of one page, and where they stand."""

    sheet: Sheet
    words: tuple[Word, ...]
