"""The step `thumbnail`: a picture of the first page, or one that says what kind of file it is."""

from documents.models.reading import StepOutcome
from documents.pipeline.work import Picture, StepReport, Work


def run(work: Work) -> StepReport:
    """Take the reader's picture, else draw a placeholder."""
    if work.reading.picture is not None:
        work.findings.thumbnail = work.reading.picture
        return StepReport(StepOutcome.DONE)
    from documents.images import THUMBNAIL_TYPE, draw_placeholder

    drawn = draw_placeholder(_label(work.subject.filename, work.subject.media_type))
    work.findings.thumbnail = Picture(THUMBNAIL_TYPE, drawn.data, drawn.width, drawn.height)
    return StepReport(StepOutcome.NOTHING, "placeholder: the file gave no picture")


def _label(filename: str, media_type: str) -> str:
    """Return a few letters for the kind of file."""
    name, dot, extension = filename.rpartition(".")
    if dot and name and extension.isalnum() and len(extension) <= 5:
        return extension.upper()
    return media_type.partition("/")[2].rpartition(".")[2].rpartition("-")[2][:8].upper() or "?"
