"""What became of a sample, compared with what should have. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from archiv.samples import Sample, Status, TextSource


@dataclass(frozen=True, slots=True)
class Outcome:
    """What archiv says about one sample.

    `status` is a `Status`, or any other word of the archive while it is not done. `text` is the text of all
    pages; `reason` is why reading failed, in the words an operator gets. `seconds` is what its analysis took.
    """

    status: str
    pages: int | None = None
    text_source: TextSource = TextSource.NONE
    issued: date | None = None
    title: str = ""
    text: str = ""
    reason: str = ""
    seconds: float | None = None


def differences(sample: Sample, outcome: Outcome) -> Iterator[str]:
    """Say in words where the outcome is not what it should be; nothing where it is right."""
    expect = sample.expect
    if outcome.status != expect.status:
        because = f" ({outcome.reason})" if outcome.reason else ""
        yield f"is {outcome.status}{because}, not {expect.status}"
        return
    if expect.status is Status.FAILED:
        if not outcome.reason.strip():
            yield "failed without a reason"
        elif expect.snippet.casefold() not in outcome.reason.casefold():
            yield f"failed for another reason than {expect.snippet!r}: {outcome.reason}"
        return
    if expect.status is Status.DUPLICATE:
        return
    if outcome.pages != expect.pages:
        yield f"has {outcome.pages} pages, not {expect.pages}"
    if outcome.text_source != expect.text_source:
        yield f"has its text from {outcome.text_source}, not from {expect.text_source}"
    if outcome.issued != expect.issued:
        yield f"is dated {outcome.issued}, not {expect.issued}"
    if expect.snippet and _plain(expect.snippet) not in _plain(outcome.text):
        yield f"does not contain {expect.snippet!r}"
    if not outcome.title.strip():
        yield "has no title"
    elif expect.title and _plain(outcome.title) != _plain(expect.title):
        yield f"is called {outcome.title!r}, not {expect.title!r}"


def text_source_of(sources: Iterator[str] | set[str]) -> TextSource:
    """Sum the sources of single pages up: both where some came from the layer and some from OCR."""
    found = set(sources) & {TextSource.LAYER, TextSource.OCR}
    if len(found) == 2:
        return TextSource.BOTH
    return TextSource(found.pop()) if found else TextSource.NONE


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
