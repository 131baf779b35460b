"""Files from pages: scans as PDF, JPEG, PNG and TIFF, and PDFs that are mixed, locked, blank or broken."""

from collections.abc import Callable, Sequence
from io import BytesIO

import img2pdf
import pikepdf
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from archiv.samples.scanner import DPI, Look, fax, page_images, photograph, scan

PASSWORD = "muster"  # noqa: S105 - opens a sample, protects nothing
"""What opens the encrypted sample."""

PHOTO_DPI = 240
"""What a telephone's camera makes of an A4 sheet that fills its picture."""

Make = Callable[[], bytes]
Box = tuple[int, int, int, int]


def scan_pdf(print_page: Make, *looks: Look) -> bytes:
    """A PDF as scanners write it: one JPEG a page and no text. As many looks as pages."""
    return _pdf_of([scan(page, look) for page, look in _each(print_page(), looks)])


def scan_jpeg(print_page: Make, look: Look, crop: Box | None = None) -> bytes:
    """The first page as JPEG; `crop` in pixels of the 300-dpi page."""
    return _jpeg(scan(page_images(print_page())[0].crop(crop), look))


def scan_png(print_page: Make, look: Look, crop: Box | None = None) -> bytes:
    """The first page as grey PNG; `crop` in pixels of the 300-dpi page."""
    buffer = BytesIO()
    scan(page_images(print_page())[0].crop(crop), look).save(buffer, "PNG", dpi=(DPI, DPI))
    return buffer.getvalue()


def fax_tiff(print_page: Make, *looks: Look) -> bytes:
    """All pages as frames of one TIFF, group 4."""
    frames = [fax(page, look) for page, look in _each(print_page(), looks)]
    buffer = BytesIO()
    frames[0].save(
        buffer, "TIFF", compression="group4", dpi=(DPI, DPI), save_all=True, append_images=frames[1:]
    )
    return buffer.getvalue()


def photo_jpeg(print_page: Make, look: Look) -> bytes:
    """The first page as a telephone saves it: stored lying on its side, with the EXIF note to turn it."""
    upright = photograph(page_images(print_page(), dpi=PHOTO_DPI)[0], look)
    exif = Image.Exif()
    exif[0x0112] = 6  # orientation: turn a quarter clockwise to see it upright
    buffer = BytesIO()
    stored = upright.transpose(Image.Transpose.ROTATE_90)
    stored.save(buffer, "JPEG", quality=80, dpi=(PHOTO_DPI, PHOTO_DPI), exif=exif)
    return buffer.getvalue()


def mixed_pdf(print_pages: Make, look: Look) -> bytes:
    """Page 1 as it was printed to PDF, page 2 as a scan of the same print."""
    printed = print_pages()
    scanned = _pdf_of([scan(page_images(printed)[1], look)])
    buffer = BytesIO()
    with pikepdf.open(BytesIO(printed)) as document, pikepdf.open(BytesIO(scanned)) as sheet:
        document.pages[1:] = sheet.pages
        document.save(buffer, deterministic_id=True)
    return buffer.getvalue()


def encrypted_pdf(words: Sequence[str]) -> bytes:
    """A PDF of one page that opens only with `PASSWORD`."""
    # 128 bits: the 256-bit scheme draws its salts from the system, and no two files would be the same
    lock = StandardEncryption(PASSWORD, ownerPassword="owner", canCopy=0, strength=128)
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4, encrypt=lock, invariant=1)
    canvas.setFont("Helvetica", 11)
    for number, line in enumerate(words):
        canvas.drawString(70, A4[1] - 90 - 18 * number, line)
    canvas.save()
    return buffer.getvalue()


def blank_pdf() -> bytes:
    """A PDF of one empty page, as a double-sided scanner adds it."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1)
    canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def cut_off_pdf(print_pages: Make, share: float) -> bytes:
    """The first `share` (0 to 1) of a PDF whose directory is packed at its end: nothing to repair it from."""
    buffer = BytesIO()
    with pikepdf.open(BytesIO(print_pages())) as document:
        document.save(buffer, object_stream_mode=pikepdf.ObjectStreamMode.generate, deterministic_id=True)
    whole = buffer.getvalue()
    return whole[: int(len(whole) * share)]


def _each(pdf: bytes, looks: Sequence[Look]) -> list[tuple[Image.Image, Look]]:
    return list(zip(page_images(pdf), looks, strict=True))


def _jpeg(picture: Image.Image) -> bytes:
    buffer = BytesIO()
    picture.save(buffer, "JPEG", quality=72, dpi=(DPI, DPI))
    return buffer.getvalue()


def _pdf_of(scans: Sequence[Image.Image]) -> bytes:
    # the library's own engine writes no random identifier
    made: bytes = img2pdf.convert([_jpeg(s) for s in scans], nodate=True, engine=img2pdf.Engine.internal)
    return made
