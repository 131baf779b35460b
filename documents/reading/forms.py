"""What people have filled into the fields of a PDF: PDFium draws it, but does not count it as text."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

_FIELDS = 2000
"""Fields of a page that are looked at."""

_CHARACTERS = 10_000
"""Of one field."""

_CHOSEN = frozenset({pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON})
_WRITTEN = frozenset(
    {pdfium_c.FPDF_FORMFIELD_TEXTFIELD, pdfium_c.FPDF_FORMFIELD_COMBOBOX, pdfium_c.FPDF_FORMFIELD_LISTBOX}
)


def open_forms(document: pdfium.PdfDocument) -> None:
    """Have a document's fields read and drawn; before its first page is opened. No script of it runs."""
    if document.get_formtype() != pdfium_c.FORMTYPE_NONE:
        document.init_forms()


def field_lines(document: pdfium.PdfDocument, page: pdfium.PdfPage) -> Iterator[str]:
    """The filled fields of a page, a line each: its label for people, if any, and what stands there."""
    if document.formenv is None:
        return
    form = document.formenv.raw
    for number in range(min(pdfium_c.FPDFPage_GetAnnotCount(page), _FIELDS)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, number)
        if not annotation:
            continue
        try:
            if line := _line(form, annotation):
                yield line
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)


def _line(form: object, annotation: object) -> str:
    kind = pdfium_c.FPDFAnnot_GetFormFieldType(form, annotation)
    label = _text(pdfium_c.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    if kind in _CHOSEN:
        return label if pdfium_c.FPDFAnnot_IsChecked(form, annotation) else ""
    value = _text(pdfium_c.FPDFAnnot_GetFormFieldValue, form, annotation) if kind in _WRITTEN else ""
    return f"{label}: {value}" if label and value else value


def _text(read: Callable[..., int], form: object, annotation: object) -> str:
    """A text of PDFium's: asked for its size in bytes first, with two for its end."""
    size = min(read(form, annotation, None, 0), 2 * _CHARACTERS)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    read(form, annotation, ctypes.cast(buffer, ctypes.POINTER(pdfium_c.FPDF_WCHAR)), size)
    return " ".join(buffer.raw[: size - 2].decode("utf-16-le", "replace").split())
