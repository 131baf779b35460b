"""The step `issued`: the document's own date, with all candidates and what speaks for each."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Any

from documents.dates import SURE, Candidate, DateFinding, Source, find_issued_date
from documents.dates.calendar import EARLIEST_YEAR
from documents.models.document import IssuedDoubt, IssuedSource
from documents.models.reading import StepOutcome
from documents.pipeline.work import Reading, StepReport, Subject, Work

_MOST_CANDIDATES = 10
_MOST_REASONS = 10
_MOST_WORDS = 100
#: More than any guess can have.
_POINTS_OF_FACTS = 1000
#: Languages of OCR (ISO 639-2) as those of month names (ISO 639-1).
_TWO_LETTERS = {
    "ces": "cs", "chi": "zh", "dan": "da", "deu": "de", "eng": "en", "est": "et", "fin": "fi", "fra": "fr",
    "hun": "hu", "ita": "it", "jpn": "ja", "lav": "lv", "lit": "lt", "nld": "nl", "nor": "no", "pol": "pl",
    "por": "pt", "rus": "ru", "slk": "sk", "spa": "es", "swe": "sv", "tur": "tr", "ukr": "uk",
}  # fmt: skip


def run(work: Work) -> StepReport:
    """Find the date: what the format itself says, else the text, else the name of the file."""
    subject, reading = work.subject, work.reading
    stated = _stated(reading, subject.today)
    by_ocr = [page.number for page in reading.pages if page.source == "ocr"]
    if stated is not None and reading.invoice is None:
        return _of_facts(work, *stated, [], None)
    finding = _search(subject, reading, by_ocr)
    candidates = [_candidate(each, by_ocr) for each in finding.candidates]
    if stated is not None:
        return _of_facts(work, *stated, candidates, _printed(finding))
    return _found(work, finding, candidates)


def _stated(reading: Reading, today: date) -> tuple[date, IssuedSource] | None:
    """The date that the format itself states, and where; none that is still to come, or that no paper has.

    Programs write 0001-01-01 for a date that they do not know.
    """
    invoice = reading.invoice
    day = invoice.issued if invoice is not None else reading.issued
    if day is None or day > today or day.year < EARLIEST_YEAR:
        return None
    return day, IssuedSource.FACTS if invoice is None else IssuedSource.INVOICE


def _search(subject: Subject, reading: Reading, by_ocr: Sequence[int]) -> DateFinding:
    # "chi_sim", "jpn_vert": what follows the line is a script.
    asked = [language.partition("_")[0] for language in subject.languages]
    languages = [_TWO_LETTERS.get(language, language) for language in asked]
    name, today = subject.filename, subject.today
    search = partial(
        find_issued_date,
        filename=name,
        order=subject.date_order,
        languages=languages,
        pages_by_ocr=by_ocr,
        today=today,
    )
    in_names = subject.filename_order or None
    finding = by_text = search(reading.text, filename_order=in_names)
    if any(page.boxes for page in reading.pages):
        # Reading order tears the labels of a form off its values; in rows they stand side by side.
        in_rows = search(reading.rows, filename_order=in_names)
        if in_rows.best is not None and (finding.best is None or in_rows.best.score >= finding.best.score):
            finding = in_rows
    if finding.best is not None and not finding.best.month_only:
        return finding
    if in_names or not any(map(str.isdigit, name)):
        return by_text  # the name has been asked, or has nothing to say
    return search(reading.text, filename_order=subject.date_order)


def _printed(finding: DateFinding) -> date | None:
    """The date that the document shows as its own, where that is beyond doubt."""
    best = finding.best
    sure = best is not None and best.source is Source.TEXT and best.score >= SURE and not best.month_only
    return best.date if best is not None and sure else None


def _of_facts(
    work: Work, day: date, source: IssuedSource, others: list[dict[str, Any]], printed: date | None
) -> StepReport:
    findings = work.findings
    differs = printed is not None and printed != day
    findings.issued, findings.issued_source = day, source
    findings.issued_doubt = IssuedDoubt.DIFFERS if differs else IssuedDoubt.NONE
    fact = {
        "date": day.isoformat(),
        "score": _POINTS_OF_FACTS,
        "source": str(source),
        "page": 0,
        "label": "",
        "written": "",
        "reasons": [["stated", "", _POINTS_OF_FACTS]],
    }
    findings.issued_candidates = [fact, *(each for each in others if each["date"] != day.isoformat())]
    findings.issued_candidates = findings.issued_candidates[:_MOST_CANDIDATES]
    where = "the XML of the invoice" if source is IssuedSource.INVOICE else "the file itself"
    doubt = f"; {printed} is printed, to be checked" if differs else ""
    return StepReport(StepOutcome.DONE, f"{day} as {where} says{doubt}")


def _found(work: Work, finding: DateFinding, candidates: list[dict[str, Any]]) -> StepReport:
    findings, best = work.findings, finding.best
    findings.issued_candidates = candidates[:_MOST_CANDIDATES]
    if finding.date is None or best is None:
        others = len(candidates)
        return StepReport(StepOutcome.NOTHING, f"none of {others} dates is its own" if others else "no date")
    findings.issued, findings.issued_source = finding.date, candidates[0]["source"]
    findings.issued_doubt = str(finding.doubt or "")
    where = "the file's name" if best.page == 0 else f"page {best.page}"
    label = f", {best.label!r}" if best.label else ""
    doubt = "" if finding.confirmed else ", to be checked"
    return StepReport(StepOutcome.DONE, f"{finding.date} from {where}{label}{doubt}")


def _candidate(candidate: Candidate, by_ocr: Sequence[int]) -> dict[str, Any]:
    source = str(candidate.source)
    if candidate.source is Source.TEXT and candidate.page in by_ocr:
        source = str(IssuedSource.OCR)
    return {
        "date": candidate.date.isoformat(),
        "score": candidate.score,
        "source": source,
        "page": candidate.page,
        "label": candidate.label[:_MOST_WORDS],
        "written": candidate.written[:_MOST_WORDS],
        "reasons": [
            [reason.code, reason.detail[:_MOST_WORDS], reason.points]
            for reason in candidate.reasons[:_MOST_REASONS]
        ],
    }
