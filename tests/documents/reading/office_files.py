"""Office files made for tests, honest ones and others."""

from __future__ import annotations

import datetime as dt
import io
import zipfile

import docx
import openpyxl  # type: ignore[import-untyped]
import pptx
from reportlab.pdfgen.canvas import Canvas

ODF_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table")
)


def word_file() -> bytes:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Kanzlei Beispiel"
    document.add_paragraph("ARCHIVSAMPLE Grüße")
    table = document.add_table(2, 2)
    for row, texts in enumerate((("Datum", "Betrag"), ("12.05.2024", "9,50 €"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    return _saved(document)


def excel_file() -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "Belege"
    book.active.append(["Datum", "Wert"])
    book.active.append([dt.date(2024, 5, 12), 9.5])
    book.create_sheet("Notizen")["C900"] = "ARCHIVSAMPLE"
    return _saved(book)


def powerpoint_file() -> bytes:
    show = pptx.Presentation()
    for title in ("ARCHIVSAMPLE eins", "zwei"):
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = title
    slide.notes_slide.notes_text_frame.text = "vertraulich"
    return _saved(show)


def _saved(document: object) -> bytes:
    file = io.BytesIO()
    document.save(file)  # type: ignore[attr-defined]
    return file.getvalue()


def odf(kind: str, body: str, *, manifest: str = "<m/>") -> bytes:
    """An OpenDocument file of this kind (text, spreadsheet) with this body."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr(
            "content.xml",
            f'<?xml version="1.0"?><office:document-content {ODF_SPACES}><office:body>{body}'
            "</office:body></office:document-content>",
        )
        archive.writestr("META-INF/manifest.xml", manifest)
    return file.getvalue()


def with_member(data: bytes, name: str, content: bytes) -> bytes:
    """The ZIP archive with one member added, or another content in its place."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            if member != name:
                new.writestr(member, old.read(member))
        new.writestr(name, content)
    return file.getvalue()


def locked_office_file() -> bytes:
    """The beginning of an office file behind a password, as it lies in an OLE container."""
    return (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(1016)
        + "EncryptedPackage".encode("utf-16-le")
        + bytes(2000)
    )


def form_pdf() -> bytes:
    """A page with fields: one filled, one empty, one box that is ticked."""
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.drawString(72, 800, "Antrag auf Einsicht in die Akten des Archivs, bitte deutlich schreiben")
    canvas.acroForm.textfield(
        name="f1", tooltip="Aktenzeichen", value="ARCHIVSAMPLE 17/24", x=72, y=700, width=200
    )
    canvas.acroForm.textfield(name="f2", tooltip="Bemerkung", value="", x=72, y=600, width=200)
    canvas.acroForm.checkbox(name="f3", tooltip="Eilt sehr", checked=True, x=72, y=500)
    canvas.save()
    return file.getvalue()
