"""Small files for the tests of reading, made when they are needed."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

import img2pdf
import pikepdf
import reportlab
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

LINES = ("ARCHIVSAMPLE Rechnung", "Rechnungsdatum 13.02.2018", "Gesamtbetrag 99,00 EUR")
DPI = 120
_FONT = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"


def drawn(lines: Sequence[str] = LINES) -> Image.Image:
    """A white A4 page with black text, in grey."""
    image = Image.new("L", (round(8.27 * DPI), round(11.69 * DPI)), 255)
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((80, 100 + 64 * number), line, font=ImageFont.truetype(_FONT, 30), fill=0)
    return image


def saved(image: Image.Image, form: str, **options: object) -> bytes:
    data = io.BytesIO()
    image.save(data, form, dpi=(DPI, DPI), **options)
    return data.getvalue()


def born_digital(*pages: Sequence[str]) -> bytes:
    data = io.BytesIO()
    made = canvas.Canvas(data, pagesize=A4)
    for lines in pages or (LINES,):
        made.setFont("Helvetica", 12)
        for number, line in enumerate(lines):
            made.drawString(60, 780 - 18 * number, line)
        made.showPage()
    made.save()
    return data.getvalue()


def scan(image: Image.Image | None = None) -> bytes:
    return bytes(img2pdf.convert(saved(image or drawn(), "PNG")))


def joined(*files: bytes) -> bytes:
    made = pikepdf.new()
    for data in files:
        with pikepdf.open(io.BytesIO(data)) as part:
            made.pages.extend(part.pages)
    return written(made)


def written(document: pikepdf.Pdf, encryption: pikepdf.Encryption | None = None) -> bytes:
    data = io.BytesIO()
    document.save(data, encryption=encryption or False)
    return data.getvalue()


def tagged(data: bytes) -> bytes:
    with pikepdf.open(io.BytesIO(data)) as document:
        document.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
        return written(document)


def with_box(data: bytes, *box: float) -> bytes:
    with pikepdf.open(io.BytesIO(data)) as document:
        document.pages[0].MediaBox = pikepdf.Array(box)
        return written(document)


def rotated(data: bytes, degrees: int) -> bytes:
    with pikepdf.open(io.BytesIO(data)) as document:
        document.pages[0].Rotate = degrees
        return written(document)


def encrypted(data: bytes, *, user: str) -> bytes:
    with pikepdf.open(io.BytesIO(data)) as document:
        return written(document, pikepdf.Encryption(user=user, owner="own", R=6))


def blank_pdf(pages: int = 1) -> bytes:
    made = pikepdf.new()
    for _ in range(pages):
        made.add_blank_page(page_size=(595, 842))
    return written(made)


def letterspaced() -> bytes:
    data = io.BytesIO()
    made = canvas.Canvas(data, pagesize=A4)
    made.setFont("Helvetica", 12)
    made.drawString(60, 780, "   ".join(" ".join(word) for word in ("Kontoauszug", "vom", "30.08.2019")))
    made.save()
    return data.getvalue()


def raw_pdf(*objects: bytes) -> bytes:
    """A PDF of exactly these objects; the first is the catalogue."""
    data, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(data)


def one_page(*more: bytes, resources: bytes = b"", kids: int = 1, box: bytes = b"[0 0 595 842]") -> bytes:
    """A PDF of one page object (used `kids` times); `more` begins with its content, object 4."""
    page = b"<</Type/Page/Parent 2 0 R/MediaBox%b/Resources<<%b>>/Contents 4 0 R>>" % (box, resources)
    pages = b"<</Type/Pages/Kids[%b]/Count %d>>" % (b"3 0 R " * kids, kids)
    return raw_pdf(b"<</Type/Catalog/Pages 2 0 R>>", pages, page, *more)


def stream(content: bytes, fields: bytes = b"") -> bytes:
    return b"<<%b/Length %d>>\nstream\n%b\nendstream" % (fields, len(content), content)


def deflated(megabytes: int) -> bytes:
    """So many megabytes of blanks, deflated."""
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(b" " * (1 << 20)) for _ in range(megabytes)) + packer.flush()


def inflating_pdf(megabytes: int) -> bytes:
    """A PDF of some kilobytes whose page inflates twice to so many megabytes."""
    content = zlib.compress(deflated(megabytes), 9)
    return one_page(stream(content, b"/Filter[/FlateDecode/FlateDecode]"))


def nested_forms(depth: int) -> bytes:
    """A page that calls a form ten times, which calls one ten times, and so on."""
    head = b"/Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</XObject<</F %d 0 R>>>>"
    forms = [stream(b"/F Do " * 10, head % (6 + number)) for number in range(depth)]
    last = stream(b"0 0 10 10 re f", b"/Type/XObject/Subtype/Form/BBox[0 0 595 842]")
    return one_page(stream(b"/F Do"), *forms, last, resources=b"/XObject<</F 5 0 R>>")


def huge_image_pdf(side: int) -> bytes:
    """A page with a one-bit picture that claims so many pixels a side."""
    head = b"/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 1/ColorSpace/DeviceGray"
    picture = stream(deflated(1), head % (side, side) + b"/Filter/FlateDecode")
    content = stream(b"q 595 0 0 842 0 0 cm /I Do Q")
    return one_page(content, picture, resources=b"/XObject<</I 5 0 R>>")


def tiny_png(side: int) -> bytes:
    """A PNG of a few bytes that claims so many pixels a side."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def looping_tiff() -> bytes:
    """A TIFF whose only directory names itself as the next."""
    data = bytearray(saved(drawn(()), "TIFF"))
    start = struct.unpack_from("<I", data, 4)[0]
    end = start + 2 + 12 * struct.unpack_from("<H", data, start)[0]
    struct.pack_into("<I", data, end, start)
    return bytes(data)


def fax(*pages: Image.Image) -> bytes:
    first, *others = [page.convert("1") for page in pages]
    return saved(first, "TIFF", save_all=True, append_images=others, compression="group4")
