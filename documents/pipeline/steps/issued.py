"""The step `issued`: the document's own date, with all candidates and what speaks for each."""

from datetime import date
from typing import Any

from documents.dates import Candidate, DateFinding, find_issued_date
from documents.models.document import IssuedSource
from documents.models.reading import StepOutcome
from documents.pipeline.work import StepReport, Work

_MOST_CANDIDATES = 10
#: Languages of OCR (ISO 639-2) as those of month names (ISO 639-1).
_TWO_LETTERS = {
    "ces": "cs", "dan": "da", "deu": "de", "eng": "en", "est": "et", "fin": "fi", "fra": "fr", "hun": "hu",
    "ita": "it", "lav": "lv", "lit": "lt", "nld": "nl", "nor": "no", "pol": "pl", "por": "pt", "rus": "ru",
    "slk": "sk", "spa": "es", "swe": "sv", "tur": "tr", "ukr": "uk",
}  # fmt: skip


def run(work: Work) -> StepReport:
    """Find the date: what the format itself says, else the text, else the name of the file."""
    subject, reading, findings = work.subject, work.reading, work.findings
    if reading.issued is not None and reading.issued <= subject.today:
        findings.issued, findings.issued_source = reading.issued, IssuedSource.FACTS
        findings.issued_candidates = [_fact(reading.issued)]
        return StepReport(StepOutcome.DONE, f"{reading.issued} as the file itself says")
    languages = [_TWO_LETTERS.get(language, language) for language in subject.languages]
    by_ocr = [page.number for page in reading.pages if page.source == "ocr"]
    finding = find_issued_date(
        reading.text, filename=subject.filename, languages=languages, pages_by_ocr=by_ocr, today=subject.today
    )
    if finding.date is None:
        named = find_issued_date(
            "", filename=subject.filename, filename_order="DMY", languages=languages, today=subject.today
        )
        finding = named if named.date is not None else finding
    return _report(work, finding)


def _report(work: Work, finding: DateFinding) -> StepReport:
    findings = work.findings
    findings.issued_candidates = [_candidate(each) for each in finding.candidates[:_MOST_CANDIDATES]]
    if finding.date is None or finding.best is None:
        others = len(finding.candidates)
        return StepReport(StepOutcome.NOTHING, f"none of {others} dates is its own" if others else "no date")
    findings.issued, findings.issued_source = finding.date, IssuedSource(str(finding.source))
    where = "the file's name" if finding.best.page == 0 else f"page {finding.best.page}"
    label = f", {finding.best.label!r}" if finding.best.label else ""
    doubt = "" if finding.confirmed else ", to be checked"
    return StepReport(StepOutcome.DONE, f"{finding.date} from {where}{label}{doubt}")


def _fact(day: date) -> dict[str, Any]:
    reasons = ["facts of the file"]
    return {"date": day.isoformat(), "score": 100, "source": "facts", "page": 0, "reasons": reasons}


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "date": candidate.date.isoformat(),
        "score": candidate.score,
        "source": str(candidate.source),
        "page": candidate.page,
        "label": candidate.label[:100],
        "written": candidate.written[:100],
        "reasons": [str(reason)[:100] for reason in candidate.reasons],
    }
