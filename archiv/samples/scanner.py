"""A scanner, a fax machine and a telephone's camera: born-digital pages come out as people's paper does.

Pages are drawn by PDFium and made worse with numpy and Pillow: skew, faint blur, uneven paper, grain, dust.
Every defect comes from a seed. Pure: bytes in, pictures out.
"""

from dataclasses import dataclass

import numpy as np
import pypdfium2
from numpy.typing import NDArray
from PIL import Image, ImageFilter

DPI = 300
INK, PAPER = 34.0, 247.0
"""Grey levels of what was black and white; no scanner sees either."""

SHEET_COLOUR, TABLE_COLOUR = (236.0, 231.0, 216.0), (118.0, 84.0, 55.0)
"""Red, green and blue of paper and wood in the light of a kitchen."""


@dataclass(frozen=True, slots=True)
class Look:
    """How a page lay on the glass.

    `skew` in degrees (positive turns the text anticlockwise), `grain` in grey levels, `blur` in pixels,
    `dust` in specks a page. All chance comes from `seed`.
    """

    seed: int
    skew: float
    grain: float = 5.0
    blur: float = 0.7
    dust: int = 60


def page_images(pdf: bytes, *, dpi: int = DPI) -> list[Image.Image]:
    """All pages of a PDF as clean grey pictures."""
    document = pypdfium2.PdfDocument(pdf)
    try:
        return [page.render(scale=dpi / 72, grayscale=True).to_pil().convert("L").copy() for page in document]
    finally:
        document.close()


def scan(page: Image.Image, look: Look) -> Image.Image:
    """The page as a flatbed scanner of average age would give it back, of the same size."""
    chance = np.random.default_rng(look.seed)
    levels = _on_the_glass(page, look)
    levels *= (PAPER - INK) / 255
    levels += INK
    levels -= _shade(levels.shape, chance)
    levels += _grain(levels.shape, look.grain, chance)
    _sprinkle(levels, chance, look.dust)
    return _picture(levels)


def fax(page: Image.Image, look: Look) -> Image.Image:
    """The page in black and white with the stray dots of a telephone line."""
    chance = np.random.default_rng(look.seed)
    levels = _on_the_glass(page, look)
    levels += _grain(levels.shape, 3 * look.grain, chance)
    _sprinkle(levels, chance, look.dust * 8)
    return Image.fromarray(levels > 140)


def photograph(page: Image.Image, look: Look) -> Image.Image:
    """The page on a wooden table, seen by a camera held by hand: perspective, a shadow, warm light; RGB."""
    chance = np.random.default_rng(look.seed)
    width, height = page.size
    margin = width // 14
    table = Image.new("L", (width + 2 * margin, height + 2 * margin), 0)
    table.paste(page, (margin, margin))
    sheet = Image.new("L", table.size, 0)
    sheet.paste(255, (margin, margin, margin + width, margin + height))
    corners = _quad(table.size, margin * 0.45, chance)
    table, sheet = (_seen_from(corners, look.skew, image) for image in (table, sheet))
    ink = np.array(table.filter(ImageFilter.GaussianBlur(look.blur + 0.3)), dtype=np.float32)
    mask = np.array(sheet.filter(ImageFilter.BoxBlur(1.5)), dtype=np.float32)
    ink *= 0.84 / 255
    mask *= 1 / 255
    rows, columns = ink.shape
    streaks = np.cumsum(chance.standard_normal((rows, 1)), axis=0).astype(np.float32)
    streaks = (streaks - streaks.mean()) * 0.5
    light = np.linspace(1.06, 0.78, columns, dtype=np.float32) * np.linspace(1, 0.86, rows)[:, None]
    light = light.astype(np.float32)
    grain = _grain(ink.shape, look.grain, chance)
    channels = []
    for paper, wood in zip(SHEET_COLOUR, TABLE_COLOUR, strict=True):
        levels = (ink + 0.16) * paper
        levels -= wood + streaks
        levels *= mask  # nothing but the table where there is no sheet
        levels += wood + streaks
        levels *= light
        levels += grain
        channels.append(_picture(levels))
    return Image.merge("RGB", channels)


def _on_the_glass(page: Image.Image, look: Look) -> NDArray[np.float32]:
    """Grey levels of the page, skewed and a little out of focus."""
    turned = page.rotate(look.skew, Image.Resampling.BILINEAR, fillcolor=255)
    return np.array(turned.filter(ImageFilter.GaussianBlur(look.blur)), dtype=np.float32)


def _grain(shape: tuple[int, ...], strength: float, chance: np.random.Generator) -> NDArray[np.float32]:
    grain = chance.standard_normal(shape, dtype=np.float32)
    grain *= strength
    return grain


def _picture(levels: NDArray[np.float32]) -> Image.Image:
    np.clip(levels, 0, 255, out=levels)
    return Image.fromarray(levels.astype(np.uint8))


def _shade(shape: tuple[int, ...], chance: np.random.Generator) -> NDArray[np.float32]:
    """A lid that did not close: up to 14 grey levels darker towards one side, and a fold across the page."""
    rows, columns = shape
    side = np.linspace(0, 1, columns, dtype=np.float32) ** 3 * np.float32(chance.uniform(6, 14))
    if chance.random() < 0.5:
        side = side[::-1]
    fold = np.abs(np.arange(rows, dtype=np.float32) - rows / 3 + chance.uniform(-20, 20))
    shade: NDArray[np.float32] = side[None, :] + (np.maximum(0, 1 - fold / 9) * 9)[:, None]
    return shade


def _sprinkle(levels: NDArray[np.float32], chance: np.random.Generator, specks: int) -> None:
    """Put dark specks of one to four pixels on the page."""
    rows, columns = levels.shape
    for _ in range(specks):
        row, column = chance.integers(0, rows - 4), chance.integers(0, columns - 4)
        size = int(chance.integers(1, 5))
        levels[row : row + size, column : column + size] -= chance.uniform(40, 150)


def _seen_from(corners: tuple[float, ...], skew: float, image: Image.Image) -> Image.Image:
    smooth = Image.Resampling.BILINEAR
    moved = image.transform(image.size, Image.Transform.QUAD, corners, smooth, fillcolor=0)
    return moved.rotate(skew, smooth, fillcolor=0)


def _quad(size: tuple[int, int], most: float, chance: np.random.Generator) -> tuple[float, ...]:
    """Corners of the source from top left to top right by way of the bottom, each moved by up to `most`."""
    width, height = size
    move = chance.uniform(0, most, 8)
    return (
        move[0], move[1],
        move[2] * 0.4, height - move[3] * 0.4,
        width - move[4] * 0.4, height - move[5] * 0.4,
        width - move[6], move[7],
    )  # fmt: skip
