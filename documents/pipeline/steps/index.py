"""The step `index`: the words under which the document is found."""

from documents.models.reading import StepOutcome
from documents.pipeline.work import Reading, StepReport, Work
from documents.search.joined import fold_for_index


def run(work: Work) -> StepReport:
    """Fold the text into words. They are written with the document, together with its final title."""
    work.findings.words = words_of(work.reading)
    if not work.findings.words:
        return StepReport(StepOutcome.NOTHING, "found by its title and name only")
    return StepReport(StepOutcome.DONE)


def words_of(reading: Reading) -> str:
    """Return the words of a reading as an index takes them, with those of its facts."""
    invoice = reading.invoice
    named = (invoice.number, invoice.seller, invoice.buyer) if invoice else ()
    extra = "\n".join(part for part in (reading.subject, reading.author, *named) if part)
    return fold_for_index(f"{extra}\n{reading.text}")
