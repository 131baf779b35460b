"""What all large pictures of one document may cost together; each alone is within its own limit."""

from __future__ import annotations

from documents.images import TooManyPixelsError
from documents.reading.messages import Limits


class PixelBudget:
    """Counts the pixels of pictures larger than OCR takes, for those are decoded to be made small."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left = limits.large_pixels

    def spend(self, width: int, height: int) -> None:
        """Take a picture's pixels off the budget; TooManyPixelsError if it is spent. Before it is decoded."""
        if width * height <= self._limits.ocr_pixels:
            return
        if width * height > self._left:
            raise TooManyPixelsError(
                f"its large pictures have more than {self._limits.large_pixels} pixels together"
            )
        self._left -= width * height
