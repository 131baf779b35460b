"""PDF/A-2b, where the file allows it: what it demands of the whole file, and what stands against it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pikepdf
from pikepdf import Array, Dictionary, Name, Stream, String
from PIL import ImageCms

_SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
_FONT_FILES = ("/FontFile", "/FontFile2", "/FontFile3")
_FORBIDDEN_ACTIONS = ("/JavaScript", "/Launch", "/Sound", "/Movie", "/ResetForm", "/ImportData")


def make_archival(pdf: pikepdf.Pdf, *, made_at: datetime | None = None) -> tuple[str, ...]:
    """Make a PDF PDF/A-2b, and say so in it; or return what stands against it, and say nothing."""
    for name in ("/AA", "/OpenAction", "/Perms"):
        if name in pdf.Root:
            del pdf.Root[name]
    obstacles = tuple(find_obstacles(pdf))
    if "/Info" in pdf.trailer:
        del pdf.trailer["/Info"]  # what it says would have to agree with the metadata to the letter
    if obstacles:
        return obstacles
    profile = Stream(pdf, _SRGB)
    profile.stream_dict.N = 3
    profile.stream_dict.Alternate = Name.DeviceRGB
    intent = Dictionary(
        Type=Name.OutputIntent,
        S=Name("/GTS_PDFA1"),
        OutputConditionIdentifier=String("sRGB"),
        Info=String("sRGB"),
        RegistryName=String("http://www.color.org"),
        DestOutputProfile=pdf.make_indirect(profile),
    )
    pdf.Root.OutputIntents = Array([pdf.make_indirect(intent)])
    stamp = (made_at or datetime.now(UTC)).isoformat(timespec="seconds")
    with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
        for key in list(metadata):
            del metadata[key]
        metadata["pdfaid:part"] = "2"
        metadata["pdfaid:conformance"] = "B"
        metadata["xmp:CreateDate"] = metadata["xmp:ModifyDate"] = stamp
        metadata["xmp:CreatorTool"] = "archiv"
    return ()


def find_obstacles(pdf: pikepdf.Pdf) -> Iterator[str]:
    """What keeps a file from being PDF/A-2b, in words, each once."""
    yield from dict.fromkeys(_obstacles(pdf))


def _obstacles(pdf: pikepdf.Pdf) -> Iterator[str]:
    for entry in pdf.objects:
        if isinstance(entry, Stream):
            yield from _of_stream(entry)
        if isinstance(entry, Stream | Dictionary):
            yield from _of_dictionary(entry)
    root = pdf.Root
    if "/AcroForm" in root and ("/XFA" in root.AcroForm or root.AcroForm.get("/NeedAppearances")):
        yield "it is a form that is drawn by whoever shows it"
    if "/OCProperties" in root:
        yield "it has layers that can be hidden"


def _of_stream(stream: Stream) -> Iterator[str]:
    filters = stream.get("/Filter")
    names = [str(one) for one in filters] if isinstance(filters, Array) else [str(filters)]
    if "/LZWDecode" in names:
        yield "it is packed by LZW"
    if stream.get("/F") is not None:
        yield "a part of it lies in another file"
    if stream.get("/Subtype") == Name.Image:
        if stream.get("/Interpolate"):
            del stream["/Interpolate"]
        if stream.get("/ColorSpace") == Name.DeviceCMYK:
            yield "it has pictures in the colours of a printer"


def _of_dictionary(entry: pikepdf.Object) -> Iterator[str]:
    kind, subtype = entry.get("/Type"), entry.get("/Subtype")
    if kind == Name.Font and subtype in (
        Name.Type1,
        Name.TrueType,
        Name.MMType1,
        Name.CIDFontType0,
        Name.CIDFontType2,
    ):
        descriptor = entry.get("/FontDescriptor")
        if descriptor is None or not any(name in descriptor for name in _FONT_FILES):
            yield f"the font {str(entry.get('/BaseFont', '?')).lstrip('/')} is not embedded"
    if str(entry.get("/S", "")) in _FORBIDDEN_ACTIONS and ("/JS" in entry or kind in (None, Name.Action)):
        yield "it can act on its own"
    if kind == Name.Filespec or "/EF" in entry:
        yield "another file is attached to it"
