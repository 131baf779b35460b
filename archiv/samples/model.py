"""What a sample is, and what archiv should make of it."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path


class Kind(StrEnum):
    """What a sample file is, in the words of somebody who files paper."""

    PDF = "born-digital PDF"
    SCAN = "scan as PDF"
    E_INVOICE = "PDF with the XML of an invoice"
    MIXED = "PDF, partly scanned"
    ENCRYPTED = "PDF with a password"
    BROKEN = "broken PDF"
    BLANK = "blank page"
    DUPLICATE = "exact duplicate"
    JPEG = "scan as JPEG"
    PNG = "scan as PNG"
    PHOTO = "photo"
    FAX = "fax as TIFF"
    TEXT = "text file"
    MAIL = "mail"


class Status(StrEnum):
    """How a sample ends: the document's processing status, or no document of its own."""

    DONE = "done"
    FAILED = "failed"
    DUPLICATE = "duplicate"


class TextSource(StrEnum):
    """Where the text of a document came from, taken over all its pages."""

    LAYER = "layer"
    OCR = "ocr"
    BOTH = "layer+ocr"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is right for one sample.

    `pages` is None where nobody can know (the file cannot be opened). `issued` is the day the document
    was issued, None where it names none. `snippet` is a phrase of its text as it is printed; of a failed
    sample, a word of the reason that an operator must be given; empty where there is nothing to find.
    `title` is what a person would call it; empty where no title is made (failed, duplicate).
    """

    status: Status
    pages: int | None
    issued: date | None
    text_source: TextSource
    snippet: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """One file of one tenant, with what should become of it."""

    tenant: str
    filename: str
    kind: Kind
    expect: Expectation

    def path_in(self, folder: Path) -> Path:
        """The file's place below the folder that `make_samples` filled: one folder a tenant."""
        return folder / self.tenant / self.filename
