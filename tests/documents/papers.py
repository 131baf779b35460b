"""Files of the kinds that archives have had trouble with, made when they are needed."""

import io
from collections.abc import Sequence

import img2pdf
import pikepdf
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

DPI = 150
LINES = ("ARCHIVPROBE Seite {}", "Rechnungsdatum: 13.02.2018", "Gesamtbetrag 99,00 EUR")


def drawn_page(number: int) -> Image.Image:
    """A white A4 page with large black letters."""
    page = Image.new("L", (1240, 1754), 255)
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(size=46)
    for place, line in enumerate(LINES):
        draw.text((110, 140 + 90 * place), line.format(number), font=font, fill=0)
    return page


def printed_pdf(*pages: Sequence[str]) -> bytes:
    """A born-digital PDF; without pages one with the usual lines."""
    buffer = io.BytesIO()
    sheet = canvas.Canvas(buffer, pagesize=A4)
    for lines in pages or ([line.format(1) for line in LINES],):
        sheet.setFont("Helvetica", 12)
        for place, line in enumerate(lines):
            sheet.drawString(60, 780 - 20 * place, line)
        sheet.showPage()
    sheet.save()
    return buffer.getvalue()


def scanned_pdf(number: int = 1) -> bytes:
    """A PDF that is nothing but a picture."""
    buffer = io.BytesIO()
    drawn_page(number).save(buffer, "PNG", dpi=(DPI, DPI))
    pdf: bytes = img2pdf.convert(buffer.getvalue())
    return pdf


def _saved(pdf: pikepdf.Pdf, **options: object) -> bytes:
    buffer = io.BytesIO()
    pdf.save(buffer, **options)  # type: ignore[arg-type]
    return buffer.getvalue()


def mixed_pdf(number: int = 2) -> bytes:
    """Page 1 born-digital, page 2 a scan."""
    pdf = pikepdf.open(io.BytesIO(printed_pdf()))
    pdf.pages.extend(pikepdf.open(io.BytesIO(scanned_pdf(number))).pages)
    return _saved(pdf)


def tagged_scan_pdf() -> bytes:
    """A scan that calls itself tagged."""
    pdf = pikepdf.open(io.BytesIO(scanned_pdf(3)))
    pdf.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
    return _saved(pdf)


def blank_pdf() -> bytes:
    """One page with nothing on it."""
    pdf = pikepdf.new()
    pdf.add_blank_page(page_size=A4)
    return _saved(pdf)


def locked_pdf() -> bytes:
    """A PDF that needs a password."""
    encryption = pikepdf.Encryption(user="geheim", owner="eigner", R=6)
    return _saved(pikepdf.open(io.BytesIO(printed_pdf())), encryption=encryption)


def cut_pdf() -> bytes:
    """The first two thirds of a PDF."""
    whole = printed_pdf()
    return whole[: len(whole) * 2 // 3]


def letterspaced_pdf() -> bytes:
    """A text layer with a blank after each letter."""
    words = ("Kontoauszug", "vom", "30.08.2019")
    return printed_pdf(["   ".join(" ".join(word) for word in words)])


def fax_tiff() -> bytes:
    """Three frames, group 4."""
    frames = [drawn_page(number).convert("1") for number in (1, 2, 3)]
    buffer = io.BytesIO()
    frames[0].save(
        buffer, "TIFF", save_all=True, append_images=frames[1:], dpi=(DPI, DPI), compression="group4"
    )
    return buffer.getvalue()


def turned_jpeg() -> bytes:
    """A photograph that lies on its side and says so."""
    exif = Image.Exif()
    exif[274] = 6
    buffer = io.BytesIO()
    drawn_page(4).convert("RGB").rotate(90, expand=True).save(buffer, "JPEG", exif=exif, dpi=(DPI, DPI))
    return buffer.getvalue()


def mail(*headers: str) -> bytes:
    """A short mail."""
    lines = [
        "From: Erika Muster <erika@example.org>",
        "To: b@example.org",
        *headers,
        "",
        "Anbei die Unterlagen.",
    ]
    return "\r\n".join(lines).encode()
