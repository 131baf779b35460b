"""What stands in OpenDocument texts and sheets, by defusedxml: it knows no entities and follows nothing."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from defusedxml.ElementTree import iterparse

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_LINES = frozenset({f"{_TEXT}p", f"{_TEXT}h"})
_CELLS = frozenset({f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"})
_BLANKS = 200
"""Blanks in a row at most, whatever number is stated."""


def warm_up() -> None:
    """Load the parser by reading a file of each kind."""
    for read in (read_words, read_sheets):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("content.xml", "<a><b>x</b></a>")
        list(read(file, 1000))


def read_words(file: BinaryIO, limit: int) -> Iterator[str]:
    """The one text of a text document: heads and feet of its pages, then its body."""
    with zipfile.ZipFile(file) as archive:
        parts = []
        if "styles.xml" in archive.namelist():
            parts.append("\n".join(line for _, line in _lines(archive, "styles.xml", limit)))
        parts.append("\n".join(line for _, line in _lines(archive, "content.xml", limit)))
    yield "\n".join(filter(None, parts))


def read_sheets(file: BinaryIO, limit: int) -> Iterator[str]:
    """The text of each sheet, its name first. Cells that are stated to repeat count once."""
    with zipfile.ZipFile(file) as archive:
        current, lines = None, list[str]()
        for sheet, line in _lines(archive, "content.xml", limit):
            if sheet != current:
                if current is not None:
                    yield "\n".join([current, *lines])
                current, lines = sheet, []
            if line:
                lines.append(line)
        yield "\n".join([current or "", *lines])


def _lines(archive: zipfile.ZipFile, member: str, limit: int) -> Iterator[tuple[str, str]]:
    """The lines of a part and the sheet they stand in; cells of a row parted by tabs."""
    sheet, row, size, depth = "", list[str](), 0, 0
    with archive.open(member) as file:
        for event, element in iterparse(file, events=("start", "end")):
            if event == "start":
                if element.tag == f"{_TABLE}table":
                    sheet = element.get(f"{_TABLE}name") or sheet
                    yield sheet, ""
                depth += element.tag == f"{_TABLE}table-row"
                continue
            if element.tag in _LINES:
                text = _text(element)
                size += len(text)
                if depth:
                    row.append(text)
                else:
                    yield sheet, text
            elif element.tag in _CELLS:
                row.append("\t")
            elif element.tag == f"{_TABLE}table-row":
                depth -= 1
                line = "".join(row).rstrip("\t")
                row = []
                yield sheet, line
            else:
                continue
            if element.tag not in _LINES:
                element.clear()  # what was read is not kept; a paragraph's text its cell still needs no more
            if size > limit:
                return


def _text(element: Any) -> str:
    """The text of a paragraph with its tabs, blanks and line ends; not that of paragraphs within it."""
    parts = [element.text or ""]
    for child in element:
        if child.tag == f"{_TEXT}tab":
            parts.append("\t")
        elif child.tag == f"{_TEXT}line-break":
            parts.append("\n")
        elif child.tag == f"{_TEXT}s":
            parts.append(" " * _count(child.get(f"{_TEXT}c")))
        elif child.tag != f"{_OFFICE}annotation" and child.tag not in _LINES:
            parts.append(_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _count(stated: str | None) -> int:
    return min(int(stated), _BLANKS) if stated and stated.isdigit() else 1
