"""What goes through the steps: the document as it was loaded, what was read, and what has been found."""

import uuid
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from documents.einvoices import Invoice
from documents.filing import Knowledge, Proposal, Stopped
from documents.models.reading import StepOutcome
from documents.ocr.boxes import rows_text, unpack
from documents.title_templates import TitleParts
from documents.workflows import Effects, Flow, FlowResult


@dataclass(frozen=True)
class Subject:
    """A version of a document, as it was when its analysis began, and what its tenant wishes.

    `today` is the day in the tenant's zone, `title_template` empty where titles are as they are found.
    `date_order` and `filename_order` are as `find_issued_date` takes them.
    """

    tenant_id: uuid.UUID
    document_id: uuid.UUID
    version_id: uuid.UUID
    filename: str
    media_type: str
    size: int
    languages: tuple[str, ...]
    today: date
    title_template: str = ""
    date_order: str = "DMY"
    filename_order: str = ""


@dataclass(frozen=True)
class Page:
    """The text of one page (from 1). `source` is layer, ocr or none; `confidence` 0 to 1, of OCR only.

    `boxes` are its words and where they stand, packed by `documents.ocr.boxes`; empty but for OCR.
    """

    number: int
    text: str
    source: str
    confidence: float | None = None
    boxes: bytes = b""


@dataclass(frozen=True)
class Picture:
    """A picture of the first page, ready to be shown. Width and height in pixels."""

    media_type: str
    data: bytes
    width: int
    height: int


@dataclass(frozen=True)
class Reading:
    """What the reader gave back. `failure` says why it could not go on; what it read before is kept.

    `subject`, `issued` and `author` are there where the format itself says them, as mail does; `invoice` is
    what the XML of an electronic invoice says.
    """

    pages: tuple[Page, ...] = ()
    page_count: int | None = None
    media_type: str = ""
    subject: str | None = None
    issued: date | None = None
    author: str = ""
    invoice: Invoice | None = None
    picture: Picture | None = None
    notes: tuple[str, ...] = ()
    failure: str = ""
    seconds: float = 0.0

    @property
    def text(self) -> str:
        """The text of all pages, parted by form feeds."""
        return "\f".join(page.text for page in self.pages)

    @property
    def rows(self) -> str:
        """The text of all pages like `text`, but row by row where boxes say how the words stand."""
        return "\f".join(
            rows_text(unpack(page.boxes).words) if page.boxes else page.text for page in self.pages
        )


@dataclass
class Findings:
    """What the steps found; None where nothing was, and then what is stored stays as it is."""

    issued: date | None = None
    issued_source: str = ""
    issued_doubt: str = ""
    issued_candidates: list[dict[str, Any]] = field(default_factory=list)
    title: str | None = None
    #: What rules and former filing propose; decided about when it is written, by what is true then.
    proposals: tuple[Proposal, ...] = ()
    stopped: tuple[Stopped, ...] = ()
    #: Names of what the document will be filed under, as far as the steps know; empty where nothing is.
    tags: tuple[str, ...] = ()
    correspondent: str = ""
    document_type: str = ""
    title_parts: TitleParts | None = None
    #: What workflows want, and what became of each; None where none were asked.
    effects: Effects | None = None
    flow_results: tuple[FlowResult, ...] = ()
    thumbnail: Picture | None = None
    words: str = ""


@dataclass(frozen=True)
class GivenFlows:
    """The workflows to be run on a document, how it came in, and its date as it is stored."""

    flows: tuple[Flow, ...]
    source: str
    issued: date | None = None


@dataclass(frozen=True)
class Work:
    """Everything a step may look at, and `findings`, to which it adds its own."""

    subject: Subject
    reading: Reading
    findings: Findings = field(default_factory=Findings)
    #: What the tenant knows about filing; None where no step is to ask for it.
    knowledge: Knowledge | None = None
    #: The workflows to be run; None where their time is over.
    flows: GivenFlows | None = None


@dataclass(frozen=True)
class StepReport:
    """How a step ended, in words for people. `seconds` only where the work was done before the step ran."""

    outcome: StepOutcome
    message: str = ""
    seconds: float = 0.0
