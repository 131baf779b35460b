"""What is left of a file name as a title (pure)."""

import re
from urllib.parse import unquote

from documents.filenames import title_from_filename
from documents.title_words import one_of

_MACHINES = one_of("""
    scan img image dsc[nf]? pxl mvimg vid doc document dokument skm bizhub mx cci adobe_scan camscanner
    genius_scan
    screenshot bildschirmfoto whatsapp_image photo foto signal file datei page untitled unbenannt
    unknown download print
    fax epson brother hp canon xerox kyocera ricoh
""")
# Each step begins with another character: no name can be read in two ways.
_SCANNER = re.compile(
    rf"{_MACHINES}(?:[0-9\s_.:()-]|wa(?=[0-9])|at(?=\s)|(?<![a-z])c(?=[0-9])|(?<=[0-9])e(?=[0-9]))*",
    re.IGNORECASE,
)
_MEANINGLESS = re.compile(
    r"[0-9a-f]{8}-[0-9a-f-]{20,}|[0-9a-f]{16,}|[0-9\s_.:()-]*|[a-z]{0,4}[0-9]{4,}", re.IGNORECASE
)
_STAMP = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})[-_.]?([01][0-9])[-_.]?([0-3][0-9])(?![0-9]{5}(?![0-9]))")
_CAMERA = re.compile(r"(?:img|dsc[nf]?|pxl|mvimg)[\s_-]+(?=[^\W\d_]{3})", re.IGNORECASE)  # "IMG_Brief"
_COPY = re.compile(r"\s*(?:\([0-9]{1,3}\)|[-–]\s*(?:kopie|copy|copie)(?:\s*\([0-9]+\))?)$", re.IGNORECASE)


def tidy_filename(filename: str) -> tuple[str, bool]:
    """Return a file name as a title, and whether a person seems to have chosen it, not a machine."""
    stem = title_from_filename(unquote(filename) if "%" in filename else filename)
    stem = _COPY.sub("", stem).strip()
    if _SCANNER.fullmatch(stem) or _MEANINGLESS.fullmatch(stem):
        stamp = _STAMP.search(stem)
        word = re.match(r"[^\W\d_]+(?:\s[^\W\d_]+)?", stem)
        if stamp and word:
            return f"{word[0]} {stamp[1]}-{stamp[2]}-{stamp[3]}", False
        return re.sub(r"[\s_]+", " ", stem).strip() or stem, False
    text = _CAMERA.sub("", re.sub(r"_+", " ", stem))
    if " " not in text.strip():
        text = _part_words(text)
    return re.sub(r"\s+", " ", text).strip(" -.") or stem, True


def _part_words(text: str) -> str:
    """Blanks for the dots, hyphens and plus signs between words, none within numbers and dates."""
    if text.count("+") and " " not in text:
        text = text.replace("+", " ")
    if len(re.findall(r"(?<=[^\W\d_])-(?=[^\W\d_])", text)) >= 2:
        text = re.sub(r"(?<=[^\W\d_])-|-(?=[^\W\d_])", " ", text)
    return re.sub(r"(?<=[^\W\d_]{2})\.(?=[^\W\d_]{2})", " ", text)
