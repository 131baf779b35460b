"""A warm tesseract: the text of a page image, its words and where they stand, how sure it is."""

from __future__ import annotations

import csv
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from tesserocr import OEM, PSM, PyTessBaseAPI

from documents.ocr.languages import ORIENTATION, OcrError, check_languages
from documents.ocr.paper import is_blank, whiten
from documents.ocr.skew import straighten
from documents.ocr.words import Sheet, Word

DPI = 300
"""Pictures with more dots an inch are made smaller first; more costs time and reads no better."""

POOR_CONFIDENCE = 0.6
"""Below this the page may stand on its head or on its side, and is turned to see."""

A4_INCHES = 11.69


class OcrTimeoutError(OcrError):
    """The page took longer than it may."""


@dataclass(frozen=True)
class Recognized:
    """What a page says, in reading order; no confidence where there is nothing to read.

    `turned` is how far the page was turned counterclockwise to stand upright (0, 90, 180, 270), `angle` what
    it was then straightened by; `sheet` says what the boxes refer to, where there are any.
    """

    text: str
    confidence: float | None
    words: tuple[Word, ...] = ()
    turned: int = 0
    angle: float = 0.0
    sheet: Sheet | None = None


class Compass:
    """Tells which way up a page is; costs about a second, and may serve several recognizers.

    Raises LanguageMissingError if the data for it are not in `folder`.
    """

    def __init__(self, folder: Path) -> None:
        check_languages((ORIENTATION,), folder)
        self._tesseract = PyTessBaseAPI(
            path=str(folder), lang=ORIENTATION, psm=PSM.OSD_ONLY, oem=OEM.TESSERACT_ONLY
        )

    def turns(self, page: Image.Image, dpi: float) -> tuple[int, ...]:
        """The turns (degrees counterclockwise) worth trying for a grey page that reads poorly as it is."""
        half = page.reduce(2) if dpi >= 200 else page  # as sure, at half the cost
        self._tesseract.SetImage(half)
        self._tesseract.SetSourceResolution(max(70, round(dpi * half.width / page.width)))
        found = self._tesseract.DetectOrientationScript()
        self._tesseract.Clear()
        if found and found["orient_conf"] > 2.0:
            # It says how far the content is turned clockwise.
            return (turn,) if (turn := found["orient_deg"] % 360) else ()
        return (180, 90, 270)  # too little on the page to tell


class Recognizer:
    """Tesseract with its languages loaded; one page at a time, so one for each process.

    Raises LanguageMissingError if the data of a language are not in `folder`.
    """

    def __init__(self, languages: Sequence[str], folder: Path, compass: Compass | None = None) -> None:
        check_languages(languages, folder)
        self.languages = tuple(languages)
        self._compass = compass
        self._tesseract = PyTessBaseAPI(
            path=str(folder), lang="+".join(languages), psm=PSM.AUTO, oem=OEM.LSTM_ONLY
        )

    def read(self, page: Image.Image, *, dpi: float, seconds: float) -> Recognized:
        """Read a page image of so many dots an inch; OcrTimeoutError after so many seconds.

        It is straightened before it is read; where the reading is poor it is turned as well, and
        the better reading counts.
        """
        deadline = time.monotonic() + seconds
        page = page.convert("L")
        if dpi > DPI:
            size = (max(1, round(page.width * DPI / dpi)), max(1, round(page.height * DPI / dpi)))
            page, dpi = page.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0), DPI
        if is_blank(page):
            return Recognized("", None)
        page = whiten(page)
        best = self._read(page, 0, dpi, deadline)
        if best.confidence is None or best.confidence < POOR_CONFIDENCE:
            turns = self._compass.turns(page, dpi) if self._compass else (180,)
            if best.confidence is None and len(turns) > 1:
                turns = ()  # nothing like a word, and nothing that has a top: a drawing
            for turn in turns:
                other = self._read(page, turn, dpi, deadline)
                if (other.confidence or 0.0) > (best.confidence or 0.0) + 0.05:
                    best = other
                if (best.confidence or 0.0) >= POOR_CONFIDENCE:
                    break
        return best

    def _read(self, page: Image.Image, turned: int, dpi: float, deadline: float) -> Recognized:
        seen = page.size
        if turned:
            page = page.rotate(turned, expand=True)
        page, angle = straighten(page, dpi)
        left = deadline - time.monotonic()
        try:
            self._tesseract.SetImage(page)
        except RuntimeError as error:
            raise OcrError(
                f"the engine does not take a page of {page.width} x {page.height} pixels"
            ) from error
        self._tesseract.SetSourceResolution(max(70, round(dpi)))
        try:
            if left <= 0 or not self._tesseract.Recognize(round(left * 1000)):
                if time.monotonic() >= deadline:
                    raise OcrTimeoutError("reading the page took too long")
                return Recognized("", None, (), turned, angle)  # found no text
            words = _words(self._tesseract.GetTSVText(0))
            text = self._tesseract.GetUTF8Text() if words else ""
        finally:
            self._tesseract.Clear()
        sheet = Sheet(*seen, *page.size, (turned + angle) % 360)
        return Recognized(text, _mean(words), words, turned, angle, sheet if words else None)


def guess_dpi(width: int, height: int, stated: float | None) -> float:
    """The dots an inch of a page image: what it states, where that can be; else as if it were A4.

    Cameras state 72 for everything; at that a photographed page would be as large as a door.
    """
    if stated and stated >= 60 and (stated >= 100 or max(width, height) <= 17 * stated):
        return min(stated, 4800.0)
    return min(max(max(width, height) / A4_INCHES, 70.0), 600.0)


def _words(tsv: str) -> tuple[Word, ...]:
    words = []
    lines: dict[tuple[str, ...], int] = {}
    for row in csv.reader(tsv.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
        if len(row) != 12 or row[0] != "5" or not row[11].strip():
            continue
        left, top, width, height = map(int, row[6:10])
        line = lines.setdefault(tuple(row[2:5]), len(lines))
        confidence = min(max(float(row[10]) / 100, 0.0), 1.0)
        words.append(Word(row[11].strip(), confidence, left, top, left + width, top + height, line))
    return tuple(words)


def _mean(words: Sequence[Word]) -> float | None:
    """The confidence of a page: of its words, by their length."""
    letters = sum(len(word.text) for word in words)
    if not letters:
        return None
    return round(sum(word.confidence * len(word.text) for word in words) / letters, 3)
