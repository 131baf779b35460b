"""The step `index`: the words under which the document is found."""

from documents.models.reading import StepOutcome
from documents.pipeline.work import StepReport, Work
from documents.search.joined import fold_for_index


def run(work: Work) -> StepReport:
    """Fold the text into words. They are written with the document, together with its final title."""
    reading, invoice = work.reading, work.reading.invoice
    named = (invoice.number, invoice.seller, invoice.buyer) if invoice else ()
    extra = "\n".join(part for part in (reading.subject, reading.author, *named) if part)
    work.findings.words = fold_for_index(f"{extra}\n{reading.text}")
    if not work.findings.words:
        return StepReport(StepOutcome.NOTHING, "found by its title and name only")
    return StepReport(StepOutcome.DONE)
