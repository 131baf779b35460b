"""What every reader finds loaded: OCR in its languages."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image, ImageDraw

from documents.ocr.languages import LANGUAGES, ORIENTATION, OcrError, find_folder, installed
from documents.ocr.recognizer import Compass, Recognizer


@dataclass(frozen=True)
class Warm:
    """The OCR engines that are loaded, and the folder of further languages."""

    recognizers: dict[frozenset[str], Recognizer]
    folder: Path
    compass: Compass | None
    remarks: dict[frozenset[str], str] = field(default_factory=dict)

    def recognizer(self, languages: tuple[str, ...]) -> tuple[Recognizer, str]:
        """The engine for these languages, and a remark where it had to be another one.

        Languages that are not loaded yet are read from their folder the first time.
        """
        asked = frozenset(languages)
        if asked not in self.recognizers:
            usual = next(iter(self.recognizers.values()))
            try:
                self.recognizers[asked] = Recognizer(languages, self.folder, self.compass)
            except (OcrError, RuntimeError, OSError) as error:
                self.recognizers[asked] = usual
                self.remarks[asked] = f"Read as {' and '.join(usual.languages)}: {error}"
        return self.recognizers[asked], self.remarks.get(asked, "")


def load(folder: str, languages: str) -> Warm:
    """Load the languages named (as in `deu+eng`), all together, each alone, from this folder or the usual."""
    names = tuple(filter(None, languages.split("+"))) or LANGUAGES
    place = find_folder(folder)
    compass = Compass(place) if ORIENTATION in installed(place) else None
    wanted = dict.fromkeys([names, *((name,) for name in names)])
    warm = Warm({frozenset(each): Recognizer(each, place, compass) for each in wanted}, place, compass)
    _read_once(warm)
    return warm


def _read_once(warm: Warm) -> None:
    """Read a line upside down, so that what libraries import late (numpy.ma for a median) is here.

    A reader cannot import: the project, or Python itself, may lie where its user cannot go.
    """
    page = Image.new("L", (480, 120), 255)
    ImageDraw.Draw(page).text((30, 40), "archiv 2026", fill=0, font_size=40)
    recognizer = next(iter(warm.recognizers.values()))
    recognizer.read(page.rotate(178, fillcolor=255), dpi=100, seconds=30)
    if warm.compass is not None:
        warm.compass.turns(page, 100)
