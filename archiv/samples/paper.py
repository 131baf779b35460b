"""Business paper: a letterhead, a footer and a story of flowables become the bytes of a born-digital PDF.

Fonts are the fourteen that every PDF reader has, and Vera, which comes with reportlab: nothing is read
from the machine. `invariant` takes clock and chance out of reportlab, so the same story is the same bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, NextPageTemplate, PageTemplate

LEFT, RIGHT = 25 * mm, 20 * mm
WIDTH = A4[0] - LEFT - RIGHT
"""Width of the text block in points."""


@dataclass(frozen=True, slots=True)
class Family:
    """The faces of one typeface, by their names in the PDF."""

    regular: str
    bold: str
    italic: str


SANS = Family("Helvetica", "Helvetica-Bold", "Helvetica-Oblique")
SERIF = Family("Times-Roman", "Times-Bold", "Times-Italic")
TYPEWRITER = Family("Courier", "Courier-Bold", "Courier-Oblique")
VERA = Family("Vera", "VeraBd", "VeraIt")

for _face in (VERA.regular, VERA.bold, VERA.italic):
    pdfmetrics.registerFont(TTFont(_face, f"{_face}.ttf"))


@dataclass(frozen=True, slots=True)
class Letterhead:
    """Who writes, and how their paper looks. `footer` holds columns of short lines."""

    name: str
    tagline: str
    address: str
    contact: tuple[str, ...] = ()
    footer: tuple[tuple[str, ...], ...] = ()
    colour: str = "#1f3a5f"
    family: Family = SANS
    page_word: str = "Seite"
    initials: str = field(default="")

    @property
    def sender_line(self) -> str:
        """The small line above the recipient in the window of the envelope."""
        return f"{self.name} · {self.address}"


def print_pdf(story: Sequence[Flowable], head: Letterhead, *, title: str) -> bytes:
    """Lay the story out on A4 paper of this letterhead; later pages carry only name and number."""
    buffer = BytesIO()
    document = BaseDocTemplate(
        buffer, pagesize=A4, invariant=1, title=title, author=head.name, subject="", creator=head.name
    )
    height = A4[1] - 24 * mm
    first = Frame(LEFT, 24 * mm, WIDTH, height - 42 * mm, 0, 0, 0, 0, id="first")
    later = Frame(LEFT, 24 * mm, WIDTH, height - 26 * mm, 0, 0, 0, 0, id="later")
    document.addPageTemplates(
        [
            PageTemplate("first", [first], onPage=lambda canvas, _: _draw_first(canvas, head)),
            PageTemplate("later", [later], onPage=lambda canvas, _: _draw_later(canvas, head)),
        ]
    )
    document.build([NextPageTemplate("later"), *story])
    return buffer.getvalue()


def _draw_first(canvas: Canvas, head: Letterhead) -> None:
    top = A4[1] - 17 * mm
    text_left = LEFT
    canvas.setFillColor(HexColor(head.colour))
    if head.initials:
        canvas.roundRect(LEFT, top - 8 * mm, 13 * mm, 13 * mm, 2.2 * mm, stroke=0, fill=1)
        canvas.setFillColor(HexColor("#ffffff"))
        canvas.setFont(head.family.bold, 15)
        canvas.drawCentredString(LEFT + 6.5 * mm, top - 3.6 * mm, head.initials)
        text_left += 17 * mm
    canvas.setFillColor(HexColor(head.colour))
    canvas.setFont(head.family.bold, 17)
    canvas.drawString(text_left, top - 1 * mm, head.name)
    canvas.setFillColor(HexColor("#444444"))
    canvas.setFont(head.family.regular, 9)
    canvas.drawString(text_left, top - 6.5 * mm, head.tagline)
    canvas.setFont(head.family.regular, 8)
    for number, line in enumerate(head.contact):
        canvas.drawRightString(A4[0] - RIGHT, top + 2 * mm - number * 3.6 * mm, line)
    canvas.setStrokeColor(HexColor(head.colour))
    canvas.setLineWidth(1.2)
    canvas.line(LEFT, top - 12 * mm, A4[0] - RIGHT, top - 12 * mm)
    _draw_footer(canvas, head)


def _draw_later(canvas: Canvas, head: Letterhead) -> None:
    top = A4[1] - 17 * mm
    canvas.setFont(head.family.regular, 8.5)
    canvas.setFillColor(HexColor("#444444"))
    canvas.drawString(LEFT, top, head.name)
    canvas.drawRightString(A4[0] - RIGHT, top, f"{head.page_word} {canvas.getPageNumber()}")
    canvas.setLineWidth(0.5)
    canvas.setStrokeColor(HexColor("#999999"))
    canvas.line(LEFT, top - 2.5 * mm, A4[0] - RIGHT, top - 2.5 * mm)
    _draw_footer(canvas, head)


def _draw_footer(canvas: Canvas, head: Letterhead) -> None:
    if not head.footer:
        return
    canvas.setLineWidth(0.4)
    canvas.setStrokeColor(HexColor("#999999"))
    canvas.line(LEFT, 20 * mm, A4[0] - RIGHT, 20 * mm)
    canvas.setFillColor(HexColor("#555555"))
    canvas.setFont(head.family.regular, 7)
    for column, lines in enumerate(head.footer):
        for row, line in enumerate(lines):
            canvas.drawString(LEFT + column * WIDTH / len(head.footer), 16.4 * mm - row * 3.1 * mm, line)
