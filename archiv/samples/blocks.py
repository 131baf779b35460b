"""The pieces that business letters are made of: address window, reference block, tables, sums, signatures."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_JUSTIFY, TA_LEFT
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import Flowable, Paragraph, Spacer, Table, TableStyle

from archiv.samples.paper import WIDTH, Letterhead

CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Item:
    """One line of an invoice; `price` is for one unit, without tax."""

    quantity: int
    unit: str
    text: str
    price: Decimal

    @property
    def total(self) -> Decimal:
        """Price of the whole line, to the cent."""
        return (self.quantity * self.price).quantize(CENT)


@dataclass(frozen=True, slots=True)
class Wording:
    """The words and number marks that change with the language of an invoice."""

    columns: tuple[str, str, str, str, str]
    net: str
    tax: str
    gross: str
    symbol: str
    german: bool

    def money(self, amount: Decimal) -> str:
        """`1.234,50 €` or `£1,234.50`; prices in fractions of a cent keep them."""
        places = max(2, -int(amount.as_tuple().exponent))
        english = f"{amount:,.{places}f}"
        if not self.german:
            return f"{self.symbol}{english}"
        return english.translate(str.maketrans(",.", ".,")) + f" {self.symbol}"


GERMAN = Wording(
    ("Menge", "Einheit", "Bezeichnung", "Einzelpreis", "Gesamt"),
    "Zwischensumme netto",
    "zzgl. {rate} % USt.",
    "Gesamtbetrag",
    "€",
    german=True,
)
ENGLISH = Wording(
    ("Qty", "Unit", "Description", "Unit price", "Amount"),
    "Subtotal",
    "VAT {rate}%",
    "Total due",
    "£",
    german=False,
)


def gap(millimetres: float) -> Flowable:
    """Empty space down the page."""
    return Spacer(1, millimetres * mm)


def text(head: Letterhead, *paragraphs: str, size: float = 10, justify: bool = False) -> list[Flowable]:
    """Running text; reportlab's small markup (`<b>`, `<br/>`) is understood."""
    style = ParagraphStyle(
        "text",
        fontName=head.family.regular,
        fontSize=size,
        leading=size * 1.4,
        spaceAfter=size * 0.75,
        alignment=TA_JUSTIFY if justify else TA_LEFT,
        hyphenationLang="",
    )
    return [Paragraph(_faces(head, paragraph), style) for paragraph in paragraphs]


def heading(head: Letterhead, words: str, *, size: float = 13) -> Flowable:
    """A bold line that stays with what follows it."""
    style = ParagraphStyle(
        "heading",
        fontName=head.family.bold,
        fontSize=size,
        leading=size * 1.3,
        spaceBefore=size * 0.35,
        spaceAfter=size * 0.6,
        keepWithNext=1,
    )
    return Paragraph(words, style)


def address_and_references(
    head: Letterhead, recipient: Sequence[str], references: Sequence[tuple[str, str]]
) -> list[Flowable]:
    """The recipient in the envelope's window, beside it the block of labels and values."""
    small = ParagraphStyle("sender", fontName=head.family.regular, fontSize=6.5, leading=10)
    plain = ParagraphStyle("recipient", fontName=head.family.regular, fontSize=10.5, leading=14)
    window = [Paragraph(head.sender_line, small), Paragraph("<br/>".join(recipient), plain)]
    rows = [[label, value] for label, value in references]
    block: Flowable = gap(0)
    if rows:
        block = Table(rows, colWidths=[33 * mm, 39 * mm], hAlign="LEFT")
        block.setStyle(
            TableStyle(
                [
                    ("FONT", (0, 0), (0, -1), head.family.regular, 9),
                    ("FONT", (1, 0), (1, -1), head.family.bold, 9),
                    ("TOPPADDING", (0, 0), (-1, -1), 1.1),
                    ("BOTTOMPADDING", (0, 0), (-1, -1), 1.1),
                    ("LEFTPADDING", (0, 0), (-1, -1), 0),
                ]
            )
        )
    outer = Table([[window, block]], colWidths=[WIDTH - 72 * mm, 72 * mm])
    outer.setStyle(TableStyle([("VALIGN", (0, 0), (-1, -1), "TOP"), ("LEFTPADDING", (0, 0), (-1, -1), 0)]))
    return [outer, gap(14)]


def listing(
    head: Letterhead,
    rows: Sequence[Sequence[str]],
    widths: Sequence[float],
    *,
    numbers_from: int,
    sums: int = 0,
    size: float = 9,
) -> Flowable:
    """A table with a header row, columns from `numbers_from` on set flush right, the last `sums` rows bold.

    Widths are in millimetres. A long table goes on over pages and repeats its header.
    """
    cell = ParagraphStyle("cell", fontName=head.family.regular, fontSize=size, leading=size * 1.25)
    body = [[Paragraph(c, cell) if i < numbers_from else c for i, c in enumerate(row)] for row in rows[1:]]
    commands = [
        ("FONT", (0, 0), (-1, 0), head.family.bold, size),
        ("FONT", (0, 1), (-1, -1), head.family.regular, size),
        ("BACKGROUND", (0, 0), (-1, 0), HexColor("#eceff3")),
        ("LINEBELOW", (0, 0), (-1, 0), 0.8, HexColor(head.colour)),
        ("LINEBELOW", (0, 1), (-1, -1), 0.25, HexColor("#c4c8ce")),
        ("ALIGN", (numbers_from, 0), (-1, -1), "RIGHT"),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("TOPPADDING", (0, 0), (-1, -1), 3),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3.4),
    ]
    if sums:
        commands.append(("FONT", (0, -sums), (-1, -1), head.family.bold, size))
        commands.append(("LINEABOVE", (0, -sums), (-1, -sums), 0.8, HexColor(head.colour)))
    table = Table([list(rows[0]), *body], colWidths=[w * mm for w in widths], repeatRows=1, hAlign="LEFT")
    table.setStyle(TableStyle(commands))
    return table


def invoice_table(head: Letterhead, items: Sequence[Item], wording: Wording, rate: int) -> list[Flowable]:
    """The items with subtotal, tax at `rate` per cent and the total, all computed."""
    net = sum((item.total for item in items), Decimal(0))
    tax = (net * rate / 100).quantize(CENT)
    rows = [list(wording.columns)]
    rows += [[str(i.quantity), i.unit, i.text, wording.money(i.price), wording.money(i.total)] for i in items]
    sums = [
        ["", "", "", wording.net, wording.money(net)],
        ["", "", "", wording.tax.format(rate=rate), wording.money(tax)],
        ["", "", "", wording.gross, wording.money(net + tax)],
    ]
    return [listing(head, [*rows, *sums], (14, 17, 70, 37, 27), numbers_from=3, sums=1), gap(6)]


def invoice_total(items: Sequence[Item], rate: int) -> Decimal:
    """What is to be paid: all items and tax at `rate` per cent."""
    net = sum((item.total for item in items), Decimal(0))
    return net + (net * rate / 100).quantize(CENT)


class Signature(Flowable):  # type: ignore[misc]  # reportlab comes without types
    """A scribble in pen ink, drawn from a seed: the same hand for the same seed, nobody's in particular."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed
        self.width, self.height = 46 * mm, 13 * mm

    def draw(self) -> None:
        """Draw a tall first letter, loops that run out to the right, and at times a stroke below."""
        chance = random.Random(self.seed)  # noqa: S311 - a drawing, not a secret
        canvas = self.canv
        canvas.setStrokeColor(HexColor("#20306e"))
        canvas.setLineWidth(chance.uniform(0.8, 1.4))
        canvas.setLineCap(1)
        lean = chance.uniform(-0.1, 0.45)
        path = canvas.beginPath()
        x, y = 2 * mm, self.height * 0.35
        path.moveTo(x, y)
        for loop in range(chance.randint(6, 11)):
            tall = 1.5 if loop == 0 else chance.choice((0.35, 0.4, 0.5, 1.0, -0.5))
            rise = tall * self.height * 0.55
            step = chance.uniform(1.5, 4.6) * mm
            end = y + chance.uniform(-0.8, 0.9) * mm
            swing = rise * lean
            path.curveTo(
                x + swing - step * 0.3, y + rise, x + swing + step * 1.5, y + rise * 0.9, x + step, end
            )
            x, y = x + step, end
        if chance.random() < 0.6:
            path.curveTo(
                x + 9 * mm, y + 2 * mm, x + 4 * mm, y - 5 * mm, 5 * mm, y - chance.uniform(2, 4) * mm
            )
        canvas.drawPath(path, stroke=1, fill=0)


def _faces(head: Letterhead, markup: str) -> str:
    for tag, face in (("b", head.family.bold), ("i", head.family.italic)):
        markup = markup.replace(f"<{tag}>", f'<font name="{face}">').replace(f"</{tag}>", "</font>")
    return markup
