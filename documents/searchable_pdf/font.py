"""A font whose one glyph is a box, for words that are searched and never drawn.

Its codes are those of UTF-16, each half as wide as high, so that any text of any script can be written.
"""

from __future__ import annotations

import zlib
from base64 import b64decode

import pikepdf
from pikepdf import Array, Dictionary, Name, Stream, String

WIDTH = 0.5
"""Of each character, in heights."""

_NAME = Name("/ArchivGlyphless")
# A TrueType font made with fontTools' FontBuilder: 1000 units an em, one glyph, a box
# 500 units wide and 1000 high: readers measure where a word stands by it, and drop words without any extent.
_PROGRAM = (
    "eNqVUD1LA0EQfXt78QuTENAYLOQECwtRCBJSCBoUUyqxFj3OMxe4S45cEpLOUtBC8C+IlT/Awh/gLxA7G4tgfYKFcL77EEVE"
    "8C2zM29mdvbtQgCYwAkktJ29leLWzIYLiEVmDw1HdzGJbfJz8qW6PTiWTfFGfkc+a5n6UaZ4VmZ8QytZTKTyYpnxM23Bcjp9"
    "4TOCOOWm2i1Dp0+T34bc0fsu7x0hHyPXmrpj4mn/mvyRvO+2vA7rhLIb1hFqpb0UN/WD7NorpByG1YfLK3z5oCx8qTGQUBCD"
    "Z6QWUGeixo8mfYdIZqtJRcFPSOGLC6TY8U+sE8mISMMv0D6VRfeGL57iLiKvohDlI0VBEFmsMR365LU8M52bzwn/Xg7fC/FU"
    "FaWkUyAb/0I0aZSM09VxZuaQT2IFGaxW2obV6FXtgWvZpufVzHrX1tuooA0DFhrooQobA7hkNkx4XDX6OrrkOvvk37/xAeMa"
    "T4k="
)


def add_font(pdf: pikepdf.Pdf) -> pikepdf.Object:
    """Put the font into a PDF; returns the object that resources of pages refer to."""
    program = Stream(pdf, zlib.decompress(b64decode(_PROGRAM)))
    program.stream_dict.Length1 = len(program.read_bytes())
    descriptor = pdf.make_indirect(
        Dictionary(
            Type=Name.FontDescriptor,
            FontName=_NAME,
            Flags=4,
            FontBBox=Array([0, -200, 500, 800]),
            ItalicAngle=0,
            Ascent=800,
            Descent=-200,
            CapHeight=800,
            StemV=80,
            FontFile2=pdf.make_indirect(program),
        )
    )
    descendant = pdf.make_indirect(
        Dictionary(
            Type=Name.Font,
            Subtype=Name.CIDFontType2,
            BaseFont=_NAME,
            CIDSystemInfo=Dictionary(Registry=String("Adobe"), Ordering=String("Identity"), Supplement=0),
            FontDescriptor=descriptor,
            DW=500,
            CIDToGIDMap=pdf.make_indirect(Stream(pdf, bytes(2 << 16))),
        )
    )
    return pdf.make_indirect(
        Dictionary(
            Type=Name.Font,
            Subtype=Name.Type0,
            BaseFont=_NAME,
            Encoding=Name("/Identity-H"),
            DescendantFonts=Array([descendant]),
            ToUnicode=pdf.make_indirect(Stream(pdf, _to_unicode())),
        )
    )


def encode(text: str) -> bytes:
    """A text as a string of the font, in hexadecimal; what lies beyond the first plane is a question mark."""
    plain = "".join(character if character <= "\uffff" else "?" for character in text)
    return b"<" + plain.encode("utf-16-be", "replace").hex().encode() + b">"


def _to_unicode() -> bytes:
    """The map from codes to characters: each is itself. A range ends at a high byte, a block at 100."""
    ranges = [
        f"<{high:02x}00> <{high:02x}ff> <{high:02x}00>" for high in range(256) if not 0xD8 <= high <= 0xDF
    ]
    blocks = [ranges[start : start + 100] for start in range(0, len(ranges), 100)]
    body = "\n".join("\n".join([f"{len(block)} beginbfrange", *block, "endbfrange"]) for block in blocks)
    return (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
        "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
        "1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n"
        f"{body}\nendcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
    ).encode()
