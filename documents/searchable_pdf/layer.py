"""Where the words of a page stand in a PDF: from pixels of the straightened picture to points of the page."""

from __future__ import annotations

import math
from dataclasses import dataclass

from documents.ocr.words import Boxes, Word
from documents.searchable_pdf.font import WIDTH, encode

FONT = "/ArchivGlyphless"
"""The name of the font in the resources of a page."""


@dataclass(frozen=True)
class PagePlace:
    """The part of a page that is shown, in points of its own space, and how far it is turned clockwise."""

    left: float
    bottom: float
    width: float
    height: float
    rotation: int

    @property
    def shown(self) -> tuple[float, float]:
        """Width and height as shown."""
        return (self.height, self.width) if self.rotation in (90, 270) else (self.width, self.height)

    @property
    def matrix(self) -> tuple[float, ...]:
        """From points of the page as it is shown to points of its own space."""
        left, bottom, right, top = self.left, self.bottom, self.left + self.width, self.bottom + self.height
        return {
            0: (1, 0, 0, 1, left, bottom),
            90: (0, 1, -1, 0, right, bottom),
            180: (-1, 0, 0, -1, right, top),
            270: (0, -1, 1, 0, left, top),
        }[self.rotation]


def text_layer(boxes: Boxes, place: PagePlace) -> bytes:
    """The content that writes every word unseen where it stands."""
    parts = [f"q {_numbers(*place.matrix)} cm BT 3 Tr".encode()]
    there = (word for word in boxes.words if word.right > word.left and word.bottom > word.top)
    parts.extend(_word(word, boxes, place) for word in there)
    return b"\n".join([*parts, b"ET Q\n"])


def _word(word: Word, boxes: Boxes, place: PagePlace) -> bytes:
    sheet = boxes.sheet
    width, height = place.shown
    scale_x, scale_y = width / sheet.page_width, height / sheet.page_height
    angle = math.radians(sheet.angle)
    cosine, sine = math.cos(angle), math.sin(angle)
    # From the middle of the straightened picture, upwards; turned back it is from the middle of the page.
    along, up = word.left - sheet.width / 2, sheet.height / 2 - word.bottom
    x = (along * cosine + up * sine + sheet.page_width / 2) * scale_x
    y = (-along * sine + up * cosine + sheet.page_height / 2) * scale_y
    size = (word.bottom - word.top) * scale_y
    stretch = 100 * (word.right - word.left) * scale_x / (len(word.text) * WIDTH * size)
    matrix = _numbers(cosine, -sine, sine, cosine, x, y)
    head = f"{FONT} {_numbers(size)} Tf {_numbers(stretch)} Tz {matrix} Tm ".encode()
    return head + encode(f"{word.text} ") + b" Tj"


def _numbers(*values: float) -> str:
    return " ".join(f"{value:.4f}".rstrip("0").rstrip(".") for value in values)
