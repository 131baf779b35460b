"""Read a PDF: its text layer where that is good, OCR where it is not, page by page.

PDFium opens it; what PDFium cannot open is repaired by qpdf and tried once more.
"""

from __future__ import annotations

import ctypes
import io
import itertools
import time
from collections.abc import Iterator
from dataclasses import replace

import pikepdf
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image

from documents.images import THUMBNAIL_SIZE, THUMBNAIL_TYPE, ImageError, draw_placeholder, encode, shrink
from documents.ocr.languages import OcrError
from documents.ocr.recognizer import Recognizer
from documents.reading import invoices
from documents.reading.budget import PixelBudget
from documents.reading.errors import LimitExceeded, NeedsPassword, Unreadable
from documents.reading.forms import field_lines, open_forms
from documents.reading.messages import Facts, Limits, Note, PageRead, Part, Picture, ReadOptions
from documents.reading.pdf_image import (
    PageTooLargeError,
    check_page,
    large_pictures,
    page_image,
    picture_share,
    render,
)
from documents.reading.sniff import PDF_JUNK, MediaType
from documents.reading.source import Source
from documents.reading.warm import Warm
from documents.textlayer import Glyph, Verdict, clean, close_gaps, judge

_GLYPHS = 20_000
_MOST_JUNK = 1 << 20
_TAIL = 2048
_LOOK_OBJECTS = 2
_LARGEST_SEARCHED = 64 << 20


def warm_up() -> None:
    """Load what PDFium and qpdf load late: fonts and codecs, by drawing and repairing a page."""
    made = pikepdf.new()
    made.add_blank_page(page_size=(100, 100))
    data = io.BytesIO()
    made.save(data)
    with pikepdf.open(io.BytesIO(data.getvalue())) as opened:
        opened.save(io.BytesIO())
    document = pdfium.PdfDocument(data.getvalue())
    page = document[0]
    page.get_textpage().get_text_range()
    encode(render(page, 0.2))
    document.close()


def read(source: Source, media_type: MediaType, options: ReadOptions, warm: Warm) -> Iterator[Part]:
    """Facts, pages, thumbnail of one PDF."""
    document, repaired = _open(source)
    pages = len(document)
    if pages > options.limits.pages:
        raise LimitExceeded("pages", options.limits.pages)
    invoice, remarks = invoices.find_attached(document, source)
    yield Facts(pages, media_type, invoice=invoice)
    yield from remarks
    if repaired:
        yield Note("open", "The PDF is damaged; it was repaired for reading, the original is as it was")
    recognizer, remark = warm.recognizer(options.languages)
    if remark:
        yield Note("ocr", remark)
    reader = _PageReader(document, options.limits, recognizer)
    reader.has_masks = _has_masks(source)
    for number in range(1, pages + 1):
        if number not in options.skip_pages:
            yield from reader.read(number)
    if repaired and not reader.found and not options.skip_pages:
        raise Unreadable("the PDF is damaged, and nothing of its pages could be recovered")
    if options.thumbnail:
        yield from _thumbnail(document, reader.small, options.limits)


def is_behind_junk(source: Source) -> bool:
    """Whether a whole PDF stands behind more junk than PDFium passes over: with its beginning and its end."""
    start = _start(source)
    if start <= PDF_JUNK or source.data is None:
        return False
    end = source.data[max(start, source.size - _TAIL) :]
    return b" obj" in source.data[start : start + _TAIL] and b"startxref" in end and b"%%EOF" in end


def _start(source: Source) -> int:
    return max(0, source.data.find(b"%PDF-", 0, _MOST_JUNK)) if source.data is not None else 0


def _open(source: Source) -> tuple[pdfium.PdfDocument, bool]:
    """The document with at least one page, and whether it had to be repaired."""
    start = _start(source)
    assert source.data is not None
    buffer: object = (ctypes.c_ubyte * source.size).from_buffer(source.data)
    if start > PDF_JUNK:
        buffer = source.data[start:]
    for repaired, data in ((False, buffer), (True, None)):
        try:
            document = pdfium.PdfDocument(data if data is not None else _repair(source, start))
            if len(document):
                open_forms(document)
                document[0].close()
                return document, repaired
        except pdfium.PdfiumError as error:
            if error.err_code == pdfium_c.FPDF_ERR_PASSWORD:
                raise NeedsPassword from error
            if error.err_code == pdfium_c.FPDF_ERR_SECURITY:
                raise Unreadable("its encryption is unknown") from error
    raise Unreadable("the PDF is broken, and could not be repaired")


def _repair(source: Source, start: int) -> bytes:
    assert source.data is not None
    repaired = io.BytesIO()
    try:
        with pikepdf.open(io.BytesIO(source.data[start:])) as document:
            document.save(repaired)
    except pikepdf.PasswordError as error:
        raise NeedsPassword from error
    except (pikepdf.PdfError, ValueError, OSError, RuntimeError) as error:
        raise Unreadable("the PDF is broken, and could not be repaired") from error
    return repaired.getvalue()


class _PageReader:
    """Reads one page after the other; what one page does to it, the next need not know."""

    def __init__(self, document: pdfium.PdfDocument, limits: Limits, recognizer: Recognizer) -> None:
        self.document = document
        self.limits = limits
        self.recognizer = recognizer
        self.budget = PixelBudget(limits)
        self.found = False
        """Whether any page had text."""
        self.has_masks = False
        """Whether a picture may look other than its own pixels."""
        self.small: Image.Image | None = None
        """The first page, small, where OCR got its very pixels."""

    def read(self, number: int) -> Iterator[Part]:
        """The text of one page and notes about it."""
        started = time.process_time()
        try:
            page = self.document[number - 1]
        except pdfium.PdfiumError:
            yield PageRead(number, "", "none", seconds=time.process_time() - started)
            yield Note("text", f"Page {number} is broken and was left out")
            return
        notes: list[Note] = []
        try:
            found = self._with_fields(page, self._read(number, page, notes))
        except (PageTooLargeError, pdfium.PdfiumError) as error:
            found = PageRead(number, "", "none")
            notes.append(Note("text", f"Page {number} could not be read: {error}"))
        finally:
            page.close()
        self.found |= found.source != "none"
        seconds = round(time.process_time() - started, 4)
        yield PageRead(number, found.text, found.source, found.confidence, seconds, found.words, found.sheet)
        yield from notes

    def _with_fields(self, page: pdfium.PdfPage, found: PageRead) -> PageRead:
        """The page with what was filled into its fields below; not again what OCR saw of it."""
        lines = [
            line for line in field_lines(self.document, page) if line.rpartition(": ")[2] not in found.text
        ]
        if not lines:
            return found
        text = clean("\n".join(filter(None, (found.text, *lines))), self.limits.text_chars)
        return replace(found, text=text, source="layer" if found.source == "none" else found.source)

    def _read(self, number: int, page: pdfium.PdfPage, notes: list[Note]) -> PageRead:
        text, cut = self._layer(page)
        if cut:
            notes.append(Note("text", f"Page {number}: only the first {self.limits.text_chars} characters"))
        share = picture_share(page) if len(text) < 1000 else 0.0
        judgement = judge(text, picture_share=share)
        if judgement.verdict is Verdict.GOOD:
            return PageRead(number, text, "layer")
        if judgement.verdict is Verdict.LETTERSPACED and (joined := _joined(page)):
            return PageRead(number, clean(joined, self.limits.text_chars), "layer")
        if judgement.verdict is Verdict.EMPTY and not _is_drawn(page):
            return PageRead(number, "", "none")
        if judgement.verdict is not Verdict.EMPTY:
            notes.append(Note("text", f"Page {number} read by OCR: {'; '.join(judgement.reasons)}"))
        return self._ocr(number, page, text, notes)

    def _layer(self, page: pdfium.PdfPage) -> tuple[str, bool]:
        textpage = page.get_textpage()
        try:
            count = textpage.count_chars()
            limit = self.limits.text_chars
            text = textpage.get_text_range(0, min(count, limit)) if count > 0 else ""
            return clean(text, limit), count > limit
        finally:
            textpage.close()

    def _ocr(self, number: int, page: pdfium.PdfPage, layer: str, notes: list[Note]) -> PageRead:
        """The page by OCR; what its text layer has where that fails."""
        try:
            check_page(page, self.limits)
            for size in large_pictures(page, self.limits):
                self.budget.spend(*size)
            look = self._look if number == 1 else None
            image, dpi = page_image(page, self.limits, masked=self.has_masks, look=look)
            found = self.recognizer.read(image, dpi=dpi, seconds=float(self.limits.cpu_seconds))
        except (OcrError, PageTooLargeError, ImageError, pdfium.PdfiumError) as error:
            notes.append(Note("ocr", f"Page {number} could not be read by OCR: {error}"))
            return PageRead(number, layer, "layer" if layer else "none")
        text = clean(found.text, self.limits.text_chars)
        if not text.strip():
            return PageRead(number, layer, "layer" if layer.strip() else "none")
        return PageRead(number, text, "ocr", found.confidence, words=found.words, sheet=found.sheet)

    def _look(self, image: Image.Image) -> None:
        """Keep a small copy, so that the same pixels need not be decoded again for the thumbnail."""
        self.small = shrink(image)


def _has_masks(source: Source) -> bool:
    """Whether a picture has a mask, as far as can be seen; taken for granted of a very large file."""
    if source.data is None or source.size > _LARGEST_SEARCHED:
        return True
    # Pictures are streams, and what a stream says of itself is never packed.
    return any(source.data.find(mark) >= 0 for mark in (b"/SMask", b"/Mask"))


def _joined(page: pdfium.PdfPage) -> str:
    """The text of a letterspaced page from where its characters stand."""
    textpage = page.get_textpage()
    glyphs = []
    line = 0
    try:
        for index in range(min(textpage.count_chars(), _GLYPHS)):
            code = pdfium_c.FPDFText_GetUnicode(textpage, index)
            character = chr(code) if code < 0x110000 else " "
            if character in "\r\n":
                line += character == "\n"
            elif not character.isspace():
                left, bottom, right, top = textpage.get_charbox(index, loose=True)
                glyphs.append(Glyph(character, left, right, abs(top - bottom), line))
    except pdfium.PdfiumError:
        return ""
    finally:
        textpage.close()
    return close_gaps(glyphs)


def _is_drawn(page: pdfium.PdfPage) -> bool:
    """Whether anything at all stands on the page."""
    objects = itertools.islice(page.get_objects(max_depth=1), _LOOK_OBJECTS)
    return any(True for _ in objects) or pdfium_c.FPDFPage_GetAnnotCount(page) > 0


def _thumbnail(document: pdfium.PdfDocument, small: Image.Image | None, limits: Limits) -> Iterator[Part]:
    """The picture of the first page if there is one, else it is drawn; a placeholder where that fails."""
    if small is not None:
        picture = encode(small)
        yield Picture("thumbnail", THUMBNAIL_TYPE, picture.data, picture.width, picture.height)
        return
    try:
        page = document[0]
        try:
            longer = max(page.get_size())
            picture = encode(render(page, THUMBNAIL_SIZE / max(longer, 1.0), limits))
        finally:
            page.close()
    except (pdfium.PdfiumError, PageTooLargeError, OSError, ValueError) as error:
        yield Note("thumbnail", f"The first page could not be drawn: {error}")
        picture = draw_placeholder("PDF")
    yield Picture("thumbnail", THUMBNAIL_TYPE, picture.data, picture.width, picture.height)
