"""Reading an original: the reader's messages become one `Reading`, and pages can be kept on the way."""

import socket
import time
from collections.abc import Callable, Sequence
from typing import BinaryIO

from documents.ocr.boxes import pack
from documents.ocr.words import Boxes
from documents.pipeline.work import Page, Picture, Reading, Subject
from documents.reading.client import read_file
from documents.reading.errors import ReadError, ReaderUnavailable
from documents.reading.messages import Attached, Facts, Note, PageRead, ReadOptions
from documents.reading.messages import Picture as PictureRead

#: Seconds of reading that are worth a checkpoint; born-digital pages take a hundredth of that together.
WORTH_KEEPING = 2.0
#: Seconds of reading before anybody is told how far it is: most documents are through by then.
WORTH_TELLING = 1.0

Keep = Callable[[Sequence[Page]], None]


class Keeper:
    """Collects pages, and hands them on to be kept whenever enough work has gone into them."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self._pages: list[Page] = []
        self._seconds = 0.0

    def add(self, page: Page, seconds: float) -> None:
        """Add one page that took so many seconds."""
        self._pages.append(page)
        self._seconds += seconds
        if self._seconds >= WORTH_KEEPING:
            self._keep(self._pages)
            self._pages, self._seconds = [], 0.0


class _Collector:
    """Puts the reader's messages together."""

    def __init__(self, kept: Sequence[Page]) -> None:
        self.pages = {page.number: page for page in kept}
        self.facts: Facts | None = None
        self.picture: Picture | None = None
        self.notes: list[str] = []

    def pages_in_all(self) -> int:
        """Return how many pages there are, as far as is known; 0 before anything is."""
        return max(self.facts.pages if self.facts else 0, len(self.pages))

    def reading(self, failure: ReadError | None, seconds: float) -> Reading:
        """Return everything that came."""
        facts = self.facts
        return Reading(
            pages=tuple(self.pages[number] for number in sorted(self.pages)),
            page_count=facts.pages if facts else None,
            media_type=facts.media_type if facts else "",
            subject=facts.subject if facts else None,
            issued=facts.issued if facts else None,
            author=(facts.author or "") if facts else "",
            invoice=facts.invoice if facts else None,
            picture=self.picture,
            notes=tuple(self.notes),
            failure=str(failure) if failure else "",
            seconds=seconds,
        )


def read_original(
    requests: socket.socket,
    original: BinaryIO,
    subject: Subject,
    *,
    kept: Sequence[Page],
    keep: Keep,
    progress: Callable[[int, int], None],
    attach: Callable[[Attached], None],
) -> tuple[Reading, ReadError | None]:
    """Read a file but for the pages in `kept`; return what was read, and the error that ended it early.

    Calls `keep` with pages that would be dear to read again, `progress` with pages done and in all where that
    takes a while, and `attach` with each piece of what came with a mail. Raises `ReaderUnavailable`, and
    whatever these raise.
    """
    options = ReadOptions(
        media_type=subject.media_type,
        languages=subject.languages,
        skip_pages=frozenset(page.number for page in kept),
    )
    collector, keeper = _Collector(kept), Keeper(keep)
    started = time.monotonic()
    failure: ReadError | None = None
    try:
        for part in read_file(requests, original.fileno(), options):
            match part:
                case Facts():
                    collector.facts = part
                case PageRead():
                    boxes = pack(Boxes(part.sheet, part.words)) if part.sheet and part.words else b""
                    page = Page(part.number, part.text, part.source, part.confidence, boxes)
                    collector.pages[page.number] = page
                    keeper.add(page, part.seconds)
                case PictureRead():
                    collector.picture = Picture(part.media_type, part.data, part.width, part.height)
                case Attached():
                    attach(part)
                case Note():
                    collector.notes.append(part.message)
            if time.monotonic() - started >= WORTH_TELLING and (pages := collector.pages_in_all()) > 1:
                progress(len(collector.pages), pages)
    except ReaderUnavailable:
        raise
    except ReadError as error:
        failure = error
    return collector.reading(failure, time.monotonic() - started), failure
