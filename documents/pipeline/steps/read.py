"""The step `read`: whether the file could be opened, what it is, and how many pages it has."""

from documents.models.reading import StepOutcome
from documents.pipeline.work import StepReport, Work


def run(work: Work) -> StepReport:
    """Say what the file is; the reading itself is over when the steps run."""
    reading = work.reading
    if reading.failure:
        return StepReport(StepOutcome.FAILED, reading.failure, reading.seconds)
    pages = reading.page_count or 0
    if pages == 0:
        kind = reading.media_type or work.subject.media_type
        return StepReport(StepOutcome.NOTHING, f"{kind}: archived, but files of this type are not read")
    words = f"{reading.media_type}, {pages} page{'' if pages == 1 else 's'}"
    return StepReport(StepOutcome.DONE, "; ".join((words, *reading.notes)), reading.seconds)
