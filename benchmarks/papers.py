"""Scanned papers with their true text: two languages, several layouts and fonts, resolutions and defects.

All is drawn from a seed, so every run and every system gets the same pages.
"""

from __future__ import annotations

import io
import random
from dataclasses import dataclass
from pathlib import Path

import img2pdf
import numpy as np
import reportlab
from PIL import Image, ImageDraw, ImageFilter, ImageFont

_FONTS = (
    "/usr/share/fonts/truetype/liberation/LiberationSerif-Regular.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf",
    str(Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"),
)
_SENTENCES = {
    "deu": (
        "Sehr geehrte Damen und Herren, anbei erhalten Sie die angeforderten Unterlagen zu Ihrer Anfrage.",
        "Bitte überweisen Sie den Betrag innerhalb von vierzehn Tagen auf das unten genannte Konto.",
        "Die Frist für den Widerspruch beträgt einen Monat nach Zustellung dieses Bescheides.",
        "Für Rückfragen stehen wir Ihnen gerne unter der Rufnummer 0221 4711-0 zur Verfügung.",
        "Der Verwaltungsrat hat in seiner Sitzung vom 14. März beschlossen, die Gebühren zu erhöhen.",
        "Größere Mengen können nach Absprache auch außerhalb der Geschäftszeiten geliefert werden.",
        "Das Grundstück liegt an der Königstraße und hat eine Fläche von 1.250 Quadratmetern.",
        "Änderungen bedürfen der Schriftform; mündliche Nebenabreden bestehen nicht.",
        "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.",
        "Wir bestätigen den Eingang Ihrer Kündigung und bedauern Ihre Entscheidung sehr.",
    ),
    "eng": (
        "Thank you for your letter; please find the documents you asked for enclosed with this note.",
        "Payment is due within thirty days of the date shown at the head of this invoice.",
        "The committee met on 14 March and resolved to publish the minutes without delay.",
        "Either party may end this agreement by giving three months' notice in writing.",
        "The quick brown fox jumps over the lazy dog while the band plays on.",
        "Our records show that the balance of 1,284.50 has not been settled to date.",
        "Goods remain the property of the seller until they have been paid for in full.",
        "Should you have any questions, do not hesitate to call us on 020 7946 0018.",
        "The property comprises a house with garden, a garage and two outbuildings.",
        "Minutes of the annual meeting are kept by the secretary and may be read by members.",
    ),
}
_ITEMS = {
    "deu": ("Büttenpapier", "Buchleinen", "Fadenheftung", "Lederecken", "Kapitalband", "Vorsatzpapier"),
    "eng": ("Laid paper", "Book cloth", "Sewing thread", "Leather corners", "Headband", "Endpapers"),
}
LAYOUTS = ("letter", "columns", "table", "faint", "stamp")


@dataclass(frozen=True)
class Paper:
    """One scanned page: its picture, dots an inch, the true text in reading order, and what is the matter."""

    name: str
    language: str
    layout: str
    dpi: int
    skew: float
    text: str
    image: Image.Image

    def as_pdf(self) -> bytes:
        """The page as a scanner's PDF: one JPEG."""
        data = io.BytesIO()
        self.image.save(data, "JPEG", quality=85, dpi=(self.dpi, self.dpi))
        return bytes(img2pdf.convert(data.getvalue()))


def make_papers(count: int, seed: int = 7) -> list[Paper]:
    """So many papers; languages, layouts, fonts, resolutions and angles in turn."""
    return [_make(number, random.Random(seed * 1000 + number)) for number in range(count)]


def _make(number: int, chance: random.Random) -> Paper:
    language = ("deu", "eng")[number % 2]
    layout = LAYOUTS[(number // 2) % len(LAYOUTS)]
    dpi = (300, 200)[(number // 3) % 2]
    skew = (0.0, 1.0, -2.0, 3.0, -0.5)[number % 5]
    sheet = _Sheet(dpi, ImageFont.truetype(_font(number), round(10.5 * dpi / 72)))
    text = {"columns": sheet.columns, "table": sheet.table}.get(layout, sheet.letter)(language, chance)
    image = _scan(sheet.image, layout, skew, dpi, number)
    return Paper(f"{number:02}-{layout}", language, layout, dpi, skew, text, image)


def _font(number: int) -> str:
    there = [font for font in _FONTS if Path(font).exists()]
    return there[number % len(there)]


class _Sheet:
    """An A4 sheet that is being written on."""

    def __init__(self, dpi: int, font: ImageFont.FreeTypeFont) -> None:
        self.dpi, self.font = dpi, font
        self.image = Image.new("L", (round(8.27 * dpi), round(11.69 * dpi)), 250)
        self.draw = ImageDraw.Draw(self.image)
        self.step = round(font.size * 1.45)

    def letter(self, language: str, chance: random.Random) -> str:
        """Paragraphs over the whole width."""
        left, right, top = 0.1, 0.9, 0.12
        return self._paragraphs(language, chance, left, right, top, 6)

    def columns(self, language: str, chance: random.Random) -> str:
        """Two columns of text, side by side."""
        first = self._paragraphs(language, chance, 0.08, 0.47, 0.12, 5)
        second = self._paragraphs(language, chance, 0.53, 0.92, 0.12, 5)
        return f"{first}\n{second}"

    def table(self, language: str, chance: random.Random) -> str:
        """A paragraph, then rows with amounts."""
        lines = [self._paragraphs(language, chance, 0.1, 0.9, 0.1, 2)]
        top = round(self.image.height * 0.32)
        places = [round(self.image.width * share) for share in (0.1, 0.42, 0.62, 0.78)]
        for row in range(12):
            item = chance.choice(_ITEMS[language])
            count, price = chance.randint(1, 40), chance.randint(100, 99_99) / 100
            mark = "," if language == "deu" else "."
            amounts = (f"{amount:.2f}".replace(".", mark) for amount in (price, count * price))
            cells = [item, str(count), *amounts]
            for place, cell in zip(places, cells, strict=True):
                self.draw.text((place, top + row * round(self.step * 1.3)), cell, font=self.font, fill=20)
            lines.append(" ".join(cells))
        return "\n".join(lines)

    def _paragraphs(
        self, language: str, chance: random.Random, left: float, right: float, top: float, count: int
    ) -> str:
        y, width = round(self.image.height * top), (right - left) * self.image.width
        written = []
        for _ in range(count):
            for line in self._wrapped(" ".join(chance.sample(_SENTENCES[language], 3)), width):
                self.draw.text((round(self.image.width * left), y), line, font=self.font, fill=20)
                written.append(line)
                y += self.step
            y += self.step
        return "\n".join(written)

    def _wrapped(self, text: str, width: float) -> list[str]:
        lines, line = [], ""
        for word in text.split():
            longer = f"{line} {word}".strip()
            if line and self.draw.textlength(longer, font=self.font) > width:
                lines.append(line)
                longer = word
            line = longer
        return [*lines, line]


def _scan(page: Image.Image, layout: str, skew: float, dpi: int, number: int) -> Image.Image:
    """The sheet as a scanner gives it: faint or stamped, leaning, blurred, noisy."""
    if layout == "faint":
        page = page.point([round(250 - (250 - level) * 0.45) for level in range(256)])
    if layout == "stamp":
        stamp = ImageDraw.Draw(page)
        wide, high = page.size
        box = (round(wide * 0.62), round(high * 0.8), round(wide * 0.9), round(high * 0.88))
        stamp.rectangle(box, outline=120, width=max(3, dpi // 60))
    page = page.rotate(skew, Image.Resampling.BICUBIC, fillcolor=250).filter(
        ImageFilter.GaussianBlur(dpi / 500)
    )
    noise = np.random.default_rng(number).normal(0, 8, (page.height, page.width))
    return Image.fromarray(np.clip(np.asarray(page, dtype=np.float32) + noise, 0, 255).astype(np.uint8))
