"""Make the paper of a grey page white, so that its noise is not taken for ink.

Tesseract parts ink from paper by one threshold for the page. On a nearly empty page that falls
into the noise of the paper: thousands of specks, and 40 to 150 s of processor time for one line.
"""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageFilter

_NOISY = 6.0
"""From this spread of grey levels on, neighbours are averaged first: faint print stays above the noise."""


def is_blank(page: Image.Image) -> bool:
    """Whether there is nothing on a grey page that could be ink."""
    small = np.asarray(_small(page), dtype=np.int16)
    return int((np.abs(small - _paper(page)) > 32).sum()) < 8


def whiten(page: Image.Image) -> Image.Image:
    """The grey page with its paper white and its ink as dark as it was."""
    spread = _noise(page)
    if spread > _NOISY:
        page, spread = page.filter(ImageFilter.BoxBlur(1)), spread / 3
    white = max(64.0, _paper(page) - max(3 * spread, 8.0))
    return page.point([min(255, round(level * 255 / white)) for level in range(256)])


def _paper(page: Image.Image) -> float:
    """The grey level of the paper; that of the brighter part where most of the page is dark."""
    middle, bright = np.percentile(np.asarray(_small(page)), (50, 90))
    return float(bright if bright - middle > 60 else middle)


def _noise(page: Image.Image) -> float:
    """How far grey levels of neighbours spread, in levels of standard deviation."""
    rows = np.asarray(page, dtype=np.uint8)[::8].astype(np.int16)
    return float(np.median(np.abs(np.diff(rows, axis=1)))) / 0.954 if page.width > 1 else 0.0


def _small(page: Image.Image) -> Image.Image:
    return page.reduce(4) if min(page.size) >= 40 else page
