"""What stands in files of Word, Excel and PowerPoint, by python-docx, openpyxl and python-pptx.

The libraries open the packages; texts are taken from the XML in its order, so that text boxes, groups and
nested tables are not lost. Cells are parted by tabs, rows by line ends.
"""

from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator
from typing import Any, BinaryIO

import docx
import openpyxl  # type: ignore[import-untyped]
import pptx

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_GAPS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_EMPTY_ROWS = 1000
"""Rows without anything after which the rest of a sheet is taken to be empty: some have a million."""


def warm_up() -> None:
    """Load what these libraries load late, by writing and reading a file of each kind."""
    word, sheet, show = io.BytesIO(), io.BytesIO(), io.BytesIO()
    document = docx.Document()
    document.add_paragraph("a")
    document.save(word)
    book = openpyxl.Workbook()
    book.active.append([1, "a", dt.date(2026, 1, 1)])
    book.save(sheet)
    slides = pptx.Presentation()
    slides.slides.add_slide(slides.slide_layouts[0])
    slides.save(show)
    for file, read in ((word, read_words), (sheet, read_sheets), (show, read_slides)):
        file.seek(0)
        list(read(file, 1000))


def read_words(file: BinaryIO, limit: int) -> Iterator[str]:
    """The one text of a Word file: heads, body, feet; `limit` characters and not much more."""
    document = docx.Document(file)
    lines: list[str] = []
    heads: dict[str, None] = {}
    feet: dict[str, None] = {}
    for section in document.sections:
        for found, part in ((heads, section.header), (feet, section.footer)):
            if not part.is_linked_to_previous:
                found["\n".join(_lines(part._element, _W, limit))] = None  # noqa: SLF001  the XML of it
    lines += [*heads, *_lines(document.element.body, _W, limit), *feet]
    yield "\n".join(lines)


def read_sheets(file: BinaryIO, limit: int) -> Iterator[str]:
    """The text of each sheet of an Excel file, its name first; results of formulas as they were kept."""
    book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
    for sheet in book.worksheets:
        lines, size, empty = [str(sheet.title)], 0, 0
        for row in sheet.iter_rows(values_only=True):
            line = "\t".join(_cell(value) for value in row).rstrip("\t")
            empty = 0 if line else empty + 1
            if empty > _EMPTY_ROWS or size > limit:
                break
            if line:
                lines.append(line)
                size += len(line) + 1
        yield "\n".join(lines)


def read_slides(file: BinaryIO, limit: int) -> Iterator[str]:
    """The text of each slide of a PowerPoint file, with its notes."""
    for slide in pptx.Presentation(file).slides:
        lines = list(_lines(slide.element, _A, limit))
        if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None:
            lines.append(notes.text)
        yield "\n".join(lines)


def _lines(element: Any, space: str, limit: int) -> Iterator[str]:
    """The paragraphs below an element as lines; cells of one row in one line."""
    line, size = "", 0
    for paragraph in element.iter(f"{space}p"):
        text = "".join(_runs(paragraph, space))
        cell = paragraph.getparent()
        while cell is not None and cell.tag == f"{space}txBody":
            cell = cell.getparent()
        within = cell is not None and cell.tag == f"{space}tc"
        if within and cell.getprevious() is not None and cell.getprevious().tag == f"{space}tc":
            line += f"\t{text}"
            continue
        size += len(line)
        if size > limit:
            return
        if line:
            yield line
        line = text
    if line:
        yield line


def _runs(paragraph: Any, space: str) -> Iterator[str]:
    """The texts of one paragraph; paragraphs within it (text boxes) are lines of their own."""
    inner = {
        id(each) for other in paragraph.iter(f"{space}p") if other is not paragraph for each in other.iter()
    }
    for element in paragraph.iter():
        if id(element) in inner or not isinstance(element.tag, str) or not element.tag.startswith(space):
            continue
        name = element.tag.removeprefix(space)
        if name == "t":
            yield element.text or ""
        elif name in _GAPS:
            yield _GAPS[name]


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        return value.date().isoformat()
    return " ".join(str(value).split())
