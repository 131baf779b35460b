"""The step `text`: how much text there is, and where it came from."""

from collections import Counter

from documents.models.reading import StepOutcome
from documents.pipeline.work import StepReport, Work


def run(work: Work) -> StepReport:
    """Say what text was found. A document without any is archived like all others."""
    reading = work.reading
    if not any(page.text.strip() for page in reading.pages):
        if reading.failure:
            return StepReport(StepOutcome.SKIPPED, "the file could not be read")
        return StepReport(StepOutcome.NOTHING, "no text found")
    sources = Counter(page.source for page in reading.pages)
    words = {"layer": "with text", "ocr": "by OCR", "none": "without text"}
    counted = [f"{sources[source]} {words[source]}" for source in words if sources[source]]
    return StepReport(StepOutcome.DONE, f"pages: {', '.join(counted)}")
