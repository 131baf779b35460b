"""The step `title`: what the document calls itself, and the parts that a tenant's template puts together."""

from dataclasses import replace
from email.utils import parseaddr

from documents.einvoices import Invoice, kind_of
from documents.filenames import title_from_filename
from documents.models.reading import StepOutcome
from documents.pipeline.work import StepReport, Work
from documents.senders import find_sender
from documents.title_numbers import split_kind
from documents.title_templates import TitleParts
from documents.titles import Title, TitleSource, find_title


def run(work: Work) -> StepReport:
    """Find a title. One that a person has set is kept when it is written."""
    reading, filename = work.reading, work.subject.filename
    pages = [page.text for page in reading.pages]
    title = find_title(pages, filename=filename, facts=reading)
    parts = _parts(title)
    source = str(title.source)
    if reading.invoice is not None and reading.invoice.number:
        parts, source = _of_invoice(parts, title, reading.invoice, work.subject.languages), "invoice"
    sender = reading.invoice.seller if reading.invoice is not None else _name(reading.author)
    work.findings.title_parts = replace(
        parts, correspondent=sender or find_sender(pages), filename=title_from_filename(filename)
    )
    work.findings.title = parts.title
    return StepReport(StepOutcome.DONE, f"from the {source}")


def _name(author: str) -> str:
    """The name in the sender of a mail, else its address."""
    name, address = parseaddr(author)
    return name or address


def _parts(title: Title) -> TitleParts:
    if title.source is TitleSource.NUMBER:
        kind, number = split_kind(title.text)
        return TitleParts(title.text, type=kind, number=number)
    return TitleParts(title.text, subject=title.text)


def _of_invoice(parts: TitleParts, title: Title, invoice: Invoice, languages: tuple[str, ...]) -> TitleParts:
    """The number is that of the XML, and so is the kind unless the print has a word for it."""
    printed = title.source is TitleSource.NUMBER and invoice.number in title.text
    kind = parts.type if printed else kind_of(invoice.type_code, languages)
    subject = parts.subject if title.source is TitleSource.SUBJECT else ""
    return TitleParts(f"{kind} {invoice.number}", type=kind, number=invoice.number, subject=subject)
