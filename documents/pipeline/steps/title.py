"""The step `title`: what the document calls itself."""

from documents.models.reading import StepOutcome
from documents.pipeline.work import StepReport, Work
from documents.titles import find_title


def run(work: Work) -> StepReport:
    """Find a title. One that a person has set is kept when it is written."""
    reading = work.reading
    title = find_title([page.text for page in reading.pages], filename=work.subject.filename, facts=reading)
    work.findings.title = title.text
    return StepReport(StepOutcome.DONE, f"from the {title.source}")
