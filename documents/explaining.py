"""Why a document is dated and filed as it is, for pages and the API. Needs the tenant's scope."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from documents.models import Document, FileFacts, Filing, WorkflowRun
from documents.models.document import IssuedDoubt, IssuedSource

#: Filings of one document that are explained.
MOST_FILINGS = 200
#: Runs of workflows that are explained.
MOST_RUNS = 50


@dataclass(frozen=True)
class IssuedReason:
    """One reason for or against a candidate: a stable code, the words or figure behind it, its points."""

    code: str
    detail: str
    points: int


@dataclass(frozen=True)
class IssuedCandidate:
    """A date that the document may have been issued on; `page` counts from 1, 0 is no page of the text.

    `label` is the wording that says what kind of date it is, `written` the date as it stands there.
    """

    date: date
    score: int
    source: IssuedSource
    page: int
    label: str
    written: str
    reasons: tuple[IssuedReason, ...]
    is_chosen: bool


@dataclass(frozen=True)
class Explanation:
    """The issued date with where it comes from and the doubt about it, all candidates, best first, and more.

    `filings` are labels the document has, is suggested, or was refused, with rule, words and confidence;
    `runs` are those of workflows, in their order; `facts` is what the newest version's file states itself.
    """

    title_set_by: Literal["person", "workflow", "content"]
    issued_at: date | None
    source: IssuedSource
    doubt: IssuedDoubt
    candidates: tuple[IssuedCandidate, ...]
    filings: tuple[Filing, ...]
    runs: tuple[WorkflowRun, ...]
    facts: FileFacts | None


def explain_document(tenant_id: uuid.UUID, document: Document, version_id: uuid.UUID | None) -> Explanation:
    """Return why the document is dated and filed as it is."""
    filings = Filing.objects.filter(tenant_id=tenant_id, document_id=document.pk)
    facts = FileFacts.objects.filter(tenant_id=tenant_id, version_id=version_id) if version_id else None
    runs = WorkflowRun.objects.filter(tenant_id=tenant_id, document_id=document.pk)
    by_workflow: Literal["workflow", "content"] = "workflow" if document.workflow_title else "content"
    return Explanation(
        title_set_by="person" if document.title_manually_set else by_workflow,
        issued_at=document.issued_at,
        source=IssuedSource(document.issued_source),
        doubt=IssuedDoubt(document.issued_doubt),
        candidates=tuple(_candidate(kept, document.issued_at) for kept in document.issued_candidates),
        filings=tuple(filings.select_related("label", "rule").order_by("kind", "id")[:MOST_FILINGS]),
        runs=tuple(runs.select_related("workflow").order_by("id")[:MOST_RUNS]),
        facts=facts.first() if facts is not None else None,
    )


def _candidate(kept: Mapping[str, Any], issued_at: date | None) -> IssuedCandidate:
    """Return a candidate as the step `issued` wrote it."""
    day = date.fromisoformat(kept["date"])
    return IssuedCandidate(
        date=day,
        score=int(kept["score"]),
        source=IssuedSource(kept["source"]),
        page=int(kept["page"]),
        label=str(kept.get("label", "")),
        written=str(kept.get("written", "")),
        # An earlier release kept reasons as one line of text.
        reasons=tuple(
            IssuedReason(*reason) if isinstance(reason, list) else IssuedReason(str(reason), "", 0)
            for reason in kept["reasons"]
        ),
        is_chosen=day == issued_at,
    )
